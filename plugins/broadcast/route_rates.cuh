// SPDX-License-Identifier: Apache-2.0
//
// How fast single copies between devices are, and what making several at once costs: what the lower bound is
// computed from.
#pragma once

#include "broadcast/bounds.hpp"
#include "broadcast/sender.hpp"

#include <assay/case.hpp>
#include <assay/cuda/gate.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/units.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <limits>
#include <optional>
#include <vector>

namespace assay::plugins::broadcast {

struct RouteRates {
  Rates single;
  double link = 0;     // from page-locked memory to a destination, in B/s
  double sharing = 1;  // as lower_bound() takes it

  // What no copy can be faster than. A copy of pageable memory is a processor's work, which swings with what
  // else the machine does and is done by several where several copies are made at once: its rate bounds
  // nothing.
  [[nodiscard]] Rates bounds() const { return {std::max(single.source, link), single.onward}; }
};

inline RouteRates fastest(const RouteRates& a, const RouteRates& b) {
  return {fastest(a.single, b.single), std::max(a.link, b.link), std::min(a.sharing, b.sharing)};
}

// Each way that is used, alone and several times; the fastest counts.
class RateMeter {
 public:
  // `devices` and `sender` must stay. `gates`: queueing copies between devices never waits for them.
  RateMeter(const Case& run, const Devices& devices, const Sender& sender, bool gates)
      : run_(run), devices_(devices), sender_(sender), gates_(gates) {}

  RouteRates measure() const {
    RouteRates measured;
    const auto& ways = sender_.routes().all();
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const bool arrives = ways[i].from == kSource;
      double& rate = arrives ? measured.single.source : measured.single.onward;
      rate = std::max(rate, rate_of({i}, piece_of(ways[i])));
      if (arrives) measured.link = std::max(measured.link, sender_.pageable() ? link_rate_of(i) : rate);
    }
    const std::vector<std::size_t> fan = sender_.routes().fan();
    if (fan.size() > 1) {
      const std::uint64_t piece = piece_of(ways[fan.front()]);
      // As much along each: were there one way out for all, it would take as many times as long.
      const double sharing = measured.single.onward / rate_of(fan, piece) * static_cast<double>(fan.size());
      measured.sharing = std::clamp(sharing, 1.0, static_cast<double>(fan.size()));
    }
    return measured;
  }

 private:
  static constexpr int kPasses = 4;  // one of them not behind the gate, and the first ones slow
  static constexpr std::uint64_t kPass = 256 * kMiB;  // bytes in a pass along one way, about
  static constexpr std::uint64_t kMostCopies = 64;    // in a pass: they all fit behind a gate

  // Large ones, of which the least is spent on beginning. The driver copies pageable memory in different ways
  // by size, so that there it is the strategy's own.
  [[nodiscard]] std::uint64_t piece_of(const Route& way) const {
    const std::uint64_t whole = std::min(sender_.routes().plan().bytes, kPass);
    return way.from == kSource && sender_.pageable() ? std::min({whole, way.piece, way.bytes()}) : whole;
  }

  [[nodiscard]] double link_rate_of(std::size_t way) const {
    const std::uint64_t bytes = std::min(sender_.routes().plan().bytes, kPass);
    // What it says reaches no comparison: every destination is filled anew before.
    const cuda::PinnedBuffer<std::byte> locked(bytes);
    double fastest = std::numeric_limits<double>::max();
    for (int pass = 0; pass < kPasses; ++pass) {
      run_.throw_if_cancelled();
      fastest = std::min(fastest, pass_s({way}, 1, pass > 0, [&](std::uint64_t) {
                           sender_.copy_locked(way, locked.data(), bytes);
                         }));
    }
    return static_cast<double>(bytes) / fastest;
  }

  // Of the copies along all these ways of one device, in sum.
  [[nodiscard]] double rate_of(const std::vector<std::size_t>& ways, std::uint64_t piece) const {
    const Route& way = sender_.routes().all()[ways.front()];
    const bool pageable = way.from == kSource && sender_.pageable();
    const bool gated = way.from == kSource ? !pageable : gates_;
    const std::uint64_t copies = std::clamp<std::uint64_t>(kPass / piece, 1, kMostCopies);
    const std::uint64_t places = sender_.routes().plan().bytes / piece;
    double fastest = std::numeric_limits<double>::max();
    for (int pass = 0; pass < kPasses; ++pass) {
      run_.throw_if_cancelled();
      const auto copy = [&](std::uint64_t i) {
        // Each pass goes over other bytes, if there are others: those before are in caches.
        const std::uint64_t at = (static_cast<std::uint64_t>(pass) * copies + i) % places * piece;
        for (const std::size_t each : ways) sender_.copy(each, at, at + piece);
      };
      fastest = std::min(fastest, pass_s(ways, copies, gated && pass > 0, copy));
    }
    return static_cast<double>(piece * copies * ways.size()) / fastest;
  }

  // From before the first copy to after the last of all these ways. The first pass is not gated, because
  // whatever the driver does only once may not be done behind a closed gate.
  template <class Copy>
  [[nodiscard]] double pass_s(const std::vector<std::size_t>& ways, std::uint64_t copies, bool gated,
                              Copy&& copy) const {
    const cuda::Device& device =
        devices_[static_cast<std::size_t>(sender_.routes().all()[ways.front()].by())];
    const OnDevice on(device);
    const cudaStream_t lead = sender_.stream(ways.front());
    const cuda::Event begin, end;
    std::vector<Signal> others(ways.size());
    std::optional<cuda::Gate> gate;
    if (gated) {
      gate.emplace(device);
      gate->close(lead);
    }
    begin.record(lead);
    for (std::size_t i = 1; i < ways.size(); ++i) {
      ASSAY_CUDA_CHECK(cudaStreamWaitEvent(sender_.stream(ways[i]), begin, 0));
    }
    for (std::uint64_t i = 0; i < copies; ++i) copy(i);
    for (std::size_t i = 1; i < ways.size(); ++i) {
      others[i].record(sender_.stream(ways[i]));
      others[i].hold(lead);
    }
    end.record(lead);
    if (gate) gate->open();
    cuda::wait(run_, end);
    if (gate) gate->check_held();
    return std::max(cuda::seconds_between(begin, end), 1e-9);
  }

  const Case& run_;
  const Devices& devices_;
  const Sender& sender_;
  bool gates_;
};

}  // namespace assay::plugins::broadcast
