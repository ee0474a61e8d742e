// SPDX-License-Identifier: Apache-2.0
//
// A call that may block for ever, made so that its caller does not. Pure: needs neither NCCL nor CUDA.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace assay::nccl::detail {

// Makes `call` in a thread of its own and waits for what it returns, or until cancelled(): then there is
// nothing, and the thread goes on until the call returns or the process ends. So `call` owns, or shares, all
// that it uses, and throws nothing.
template <class Call, class Cancelled>
auto watched(Call call, Cancelled&& cancelled) -> std::optional<decltype(call())> {
  struct Attempt {
    std::optional<decltype(call())> result;
    std::atomic<bool> done{false};
  };
  const auto attempt = std::make_shared<Attempt>();
  std::thread worker([attempt, call = std::move(call)]() mutable {
    attempt->result.emplace(call());
    attempt->done.store(true, std::memory_order_release);
  });
  while (!attempt->done.load(std::memory_order_acquire)) {
    if (cancelled()) {
      worker.detach();
      return std::nullopt;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  worker.join();
  return std::move(attempt->result);
}

}  // namespace assay::nccl::detail
