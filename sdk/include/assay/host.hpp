// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks that run on the CPU and are timed by the host's clock.
//
//   class Fill final : public assay::host::Benchmark {
//    public:
//     …
//     void prepare() override { …; work("bandwidth", double(bytes)); }
//     void run(std::uint64_t n) override { while (n-- > 0) std::memset(…); }
//     void verify() override { expect_equal(bytes, actual, expected); }
//   };
#pragma once

#include <assay/abi/v1.h>
#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/group.hpp>
#include <assay/verification.hpp>

#include <cstdint>

namespace assay::host {

// The backend's name, for ASSAY_PLUGIN.
inline constexpr const char* backend = "host";

class Benchmark : public assay::Benchmark {
 public:
  using assay::Benchmark::Benchmark;

  // Runs n iterations: the timed region, so nothing else belongs in it. Must not let the compiler drop the
  // work (observe()).
  virtual void run(std::uint64_t n) = 0;

  // Resets inputs to what the seed gives, for verification, and overwrites old results, so that work which an
  // iteration leaves out shows.
  virtual void restore() {}

  // Destroys old results only, before the samples; a benchmark whose inputs take long to make says how.
  virtual void destroy_results() { restore(); }

  // Checks the results of one iteration (of one quantum) on restored inputs through expect_equal,
  // expect_close or checks(). Without any check, no rate is published.
  virtual void verify() {}

  Traits traits() override {
    Traits traits;
    traits.tick_s = tick_s_ = agreed_tick();
    traits.quantum = quantum_;
    traits.maximum = maximum_;
    traits.idempotent = idempotent_;
    return traits;
  }

  Verification verification(VerifyPhase phase) override {
    checks_ = Verification();
    if (phase != VerifyPhase::last) {
      restore();
      run(quantum_);
    }
    context().throw_if_cancelled();  // comparing may take longer than the work did
    if (is_to_spoil()) destroy_results();
    verify();
    // What the samples leave has to be theirs.
    if (phase == VerifyPhase::before && idempotent_) destroy_results();
    return checks_;
  }

  // By destroy_results(), after which nothing may be right.
  bool damage() override { return spoil_next(); }

  bool reseed() override {
    if (inputs_follow_seed_) restore();
    return inputs_follow_seed_;
  }

  void iterate(Mode, std::uint64_t n, Sample& sample) override {
    const std::int64_t begin = context().now_ns();
    run(n);
    const std::int64_t end = context().now_ns();

    // A region shorter than the clock's step reads as one step: a time is never zero.
    sample.host_s = sample.device_s = end > begin ? static_cast<double>(end - begin) * 1e-9 : tick_s_;
    sample.begin_ns = begin;
    sample.end_ns = end;
    sample.done = done_;
  }

 protected:
  // For prepare():
  // n iterations leave what one leaves, so the last timed output can be checked, too.
  void idempotent() { idempotent_ = true; }
  // restore() makes other inputs for another seed, and what verify() expects follows them: the host changes the
  // seed for some samples, so that results of work that was done once and kept are seen to be old.
  void inputs_follow_seed() { inputs_follow_seed_ = true; }
  // Iterations in a sample are a multiple of this, such as the buffers of a ring.
  void quantum(std::uint64_t iterations) { quantum_ = iterations; }
  // The most iterations in one sample.
  void maximum(std::uint64_t iterations) { maximum_ = iterations; }
  // ASSAY_DONE_* bits: what is really done, as against asked for.
  void done(std::uint32_t bits) { done_ = bits; }

  // For verify(): `actual` and `expected` are functions of an index below `count`.
  template <class Actual, class Expected>
  void expect_equal(std::uint64_t count, Actual&& actual, Expected&& expected) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = actual(i);
      checks_.expect_equal(value, static_cast<decltype(value)>(expected(i)), i);
    }
  }
  template <class Actual, class Expected>
  void expect_close(std::uint64_t count, Actual&& actual, Expected&& expected, Tolerance tolerance) {
    for (std::uint64_t i = 0; i < count; ++i) {
      checks_.expect_close(actual(i), static_cast<double>(expected(i)), tolerance, i);
    }
  }
  Verification& checks() { return checks_; }

  // Makes the compiler believe that the memory is read, so that the work that filled it stays.
  static void observe(const void* memory) {
#if defined(__GNUC__)
    asm volatile("" : : "r"(memory) : "memory");
#else
    static const void* volatile sink;
    sink = memory;
#endif
  }

 private:
  // Ranks state the same traits, so the coarsest of their ticks is everyone's.
  double agreed_tick() const {
    double coarsest = 0;
    for (const double tick_s : Group(context()).allgather(measured_tick()))
      if (tick_s > coarsest) coarsest = tick_s;
    return coarsest;
  }

  // The smallest step that the clock shows between two reads that differ.
  double measured_tick() const {
    constexpr int kSteps = 32;
    constexpr int kReads = 100000;  // a clock that stands still for this long is given up on
    std::int64_t smallest = 0;
    for (int step = 0; step < kSteps; ++step) {
      const std::int64_t begin = context().now_ns();
      std::int64_t end = begin;
      for (int read = 0; read < kReads && end == begin; ++read) end = context().now_ns();
      if (end == begin) break;
      if (smallest == 0 || end - begin < smallest) smallest = end - begin;
    }
    return smallest > 0 ? static_cast<double>(smallest) * 1e-9 : 1e-9;
  }

  double tick_s_ = 1e-9;
  std::uint64_t quantum_ = 1;
  std::uint64_t maximum_ = 0;
  std::uint32_t done_ = 0;
  bool idempotent_ = false;
  bool inputs_follow_seed_ = false;
  Verification checks_;
};

}  // namespace assay::host
