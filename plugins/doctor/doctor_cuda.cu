// SPDX-License-Identifier: Apache-2.0
//
// doctor@cuda: whether a GPU's clock and events can be trusted, what launching costs, and how well fixed work
// repeats itself. What `assay doctor` runs.
#include "doctor/known_delay.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace doctor = assay::plugins::doctor;

enum class Work { delay, compute, memory };

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerMultiprocessor = 8;
constexpr int kSteps = 1 << 15;              // multiply-adds of each thread in an iteration
constexpr std::uint64_t kNumbers = 1 << 26;  // floats that are copied in an iteration
constexpr std::uint64_t kDelay_ns = 100000;
constexpr float kFactor = 0.75f, kIncrement = 0.3f;

__global__ void empty() {}

__global__ void multiply_add(float* out, float seed) {
  float value = seed;
  for (int i = 0; i < kSteps; ++i) value = fmaf(value, kFactor, kIncrement);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

__global__ void copy(const float4* in, float4* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __stcs(out + i, __ldcs(in + i));
}

struct Same {
  float value;
  __device__ float operator()(std::uint64_t) const { return value; }
};

struct Filled {
  assay::Random random;
  __device__ float operator()(std::uint64_t i) const {
    return cuda::element_as<float>(assay::Data::integer, random, i);
  }
};

class Doctor final : public cuda::Benchmark {
 public:
  struct Params {
    Work work = Work::compute;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("doctor").revision(1).summary("the same work again and again: what this GPU's noise is");
    is.doc(
        "`delay` is a kernel that lasts for 100 µs by the device's own timer; while it is prepared, kernels "
        "from 10 µs to 1 s are timed by events, and the straight line through them is recorded: its slope "
        "should be 1, its offset is what starting and completing a kernel costs. The other kinds of work are "
        "fixed, so that their time tells of the machine alone.");
    is.param("work", &Params::work)
        .choices({{"delay", Work::delay}, {"compute", Work::compute}, {"memory", Work::memory}})
        .help(
            "work of one iteration: a known delay; multiply-adds on "
            "every multiprocessor; a copy of 256 MiB");
    is.duration("latency").summary("time of one iteration of the work").headline();
    is.value("delay_slope", assay::unit::one).summary("time by events over the kernel's own, 10 µs to 1 s");
    is.value("host_slope", assay::unit::one)
        .summary("time by the host's clock over the kernel's own, 10 µs to 1 s");
    is.value("delay_offset", assay::unit::seconds).summary("time of a single kernel beyond its own");
    is.value("event_tick", assay::unit::seconds).summary("the smallest step of the events' clock");
    is.value("event_overhead", assay::unit::seconds)
        .summary("time between two events with nothing in between");
    is.value("launch", assay::unit::seconds)
        .summary("time of an empty kernel in a stream, one after another");
    is.value("graph_launch", assay::unit::seconds).summary("time of an empty kernel as a node of a graph");
    cuda::support_conditions(is);
  }

  Doctor(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void prepare() override {
    idempotent();
    if (params_.work == Work::memory) inputs_follow_seed();
    switch (params_.work) {
      case Work::delay:
        buffer_sets(0, assay::Cache::hot);
        measure_events();
        measure_launches();
        measure_delays();
        break;
      case Work::compute:
        buffer_sets(0, assay::Cache::hot);
        blocks_ = kBlocksPerMultiprocessor * static_cast<unsigned>(device().sm_count());
        out_.emplace_back(device(), std::size_t{blocks_} * kThreads);
        break;
      case Work::memory: {
        const std::uint64_t sets = buffer_sets(2 * 4 * kNumbers);
        for (std::uint64_t i = 0; i < sets; ++i) {
          in_.emplace_back(device(), kNumbers);
          out_.emplace_back(device(), kNumbers);
        }
        break;
      }
    }
  }

  void restore() override {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      cuda::poison(stream(), out_[i]);
      if (!in_.empty()) cuda::fill(stream(), in_[i], assay::Data::integer, context().seed(), i);
    }
  }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    switch (params_.work) {
      case Work::delay:
        cuda::spin(stream, kDelay_ns);
        break;
      case Work::compute:
        multiply_add<<<blocks_, kThreads, 0, stream>>>(out_[0].data(), 1.0f);
        break;
      case Work::memory: {
        const std::size_t set = i % out_.size();
        copy<<<static_cast<unsigned>(kNumbers / 4 / kThreads), kThreads, 0, stream>>>(
            reinterpret_cast<const float4*>(in_[set].data()), reinterpret_cast<float4*>(out_[set].data()));
        break;
      }
    }
    ASSAY_CUDA_CHECK_LAUNCH("the work");
  }

  void verify() override {
    switch (params_.work) {
      case Work::delay:
        verify_delay();
        break;
      case Work::compute: {
        float value = 1.0f;
        for (int i = 0; i < kSteps; ++i) value = std::fmaf(value, kFactor, kIncrement);
        checks().method("the same on the host");
        compare(out_[0], Same{value});
        break;
      }
      case Work::memory:
        checks().method("every element, on the device");
        for (std::size_t i = 0; i < out_.size(); ++i)
          compare(out_[i], Filled{assay::Random(context().seed(), i)});
        break;
    }
  }

  // A delay leaves nothing behind: the one that is verified is made too short.
  bool damage() override {
    if (params_.work != Work::delay) return Benchmark::damage();
    return is_delay_spoiled_ = true;
  }

 private:
  struct Timed {
    double device_s = 0, host_s = 0;
  };

  // From an idle device: what `body` queues, by events and by the host's clock.
  template <class Body>
  Timed timed(Body&& body) {
    const cuda::Event begin, end;
    wait();
    const std::int64_t began_ns = context().now_ns();
    begin.record(stream());
    body();
    end.record(stream());
    cuda::wait(context(), end);
    const std::int64_t ended_ns = context().now_ns();
    return {cuda::seconds_between(begin, end), static_cast<double>(ended_ns - began_ns) * 1e-9};
  }

  template <class Body>
  Timed median_of(int repeats, Body&& body) {
    std::vector<double> device, host;
    for (int i = 0; i < repeats; ++i) {
      const Timed one = timed(body);
      device.push_back(one.device_s);
      host.push_back(one.host_s);
    }
    return {doctor::median(std::move(device)), doctor::median(std::move(host))};
  }

  void measure_events() {
    context().value("event_tick", cuda::event_tick_s(context(), stream()));
    context().value("event_overhead", median_of(200, [] {}).device_s);
  }

  void measure_launches() {
    constexpr int kKernels = 500;
    const auto launch = [&] {
      for (int i = 0; i < kKernels; ++i) empty<<<1, 1, 0, stream()>>>();
      ASSAY_CUDA_CHECK_LAUNCH("an empty kernel");
    };
    launch();
    context().value("launch", median_of(20, launch).device_s / kKernels);
    const cuda::Graph graph = cuda::Graph::capture(stream(), launch);
    context().value("graph_launch", median_of(20, [&] { graph.launch(stream()); }).device_s / kKernels);
  }

  void measure_delays() {
    std::vector<double> delays, by_events, by_host;
    for (const doctor::Delay& delay : doctor::kDelays) {
      const Timed seen = median_of(delay.repeats, [&] { cuda::spin(stream(), delay.nanoseconds); });
      delays.push_back(static_cast<double>(delay.nanoseconds) * 1e-9);
      by_events.push_back(seen.device_s);
      by_host.push_back(seen.host_s);
    }
    const doctor::Line line = doctor::line_through(delays, by_events);
    context().value("delay_slope", line.slope);
    context().value("delay_offset", doctor::offset_of(delays, by_events));
    context().value("host_slope", doctor::line_through(delays, by_host).slope);
  }

  // A kernel cannot be shorter than its own timer says, nor much longer.
  void verify_delay() {
    const std::uint64_t spun_ns = std::exchange(is_delay_spoiled_, false) ? 0 : kDelay_ns;
    const double seconds = timed([&] { cuda::spin(stream(), spun_ns); }).device_s;
    const double error = std::fabs(seconds - kDelay_ns * 1e-9);
    checks()
        .method("a known delay")
        .count(1, error < kDelay_ns * 1e-9 / 2 ? 0 : 1,
               "a kernel of 100 µs took " + std::to_string(seconds * 1e6) + " µs");
  }

  Params params_;
  bool is_delay_spoiled_ = false;  // that of the next verification
  unsigned blocks_ = 0;
  std::vector<cuda::DeviceBuffer<float>> in_, out_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay")
        .license("Apache-2.0")
        .summary("known delays and fixed work on a GPU, for assay doctor");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.doctor.cuda", "0.1.0", assay::cuda::backend, About, Doctor)
