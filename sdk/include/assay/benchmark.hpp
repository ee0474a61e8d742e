// SPDX-License-Identifier: Apache-2.0
//
// The general form of a benchmark: it times its own region. Most benchmarks derive from a form that does this
// for them: assay::host::Benchmark (assay/host.hpp) for work on the CPU.
//
// A benchmark class has
//   struct Params { … };                                  parameters and their defaults
//   static void describe(assay::Description<Params>&);    see assay/description.hpp
//   Name(const Params&, assay::Case&);                    cheap: nothing large is allocated
// The destructor releases everything. All calls come from one thread.
#pragma once

#include <assay/abi/v1.h>
#include <assay/case.hpp>
#include <assay/verification.hpp>

#include <cstdint>
#include <utility>

namespace assay {

enum class Mode : assay_mode {
  measure = ASSAY_MODE_MEASURE,
  verify = ASSAY_MODE_VERIFY,
  trace = ASSAY_MODE_TRACE,
  profile = ASSAY_MODE_PROFILE
};

enum class VerifyPhase : assay_verify_phase {
  before = ASSAY_VERIFY_BEFORE,
  after = ASSAY_VERIFY_AFTER,
  last = ASSAY_VERIFY_LAST
};

enum class Clock : assay_clock {
  host = ASSAY_CLOCK_HOST,
  device = ASSAY_CLOCK_DEVICE,
  simulated = ASSAY_CLOCK_SIMULATED
};

// How a benchmark can be measured.
struct Traits {
  Clock clock = Clock::host;
  double tick_s = 1e-9;                      // resolution of that clock
  std::uint64_t quantum = 1;                 // iterations in a sample are a multiple of this
  std::uint64_t maximum = 0;                 // the most iterations in a sample; 0: no limit
  std::uint32_t launches_per_iteration = 0;  // device operations queued by one iteration
  bool laps = false;                         // gives the duration of each iteration
  bool idempotent = false;                   // n iterations leave what one leaves
  bool spans = false;                        // Mode::trace reports spans
  bool parts =
      false;  // a sample is the sum of parts of the call, and what lies between is not work that counts
  bool unlike_ranks = false;  // ranks do different work in an iteration, as the stages of a pipeline do
};

// The C struct itself: zeroed, with size, laps_s and lap_capacity set. iterate() sets the rest.
using Sample = assay_sample;

class Benchmark {
 public:
  explicit Benchmark(Case& run) : run_(run) {}
  Benchmark(const Benchmark&) = delete;  // the host holds its address
  Benchmark& operator=(const Benchmark&) = delete;
  virtual ~Benchmark() = default;

  // Can it run here? Throws Skip with the reason if not. May ask devices, must not allocate on them.
  virtual void probe() {}

  // Allocates, fills inputs from the seed, declares work.
  virtual void prepare() {}

  // Called once, after prepare.
  virtual Traits traits() = 0;

  // before, after: restores inputs from the seed, runs one iteration on every buffer set, checks the results.
  // last: checks what the last timed iteration left; called only if iterations are idempotent.
  virtual Verification verification(VerifyPhase phase) {
    (void)phase;
    return {};
  }

  // Runs n iterations in one timed region and says how long they took.
  virtual void iterate(Mode mode, std::uint64_t n, Sample& sample) = 0;

  // Blocks until everything that iterate() queued is done, wherever it runs. Only a benchmark that queues has
  // something to do here.
  virtual void settle() {}

  // Makes other inputs, those of context().seed(), which is another one from now on, and destroys old results.
  // verification(last) of the sample that follows finds its results to be those of the new inputs. False where
  // results do not depend on the seed: reports then say that the plugin declared its work.
  virtual bool reseed() { return false; }

  // For `assay plugin check`, which asks whether results can be found wrong: the next verification() spoils what
  // it compares, right before it compares it. False where that cannot be done. Either
  //   bool damage() override { return spoil_next(); }
  // with `if (is_to_spoil()) …` in verification(), or a form of benchmark does both.
  virtual bool damage() { return false; }

 protected:
  bool spoil_next() { return is_to_spoil_ = true; }
  // True once after spoil_next().
  bool is_to_spoil() { return std::exchange(is_to_spoil_, false); }

  const Case& context() const { return run_; }

  // Declares the work of one iteration for a rate or duration metric. To be called in prepare.
  void work(const char* metric, double per_iteration) const { run_.work(metric, per_iteration); }

 private:
  Case& run_;
  bool is_to_spoil_ = false;
};

}  // namespace assay
