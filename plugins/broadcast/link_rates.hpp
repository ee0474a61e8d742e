// SPDX-License-Identifier: Apache-2.0
//
// How fast single copies are, made as the strategy makes them but one at a time: what the lower bound is
// computed from.
#pragma once

#include "broadcast/bounds.hpp"
#include "broadcast/rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

namespace assay::plugins::broadcast {

// A way between two buffers, and the worker that copies along it.
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

// The first and the last link of each kind that a schedule uses, in the order of the workers.
inline Links links_of(const Schedule& schedule) {
  Links all;
  for (int worker = 0; worker < schedule.plan().destinations; ++worker) {
    const std::uint64_t copies = schedule.copies(worker);
    // A worker that fetches has at most one link of each kind; the one that makes all copies has others in
    // between.
    for (const std::uint64_t i : {std::uint64_t{0}, std::uint64_t{1}, copies - 1}) {
      if (i >= copies) continue;
      const Copy copy = schedule.copy(worker, i);
      auto& links = copy.from == kSource ? all.source : all.onward;
      const Link link{worker, copy.from, copy.to};
      if (links.empty() || !(links.back() == link)) links.push_back(link);
    }
  }
  for (auto* links : {&all.source, &all.onward}) {
    if (links->size() > 2) *links = {links->front(), links->back()};
  }
  return all;
}

// Copies all of the payload along a link, piece by piece, and adds up what the pieces took; nothing else is
// copied meanwhile. Each piece was written just before by the worker that it is fetched from, so that it lies
// in the caches as it does in the broadcast. Nothing if cancelled.
inline std::optional<std::int64_t> pass_ns(Workers& workers, const Schedule& schedule, const Memory& memory,
                                           const Link& link, const Now& now, const Cancelled& cancelled) {
  std::int64_t total = 0;
  Progress progress(workers.size());
  const std::uint64_t pieces = schedule.pieces();
  const auto piece_of = [&](std::uint64_t i, int from, int to) {
    return Copy{from, to, schedule.piece_begin(i), schedule.piece_begin(i + 1), 0};
  };
  const auto work = [&](int worker) {
    const Waiting waiting = workers.waiting();
    const bool fills = worker == link.from, moves = worker == link.by;
    if (!fills && !moves) return;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      if (fills) {
        if (!moves) waiting.until(progress.of(link.by), i);
        make_copy(piece_of(i, kSource, link.from), memory, waiting);
        if (!moves) progress.advance(worker);
      }
      if (moves) {
        if (!fills && link.from != kSource) waiting.until(progress.of(link.from), i + 1);
        const std::int64_t begin = now();
        make_copy(piece_of(i, link.from, link.to), memory, waiting);
        total += now() - begin;
        progress.advance(worker);
      }
    }
  };
  if (!workers.run(work, cancelled)) return std::nullopt;
  return total;
}

// The fastest of the links, and of several passes over each. The links take turns, because a pass right after
// one over the same link would find in the caches what a broadcast does not. Nothing if cancelled; a rate is
// 0 where the strategy has no such copy.
inline std::optional<Rates> measure_rates(Workers& workers, const Schedule& schedule, const Memory& memory,
                                          const Now& now, const Cancelled& cancelled) {
  constexpr int kLeast = 2, kMost = 50;
  constexpr std::int64_t kEnough_ns = 200'000'000;  // of time for one kind, once each link was measured twice
  const auto rate = [&](const std::vector<Link>& links) -> std::optional<double> {
    if (links.empty()) return 0;
    std::int64_t fastest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t began = now();
    for (int pass = 0; pass < kMost && (pass < kLeast || now() - began < kEnough_ns); ++pass) {
      for (const Link& link : links) {
        const auto took = pass_ns(workers, schedule, memory, link, now, cancelled);
        if (!took) return std::nullopt;
        fastest = std::min(fastest, std::max<std::int64_t>(1, *took));
      }
    }
    return static_cast<double>(schedule.plan().bytes) * 1e9 / static_cast<double>(fastest);
  };
  const Links links = links_of(schedule);
  const auto source = rate(links.source);
  const auto onward = source ? rate(links.onward) : std::nullopt;
  if (!onward) return std::nullopt;
  return Rates{*source, *onward};
}

}  // namespace assay::plugins::broadcast
