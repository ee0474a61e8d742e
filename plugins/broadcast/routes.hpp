// SPDX-License-Identifier: Apache-2.0
//
// Which way the payload takes between devices. Unlike workers, of which each makes one copy at a time,
// devices copy along several routes at once: each route has a stream of its own. No copy is made here.
#pragma once

#include "broadcast/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace assay::plugins::broadcast {

inline constexpr int kNoRoute = -1;

// From one place to another, for a part of the payload. Its copies follow each other.
struct Route {
  int from = kSource;
  int to = 0;
  // Copy i begins when copy i along that route, which comes earlier in the list, has ended.
  int after = kNoRoute;
  std::uint64_t begin = 0, end = 0;  // of the payload
  std::uint64_t piece = 1;           // bytes of a copy; the last may be smaller

  // The device that copies, and of which the route's stream is: the one that has it, or else gets it.
  [[nodiscard]] int by() const { return from == kSource ? to : from; }

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
  [[nodiscard]] std::uint64_t copies() const { return bytes() / piece + (bytes() % piece == 0 ? 0 : 1); }
  [[nodiscard]] std::uint64_t first(std::uint64_t copy) const { return begin + copy * piece; }
  [[nodiscard]] std::uint64_t last(std::uint64_t copy) const {
    return copy + 1 < copies() ? begin + (copy + 1) * piece : end;
  }
};

// A copy along a way that is waited for has exactly one of the same number along each way that waits: the
// whole is complete when all routes are that nobody waits for.
class Routes {
 public:
  // To the root only: somebody else passes on.
  static Routes to_root(const Plan& plan) {
    Routes routes(plan);
    routes.all_.resize(1);
    routes.awaited_.assign(1, false);
    return routes;
  }

  explicit Routes(const Plan& plan) : plan_(plan) {
    switch (plan.strategy) {
      case Strategy::direct:
      case Strategy::direct_parallel:
        for (int i = 0; i < plan.destinations; ++i) {
          const bool in_turn = plan.strategy == Strategy::direct && i > 0;
          add({kSource, at(i), in_turn ? i - 1 : kNoRoute, 0, plan.bytes, plan.bytes});
        }
        break;
      case Strategy::relay:
        add_relays(plan.bytes);
        break;
      case Strategy::pipelined:
        add_relays(plan.chunk);
        break;
      case Strategy::scatter_allgather:
        add_shares();
        break;
    }
    awaited_.resize(all_.size());
    for (const Route& route : all_) {
      if (route.after != kNoRoute) awaited_[static_cast<std::size_t>(route.after)] = true;
    }
  }

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const std::vector<Route>& all() const { return all_; }
  [[nodiscard]] bool awaited(std::size_t route) const { return awaited_[route]; }

  [[nodiscard]] bool to_root_only() const { return all_.size() == 1; }

  [[nodiscard]] std::uint64_t most_copies() const {
    std::uint64_t most = 0;
    for (const Route& route : all_) most = std::max(most, route.copies());
    return most;
  }

  // Copies from the source to several destinations that do not wait for each other.
  [[nodiscard]] bool parallel_source() const {
    return std::count_if(all_.begin(), all_.end(), [](const Route& route) {
             return route.from == kSource && route.after == kNoRoute;
           }) > 1;
  }

  // The routes along which one device, the one with most of them, passes on what it has at the same time.
  [[nodiscard]] std::vector<std::size_t> fan() const {
    std::vector<std::size_t> most;
    for (int device = 0; device < plan_.destinations; ++device) {
      std::vector<std::size_t> mine;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].from != device) continue;
        // Those that wait for each other are not at the same time.
        if (mine.empty() || all_[i].after == all_[mine.front()].after) mine.push_back(i);
      }
      if (mine.size() > most.size()) most = mine;
    }
    return most;
  }

  // What one round queues on the device that gets most, waits and signals included: streams of one device may
  // have one queue. It begins and ends on the first device.
  [[nodiscard]] std::uint64_t most_operations() const {
    std::vector<std::uint64_t> queued(static_cast<std::size_t>(plan_.destinations), 0);
    queued.front() = 1;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const bool waits = all_[i].after != kNoRoute;
      const std::uint64_t each = 1 + (waits ? 1 : 0) + (awaited(i) ? 1 : 0);
      queued[static_cast<std::size_t>(all_[i].by())] +=
          all_[i].copies() * each + (waits ? 0 : 1) + (awaited(i) ? 0 : 1);
      queued.front() += awaited(i) ? 0 : 1;
    }
    return *std::max_element(queued.begin(), queued.end());
  }

 private:
  // Places are counted from the root, in the order of the destinations.
  [[nodiscard]] int at(int place) const { return (place + plan_.root) % plan_.destinations; }

  void add(const Route& route) {
    if (route.bytes() > 0) all_.push_back(route);
  }

  // To the root, and onward as the shape says. A star that sends the whole sends to one after the other.
  void add_relays(std::uint64_t piece) {
    Plan fetching = plan_;  // of which every destination fetches from the one before it
    fetching.strategy = Strategy::pipelined;
    const Schedule schedule(fetching);
    const bool in_turn = plan_.strategy == Strategy::relay && plan_.shape == Shape::star;
    std::vector<int> route_to(static_cast<std::size_t>(plan_.destinations), kNoRoute);
    for (int place = 0; place < plan_.destinations; ++place) {
      const int from = schedule.copy(at(place), 0).from;
      const int parent = from == kSource ? kNoRoute : route_to[static_cast<std::size_t>(from)];
      route_to[static_cast<std::size_t>(at(place))] = place;
      add({from, at(place), in_turn ? place - 1 : parent, 0, plan_.bytes, piece});
    }
  }

  // A share to each, which passes it on to all others chunk by chunk while the next chunk arrives.
  void add_shares() {
    const Schedule shares(plan_);
    for (int device = 0; device < plan_.destinations; ++device) {
      const auto share = static_cast<std::uint64_t>(device);
      add({kSource, device, kNoRoute, shares.piece_begin(share), shares.piece_begin(share + 1), plan_.chunk});
    }
    const std::size_t own = all_.size();
    for (std::size_t i = 0; i < own; ++i) {
      const Route share = all_[i];
      // Everybody begins with the one behind it, so that not all send to the same first.
      for (int step = 1; step < plan_.destinations; ++step) {
        const int to = (share.to + step) % plan_.destinations;
        add({share.to, to, static_cast<int>(i), share.begin, share.end, share.piece});
      }
    }
  }

  Plan plan_;
  std::vector<Route> all_;
  std::vector<bool> awaited_;
};

// "256 along 4 routes, of 8 MiB", which is the size of the first.
inline std::string text_of(const Routes& routes) {
  std::uint64_t copies = 0;
  for (const Route& route : routes.all()) copies += route.copies();
  const Route& first = routes.all().front();
  const auto bytes = static_cast<double>(first.last(0) - first.begin);
  const char* const unit = bytes >= 0x1p20 ? "MiB" : bytes >= 0x1p10 ? "KiB" : "B";
  const double in_unit = bytes >= 0x1p20 ? bytes / 0x1p20 : bytes >= 0x1p10 ? bytes / 0x1p10 : bytes;
  char text[96];
  std::snprintf(text, sizeof(text), "%llu along %zu %s, of %.4g %s", static_cast<unsigned long long>(copies),
                routes.all().size(), routes.all().size() == 1 ? "route" : "routes", in_unit, unit);
  return text;
}

}  // namespace assay::plugins::broadcast
