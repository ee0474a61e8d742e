// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks on one GPU, timed by its events. A class says how to queue one iteration; the rest is here.
#pragma once

#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/cuda/cache.hpp>
#include <assay/cuda/compare.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/fill.hpp>
#include <assay/cuda/kept_stream.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/region.hpp>
#include <assay/cuda/stream.hpp>
#include <assay/description.hpp>
#include <assay/errors.hpp>
#include <assay/verification.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>
#include <optional>
#include <string>

namespace assay::cuda {

// The backend's name, for ASSAY_PLUGIN.
inline constexpr const char* backend = "cuda";

class Benchmark : public assay::Benchmark {
 public:
  explicit Benchmark(Case& run) : assay::Benchmark(run) {}

  // Queues iteration `i` in the stream, on buffer set i % sets. Must not wait for the device (unless
  // synchronises() was called) and not allocate. With launch: graph it is captured.
  virtual void enqueue(cudaStream_t stream, std::uint64_t i) = 0;

  // Brings the inputs of every buffer set back to what the seed says, and destroys old results (poison()):
  // what an iteration leaves out is then seen.
  virtual void restore() {}

  // Destroys old results only, before the samples; a benchmark whose inputs take long to make says how.
  virtual void destroy_results() { restore(); }

  // Checks the results of one iteration on every buffer set through compare() or checks(). Without any
  // check, no rate is published.
  virtual void verify() {}

  // A benchmark that has more to ask calls this first.
  void probe() override { device(); }

  Traits traits() override {
    Traits traits = region().traits();
    traits.idempotent = idempotent_;
    const double round_s = iteration_s_ * static_cast<double>(traits.quantum);
    if (!(shortest_s_ > round_s)) return traits;
    std::uint64_t rounds = static_cast<std::uint64_t>(std::ceil(shortest_s_ / round_s));
    if (traits.maximum != 0) {
      // Two quanta still fit, so that time can be seen to grow with iterations.
      rounds = std::max<std::uint64_t>(1, std::min(rounds, traits.maximum / traits.quantum / 2));
    }
    traits.quantum *= rounds;
    traits.maximum = traits.maximum / traits.quantum * traits.quantum;
    return traits;
  }

  Verification verification(VerifyPhase phase) override {
    checks_ = Verification();
    if (phase != VerifyPhase::last) {
      restore();
      region().once();
    }
    if (is_to_spoil()) {
      destroy_results();
      wait();
    }
    verify();
    // What the samples leave has to be theirs.
    if (phase == VerifyPhase::before && idempotent_) destroy_results();
    return checks_;
  }

  void iterate(Mode mode, std::uint64_t n, Sample& sample) override { region().run(mode, n, sample); }

  // All that was queued on the case's devices, in whatever stream.
  void settle() override {
    if (stream_) wait();
    synchronise_devices(context());
  }

  // By destroy_results(), on the device or wherever they lie, after which nothing may be right.
  bool damage() override { return spoil_next(); }

  bool reseed() override {
    if (!inputs_follow_seed_) return false;
    restore();
    wait();
    return true;
  }

 protected:
  // The case's GPU, selected at the first call.
  const Device& device() {
    if (!device_) device_ = Device::select(context());
    return *device_;
  }

  // The stream of everything that this benchmark queues.
  cudaStream_t stream() {
    if (!stream_) stream_ = kept_stream(context(), device());
    return stream_;
  }

  // Waits for all that was queued; ends with the case if that ends first.
  void wait() { cuda::wait(context(), stream()); }

  // For prepare():
  // n iterations leave what one leaves, so the last timed output can be checked, too.
  void idempotent() { idempotent_ = true; }
  // restore() makes other inputs for another seed, and what verify() expects follows them: the host changes the
  // seed for some samples, so that results of work that was done once and kept are seen to be old.
  void inputs_follow_seed() { inputs_follow_seed_ = true; }
  // Device operations that one iteration queues; 1 unless said.
  void launches(std::uint32_t per_iteration) { plan_.launches = per_iteration; }
  // The most iterations in one sample.
  void maximum(std::uint64_t iterations) { plan_.maximum = iterations; }
  // Samples last at least this many seconds, for work that runs back to back in practice: beginning and ending
  // a sample costs about 5 µs and leaves the device idle for longer. `iteration_s` is what one iteration
  // takes.
  void samples_of_at_least(double seconds, double iteration_s) {
    shortest_s_ = seconds;
    iteration_s_ = iteration_s;
  }
  // With launch: default, no more than this many iterations wait behind the gate. For iterations that last
  // longer than it takes to queue them: the device is idle for less before each sample.
  void held(std::uint64_t iterations) { plan_.held = iterations; }
  // The duration of every single iteration is wanted (percentiles); costs an event an iteration.
  void give_laps() { plan_.laps = true; }
  // An iteration waits for the device by itself: no gate, no graph.
  void synchronises() { plan_.synchronises = true; }
  // An iteration queues work on other devices, too, behind events of the stream and with the stream behind
  // theirs. Its graphs begin as soon as they are launched: nodes on several devices fill queues of the
  // driver's that a gate would keep from emptying.
  void spans_devices() { plan_.spans_devices = true; }
  // Destroys what was captured; it is captured anew when it is needed. Whoever queues operations of a communicator
  // calls it before that is given up: an abort waits for ever while graphs hold its operations.
  void forget_graphs() {
    if (region_) region_->forget_graphs();
  }
  // How many buffer sets of this many bytes to allocate: enough for the cache state that the case asks for, or
  // for `otherwise` where it leaves the choice. With cold and hot caches it is 1, and so it is where it
  // leaves the choice and the sets are so small that kMostSets of them fit into the cache; throws Skip if it
  // asks for such a ring.
  std::uint64_t buffer_sets(std::uint64_t bytes_per_set, Cache otherwise = Cache::rotating) {
    const Cache asked = context().conditions().cache;
    plan_.rotating = (asked == Cache::standard ? otherwise : asked) == Cache::rotating;
    plan_.sets = plan_.rotating ? std::max<std::uint64_t>(1, rotating_sets(device(), bytes_per_set)) : 1;
    if (plan_.sets <= kMostSets) return plan_.sets;
    if (asked == Cache::rotating) {
      throw Skip("cache: rotating would take a ring of " + std::to_string(plan_.sets) + " buffer sets of " +
                 std::to_string(bytes_per_set) + " bytes; take cache: cold or hot for so little memory");
    }
    plan_.rotating = false;
    plan_.sets = 1;
    return plan_.sets;
  }

  // For verify(): whether element i is `expected(i)`, compared on the device. Expected is a struct with
  // `__device__ Element operator()(std::uint64_t) const`.
  template <class Element, class Expected>
  void compare(const DeviceBuffer<Element>& buffer, Expected expected) {
    cuda::compare(context(), device(), stream(), buffer.data(), buffer.size(), expected, checks_);
  }
  Verification& checks() { return checks_; }

 private:
  Region& region() {
    if (!region_) {
      region_.emplace(context(), device(), stream(), plan_,
                      [this](cudaStream_t stream, std::uint64_t i) { enqueue(stream, i); });
    }
    return *region_;
  }

  std::optional<Device> device_;
  cudaStream_t stream_ = nullptr;
  RegionPlan plan_;
  std::optional<Region> region_;
  bool idempotent_ = false;
  bool inputs_follow_seed_ = false;
  double shortest_s_ = 0, iteration_s_ = 0;
  Verification checks_;
};

// For describe(): the launch and cache conditions that every benchmark of this form supports.
template <class Params>
void support_conditions(Description<Params>& is) {
  is.supports({Launch::stream, Launch::gated, Launch::graph});
  is.supports({Cache::hot, Cache::cold, Cache::rotating});
}

}  // namespace assay::cuda
