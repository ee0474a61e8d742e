// SPDX-License-Identifier: Apache-2.0
//
// The management library, asked on another thread: a GPU that has fallen off its bus can make any of its
// functions hang, and CUDA's devices are to be there without it.
#pragma once

#include "cuda/nvml.hpp"

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace assay::plugins::cuda {

class Management {
 public:
  // Half of what a backend gets to answer.
  static constexpr std::chrono::seconds kLimit{5};

  // Opens the library.
  explicit Management(std::chrono::milliseconds limit = kLimit) : limit_(limit) {
    const auto problem = answer([library = library_] {
      library->emplace();
      return (*library)->problem();
    });
    if (problem) problem_ = *problem;
  }

  // Why it cannot be asked, or not any more; empty if it can.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  // What question(nvml) returns; nothing if the library cannot be asked, or does not answer in time and is
  // then not asked again. The question may go on after this has returned, so it owns all that it uses.
  template <class Question>
  [[nodiscard]] auto ask(Question question) {
    return answer([library = library_, question = std::move(question)] { return question(**library); });
  }

 private:
  template <class Work>
  std::optional<std::invoke_result_t<Work>> answer(Work work) {
    if (!problem_.empty()) return std::nullopt;
    std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
    auto found = task.get_future();
    std::thread thread(std::move(task));
    if (found.wait_for(limit_) != std::future_status::ready) {
      thread.detach();
      problem_ = "NVML did not answer within " + std::to_string(limit_.count()) + " ms";
      return std::nullopt;
    }
    thread.join();
    return found.get();
  }

  std::chrono::milliseconds limit_;
  std::string problem_;
  // A thread that hangs has a share of it.
  std::shared_ptr<std::optional<Nvml>> library_ = std::make_shared<std::optional<Nvml>>();
};

}  // namespace assay::plugins::cuda
