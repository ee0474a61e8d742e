// SPDX-License-Identifier: Apache-2.0
//
// direction: latency. A cache line handed to and fro between every two CPUs, one pair after the other.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"
#include "lib/pages.hpp"
#include "lib/rolling_median.hpp"
#include "p2p/pairs.hpp"
#include "p2p/ping_pong.hpp"
#include "p2p/work.hpp"

#include <assay/case.hpp>
#include <assay/errors.hpp>
#include <assay/memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

class LineTransfers final : public Work {
 public:
  // Between this many CPUs every pair is measured, both ways; between more, about as many pairs.
  static constexpr std::size_t kAllPairsOf = 64;

  LineTransfers(const Case& run, std::vector<CpuPlace> places)
      : run_(run),
        places_(std::move(places)),
        pairs_(pairs_of(places_.size(), kAllPairsOf * (kAllPairsOf - 1))),
        round_trips_(std::max<std::uint64_t>(kLeastRoundTrips, kAllRoundTrips / pairs_.size())),
        stride_(line_stride(page_bytes())),
        lines_(run, places_.size() * stride_, stride_),
        received_(run, pairs_.size()),
        times_(pairs_.size()),
        team_({places_[0].cpu, places_[1].cpu}) {
    // CPUs of one core share its caches, and no line goes from core to core between them. Where there is
    // nothing else, they are what is measured.
    counted_ = std::count_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) { return !siblings(p); });
    only_siblings_ = counted_ == 0;
    if (only_siblings_) counted_ = static_cast<std::ptrdiff_t>(pairs_.size());
    // Each line is touched first by the CPU that leads, and so lies on its node.
    team_.run([&](int member) {
      for (std::size_t i = 0; member == 0 && i < places_.size(); ++i) {
        if (!bind_to_cpu(places_[i].cpu)) failed_ = true;
        line_of(i) = CacheLine{};
      }
    });
    if (failed_) throw_not_moved();
    std::fill(received_.begin(), received_.end(), 0);
    state_facts();
    run_.work("latency", static_cast<double>(counted_) * 2 * static_cast<double>(round_trips_));
  }

  double run(std::uint64_t n) override {
    double counted_s = 0;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      run_.throw_if_cancelled();
      const double time_s = exchange(i, n);
      times_.add(i, time_s / static_cast<double>(n * 2 * round_trips_));
      if (only_siblings_ || !siblings(pairs_[i])) counted_s += time_s;
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      run_.value("latency_matrix", number(pairs_[i].from), number(pairs_[i].to), times_.median(i));
    }
    return counted_s;
  }

  Verification verification(VerifyPhase phase) override {
    if (phase != VerifyPhase::last) run(1);
    Verification seen;
    seen.method("the word that each line carried, after all of its hand-overs");
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const std::uint64_t expected = word_between(pair.from, pair.to, run_.seed());
      const std::string what = "the line from CPU " + std::to_string(places_[pair.from].cpu) + " to CPU " +
                               std::to_string(places_[pair.to].cpu) + " carried another word";
      seen.count(1, received_[i] == expected ? 0 : 1, what);
      // What comes later has to arrive anew.
      if (phase != VerifyPhase::after) received_[i] = 0;
    }
    return seen;
  }

 private:
  // In an iteration, of one pair and of all: between few CPUs a sample should not be over in microseconds.
  static constexpr std::uint64_t kLeastRoundTrips = 128, kAllRoundTrips = 8192;
  static constexpr std::uint64_t kUntimed = 32;  // until both are there and the line is in their caches

  bool siblings(const Pair& pair) const { return places_[pair.from].core == places_[pair.to].core; }
  CacheLine& line_of(std::size_t place) {
    return *std::launder(reinterpret_cast<CacheLine*>(lines_.data() + place * stride_));
  }
  std::uint32_t number(std::size_t place) const { return static_cast<std::uint32_t>(places_[place].cpu); }

  // How long n · round_trips_ round trips took, in seconds.
  double exchange(std::size_t index, std::uint64_t n) {
    const Pair pair = pairs_[index];
    CacheLine& line = line_of(pair.from);
    line = {0, word_between(pair.from, pair.to, run_.seed())};
    const std::uint64_t round_trips = n * round_trips_;
    std::int64_t begin = 0, end = 0;
    std::atomic<bool> given_up{false};
    const auto give_up = [&] {
      if (failed_ || run_.cancelled()) given_up = true;
      return given_up.load();  // of the other one, too
    };
    team_.run([&](int member) {
      if (!bind_to_cpu(places_[member == 0 ? pair.from : pair.to].cpu)) failed_ = true;
      if (member == 0) {
        if (!lead(line, 0, kUntimed, give_up)) return;
        begin = run_.now_ns();
        if (!lead(line, 2 * kUntimed, round_trips, give_up)) return;
        end = run_.now_ns();
      } else if (answer(line, 0, kUntimed + round_trips, give_up)) {
        // The one that the line was handed to notes what it got, less what its hand-overs added.
        received_[index] = line.word - 2 * (kUntimed + round_trips);
      }
    });
    if (failed_) throw_not_moved();
    if (given_up) throw Cancelled();
    return static_cast<double>(end > begin ? end - begin : 1) * 1e-9;
  }

  void state_facts() const {
    std::vector<int> cpus;
    for (const CpuPlace& place : places_) cpus.push_back(place.cpu);
    std::vector<int> nodes;
    for (const Node& node : nodes_of_places(places_)) nodes.push_back(node.number);
    run_.fact("cpus", list_of(cpus));
    run_.fact("nodes", list_of(nodes));
    const std::size_t all = places_.size() * (places_.size() - 1);
    std::string pairs = std::to_string(pairs_.size()) + " of " + std::to_string(all);
    if (only_siblings_) {
      pairs += ", all of one core: no line goes from core to core";
    } else if (static_cast<std::size_t>(counted_) < pairs_.size()) {
      pairs += ", " + std::to_string(pairs_.size() - static_cast<std::size_t>(counted_)) +
               " of one core, which only the matrix has";
    }
    run_.fact("pairs", pairs);
  }

  [[noreturn]] static void throw_not_moved() {
    throw Failure("a thread could not be bound to its CPU, although the process was allowed to use it",
                  ASSAY_E_RESOURCE);
  }

  const Case& run_;
  std::vector<CpuPlace> places_;
  std::vector<Pair> pairs_;
  std::uint64_t round_trips_;   // of one pair in an iteration
  std::ptrdiff_t counted_ = 0;  // pairs that the headline is of
  bool only_siblings_ = false;
  std::size_t stride_;
  HostBuffer<std::byte> lines_;         // by place that leads
  HostBuffer<std::uint64_t> received_;  // by pair
  RollingMedian times_;
  std::atomic<bool> failed_{false};
  CpuTeam team_;  // last: its threads use all of the above
};

}  // namespace assay::plugins::p2p
