// SPDX-License-Identifier: Apache-2.0
//
// What a case of fusion@host holds and does, in one type: its arrays, its passes, and what is right.
#pragma once

#include "fusion/byte_model.hpp"
#include "fusion/host_kernels.hpp"
#include "lib/cpu_team.hpp"
#include "lib/pages.hpp"

#include <assay/case.hpp>
#include <assay/data.hpp>
#include <assay/memory.hpp>
#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::plugins::fusion {

struct HostTask {
  Variant variant;
  Gelu gelu;
  Bias bias;
  std::uint64_t rows, columns;

  std::uint64_t array() const { return rows * columns; }
};

// The arrays of a case and its passes, in one type.
class HostWork {
 public:
  HostWork() = default;
  HostWork(const HostWork&) = delete;  // owns memory
  HostWork& operator=(const HostWork&) = delete;
  virtual ~HostWork() = default;
  // Until the case should end, as check() does; the first to touch a share is the thread that works on it.
  virtual void restore(const Case& run) = 0;
  virtual void destroy_results(const Case& run) = 0;
  // One pass of one member of the team over its share.
  virtual void pass(unsigned index, int member) const = 0;
  virtual void check(const Case& run, Verification& seen) = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual const char* vectors() const = 0;
};

// In double precision, by the library.
inline double exact_gelu(double x, Gelu gelu) {
  if (gelu == Gelu::erf) return 0.5 * x * std::erfc(-x * 0.7071067811865476);
  const double u = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

// How far y may be from gelu(sum), as host_gelu.hpp and the roundings to Real explain it: one of x + b, in
// memory or in a register, through GELU, whose slope is below 1.13; twice that of y; and the function's own.
template <class Real>
double limit_of(double sum, double expected) {
  constexpr bool kSingle = std::is_same_v<Real, float>;
  constexpr double kSlope = 1.13, kRelative = kSingle ? 0x1p-24 : 0x1p-53,
                   kFunction = kSingle ? 0x1p-21 : 0x1p-45;
  return 2 * kRelative * std::fabs(expected) + (kSlope * kRelative + kFunction) * std::fabs(sum) +
         2 * static_cast<double>(std::numeric_limits<Real>::min());
}

template <class Real>
class HostWorkOf final : public HostWork {
 public:
  HostWorkOf(const Case& run, CpuTeam& team, const HostTask& task)
      : task_(task), team_(team), passes_(host_passes<Real>(task.variant, task.gelu)) {
    // Short rows would be all beginnings and ends: a vector of bias stands in memory as often as makes it a
    // long one.
    bias_count_ =
        task.bias == Bias::full ? task.array() : (kShortest + task.columns - 1) / task.columns * task.columns;
    const std::size_t counts[] = {task.array(), bias_count_, passes_.second ? task.array() : 0, task.array()};
    for (std::size_t i = 0; i < 4; ++i) {
      if (counts[i] == 0) continue;
      // Arrays that begin at the same offset in a page make loads wait for stores that only look as if they
      // overlapped.
      buffers_[i] = HostBuffer<Real>(run, counts[i] + 3 * kStagger, 4096);
      ask_for_huge_pages(buffers_[i].data(), buffers_[i].bytes());
      arrays_[i] = buffers_[i].data() + i * kStagger;
    }
  }

  void restore(const Case& run) override {
    const std::vector<Real> x = drawn(run, kStreamX, task_.array()), b = drawn_bias(run);
    const bool full = task_.bias == Bias::full;
    team_.run([&](int member) {
      in_pieces(run, member, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) arrays_[kX][i] = x[i % x.size()];
        for (std::size_t i = first; full && i < last; ++i) arrays_[kB][i] = b[i % b.size()];
      });
    });
    for (std::size_t i = 0; !full && i < bias_count_; ++i) {
      arrays_[kB][i] = b[i % task_.columns % b.size()];
    }
    destroy_results(run);
  }

  // No sum of finite numbers, nor GELU of one.
  void destroy_results(const Case& run) override {
    constexpr Real kNothing = std::numeric_limits<Real>::quiet_NaN();
    team_.run([&](int member) {
      in_pieces(run, member, [&](std::size_t first, std::size_t last) {
        if (passes_.second) std::fill(arrays_[kT] + first, arrays_[kT] + last, kNothing);
        std::fill(arrays_[kY] + first, arrays_[kY] + last, kNothing);
      });
    });
    run.throw_if_cancelled();
  }

  void pass(unsigned index, int member) const override {
    const auto [first, last] = team_.share(member, task_.array(), kGrain);
    (index == 0 ? passes_.first : passes_.second)(
        {arrays_[kX], arrays_[kB], arrays_[kT], arrays_[kY], bias_count_, first, last});
  }

  void check(const Case& run, Verification& seen) override {
    const std::vector<Real> x = drawn(run, kStreamX, task_.array()), b = drawn_bias(run);
    const std::uint64_t period = task_.bias == Bias::full ? task_.array() : task_.columns;
    Findings found;
    std::mutex mutex;
    team_.run([&](int member) {
      Findings mine;
      in_pieces(run, member, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const double sum =
              static_cast<double>(x[i % x.size()]) + static_cast<double>(b[i % period % b.size()]);
          const double expected = exact_gelu(sum, task_.gelu);
          const double error = std::fabs(static_cast<double>(arrays_[kY][i]) - expected);
          mine.note(error / limit_of<Real>(sum, expected), i);
        }
      });
      const std::lock_guard lock(mutex);
      found.add(mine);
    });
    run.throw_if_cancelled();
    const std::uint64_t others = found.wrong == 0 ? 0 : found.wrong - 1;
    seen.method("every element in double precision, error as a share of its limit");
    seen.count(task_.array() - 1, others,
               others == 0
                   ? ""
                   : "element " + std::to_string(found.first) + " is further off than rounding explains");
    seen.expect_close(found.worst, 0, absolute(1), found.wrong == 0 ? 0 : found.first);
  }

  std::uint64_t bytes() const override {
    const std::uint64_t bias = task_.bias == Bias::full ? task_.array() : task_.columns;
    return ((passes_.second ? 3 : 2) * task_.array() + bias) * sizeof(Real);
  }

  const char* vectors() const override { return passes_.vectors; }

 private:
  enum Array : std::size_t { kX, kB, kT, kY };

  static constexpr std::uint64_t kStreamX = 1, kStreamB = 2;   // of the case's seed
  static constexpr std::size_t kGrain = 64 / sizeof(Real);     // no two threads write one line
  static constexpr std::size_t kStagger = 17 * kGrain;         // 17 cache lines
  static constexpr std::uint64_t kShortest = 1024;             // elements of a repeated bias
  static constexpr std::size_t kPiece = std::size_t{1} << 18;  // elements between two looks for a cancel

  // What a check saw: errors as shares of their limits.
  struct Findings {
    std::uint64_t wrong = 0, first = std::numeric_limits<std::uint64_t>::max();
    double worst = 0;

    void note(double share, std::uint64_t index) {
      if (!(share >= 0)) share = std::numeric_limits<double>::infinity();  // not a number
      worst = std::max(worst, share);
      if (share <= 1) return;
      ++wrong;
      first = std::min(first, index);
    }

    void add(const Findings& other) {
      wrong += other.wrong;
      first = std::min(first, other.first);
      worst = std::max(worst, other.worst);
    }
  };

  // The numbers that an array of this many repeats: drawing each anew would take longer than measuring. Their
  // number is a prime, so that what is found a row, a share or a page away is another.
  static std::vector<Real> drawn(const Case& run, std::uint64_t stream, std::uint64_t count) {
    constexpr std::uint64_t kDrawn = 1000003;
    const Random random(run.seed(), stream);
    const Data data = run.conditions().data;
    std::vector<Real> numbers(std::min(count, kDrawn));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<Real>(element(data, random, i));
    }
    return numbers;
  }

  std::vector<Real> drawn_bias(const Case& run) const {
    return drawn(run, kStreamB, task_.bias == Bias::full ? task_.array() : task_.columns);
  }

  // Calls body(first, last) for pieces of a member's share until the case should end.
  template <class Body>
  void in_pieces(const Case& run, int member, Body&& body) const {
    const auto [first, last] = team_.share(member, task_.array(), kGrain);
    for (std::size_t from = first; from < last && !run.cancelled(); from += kPiece) {
      body(from, std::min(last, from + kPiece));
    }
  }

  HostTask task_;
  CpuTeam& team_;
  HostPasses<Real> passes_;
  std::size_t bias_count_ = 0;
  HostBuffer<Real> buffers_[4];
  Real* arrays_[4] = {nullptr, nullptr, nullptr, nullptr};
};

}  // namespace assay::plugins::fusion
