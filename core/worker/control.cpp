// SPDX-License-Identifier: Apache-2.0
#include "worker/control.hpp"

#include "base/error.hpp"
#include "text/clock.hpp"
#include "wire/frame_text.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cmath>
#include <utility>

namespace assay::worker {
namespace {

constexpr double kLongestTimeout_s = 1e8;

}  // namespace

double unix_time_of(std::int64_t then_ns) {
  return unix_s() - static_cast<double>(monotonic_ns() - then_ns) * 1e-9;
}

Control::Control(wire::Channel& channel, Interruption& interruption, std::function<void(int)> leave)
    : channel_(channel),
      interruption_(interruption),
      leave_(std::move(leave)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.open()) {
    throw Error("worker.start",
                "no event descriptor for the control thread; check the limit of open files (ulimit -n)");
  }
  // The thread inherits this mask: signals are the case thread's, where a plugin expects them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { serve(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Control::~Control() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake();
  thread_.join();
}

void Control::wake() {
  const std::uint64_t one = 1;
  // Full only if it was woken 2^64 - 2 times already.
  [[maybe_unused]] const ssize_t ignored = ::write(wake_.get(), &one, sizeof one);
}

Json Control::next() {
  std::unique_lock lock(mutex_);
  // As wait() would; that one asks for GCC 12's C++ library, and the archive starts where GCC 11's is.
  while (!arrived_.wait_for(lock, std::chrono::hours(1), [this] { return !requests_.empty(); })) {
  }
  Json request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

void Control::log(Json line) {
  {
    const std::lock_guard lock(log_mutex_);
    lines_.push_back(std::move(line));
  }
  wake();
}

void Control::flush_log() {
  // Sent under the lock, so that two flushers keep the order.
  const std::lock_guard lock(log_mutex_);
  while (!lines_.empty()) {
    channel_.send(lines_.front());
    lines_.pop_front();
  }
}

int Control::next_timeout_ms() const {
  if (deadline_ns_ == 0) return -1;
  const std::int64_t left_ms = (deadline_ns_ - monotonic_ns()) / 1'000'000 + 1;
  return static_cast<int>(std::clamp<std::int64_t>(left_ms, 0, INT_MAX));
}

void Control::serve() {
  try {
    for (;;) {
      std::array<pollfd, 2> polled{pollfd{channel_.descriptor(), POLLIN, 0}, pollfd{wake_.get(), POLLIN, 0}};
      if (::poll(polled.data(), polled.size(), next_timeout_ms()) < 0 && errno != EINTR) break;
      if (deadline_ns_ != 0 && monotonic_ns() >= deadline_ns_) {
        interruption_.time_out(deadline_number_);
        deadline_ns_ = 0;
      }
      if ((polled[1].revents & POLLIN) != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t ignored = ::read(wake_.get(), &count, sizeof count);
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
      }
      if (polled[0].revents != 0) {
        const bool open = channel_.fill();
        while (auto frame = channel_.reader().next()) handle(std::move(*frame));
        if (!open) break;
      }
      flush_log();
    }
  } catch (const std::exception&) {
    // Without its controller, or with one that it does not understand, a worker has nothing to do and nobody
    // to tell.
  }
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
  }
  leave_(1);
}

void Control::handle(Json frame) {
  const std::string type = wire::text_of(frame, "type");
  const auto number = frame.find("number");
  const std::uint64_t visit =
      number != frame.end() && number->is_number_unsigned() ? number->get<std::uint64_t>() : 0;
  if (type == "cancel") {
    interruption_.cancel(visit);
    return;
  }
  if (type == "visit") {
    const auto timeout = frame.find("timeout_s");
    if (timeout != frame.end() && timeout->is_number() && timeout->get<double>() > 0) {
      deadline_number_ = visit;
      deadline_ns_ = monotonic_ns() + std::llround(std::min(timeout->get<double>(), kLongestTimeout_s) * 1e9);
      frame["deadline_ns"] = deadline_ns_;
    }
  }
  // What a controller says last ends the stream too: its end is then no accident.
  const bool last = type == "exit";
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(frame));
  if (last) stopping_ = true;
  arrived_.notify_one();
}

}  // namespace assay::worker
