// SPDX-License-Identifier: Apache-2.0
//
// When each copy of one broadcast began and ended, on the host's clock.
#pragma once

#include "broadcast/kept_spans.hpp"
#include "broadcast/sender.hpp"

#include <assay/case.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/spans.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

// Events of different devices cannot be compared. Each device has one whose time on the host's clock is
// known: it was recorded while the device was idle, between two looks at that clock. Half of what lies
// between the looks, some microseconds, is the error, the same for all spans of a device.
class Timeline {
 public:
  // While nothing runs. `sender` must stay.
  Timeline(const Case& run, const Sender& sender) : run_(run), sender_(sender) {
    const auto& routes = sender.routes().all();
    std::vector<std::uint64_t> copies;
    for (const Route& route : routes) copies.push_back(route.copies());
    const std::vector<std::uint64_t> kept = kept_spans(copies);
    const std::string text = kept_text(kept, copies);
    if (!text.empty()) run.fact("timeline", text);
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const OnDevice on(sender.ordinal(routes[i].by()));
      if (origins_.count(routes[i].by()) == 0) origins_.emplace(routes[i].by(), origin(sender.stream(i)));
      auto& mine = events_.emplace_back();
      mine.resize(kept[i]);
    }
  }
  Timeline(const Timeline&) = delete;  // listener() refers to it
  Timeline& operator=(const Timeline&) = delete;

  // For Sender::queue(), once.
  Sender::Listener listener() {
    return {[this](std::size_t route, std::uint64_t copy) {
              if (copy < events_[route].size()) events_[route][copy].begin.record(sender_.stream(route));
            },
            [this](std::size_t route, std::uint64_t copy) {
              if (copy < events_[route].size()) events_[route][copy].end.record(sender_.stream(route));
            }};
  }

  // Once all is complete.
  void report(const assay::Spans& timeline) const {
    const auto& routes = sender_.routes().all();
    for (std::size_t i = 0; i < routes.size(); ++i) {
      const OnDevice on(sender_.ordinal(routes[i].by()));
      const Origin& origin = origins_.at(routes[i].by());
      const std::string from = routes[i].from == kSource ? "host" : std::to_string(routes[i].from);
      // Copies along one route follow each other; those along different routes overlap, also into one
      // destination.
      const std::string track = "destination " + std::to_string(routes[i].to) + " from " + from;
      const std::string name = from + " → " + std::to_string(routes[i].to);
      for (const Pair& pair : events_[i]) {
        timeline.add(track.c_str(), name.c_str(), origin.at_ns(pair.begin), origin.at_ns(pair.end));
      }
    }
  }

 private:
  struct Pair {
    cuda::Event begin, end;
  };
  struct Origin {
    cuda::Event event;
    std::int64_t host_ns = 0;

    [[nodiscard]] std::int64_t at_ns(const cuda::Event& later) const {
      return host_ns + static_cast<std::int64_t>(cuda::seconds_between(event, later) * 1e9);
    }
  };

  // The best of several.
  [[nodiscard]] Origin origin(cudaStream_t stream) const {
    constexpr int kLooks = 8;
    Origin best;
    std::int64_t narrowest = std::numeric_limits<std::int64_t>::max();
    for (int look = 0; look < kLooks; ++look) {
      Origin here;
      const std::int64_t before = run_.now_ns();
      here.event.record(stream);
      cuda::wait(run_, here.event);
      const std::int64_t after = run_.now_ns();
      here.host_ns = before + (after - before) / 2;
      if (after - before >= narrowest) continue;
      narrowest = after - before;
      best = std::move(here);
    }
    return best;
  }

  const Case& run_;
  const Sender& sender_;
  std::map<int, Origin> origins_;          // by device
  std::vector<std::vector<Pair>> events_;  // of each route, by copy
};

}  // namespace assay::plugins::broadcast
