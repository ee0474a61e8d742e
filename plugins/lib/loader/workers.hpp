// SPDX-License-Identifier: Apache-2.0
//
// A loader's workers: threads, or processes that are forked from this one.
#pragma once

#include "lib/loader/batch_queue.hpp"
#include "lib/loader/make_batch.hpp"

#include <assay/errors.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace assay::plugins::loader {

enum class WorkerKind { thread, process };

// What workers need, kept as long as one of them may be running.
struct WorkerState {
  WorkerState(const QueueShape& shape, const DataSet& data, const std::shared_ptr<const ItemWork>& work)
      : queue(shape) {
    makers.reserve(shape.workers);
    for (std::uint32_t worker = 0; worker < shape.workers; ++worker) makers.emplace_back(data, work);
  }
  BatchQueue queue;
  std::vector<BatchMaker> makers;  // before a fork, so that a process needs no memory of its own
};

// What a worker does from its start to its end.
inline void serve(WorkerState& state, std::uint32_t worker) noexcept {
  BatchQueue& queue = state.queue;
  try {
    const KeepOn keep_on = [&queue, worker] {
      queue.tick(worker);
      return !queue.is_stopping();
    };
    while (const auto ticket = queue.claim(worker)) {
      if (!state.makers[worker].make(queue.epoch(), queue.number_of(*ticket), queue.items(*ticket),
                                     queue.values(*ticket), keep_on))
        break;
      queue.finish(*ticket, worker);
    }
  } catch (const Failure& error) {
    queue.fail(error.what(), error.status(), error.domain().c_str(), error.code());
  } catch (const std::exception& error) {
    queue.fail(error.what(), ASSAY_E_INTERNAL, "", 0);
  } catch (...) {
    queue.fail("what a worker threw is not a std::exception", ASSAY_E_INTERNAL, "", 0);
  }
  queue.leave(worker);
}

// All calls come from the consumer's thread.
class Workers {
 public:
  Workers(std::shared_ptr<WorkerState> state, WorkerKind kind)
      : state_(std::move(state)), kind_(kind), threads_(count()), processes_(count(), 0) {}
  Workers(const Workers&) = delete;  // owns threads and processes
  Workers& operator=(const Workers&) = delete;
  ~Workers() { end(); }

  // Throws Failure (ASSAY_E_RESOURCE).
  void start(std::uint32_t worker) {
    state_->queue.come_back(worker);
    int error = 0;
    if (kind_ == WorkerKind::process) {
      error = start_process(worker);
    } else {
      try {
        threads_[worker] = std::thread([state = state_, worker] { serve(*state, worker); });
      } catch (const std::system_error& refused) {
        error = refused.code().value();
      }
    }
    if (error != 0) {
      throw Failure("worker " + std::to_string(worker + 1) + " of " + std::to_string(count()) +
                        " could not be started: " + std::strerror(error) + "; give fewer workers",
                    ASSAY_E_RESOURCE, "errno", error);
    }
  }

  // Why batches are missing, or would have been: a process has ended before its time. Cheap enough for every
  // few milliseconds.
  std::optional<Failure> death() {
    for (std::uint32_t worker = 0; !death_ && worker < count(); ++worker) death_ = death_of(worker);
    return death_;
  }

  // Waits for workers that have nothing left to do, or were told to stop, for a second at most. Then processes
  // are killed, and threads, which cannot be, are left to end by themselves with what they use. Returns how
  // many were killed or left.
  std::uint32_t end() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    std::uint32_t forced = 0;
    for (std::uint32_t worker = 0; worker < count(); ++worker) {
      if (threads_[worker].joinable()) {
        if (wait_for(worker, limit)) {
          threads_[worker].join();
        } else {
          threads_[worker].detach();
          ++forced;
        }
      }
      if (processes_[worker] != 0 && !collect(worker, limit)) {
        ::kill(processes_[worker], SIGKILL);
        if (!collect(worker, std::chrono::steady_clock::now() + std::chrono::milliseconds(500)))
          processes_[worker] = 0;  // the kernel holds it; whoever looks for children finds it
        ++forced;
      }
    }
    return forced;
  }

 private:
  using Moment = std::chrono::steady_clock::time_point;
  static constexpr std::int64_t kLook_ns = 10000000;

  std::uint32_t count() const { return state_->queue.shape().workers; }

  bool wait_for(std::uint32_t worker, Moment limit) {
    for (;;) {
      const std::uint32_t heard = state_->queue.ready().heard();
      if (state_->queue.has_left(worker)) return true;
      if (std::chrono::steady_clock::now() >= limit) return false;
      state_->queue.ready().wait(heard, kLook_ns);
    }
  }

  // False where it has not ended by then.
  bool collect(std::uint32_t worker, Moment limit) {
    for (;;) {
      const std::uint32_t heard = state_->queue.ready().heard();
      if (auto death = death_of(worker)) death_ = std::move(death);
      if (processes_[worker] == 0) return true;
      if (std::chrono::steady_clock::now() >= limit) return false;
      if (state_->queue.has_left(worker)) {
        std::this_thread::sleep_for(std::chrono::microseconds(100));  // it is about to end
      } else {
        state_->queue.ready().wait(heard, kLook_ns);
      }
    }
  }

  // Looks whether a process has ended, and if so whether by itself.
  std::optional<Failure> death_of(std::uint32_t worker) {
    const pid_t pid = processes_[worker];
    if (pid == 0) return std::nullopt;
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) return std::nullopt;
    processes_[worker] = 0;
    if (ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
    const std::string how = ended != pid          ? "is gone"
                            : WIFSIGNALED(status) ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                                  : "ended with " + std::to_string(WEXITSTATUS(status));
    return Failure("worker " + std::to_string(worker + 1) + " (process " + std::to_string(pid) + ") " + how +
                   ", and its batches are missing; the kernel's log says more if it was killed for memory");
  }

  // Gives the error, 0: none.
  int start_process(std::uint32_t worker) {
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return errno;
    if (pid == 0) {
      // It ends with the thread that started it, which is told of a cancel and decides what becomes of its workers.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::signal(number, SIG_IGN);
      if (::getppid() == parent) serve(*state_, worker);
      ::_exit(0);
    }
    processes_[worker] = pid;
    return 0;
  }

  std::shared_ptr<WorkerState> state_;
  WorkerKind kind_;
  std::vector<std::thread> threads_;
  std::vector<pid_t> processes_;  // 0: none
  std::optional<Failure> death_;  // the last that was noticed
};

}  // namespace assay::plugins::loader
