// SPDX-License-Identifier: Apache-2.0
//
// broadcast@cuda: one payload from the host's memory to several GPUs. README.md says how it is counted.
#include "broadcast/device_parameters.hpp"
#include "broadcast/pattern.hpp"
#include "broadcast/route_bounds.hpp"
#include "broadcast/route_rates.cuh"
#include "broadcast/routes.hpp"
#include "broadcast/sender.hpp"
#include "broadcast/several_devices.hpp"
#include "broadcast/timeline.hpp"
#include "lib/available_memory.hpp"
#include "lib/host_memory.hpp"
#include "lib/page_nodes.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#if defined(ASSAY_WITH_NCCL)
#include "broadcast/nccl_onward.hpp"
#endif

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace broadcast = assay::plugins::broadcast;
namespace cuda = assay::cuda;
using assay::plugins::HostMemory;
using assay::plugins::HostMemoryKind;
using broadcast::Choice;
using broadcast::OnDevice;
using broadcast::Shape;
using broadcast::Strategy;
using broadcast::Word;

Strategy strategy_of(Choice choice) {
  switch (choice) {
    case Choice::direct:
      return Strategy::direct;
    case Choice::direct_parallel:
      return Strategy::direct_parallel;
    case Choice::relay:
      return Strategy::relay;
    case Choice::scatter_allgather:
      return Strategy::scatter_allgather;
    case Choice::pipelined:
    case Choice::collective:
      break;
  }
  return Strategy::pipelined;
}

class Broadcast final : public cuda::Benchmark {
 public:
  using Params = broadcast::DeviceParameters;

  static void describe(assay::Description<Params>& is) { broadcast::describe(is); }

  Broadcast(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.chunk % 64 != 0) throw assay::BadParameter("chunk", "it is not a multiple of 64");
    const std::uint32_t count = context().device_count();
    if (params_.root >= count) {
      throw assay::Skip("root is " + std::to_string(params_.root) + ", and the destinations are 0 to " +
                        std::to_string(count - 1));
    }
    assay::plugins::require_memory(words() * sizeof(Word), assay::plugins::available_memory(), "the source");
    if (collective()) require_library();
    Benchmark::probe();
    devices_.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
      devices_.push_back(cuda::Device::select(context(), i));
      devices_.back().require_memory(words() * sizeof(Word) + kSpareBytes);
    }
    device().make_current();
  }

  void prepare() override {
    source_ = HostMemory<Word>(context(), params_.memory, words());
    broadcast::Memory memory;
    memory.source = reinterpret_cast<const std::byte*>(source_.data());
    for (const cuda::Device& each : devices_) {
      const OnDevice on(each);
      streams_.emplace_back();
      buffers_.emplace_back(each, words());
      memory.destinations.push_back(reinterpret_cast<std::byte*>(buffers_.back().data()));
    }
    const bool pageable = params_.memory == HostMemoryKind::pageable;
    const Shape shape = collective() ? Shape::star : params_.shape;
    const broadcast::Plan plan{
        strategy_of(params_.strategy),  shape,         static_cast<int>(devices_.size()),
        static_cast<int>(params_.root), params_.bytes, params_.chunk};
    broadcast::Routes routes = collective() ? broadcast::Routes::to_root(plan) : broadcast::Routes(plan);
    direct_ = connect(routes);
    sender_ = std::make_unique<broadcast::Sender>(context(), devices_, std::move(routes), memory, pageable,
                                                  collective() ? library(plan.root, memory) : nullptr);
    restore();
    const double bound_s = say_bound();
    context().fact("copies", broadcast::text_of(sender_->routes()));
    context().fact("memory_node", assay::plugins::page_nodes_text(
                                      assay::plugins::page_nodes_of(source_.data(), words() * sizeof(Word))));

    launches(static_cast<std::uint32_t>(std::min<std::uint64_t>(sender_->most_operations(), 1U << 31)));
    if (devices_.size() > 1) spans_devices();
    // A call that waits for the device would wait for ever behind a gate.
    if (pageable || !direct_) synchronises();
    samples_of_at_least(kSample_s, std::max(bound_s, kShortest_s));
    idempotent();
    work("bandwidth", static_cast<double>(params_.bytes));
    work("aggregate_bandwidth", static_cast<double>(params_.bytes) * static_cast<double>(devices_.size()));
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.spans = true;
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    assay::Verification seen;
    or_give_up([&] { seen = Benchmark::verification(phase); });
    if (phase == assay::VerifyPhase::after) say_bound();
    return seen;
  }

  bool reseed() override {
    restore();
    return true;
  }

  void restore() override {
    const std::uint64_t seed = context().seed();
    for (std::uint64_t first = 0; first < words(); first += kBlock) {
      context().throw_if_cancelled();
      const std::uint64_t last = std::min(words(), first + kBlock);
      for (std::uint64_t i = first; i < last; ++i) source_.data()[i] = broadcast::word_of(seed, i);
    }
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const OnDevice on(devices_[i]);
      cuda::poison(streams_[i], buffers_[i]);
      cuda::wait(context(), streams_[i]);
    }
  }

  void enqueue(cudaStream_t stream, std::uint64_t) override { sender_->queue(stream); }

  void verify() override {
    checks().method("closed form, every word, at every destination");
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const OnDevice on(devices_[i]);
      assay::Verification here;
      cuda::compare(context(), devices_[i], streams_[i], buffers_[i].data(), words(),
                    broadcast::Arrived{context().seed(), params_.bytes}, here);
      checks().count(here.checked(), here.wrong(),
                     "destination " + std::to_string(i) + ", " + devices_[i].name() + ": " + here.reason());
    }
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    or_give_up([&] {
      if (mode == assay::Mode::trace) {
        trace(sample);
      } else {
        Benchmark::iterate(mode, n, sample);
      }
    });
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 64 * assay::kMiB;   // what the driver needs itself
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 22;  // words between two looks whether to stop
  static constexpr double kSample_s = 1e-3;  // an engine that was idle needs some 10 µs until it moves data
  static constexpr double kShortest_s = 5e-6;  // no broadcast is over sooner

  bool collective() const { return params_.strategy == Choice::collective; }

#if defined(ASSAY_WITH_NCCL)
  static void require_library() { broadcast::NcclOnward::require(); }

  std::unique_ptr<broadcast::Onward> library(int root, const broadcast::Memory& memory) const {
    auto onward = std::make_unique<broadcast::NcclOnward>(context(), devices_, root, memory);
    context().fact("library", onward->library());
    return onward;
  }
#else
  static void require_library() {
    throw assay::Skip("this plugin was built without NCCL's header; build it with nccl.h of 2.19 or later");
  }
  std::unique_ptr<broadcast::Onward> library(int, const broadcast::Memory&) const {
    require_library();
    return nullptr;
  }
#endif

  // A library's kernels wait for each other, so that what was queued in part would stay.
  template <class Body>
  void or_give_up(Body&& body) {
    try {
      body();
    } catch (...) {
      if (sender_) sender_->give_up();
      throw;
    }
  }

  // The last word may be only partly of the payload.
  std::uint64_t words() const { return assay::ceil_div(params_.bytes, sizeof(Word)); }

  // Kept for later cases, because another object of this process may rely on it meanwhile. True if all copies
  // between devices go directly; a library sees to its own routes, and there are none then.
  bool connect(const broadcast::Routes& routes) const {
    std::string detours;
    for (const broadcast::Route& route : routes.all()) {
      if (route.from == broadcast::kSource) continue;
      const int from = devices_[static_cast<std::size_t>(route.from)].ordinal();
      const int to = devices_[static_cast<std::size_t>(route.to)].ordinal();
      const auto& peer = context().keep<broadcast::PeerAccess>(
          "peer " + std::to_string(from) + " → " + std::to_string(to),
          [&] { return std::make_unique<broadcast::PeerAccess>(from, to); });
      if (peer.direct()) continue;
      detours +=
          (detours.empty() ? "" : ", ") + std::to_string(route.from) + " → " + std::to_string(route.to);
    }
    context().fact("peer_access", collective()      ? "as NCCL chooses"
                                  : detours.empty() ? "direct"
                                                    : "through the host: " + detours);
    return detours.empty();
  }

  // Before the samples and after them: what a machine can do now may be more than it could before.
  double say_bound() {
    const auto seen = broadcast::RateMeter(context(), devices_, *sender_, direct_).measure();
    rates_ = rates_ ? broadcast::fastest(*rates_, seen) : seen;
    context().value("source_bandwidth", rates_->single.source);
    context().value("link_bandwidth", rates_->link);
    if (rates_->single.onward > 0) context().value("onward_bandwidth", rates_->single.onward);
    const double bound_s = broadcast::lower_bound(sender_->routes(), rates_->bounds(), rates_->sharing);
    context().value("lower_bound", bound_s);
    char text[80];
    std::snprintf(text, sizeof(text), "onward copies at the same time take %.2f times as long as one",
                  rates_->sharing);
    context().debug(text);
    return bound_s;
  }

  // One broadcast, however many were asked for, with events around every copy.
  void trace(assay::Sample& sample) {
    wait();
    broadcast::Timeline timeline(context(), *sender_);
    const std::int64_t begin_ns = context().now_ns();
    sender_->queue(stream(), timeline.listener());
    wait();
    sample.begin_ns = begin_ns;
    sample.end_ns = context().now_ns();
    sample.host_s = sample.device_s = static_cast<double>(sample.end_ns - begin_ns) * 1e-9;
    sample.done = ASSAY_DONE_HOT;
    timeline.report(assay::Spans(context()));
  }

  Params params_;
  broadcast::Devices devices_;
  HostMemory<Word> source_;
  std::vector<cuda::Stream> streams_;              // of each device, for its own work
  std::vector<cuda::DeviceBuffer<Word>> buffers_;  // the destinations
  bool direct_ = false;                            // all copies between devices that are made here
  std::optional<broadcast::RouteRates> rates_;
  std::unique_ptr<broadcast::Sender> sender_;  // last: it uses the memory above
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("one payload from the host's memory to many GPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.broadcast.cuda", "0.1.0", assay::cuda::backend, Broadcast, About)
