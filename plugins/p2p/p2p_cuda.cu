// SPDX-License-Identifier: Apache-2.0
//
// p2p@cuda: copies between the memories of GPUs, and how long one waits for a load from another. README.md
// says how they are counted.
#include "lib/launch_search.hpp"
#include "p2p/cells.hpp"
#if defined(ASSAY_WITH_NCCL)
#include "p2p/collective_copies.cuh"
#endif
#include "lib/rolling_median.hpp"
#include "p2p/device_chases.cuh"
#include "p2p/device_copies.cuh"
#include "p2p/device_parameters.hpp"
#include "p2p/device_paths.hpp"
#include "p2p/exchange.hpp"
#include "p2p/joint_region.cuh"
#include "p2p/schedule.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace p2p = assay::plugins::p2p;
using p2p::Direction;
using p2p::Engine;
using p2p::Traffic;

class Peers final : public assay::Benchmark {
 public:
  using Params = p2p::DeviceParameters;

  static void describe(assay::Description<Params>& is) { p2p::describe(is); }

  Peers(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}
  // After a cancel a device may still use memory of another, which is about to be freed there.
  ~Peers() override {
    for (const cuda::Device& device : devices_) {
      if (cudaSetDevice(device.ordinal()) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
        cudaGetLastError();
    }
  }

  void probe() override {
    if (params_.bytes % sizeof(uint4) != 0) throw assay::BadParameter("bytes", "it is not a multiple of 16");
    if (latency()) {
      if (params_.bytes % sizeof(assay::plugins::ChaseNode) != 0)
        throw assay::BadParameter("bytes", "it is not a multiple of 128, as latency needs it");
      if (params_.pattern != Traffic::pair)
        throw assay::Skip("latency is measured pair by pair; take pattern: pair");
      if (context().conditions().cache == assay::Cache::rotating)
        throw assay::Skip("latency goes through one chain; it can be measured with cache: hot");
    } else if (collective()) {
      require_collective();
    }
    select_devices();
    phases_ = p2p::phases_of(devices_.size(), params_.direction, params_.pattern);
    require_paths();
    const std::uint64_t sets = choose_sets();
    if (sets > cuda::kMostSets) {
      throw assay::Skip("cache: rotating would take a ring of " + std::to_string(sets) + " buffers of " +
                        std::to_string(params_.bytes) + " bytes; take cache: hot for so little memory");
    }
    const std::vector<std::uint64_t> buffers = p2p::buffers_on(devices_.size(), phases_, params_.direction);
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      devices_[i].make_current();
      devices_[i].require_memory(buffers[i] * sets * params_.bytes + kSpareBytes);
    }
  }

  void prepare() override {
    // NCCL opens its own paths, and a communicator that is kept must not find them closed.
    if (!collective()) paths_->open(params_.peer_access);
    const std::uint64_t sets = choose_sets();
    std::size_t transfers = 0;
    for (const p2p::Phase& phase : phases_) {
      first_of_.push_back(transfers);
      transfers += phase.size();
    }
    all_times_.emplace(phases_.size());
    own_times_.emplace(transfers);
    p2p::JointPlan plan;
    plan.sets = sets;
    plan.rotating = rotating();
    plan.synchronises = !latency() && !direct_;
    if (params_.engine == Engine::copy && params_.direction == Direction::read) {
      // The copy engines of the source queue the reads of all destinations, which therefore share the limit.
      std::size_t most = 1;
      for (const p2p::Phase& phase : phases_) most = std::max(most, phase.size());
      plan.held = std::max<std::uint64_t>(1, p2p::kMostHeld / cuda::kPullOperations / most);
    }
    if (latency()) {
      exchange_ = std::make_unique<p2p::DeviceChases>(context(), devices_, phases_, params_.bytes, walkers());
      region_.emplace(context(), devices_, plan, exchange_->groups());
      work("latency", static_cast<double>(phases_.size() * p2p::DeviceChases::kLoads));
    } else if (collective()) {
      prepare_collective(plan);
    } else {
      auto made = std::make_unique<p2p::DeviceCopies>(context(), devices_, phases_, params_.direction,
                                                      params_.engine, params_.bytes, sets, direct_);
      p2p::DeviceCopies& copies = *made;
      exchange_ = std::move(made);
      region_.emplace(context(), devices_, plan, copies.groups());
      if (params_.engine == Engine::kernel) choose_shape(copies);
    }
    const auto moved = static_cast<double>(transfers * params_.bytes);
    if (!latency()) work("bandwidth", moved);
    if (!latency() && params_.direction != Direction::both && params_.pattern == Traffic::pair && direct_)
      work("one_way_bandwidth", moved);
    state_facts();
  }

  assay::Traits traits() override {
    assay::Traits traits = region_->traits();
    traits.idempotent = true;
    traits.parts = true;  // the sum of the groups' times is not that of the call
    if (latency()) {
      // Loads from several multiprocessors: some are farther from the link than others.
      traits.quantum = walkers();
      return traits;
    }
    // Starting the first copy of a sample takes an engine as long as copying some megabytes.
    const std::uint64_t wanted = std::min(kMostInQuantum, assay::ceil_div(kSampleBytes, params_.bytes));
    const std::uint64_t rings = assay::ceil_div(wanted, traits.quantum);
    const std::uint64_t fit = traits.maximum == 0 ? rings : traits.maximum / traits.quantum;
    traits.quantum *= std::max<std::uint64_t>(1, std::min(rings, fit));
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    const bool last = phase == assay::VerifyPhase::last;
    if (!last) {
      exchange_->restore();
      for (std::size_t i = 0; i < region_->groups(); ++i) region_->once(i);
    }
    if (is_to_spoil()) exchange_->restore();
    assay::Verification seen;
    exchange_->check(seen);
    if (last) {
      record();
    } else {
      exchange_->restore();  // what the samples leave has to be theirs
    }
    return seen;
  }

  void settle() override { cuda::synchronise_devices(context()); }
  bool damage() override { return spoil_next(); }

  bool reseed() override {
    if (latency()) return false;
    exchange_->restore();
    return true;
  }

  void iterate(assay::Mode mode, std::uint64_t n, assay::Sample& sample) override {
    region_->run(mode, n, sample, [&](std::size_t phase, const p2p::PhaseTimes& times) {
      all_times_->add(phase, times.all_s);
      for (std::size_t i = 0; i < times.own_s.size(); ++i)
        own_times_->add(first_of_[phase] + i, times.own_s[i]);
    });
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 64 * assay::kMiB;  // what the driver needs itself
  static constexpr std::uint64_t kSampleBytes = 2 * assay::kGiB;  // of one transfer in a sample, at least
  static constexpr std::uint64_t kMostInQuantum = 256;            // copies, however small

  bool latency() const { return params_.direction == Direction::latency; }
  bool collective() const { return !latency() && params_.engine == Engine::collective; }
  bool rotating() const { return context().conditions().cache == assay::Cache::rotating; }

  // The link is what is measured: the same buffers again and again unless the suite wants otherwise.
  std::uint64_t choose_sets() const {
    std::uint64_t sets = 1;
    for (const cuda::Device& device : devices_) {
      if (rotating()) sets = std::max(sets, cuda::rotating_sets(device, params_.bytes));
    }
    return sets;
  }

  std::uint64_t walkers() const {
    return p2p::walkers_of(static_cast<std::uint64_t>(devices_.front().sm_count()), phases_.size());
  }

  void select_devices() {
    const std::uint32_t count = context().device_count();
    if (count < 2) throw assay::Skip("takes two devices or more, and the case has " + std::to_string(count));
    devices_.clear();
    devices_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      cuda::Device device = cuda::Device::select(context(), i);
      for (const cuda::Device& other : devices_) {
        if (other.ordinal() == device.ordinal())
          throw assay::Skip(device.name() + " is named twice; a device is not a peer of its own");
      }
      devices_.push_back(std::move(device));
    }
  }

  // Which way copies go, and whether there is one at all.
  void require_paths() {
    paths_.emplace(devices_, phases_);
    if (collective()) return;
    const bool by_kernel = latency() || params_.engine == Engine::kernel;
    const std::optional<p2p::Link> without = paths_->first_without_access();
    direct_ = params_.peer_access && !without;
    if (!by_kernel || direct_) return;
    if (!params_.peer_access) {
      throw assay::Skip(
          "loads and stores of a kernel cannot go through the host; peer_access: false takes engine: copy");
    }
    throw assay::Skip(without->from + " cannot reach the memory of " + without->to +
                      " (cudaDeviceCanAccessPeer says 0)" +
                      (latency() ? "" : "; take engine: copy, which then goes through the host"));
  }

  void require_collective() const {
#if defined(ASSAY_WITH_NCCL)
    if (!params_.peer_access) {
      throw assay::Skip(
          "NCCL chooses its way itself; instead of peer_access: false set env.NCCL_P2P_DISABLE: 1");
    }
    if (context().conditions().launch == assay::Launch::graph)
      throw assay::Skip("engine: collective can be measured with launch: stream or gated");
    assay::nccl::Library::get();
#else
    throw assay::Skip("this plugin was built without NCCL's header; build it with nccl.h of 2.19 or later");
#endif
  }

  void prepare_collective([[maybe_unused]] p2p::JointPlan plan) {
#if defined(ASSAY_WITH_NCCL)
    auto made = std::make_unique<p2p::CollectiveCopies>(context(), devices_, phases_, params_.direction,
                                                        params_.bytes, plan.sets);
    p2p::CollectiveCopies& copies = *made;
    exchange_ = std::move(made);
    plan.held = p2p::CollectiveCopies::kHeld;
    plan.otherwise = assay::Launch::stream;  // as programs use it: queued while the copy before goes
    plan.wait = [&copies](const cuda::Event& event) { copies.wait(event); };
    region_.emplace(context(), devices_, plan, copies.groups());
#endif
  }

  void choose_shape(p2p::DeviceCopies& copies) {
    const auto shapes =
        assay::plugins::copy_shapes_to_try(static_cast<unsigned>(devices_.front().sm_count()));
    const std::size_t best =
        assay::plugins::fastest_launch(context(), region_->stream_of(0), shapes.size(), [&](std::size_t i) {
          copies.shape(shapes[i]);
          region_->join(0);
        });
    copies.shape(shapes[best]);
    context().fact("launch_shape", assay::plugins::text_of(shapes[best]));
  }

  void state_facts() const {
    std::vector<std::string> names;
    for (const cuda::Device& device : devices_) names.push_back(device.name());
    context().fact("pairs", p2p::text_of(phases_, params_.direction, params_.pattern, names));
    context().fact("links", paths_->links_text());
    context().fact("path", collective() ? "as NCCL chooses" : paths_->way_text(params_.peer_access));
  }

  void record() const {
    if (all_times_->median(0) == 0) return;  // nothing was timed
    std::vector<p2p::PhaseTimes> times;
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      p2p::PhaseTimes& phase = times.emplace_back();
      phase.all_s = all_times_->median(i);
      for (std::size_t j = 0; j < phases_[i].size(); ++j)
        phase.own_s.push_back(own_times_->median(first_of_[i] + j));
    }
    const auto bytes = static_cast<double>(params_.bytes);
    std::vector<p2p::Cell> cells;
    if (latency()) {
      for (std::size_t i = 0; i < phases_.size(); ++i) {
        cells.push_back({phases_[i].front().from, phases_[i].front().to,
                         times[i].all_s / static_cast<double>(p2p::DeviceChases::kLoads)});
      }
    } else {
      cells = p2p::bandwidths(phases_, times, params_.direction, params_.pattern, bytes);
    }
    // Of two devices the headline says it all.
    if (devices_.size() > 2) put(latency() ? "latency_matrix" : "bandwidth_matrix", cells);
    if (params_.direction != Direction::both || params_.pattern != Traffic::pair) return;
    context().value("directions", 0, p2p::way_bandwidth(phases_, times, p2p::Way::there, bytes));
    context().value("directions", 1, p2p::way_bandwidth(phases_, times, p2p::Way::back, bytes));
  }

  void put(const char* metric, const std::vector<p2p::Cell>& cells) const {
    for (const p2p::Cell& cell : cells) {
      context().value(metric, static_cast<std::uint32_t>(cell.from), static_cast<std::uint32_t>(cell.to),
                      cell.value);
    }
  }

  Params params_;
  std::vector<cuda::Device> devices_;  // in the case's order; others refer to them
  std::vector<p2p::Phase> phases_;
  bool direct_ = true;                     // no copy goes through the host
  std::optional<p2p::DevicePaths> paths_;  // before what uses them: put back last
  std::vector<std::size_t> first_of_;      // by phase: the number of its first transfer
  std::optional<assay::plugins::RollingMedian> all_times_,
      own_times_;  // by phase, by transfer: of one iteration
  std::unique_ptr<p2p::Exchange> exchange_;
  std::optional<p2p::JointRegion> region_;  // after the exchange that its tasks use
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("copies and loads between GPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.p2p.cuda", "0.1.0", assay::cuda::backend, Peers, About)
