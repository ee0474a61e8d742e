// SPDX-License-Identifier: Apache-2.0
//
// kernel: read, write, triad. STREAM's kernels by the threads of a node, on memory of a node.
#pragma once

#include "lib/cpu_team.hpp"
#include "lib/stream_kernels.hpp"
#include "numa/experiment.hpp"

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {

// Arrays that a kernel names: a is written, b and c are read.
inline std::size_t arrays_of(stream::Kernel kernel) {
  return static_cast<std::size_t>(stream::bytes_per_element(kernel)) / sizeof(double);
}
// What an array takes: each begins at another offset in a page, because loads otherwise wait for stores that
// only look as if they overlapped.
inline constexpr std::size_t kStagger = 136;  // doubles: 17 cache lines
inline std::size_t bytes_of_array(std::uint64_t bytes) { return bytes + 2 * kStagger * sizeof(double); }

class StreamWork final : public Work {
 public:
  // `experiment` has arrays_of(kernel) arrays of bytes_of_array(bytes) for each region, and outlives this.
  StreamWork(Experiment& experiment, stream::Kernel kernel, std::uint64_t bytes)
      : experiment_(experiment),
        run_(experiment.run()),
        kernel_(kernel),
        pass_(stream::find_pass(kernel, stream::Stores::temporal)),
        elements_(bytes / sizeof(double)) {
    for (std::size_t phase = 0; phase < experiment_.phases().size(); ++phase)
      sums_.emplace_back(experiment_.crew().size(), kNoResult);
    last_user_.resize(experiment_.regions());
    restore();
    run_.work("bandwidth", bytes_of_use() * static_cast<double>(experiment_.uses().size()));
  }

  void restore() override {
    for (std::size_t region = 0; region < experiment_.regions(); ++region) {
      const Arrays arrays = arrays_in(region);
      by_node(experiment_.toucher(region), [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; arrays.b != nullptr && i < last; ++i) arrays.b[i] = b(region, i);
        for (std::size_t i = first; arrays.c != nullptr && i < last; ++i) arrays.c[i] = c(region, i);
      });
    }
    destroy_results();
  }

  void destroy_results() override {
    for (auto& sums : sums_) std::fill(sums.begin(), sums.end(), kNoResult);
    for (std::size_t region = 0; region < experiment_.regions(); ++region) {
      const Arrays arrays = arrays_in(region);
      if (arrays.a == nullptr) continue;
      by_node(experiment_.toucher(region), [&](std::size_t first, std::size_t last) {
        std::fill(arrays.a + first, arrays.a + last, kNoResult);
      });
    }
  }

  double run(std::uint64_t n) override {
    double all_s = 0;
    for (std::size_t phase = 0; phase < experiment_.phases().size(); ++phase) {
      run_.throw_if_cancelled();
      all_s += work(phase, n);
    }
    experiment_.record("bandwidth_matrix", "bandwidth_by_node",
                       [&](double time_s) { return bytes_of_use() / time_s; });
    return all_s;
  }

  Verification verification(VerifyPhase when, bool spoil) override {
    Verification seen;
    seen.method("closed form, every element; every page's node; every thread's CPU");
    experiment_.check_places(seen);
    if (when == VerifyPhase::last) {
      if (spoil) destroy_results();
      // An array that several nodes write in turn holds what the last of them wrote.
      for (std::size_t phase = 0; phase < experiment_.phases().size(); ++phase) {
        for (const Use& use : experiment_.phases()[phase]) {
          if (kernel_ == stream::Kernel::read || last_user_[use.region] == use.cpu_node)
            check(phase, use, seen);
        }
      }
      return seen;
    }
    restore();
    for (std::size_t phase = 0; phase < experiment_.phases().size(); ++phase) {
      run_.throw_if_cancelled();
      work(phase, 1);
      if (spoil) destroy_results();
      for (const Use& use : experiment_.phases()[phase]) check(phase, use, seen);
      destroy_results();  // what is there next is the next phase's, and then the samples'
    }
    return seen;
  }

 private:
  static constexpr double kNoResult = -1;                      // no kernel gives it
  static constexpr std::size_t kBlock = std::size_t{1} << 22;  // elements between two looks for a cancel

  struct Arrays {
    double *a = nullptr, *b = nullptr, *c = nullptr;
  };

  double bytes_of_use() const {
    return static_cast<double>(stream::bytes_per_element(kernel_)) * static_cast<double>(elements_);
  }

  Arrays arrays_in(std::size_t region) const {
    const auto at = [&](std::size_t array) {
      return reinterpret_cast<double*>(experiment_.memory(region, array)) + array * kStagger;
    };
    if (kernel_ == stream::Kernel::read) return {nullptr, at(0), nullptr};
    if (kernel_ == stream::Kernel::write) return {at(0), nullptr, nullptr};
    return {at(0), at(1), at(2)};
  }

  // Whole numbers below 1024, of every seed and region others, so that every result, and a sum in any order,
  // is exact.
  double mixed(std::uint64_t stream, std::uint64_t i) const {
    std::uint64_t word = i + stream * 0x9E3779B97F4A7C15ull + run_.seed() * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 29)) * 0xD1342543DE82EF95ull;
    return static_cast<double>((word >> 40) & 1023);
  }
  double b(std::size_t region, std::uint64_t i) const { return mixed(2 * region + 1, i); }
  double c(std::size_t region, std::uint64_t i) const { return mixed(2 * region + 2, i); }
  // Of every seed and node another one, so that an array tells who wrote it, and when.
  double scalar(std::size_t cpu_node) const {
    return static_cast<double>(1 + (run_.seed() % 1021) + 1024 * cpu_node);
  }

  double expected(const Use& use, std::uint64_t i) const {
    if (kernel_ == stream::Kernel::read) return b(use.region, i);
    if (kernel_ == stream::Kernel::write) return scalar(use.cpu_node);
    return b(use.region, i) + scalar(use.cpu_node) * c(use.region, i);
  }

  // Calls visit(first, last) on the threads of a node for blocks of their parts, until the case is cancelled.
  template <class Visit>
  void by_node(std::size_t cpu_node, const Visit& visit) {
    experiment_.crew().run([&](std::size_t member) {
      if (experiment_.crew().node_of(member) != cpu_node) return;
      const auto [first, last] = experiment_.crew().share(member, elements_, stream::kGrain);
      for (std::size_t at = first; at < last && !run_.cancelled(); at += kBlock)
        visit(at, std::min(last, at + kBlock));
    });
    run_.throw_if_cancelled();
  }

  // How long n passes of one phase took, in seconds. Waking the threads is not measured: the region begins
  // when all have come, and every pass ends with all of them meeting.
  double work(std::size_t phase, std::uint64_t n) {
    Crew& crew = experiment_.crew();
    const Phase& uses = experiment_.phases()[phase];
    std::vector<const Use*> use_of(crew.size(), nullptr);
    std::size_t members = 0, clock = crew.size();
    for (const Use& use : uses) {
      last_user_[use.region] = use.cpu_node;
      for (std::size_t i = 0; i < crew.members_of(use.cpu_node); ++i) {
        const std::size_t member = crew.first_of(use.cpu_node) + i;
        use_of[member] = &use;
        clock = std::min(clock, member);
        ++members;
      }
    }
    SpinBarrier barrier(static_cast<int>(members));
    std::int64_t begin = 0, end = 0;
    std::vector<std::int64_t> busy_ns(crew.size(), 0);
    std::atomic<std::uint64_t> last_pass{n - 1};
    crew.run([&](std::size_t member) {
      const Use* use = use_of[member];
      if (use == nullptr) return;
      const Arrays arrays = arrays_in(use->region);
      const auto [first, last] = crew.share(member, elements_, stream::kGrain);
      const double factor = scalar(use->cpu_node);
      double sum = 0;
      barrier.wait();
      if (member == clock) begin = run_.now_ns();
      // A member may still be on its way from one meeting when the clock's is at the next pass: so it is told
      // which pass is the last, not to stop.
      for (std::uint64_t pass = 0; pass <= last_pass; ++pass) {
        const std::int64_t began = uses.size() > 1 ? run_.now_ns() : 0;
        sum = 0;
        for (std::size_t at = first; at < last && (at == first || !run_.cancelled()); at += kBlock)
          sum += pass_({arrays.a, arrays.b, arrays.c, at, std::min(last, at + kBlock)}, factor);
        if (uses.size() > 1) busy_ns[member] += run_.now_ns() - began;
        if (member == clock && run_.cancelled()) last_pass = pass;
        barrier.wait();
      }
      if (member == clock) end = run_.now_ns();
      sums_[phase][member] = sum;
    });
    run_.throw_if_cancelled();
    const double all_s = 1e-9 * static_cast<double>(std::max<std::int64_t>(end - begin, 1));
    for (std::size_t i = 0; i < uses.size(); ++i) {
      // Of one node the whole time; of several each by its slowest thread.
      std::int64_t busy = 1;
      for (std::size_t member = 0; member < crew.size(); ++member) {
        if (use_of[member] == &uses[i]) busy = std::max(busy, busy_ns[member]);
      }
      const double time_s = uses.size() == 1 ? all_s : 1e-9 * static_cast<double>(busy);
      experiment_.add_time(experiment_.first_use(phase) + i, time_s / static_cast<double>(n));
    }
    return all_s;
  }

  // The node's own threads compare what they wrote, or their sums.
  void check(std::size_t phase, const Use& use, Verification& seen) {
    Crew& crew = experiment_.crew();
    const Arrays arrays = arrays_in(use.region);
    const bool sums = kernel_ == stream::Kernel::read;
    std::vector<std::uint64_t> wrong(crew.size(), 0), first_wrong(crew.size(), elements_);
    std::vector<double> sum(crew.size(), 0);
    crew.run([&](std::size_t member) {
      if (crew.node_of(member) != use.cpu_node) return;
      const auto [first, last] = crew.share(member, elements_, stream::kGrain);
      for (std::size_t at = first; at < last && !run_.cancelled(); at += kBlock) {
        for (std::size_t i = at; i < std::min(last, at + kBlock); ++i) {
          if (sums) {
            sum[member] += expected(use, i);
          } else if (arrays.a[i] != expected(use, i) && wrong[member]++ == 0) {
            first_wrong[member] = i;
          }
        }
      }
      if (sums && sum[member] != sums_[phase][member]) {
        wrong[member] = last - first;
        first_wrong[member] = first;
      }
    });
    run_.throw_if_cancelled();
    std::uint64_t all_wrong = 0, first = elements_;
    for (std::size_t member = 0; member < crew.size(); ++member) {
      all_wrong += wrong[member];
      first = std::min(first, first_wrong[member]);
    }
    seen.count(elements_, all_wrong,
               all_wrong == 0 ? ""
                              : "of " + experiment_.text_of(use) +
                                    (sums ? " the sum from element " : " what was written at element ") +
                                    std::to_string(first) + " is not what it should be");
  }

  Experiment& experiment_;
  const Case& run_;
  stream::Kernel kernel_;
  stream::Pass pass_;
  std::size_t elements_;
  std::vector<std::vector<double>> sums_;  // by phase and member: of the pass made last
  std::vector<std::size_t> last_user_;     // by region: the node that wrote there last
};

}  // namespace assay::plugins::numa
