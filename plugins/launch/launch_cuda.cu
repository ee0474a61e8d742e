// SPDX-License-Identifier: Apache-2.0
//
// launch@cuda: what it costs to start kernels, one by one and as a graph. README.md says how it is counted.
#include "launch/bucketing.cuh"
#include "launch/chain.cuh"
#include "launch/chain_shape.hpp"
#include "launch/device_parameters.hpp"
#include "launch/event_span.cuh"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace {

namespace cuda = assay::cuda;
namespace launch = assay::plugins::launch;
using launch::Captured;
using launch::Cost;
using launch::Executable;
using launch::Kernel;
using launch::Mode;

constexpr std::uint32_t kReplaysWithoutWait = 16;

class LaunchCost final : public assay::Benchmark {
 public:
  using Params = launch::DeviceParameters;

  static void describe(assay::Description<Params>& is) { launch::describe(is); }

  LaunchCost(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.streams > params_.kernels) {
      throw assay::BadParameter("streams", std::to_string(params_.streams) +
                                               " streams are more than the chain's " +
                                               std::to_string(params_.kernels) + " kernels");
    }
    if (params_.mode == Mode::eager && is_of_graphs()) {
      throw assay::Skip(
          "mode: eager makes no graph; capture, instantiation, upload and update need mode: graph");
    }
    if (params_.cost == Cost::submission && params_.mode == Mode::eager &&
        launch::chains_without_wait(operations_of_chain()) == 0) {
      throw assay::Skip("a stream takes " + std::to_string(launch::kQueueLimit) +
                        " device operations without a wait, and the chain has " +
                        std::to_string(operations_of_chain()) + "; submission needs fewer kernels");
    }
    device();
  }

  void prepare() override {
    launch::ChainPlan plan;
    plan.kernels = params_.kernels;
    plan.streams = params_.streams;
    plan.kernel = params_.kernel;
    plan.spin_ns = static_cast<std::uint64_t>(std::llround(params_.kernel_time * 1e9));
    plan.host_cost = assay::plugins::HostCost(params_.host_cost);
    chain_.emplace(context(), device(), plan);
    if (params_.mode == Mode::graph) {
      chain_->load();
      cuda::wait(context(), stream());
      captured_ = chain_->capture();
      if (params_.cost == Cost::update) other_ = chain_->capture(2);
      graph_ = Executable(captured_);
      graph_.upload(stream());
      cuda::wait(context(), stream());
      context().fact("graph", std::to_string(captured_.nodes()) + " nodes");
    } else {
      chain_->queue_counted();
      chain_->queue();
      cuda::wait(context(), stream());
    }
    work(name_of_cost(), params_.cost == Cost::round_trip ? 1.0 : static_cast<double>(params_.kernels));
    if (params_.cost == Cost::interval) {
      span_.emplace(context(), stream());
      quantum_ = span_->enough(context(), stream(), [this] { submit(); });
    }
  }

  assay::Traits traits() override {
    assay::Traits traits;
    const bool by_device = params_.cost == Cost::interval;
    traits.clock = by_device ? assay::Clock::device : assay::Clock::host;
    traits.tick_s = by_device ? span_->tick_s() : host_tick_s();
    traits.quantum = quantum_;
    traits.launches_per_iteration = params_.mode == Mode::graph ? 1 : params_.kernels;
    traits.laps = !by_device && params_.cost != Cost::submission;
    traits.parts = !by_device;  // waiting for the device, making and destroying graphs are not counted
    return traits;
  }

  // The same calls in the same order, on kernels that leave something behind.
  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification checks;
    if (phase == assay::VerifyPhase::last) return checks;
    checks.method(params_.kernel == Kernel::add ? "every word counts its kernels"
                                                : "a chain of the same form counts its kernels");
    // These leave behind how often they ran in the samples.
    if (params_.kernel == Kernel::add && phase == assay::VerifyPhase::after) {
      chain_->verify(device(), submitted_, checks);
    }
    check_form(checks);
    chain_->clear();
    submitted_ = 0;
    return checks;
  }
  void settle() override { cuda::synchronise_devices(context()); }
  bool damage() override { return spoil_next(); }

  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    sample.done = ASSAY_DONE_HOT;
    if (params_.mode == Mode::graph) sample.done |= ASSAY_DONE_GRAPH;
    switch (params_.cost) {
      case Cost::interval:
        return span_->time(
            context(), stream(), n, [this] { submit(); }, sample);
      case Cost::submission:
        return submissions(n, sample);
      default:
        return singles(n, sample);
    }
  }

 private:
  bool is_of_graphs() const {
    return params_.cost != Cost::interval && params_.cost != Cost::submission &&
           params_.cost != Cost::round_trip;
  }

  std::uint32_t operations_of_chain() const { return params_.kernels + 3 * (params_.streams - 1); }

  const char* name_of_cost() const {
    switch (params_.cost) {
      case Cost::interval:
        return "interval";
      case Cost::submission:
        return "submission";
      case Cost::round_trip:
        return "round_trip";
      case Cost::capture:
        return "capture";
      case Cost::instantiation:
        return "instantiation";
      case Cost::upload:
        return "upload";
      case Cost::update:
        break;
    }
    return "update";
  }

  const cuda::Device& device() {
    if (!device_) device_ = cuda::Device::select(context());
    return *device_;
  }
  cudaStream_t stream() { return chain_->stream(); }

  double host_tick_s() const {
    const std::int64_t begin = context().now_ns();
    std::int64_t end = begin;
    while (end == begin) end = context().now_ns();
    return static_cast<double>(end - begin) * 1e-9;
  }

  void check_form(assay::Verification& checks) {
    chain_->clear();
    if (params_.mode == Mode::eager) {
      chain_->queue_counted();
      chain_->queue_counted();
      if (is_to_spoil()) chain_->clear();
      chain_->verify(device(), 2, checks);
      return;
    }
    const Captured once = chain_->capture_counted(1), twice = chain_->capture_counted(2);
    checks.expect_equal(once.nodes(), captured_.nodes(), 0);
    const Executable graph(once);
    graph.upload(stream());
    graph.launch(stream());
    graph.launch(stream());
    cuda::wait(context(), stream());
    graph.update(twice);
    graph.launch(stream());
    if (is_to_spoil()) chain_->clear();
    chain_->verify(device(), 4, checks);
  }

  void submit() {
    ++submitted_;
    if (params_.mode == Mode::eager) {
      chain_->queue();
    } else {
      chain_->plan().host_cost.pay(context());
      graph_.launch(stream());
    }
  }

  // Only as many at a time as the stream takes without a wait; waiting for the device is not counted.
  void submissions(std::uint64_t n, assay::Sample& sample) {
    const std::uint64_t most = params_.mode == Mode::eager
                                   ? launch::chains_without_wait(operations_of_chain())
                                   : kReplaysWithoutWait;
    std::int64_t spent_ns = 0;
    sample.begin_ns = context().now_ns();
    for (std::uint64_t left = n; left > 0;) {
      const std::uint64_t now = std::min(left, most);
      const std::int64_t begin_ns = context().now_ns();
      for (std::uint64_t i = 0; i < now; ++i) submit();
      spent_ns += context().now_ns() - begin_ns;
      left -= now;
      cuda::wait(context(), stream());
    }
    sample.end_ns = context().now_ns();
    sample.host_s = sample.device_s = static_cast<double>(std::max<std::int64_t>(spent_ns, 1)) * 1e-9;
  }

  // Each by itself, on an idle device.
  void singles(std::uint64_t n, assay::Sample& sample) {
    std::int64_t spent_ns = 0;
    sample.begin_ns = context().now_ns();
    for (std::uint64_t i = 0; i < n; ++i) {
      context().throw_if_cancelled();
      const std::int64_t lap_ns = std::max<std::int64_t>(single(), 1);
      spent_ns += lap_ns;
      if (sample.laps_s) sample.laps_s[i] = static_cast<double>(lap_ns) * 1e-9;
    }
    sample.end_ns = context().now_ns();
    if (sample.laps_s) sample.lap_count = n;
    sample.host_s = sample.device_s = static_cast<double>(spent_ns) * 1e-9;
  }

  template <class Call>
  std::int64_t nanoseconds_of(Call&& call) const {
    const std::int64_t begin_ns = context().now_ns();
    call();
    return context().now_ns() - begin_ns;
  }

  std::int64_t single() {
    switch (params_.cost) {
      case Cost::capture: {
        Captured graph;
        return nanoseconds_of([&] { graph = chain_->capture(); });
      }
      case Cost::instantiation: {
        Executable graph;
        return nanoseconds_of([&] { graph = Executable(captured_); });
      }
      case Cost::upload: {
        const Executable graph(captured_);
        return nanoseconds_of([&] {
          graph.upload(stream());
          wait_idle();
        });
      }
      case Cost::update:
        // Always the one that it has not: samples may be of one update each.
        is_other_ = !is_other_;
        return nanoseconds_of([&] { graph_.update(is_other_ ? other_ : captured_); });
      default:
        return nanoseconds_of([&] {
          submit();
          wait_idle();
        });
    }
  }

  // Asks again and again: waking up would cost more than what is waited for.
  void wait_idle() {
    for (unsigned polls = 1;; ++polls) {
      const cudaError_t code = cudaStreamQuery(stream());
      if (code == cudaSuccess) return;
      if (code != cudaErrorNotReady) cuda::fail(code, "cudaStreamQuery");
      if (polls % 64 == 0) context().throw_if_cancelled();
    }
  }

  Params params_;
  std::optional<cuda::Device> device_;
  std::optional<launch::Chain> chain_;
  std::optional<launch::EventSpan> span_;  // of intervals
  Captured captured_, other_;
  bool is_other_ = false;  // what was given to the graph last, of `update`
  Executable graph_;
  std::uint64_t quantum_ = 1;
  std::uint64_t submitted_ = 0;  // chains since the last verification
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("what launching kernels costs on a GPU");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.launch.cuda", "0.1.0", assay::cuda::backend, About, LaunchCost, launch::Bucketing)
