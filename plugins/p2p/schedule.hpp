// SPDX-License-Identifier: Apache-2.0
//
// Which devices copy to which, what goes at once, and who does it.
#pragma once

#include "p2p/copy_roles.hpp"
#include "p2p/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

// Which devices are at it at once; the parameter `pattern`.
enum class Traffic { pair, ring, all_to_one, one_to_all, bisection };

// Devices by their places in the case. From where the bytes lie to where they arrive.
struct Transfer {
  std::size_t from = 0, to = 0;
  Way way = Way::there;
};

// Transfers at once; one phase comes after another.
using Phase = std::vector<Transfer>;

namespace detail {

// Adds a transfer, and the one back where both ways are wanted; each only once: in a ring of two the next of
// the next is where one began.
inline void add(Phase& phase, std::size_t from, std::size_t to, bool both) {
  const auto once = [&](Transfer transfer) {
    const bool known = std::any_of(phase.begin(), phase.end(), [&](const Transfer& other) {
      return other.from == transfer.from && other.to == transfer.to;
    });
    if (!known) phase.push_back(transfer);
  };
  once({from, to, Way::there});
  if (both) once({to, from, Way::back});
}

}  // namespace detail

// What is done among this many devices, at least 2. In pairs every two devices take their turn, each way, or
// both ways in one turn; two devices are one pair, from the first to the second, because a suite that wants
// the other one names it the other way round.
inline std::vector<Phase> phases_of(std::size_t devices, Direction direction, Traffic traffic) {
  const bool both = direction == Direction::both;
  std::vector<Phase> phases;
  if (traffic == Traffic::pair) {
    for (std::size_t from = 0; from < devices; ++from) {
      for (std::size_t to = 0; to < devices; ++to) {
        if (from == to || (from > to && (both || devices == 2))) continue;
        detail::add(phases.emplace_back(), from, to, both);
      }
    }
    return phases;
  }
  Phase& all = phases.emplace_back();
  if (traffic == Traffic::ring) {
    for (std::size_t i = 0; i < devices; ++i) detail::add(all, i, (i + 1) % devices, both);
  } else if (traffic == Traffic::bisection) {
    for (std::size_t i = 0; i < devices / 2; ++i) detail::add(all, i, i + devices / 2, both);
  } else {
    for (std::size_t i = 1; i < devices; ++i) {
      traffic == Traffic::all_to_one ? detail::add(all, i, 0, both) : detail::add(all, 0, i, both);
    }
  }
  return phases;
}

// The device whose engine or kernel does it: who gets the bytes pulls them, or who has them pushes. With both
// ways at once each device pushes what it sends.
inline std::size_t executor_of(const Transfer& transfer, Direction direction) {
  return direction == Direction::read || direction == Direction::latency ? transfer.to : transfer.from;
}

inline std::size_t transfers_in(const std::vector<Phase>& phases) {
  std::size_t count = 0;
  for (const Phase& phase : phases) count += phase.size();
  return count;
}

// How many buffers each device holds: every copy has a source and a destination of its own, and of latency
// each pair a chain where the loads go to.
inline std::vector<std::uint64_t> buffers_on(std::size_t devices, const std::vector<Phase>& phases,
                                             Direction direction) {
  std::vector<std::uint64_t> buffers(devices);
  for (const Phase& phase : phases) {
    for (const Transfer& transfer : phase) {
      ++buffers[transfer.from];
      if (direction != Direction::latency) ++buffers[transfer.to];
    }
  }
  return buffers;
}

// By how many multiprocessors in turn a chain is followed: by all for one pair, and by fewer of many pairs,
// so that a sample lasts no longer.
inline std::uint64_t walkers_of(std::uint64_t multiprocessors, std::size_t phases) {
  return std::max<std::uint64_t>(1, multiprocessors / phases);
}
// Which of the multiprocessors follows it in iteration i; they lie evenly.
inline unsigned walker(std::uint64_t i, std::uint64_t multiprocessors, std::uint64_t walkers) {
  return static_cast<unsigned>(i % walkers * multiprocessors / walkers);
}

// What is measured, in words. `names` are the devices'.
inline std::string text_of(const std::vector<Phase>& phases, Direction direction, Traffic traffic,
                           const std::vector<std::string>& names) {
  if (traffic == Traffic::pair) {
    if (phases.size() > 1) {
      return std::to_string(phases.size()) + (direction == Direction::both ? "" : " ordered") +
             " pairs, one after the other";
    }
    const Transfer& only = phases.front().front();
    return names[only.from] + (direction == Direction::both ? " and " : " to ") + names[only.to];
  }
  const std::size_t count = phases.front().size();
  std::string text = std::to_string(count) + (count == 1 ? " transfer" : " transfers at once");
  if (traffic == Traffic::bisection && names.size() % 2 != 0) text += "; " + names.back() + " has no partner";
  return text;
}

// Places of `words` words that are looked at from the host, too: all of few, else pieces that lie evenly,
// with the first and the last word. Each is a first word and how many.
inline std::vector<std::pair<std::size_t, std::size_t>> sampled_words(std::size_t words) {
  constexpr std::size_t kPieces = 16, kWords = 512;
  if (words <= kPieces * kWords) return {{0, words}};
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t i = 0; i < kPieces; ++i) {
    pieces.emplace_back((words - kWords) / (kPieces - 1) * i, kWords);
  }
  pieces.back().first = words - kWords;
  return pieces;
}

}  // namespace assay::plugins::p2p
