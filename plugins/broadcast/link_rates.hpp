// SPDX-License-Identifier: Apache-2.0
//
// How fast single copies are, made as the strategy makes them: one at a time, and while all others are made,
// too. What the lower bound is computed from.
#pragma once

#include "broadcast/bounds.hpp"
#include "broadcast/placement.hpp"
#include "broadcast/rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace assay::plugins::broadcast {

// A route between two buffers, and the worker that copies along it.
struct Link {
  int by = 0;
  int from = kSource;
  int to = 0;

  bool operator==(const Link& other) const {
    return std::tie(by, from, to) == std::tie(other.by, other.from, other.to);
  }
};

struct Links {
  std::vector<Link> source, onward;
};

// One link of each kind between every two CPUs that a schedule copies between: two threads of one CPU hand on
// within its caches, and nodes lie nearer or farther. The source belongs to none.
inline Links links_of(const Schedule& schedule, const std::vector<ThreadPlace>& places) {
  const auto cpu_of = [&](int place) {
    return place == kSource ? kSource : places[static_cast<std::size_t>(place)].cpu;
  };
  std::set<std::tuple<int, int, int>> known;
  Links all;
  const auto add = [&](int worker, const Copy& copy) {
    if (!known.emplace(cpu_of(worker), cpu_of(copy.from), cpu_of(copy.to)).second) return;
    (copy.from == kSource ? all.source : all.onward).push_back({worker, copy.from, copy.to});
  };
  for (int worker = 0; worker < schedule.plan().destinations; ++worker) {
    const std::uint64_t copies = schedule.copies(worker);
    // A worker that fetches has at most one link of each kind, the source's first.
    const std::uint64_t first = schedule.by_root_alone() ? copies : std::min<std::uint64_t>(copies, 2);
    for (std::uint64_t i = 0; i < first; ++i) add(worker, schedule.copy(worker, i));
  }
  return all;
}

// What is copied between two readings of the clock, so that the clock does not count.
inline constexpr std::uint64_t kTimedBytes = std::uint64_t{256} << 10;

// Copies all of the payload along a link, piece by piece, and adds up what the pieces took, in ns per
// payload; nothing else is copied meanwhile. Pieces are timed together until they are `timed` bytes; a
// smaller payload is copied several times. Just before, the worker that they are fetched from wrote them, so
// that they lie in the caches as they may in the broadcast. Nothing if cancelled.
inline std::optional<double> pass_ns(Workers& workers, const Schedule& schedule, const Memory& memory,
                                     const Link& link, std::uint64_t timed, const Now& now,
                                     const Cancelled& cancelled) {
  std::int64_t total = 0;
  Progress progress(workers.size());
  const std::uint64_t pieces = schedule.pieces();
  const std::uint64_t largest = std::max<std::uint64_t>(1, schedule.piece_bytes(0));
  const std::uint64_t together = std::clamp<std::uint64_t>((timed + largest - 1) / largest, 1, pieces);
  const std::uint64_t batches = (pieces + together - 1) / together;
  const std::uint64_t times = (kTimedBytes + schedule.plan().bytes - 1) / schedule.plan().bytes;
  const auto copy = [&](std::uint64_t batch, int from, int to, const Waiting& waiting) {
    const std::uint64_t last = std::min(pieces, (batch + 1) * together);
    for (std::uint64_t i = batch * together; i < last; ++i)
      make_copy({from, to, schedule.piece_begin(i), schedule.piece_begin(i + 1), 0}, memory, waiting);
  };
  const auto work = [&](int worker) {
    const Waiting waiting = workers.waiting();
    const bool fills = worker == link.from, moves = worker == link.by;
    if (!fills && !moves) return;
    for (std::uint64_t i = 0; i < batches; ++i) {
      if (fills) {
        if (!moves) waiting.until(progress.of(link.by), i);
        copy(i, kSource, link.from, waiting);
        if (!moves) progress.advance(worker);
      }
      if (moves) {
        if (!fills && link.from != kSource) waiting.until(progress.of(link.from), i + 1);
        const std::int64_t begin = now();
        for (std::uint64_t time = 0; time < times; ++time) copy(i, link.from, link.to, waiting);
        total += now() - begin;
        progress.advance(worker);
      }
    }
  };
  if (!workers.run(work, cancelled)) return std::nullopt;
  return static_cast<double>(std::max<std::int64_t>(1, total)) / static_cast<double>(times);
}

// The copies from the source that workers of different CPUs make, at once and without waiting for each other:
// the rate of the fastest worker, in B/s. Each may be faster than alone, because another has brought the same
// bytes into a cache. 0 where only one reads the source; nothing if cancelled.
inline std::optional<double> source_rate_at_once(Workers& workers, const Schedule& schedule,
                                                 const Memory& memory, const std::vector<Link>& links,
                                                 const Now& now, const Cancelled& cancelled) {
  std::set<int> readers;
  for (const Link& link : links) readers.insert(link.by);
  if (readers.size() < 2) return 0;
  std::vector<double> rates(static_cast<std::size_t>(workers.size()), 0);
  Meeting meeting(static_cast<int>(readers.size()));
  const auto work = [&](int worker) {
    if (readers.count(worker) == 0) return;
    std::vector<Copy> copies;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < schedule.copies(worker); ++i) {
      const Copy copy = schedule.copy(worker, i);
      if (copy.from == kSource) copies.push_back(copy);
      if (copy.from == kSource) bytes += copy.end - copy.begin;
    }
    const std::uint64_t times = bytes == 0 ? 0 : (kTimedBytes + bytes - 1) / bytes;
    const Waiting waiting = workers.waiting();
    meeting.meet(0, waiting);
    const std::int64_t begin = now();
    for (std::uint64_t time = 0; time < times; ++time) {
      for (const Copy& copy : copies) make_copy(copy, memory, waiting);
    }
    const auto took = static_cast<double>(std::max<std::int64_t>(1, now() - begin));
    rates[static_cast<std::size_t>(worker)] = static_cast<double>(bytes * times) * 1e9 / took;
  };
  if (!workers.run(work, cancelled)) return std::nullopt;
  return *std::max_element(rates.begin(), rates.end());
}

// One broadcast, and how fast the copies of each worker were in it: the fastest counts. `clock_ns` is
// what a reading of the clock takes at least. Nothing if cancelled.
inline std::optional<Rates> rates_together(Workers& workers, const Schedule& schedule, const Memory& memory,
                                           std::int64_t clock_ns, const Now& now,
                                           const Cancelled& cancelled) {
  struct alignas(64) Sum {
    std::uint64_t bytes = 0;
    std::int64_t time_ns = 0;
  };
  std::vector<Sum> source(static_cast<std::size_t>(workers.size())), onward(source.size());
  const auto listener = [&](int worker, const Copy& copy, std::int64_t begin_ns, std::int64_t end_ns) {
    Sum& sum = (copy.from == kSource ? source : onward)[static_cast<std::size_t>(worker)];
    sum.bytes += copy.end - copy.begin;
    sum.time_ns += std::max<std::int64_t>(1, end_ns - begin_ns - clock_ns);
  };
  if (!run_rounds(workers, schedule, memory, 1, now, cancelled, listener).complete) return std::nullopt;
  const auto fastest = [](const std::vector<Sum>& sums) {
    double rate = 0;
    for (const Sum& sum : sums) {
      if (sum.bytes < kTimedBytes) continue;  // mostly the clock's
      rate = std::max(rate, static_cast<double>(sum.bytes) * 1e9 / static_cast<double>(sum.time_ns));
    }
    return rate;
  };
  return Rates{fastest(source), fastest(onward)};
}

// The fastest of all passes over the links, and of some broadcasts. Links take turns, because a pass right
// after one over the same link would find in the caches what a broadcast does not; of many, those that were
// fastest at first go on. Nothing if cancelled; a rate is 0 where the strategy has no such copy.
inline std::optional<Rates> measure_rates(Workers& workers, const Schedule& schedule, const Memory& memory,
                                          const Now& now, const Cancelled& cancelled) {
  constexpr int kLeast = 2, kMost = 50;
  constexpr std::int64_t kEnough_ns = 200'000'000;  // of time for one kind, once each was measured
  constexpr std::size_t kKept = 4;                  // links, after the first pass over each
  // Written just before, some time before, and all before: what is best depends on the caches.
  const std::uint64_t batches[] = {kTimedBytes, 16 * kTimedBytes, schedule.plan().bytes};
  const auto rate = [&](const std::vector<Link>& links) -> std::optional<double> {
    std::vector<std::pair<double, Link>> ordered;  // by the fastest pass
    for (const Link& link : links) ordered.emplace_back(std::numeric_limits<double>::max(), link);
    const std::int64_t began = now();
    for (int pass = 0; !links.empty() && pass < kMost && (pass < kLeast || now() - began < kEnough_ns);
         ++pass) {
      for (auto& [fastest, link] : ordered) {
        const std::uint64_t timed = link.from == kSource ? schedule.plan().bytes : batches[pass % 3];
        const auto took = pass_ns(workers, schedule, memory, link, timed, now, cancelled);
        if (!took) return std::nullopt;
        fastest = std::min(fastest, *took);
      }
      std::stable_sort(ordered.begin(), ordered.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      if (ordered.size() > kKept) ordered.resize(kKept);
    }
    return links.empty() ? 0 : static_cast<double>(schedule.plan().bytes) * 1e9 / ordered.front().first;
  };
  const Links links = links_of(schedule, workers.places());
  const auto source = rate(links.source);
  const auto onward = source ? rate(links.onward) : std::nullopt;
  if (!onward) return std::nullopt;

  Rates all{*source, *onward};
  std::int64_t clock_ns = std::numeric_limits<std::int64_t>::max();
  for (int look = 0; look < kMost; ++look) {
    const std::int64_t begin = now();
    clock_ns = std::min(clock_ns, now() - begin);
  }
  const std::int64_t began = now();
  for (int round = 0; round < kMost && (round < kLeast || now() - began < kEnough_ns); ++round) {
    const auto at_once = source_rate_at_once(workers, schedule, memory, links.source, now, cancelled);
    if (!at_once) return std::nullopt;
    all.source = std::max(all.source, *at_once);
    const auto seen = rates_together(workers, schedule, memory, clock_ns, now, cancelled);
    if (!seen) return std::nullopt;
    all = fastest(all, *seen);
  }
  return all;
}

}  // namespace assay::plugins::broadcast
