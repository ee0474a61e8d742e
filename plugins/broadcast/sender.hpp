// SPDX-License-Identifier: Apache-2.0
//
// Queues the copies of one broadcast: a stream for each route, so that copies along different routes run side by
// side, and a signal where one waits for another.
#pragma once

#include "broadcast/rounds.hpp"
#include "broadcast/routes.hpp"
#include "broadcast/several_devices.hpp"
#include "broadcast/workers.hpp"

#include <assay/case.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

// Passes on what has arrived at the root by other means than copies along routes.
class Onward {
 public:
  virtual ~Onward() = default;

  // Around one broadcast: nothing of it before the signal, and later work in `main` after all of it.
  virtual void begin(const Signal& fork) = 0;
  virtual void pass_on(const Signal& arrived, std::uint64_t begin, std::uint64_t end) = 0;
  virtual void end(cudaStream_t main) = 0;

  // The most that passing on one piece queues on a device.
  [[nodiscard]] virtual std::uint64_t operations() const = 0;
  // Ends what was queued, after an error.
  virtual void give_up() noexcept = 0;
};

class Sender {
 public:
  // Told before and after each copy is queued, by the thread that queues it.
  struct Listener {
    std::function<void(std::size_t route, std::uint64_t copy)> begins, ended;
  };

  // With pageable memory the calls that copy from it keep the calling thread busy. `onward` passes on what
  // came along the only route, and may be null.
  Sender(const Case& run, const Devices& devices, Routes routes, Memory memory, bool pageable,
         std::unique_ptr<Onward> onward = nullptr)
      : run_(run),
        routes_(std::move(routes)),
        memory_(std::move(memory)),
        pageable_(pageable),
        onward_(std::move(onward)) {
    for (const cuda::Device& device : devices) ordinals_.push_back(device.ordinal());
    const OnDevice first(ordinals_.front());
    fork_.emplace();
    for (const Route& route : routes_.all()) {
      const OnDevice on(ordinal(route.by()));
      streams_.emplace_back();
      signals_.emplace_back();
    }
    if (pageable_ && routes_.parallel_source()) {
      workers_.emplace(std::vector<ThreadPlace>(devices.size(), ThreadPlace{kAnyCpu, 0}));
    }
  }
  Sender(const Sender&) = delete;  // its streams may be busy
  Sender& operator=(const Sender&) = delete;
  // Buffers may go when this has gone.
  ~Sender() {
    for (const cuda::Stream& stream : streams_) cudaStreamSynchronize(stream);
  }

  [[nodiscard]] const Routes& routes() const { return routes_; }
  [[nodiscard]] cudaStream_t stream(std::size_t route) const { return streams_[route]; }
  [[nodiscard]] int ordinal(int device) const { return ordinals_[static_cast<std::size_t>(device)]; }
  // With pageable memory: queue() may return late, and nothing may wait for what comes after it.
  [[nodiscard]] bool pageable() const { return pageable_; }

  // One broadcast. It begins when all earlier work in `main`, a stream of the first device, has ended, and
  // later work in `main` begins when every destination has all of it. Can be captured unless the memory is
  // pageable: then it waits for `main`. The first device is the current one.
  void queue(cudaStream_t main, const Listener& listener = {}) {
    // The driver may take pageable memory to its own buffer before the stream has come to the copy.
    if (pageable_) cuda::wait(run_, main);
    fork_->record(main);
    if (onward_) onward_->begin(*fork_);
    if (workers_) {
      const auto work = [&](int device) {
        const OnDevice on(ordinal(device));
        forward(device, listener);
      };
      if (!workers_->run(work, [this] { return run_.cancelled(); })) throw Cancelled();
    } else {
      forward(kAllDevices, listener);
    }
    for (std::size_t route = 0; route < streams_.size(); ++route) {
      if (!routes_.awaited(route)) signals_[route].hold(main);
    }
    if (onward_) onward_->end(main);
  }

  // What one broadcast queues on the device that gets most.
  [[nodiscard]] std::uint64_t most_operations() const {
    const std::uint64_t others = ordinals_.size();
    return routes_.most_operations() +
           (onward_ ? routes_.most_copies() * (onward_->operations() + 2) + 2 + others : 0);
  }

  // After an error of queue(), or of waiting for it: nothing stays queued for ever.
  void give_up() noexcept {
    if (onward_) onward_->give_up();
  }

  // Queues a copy of this many page-locked bytes to the first ones of the destination of a route.
  void copy_locked(std::size_t index, const std::byte* from, std::uint64_t bytes) const {
    ASSAY_CUDA_CHECK(cudaMemcpyAsync(memory_.to(routes_.all()[index].to), from, bytes, cudaMemcpyHostToDevice,
                                     streams_[index]));
  }

  // Queues a copy of these bytes of the payload along a route, whatever the routes' own copies are.
  void copy(std::size_t index, std::uint64_t begin, std::uint64_t end) const {
    const Route& route = routes_.all()[index];
    std::byte* const to = memory_.to(route.to);
    const std::byte* const from = memory_.from(route.from);
    if (route.from != kSource) {
      // The driver sees from the addresses which devices they are of; so it can be captured, too.
      ASSAY_CUDA_CHECK(
          cudaMemcpyAsync(to + begin, from + begin, end - begin, cudaMemcpyDefault, streams_[index]));
      return;
    }
    // A call that keeps its thread busy ends soon after a cancel.
    const std::uint64_t block = pageable_ ? kBlock : end - begin;
    for (std::uint64_t at = begin; at < end; at += block) {
      run_.throw_if_cancelled();
      ASSAY_CUDA_CHECK(cudaMemcpyAsync(to + at, from + at, std::min(block, end - at), cudaMemcpyHostToDevice,
                                       streams_[index]));
    }
  }

 private:
  static constexpr int kAllDevices = -1;
  static constexpr std::uint64_t kBlock = std::uint64_t{256} << 20;

  // All copies, or those of one device: in an order in which what a copy waits for was recorded just before,
  // so that one signal a route is enough.
  void forward(int device, const Listener& listener) {
    for (std::uint64_t copy = 0; copy < routes_.most_copies(); ++copy) {
      run_.throw_if_cancelled();
      for (std::size_t index = 0; index < routes_.all().size(); ++index) {
        const Route& route = routes_.all()[index];
        if ((device == kAllDevices || route.by() == device) && copy < route.copies())
          step(index, copy, listener);
      }
    }
  }

  void step(std::size_t index, std::uint64_t number, const Listener& listener) {
    const Route& route = routes_.all()[index];
    if (route.after != kNoRoute) {
      signals_[static_cast<std::size_t>(route.after)].hold(streams_[index]);
    } else if (number == 0) {
      fork_->hold(streams_[index]);
    }
    if (listener.begins) listener.begins(index, number);
    copy(index, route.first(number), route.last(number));
    if (listener.ended) listener.ended(index, number);
    const Signal& signal = signals_[index];
    if (onward_ || routes_.awaited(index) || number + 1 == route.copies()) signal.record(streams_[index]);
    if (onward_) onward_->pass_on(signal, route.first(number), route.last(number));
  }

  Case run_;
  Routes routes_;
  Memory memory_;
  bool pageable_;
  std::unique_ptr<Onward> onward_;
  std::vector<int> ordinals_;
  std::optional<Signal> fork_;
  std::vector<cuda::Stream> streams_;  // of each route
  std::vector<Signal> signals_;
  std::optional<Workers> workers_;  // last: one for each device, that uses all of the above
};

}  // namespace assay::plugins::broadcast
