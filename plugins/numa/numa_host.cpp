// SPDX-License-Identifier: Apache-2.0
//
// numa@host: what the CPUs of each NUMA node get from the memory of each, for every way in which pages come
// to lie somewhere.
#include "lib/available_memory.hpp"
#include "lib/cache_size.hpp"
#include "numa/chase_work.hpp"
#include "numa/machine.hpp"
#include "numa/plan.hpp"
#include "numa/stream_work.hpp"

#include <assay/contracts/numa_1.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace chase = assay::plugins::chase;
namespace numa = assay::plugins::numa;
namespace stream = assay::plugins::stream;
using numa::Pairs;
using numa::Placement;

enum class Kernel { read, write, triad, latency };

class Numa final : public assay::host::Benchmark {
 public:
  struct Params {
    Kernel kernel = Kernel::read;
    Placement placement = Placement::bound;
    Pairs pairs = Pairs::all;
    std::uint64_t bytes = std::uint64_t{256} << 20;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::numa_1;
    contract::implement(is).revision(1);
    is.summary(
        "bandwidth and latency between the CPUs and the memory of NUMA nodes, by how pages were placed");
    is.doc(
        "`bound` and `migrated` measure every node with CPUs on memory of every node, one pair after the "
        "other: the indices of the matrices are numbers of nodes, that of the CPUs first. The other placements "
        "are what programs do to themselves: all nodes' threads work at once, each node's on arrays of its "
        "own, and figures are by node of the CPUs. Before a rate is published the kernel is asked where every "
        "page lies and where every thread runs.");
    contract::kernel(is, &Params::kernel)
        .choices({{"read", Kernel::read},
                  {"write", Kernel::write},
                  {"triad", Kernel::triad},
                  {"latency", Kernel::latency}})
        .help(
            "operation of a node's threads on the memory; with latency, "
            "one thread follows pointers through the memory");
    contract::placement(is, &Params::placement)
        .choices({{"bound", Placement::bound},
                  {"first_touch", Placement::first_touch},
                  {"interleaved", Placement::interleaved},
                  {"migrated", Placement::migrated},
                  {"misplaced", Placement::misplaced}});
    contract::pairs(is, &Params::pairs)
        .choices({{"all", Pairs::all}, {"local", Pairs::local}, {"remote", Pairs::remote}})
        .help("pairs of a node's CPUs and a node's memory that bound and migrated measure");
    contract::bytes(is, &Params::bytes)
        .range(4096, std::uint64_t{1} << 42)
        .help("size of each array; a multiple of 128");
    is.param("threads", &Params::threads)
        .range(0, 65536)
        .help("threads of a node; 0: one per allowed CPU of the node; latency always uses one");
    contract::bandwidth(is)
        .mechanism("CPU threads")
        .summary("mean rate over the pairs that are measured; sum of all where nodes work at once");
    contract::latency(is).summary("time of one load whose address the load before it gave, mean over pairs");
    contract::bandwidth_matrix(is).summary(
        "rate of a node's CPUs on a node's memory, median of the latest samples");
    contract::latency_matrix(is).summary(
        "latency from a node's CPUs to a node's memory, median of the latest samples");
    contract::bandwidth_by_node(is).summary(
        "rate of a node's CPUs while the others work too, by its slowest thread");
    contract::latency_by_node(is).summary("latency of a node's CPUs");
    contract::migration_matrix(is).summary(
        "rate at which the kernel moved pages from node to node, once, before the samples");
    contract::remote_ratio(is);
    contract::placed(is).summary(
        "share of the pages that lie where they belong, of the array with the least");
    is.fact("nodes", "CPUs and memory of each node that this process may use");
    is.fact("distances", "distances from each node to all that are used, as the firmware reports them");
    is.fact("uses",
            "number of pairs that were measured, or the nodes whose "
            "CPUs worked and the nodes whose memory they used");
    is.fact("threads", "number of threads that take part");
    is.fact("pages", "page size under the arrays");
    is.fact("placement", "evidence of the nodes on which pages lie");
    is.fact(
        "working_set",
        "size of the arrays that the threads of a node go through, and its ratio to the node's last-level cache");
    is.supports({assay::Cache::hot});
  }

  Numa(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % sizeof(chase::Node) != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 128");
    const bool matrix = params_.placement == Placement::bound || params_.placement == Placement::migrated;
    if (params_.pairs != Pairs::all && !matrix)
      throw assay::BadParameter("pairs", "only placement bound and migrated go through pairs of nodes");
    const numa::Machine machine = numa::this_machine();
    require_memory(machine, plan_for(machine));
  }

  void prepare() override {
    numa::Machine machine = numa::this_machine();
    numa::Plan plan = plan_for(machine);
    const std::vector<int> cpus = machine.cpu_nodes.front().cpus;
    const bool latency = params_.kernel == Kernel::latency;
    experiment_.emplace(context(), std::move(machine), std::move(plan), latency ? 1 : params_.threads,
                        arrays(), array_bytes());
    if (latency) {
      work_ = std::make_unique<numa::ChaseWork>(*experiment_, params_.bytes);
    } else {
      work_ = std::make_unique<numa::StreamWork>(*experiment_, stream_kernel(), params_.bytes);
      idempotent();
      inputs_follow_seed();
    }
    context().fact("working_set",
                   assay::plugins::working_set_text(static_cast<double>(arrays() * params_.bytes), cpus));
  }

  // The sum of the phases' times is not that of the call.
  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.parts = true;
    return traits;
  }

  void run(std::uint64_t n) override { seconds_ = work_->run(n); }
  void restore() override { work_->restore(); }

  assay::Verification verification(assay::VerifyPhase phase) override {
    return work_->verification(phase, is_to_spoil());
  }

  // The phases' own times, without what it takes to go from one to the next.
  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    sample.begin_ns = context().now_ns();
    run(n);
    sample.end_ns = context().now_ns();
    sample.host_s = sample.device_s = seconds_;
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  stream::Kernel stream_kernel() const {
    return params_.kernel == Kernel::read    ? stream::Kernel::read
           : params_.kernel == Kernel::write ? stream::Kernel::write
                                             : stream::Kernel::triad;
  }
  std::size_t arrays() const {
    return params_.kernel == Kernel::latency ? 1 : numa::arrays_of(stream_kernel());
  }
  std::size_t array_bytes() const {
    return params_.kernel == Kernel::latency ? params_.bytes : numa::bytes_of_array(params_.bytes);
  }
  // Memory is only taken when it is touched, and who touches too much is ended. Pages that are moved are on two
  // nodes, one after the other.
  void require_memory(const numa::Machine& machine, const numa::Plan& plan) const {
    const std::uint64_t of_region = arrays() * array_bytes();
    assay::plugins::require_memory(plan.regions.size() * of_region, assay::plugins::available_memory(),
                                   arrays_text(plan.regions.size()));
    if (machine.nodes_with_memory == 1) return;
    std::map<int, std::uint64_t> of_node;
    for (const numa::Region& region : plan.regions) {
      const std::uint64_t share = of_region / region.expected.size();
      for (const int node : region.expected) of_node[node] += share;
      if (region.moved_to) of_node[region.policy_nodes.front()] += of_region;
    }
    for (const auto& [node, bytes] : of_node) {
      assay::plugins::require_memory(bytes, assay::plugins::available_on_node(node), "its arrays",
                                     " on node " + std::to_string(node));
    }
  }
  std::string arrays_text(std::size_t regions) const {
    const std::size_t count = regions * arrays();
    return std::to_string(count) + (count == 1 ? " array" : " arrays");
  }

  numa::Plan plan_for(const numa::Machine& machine) const {
    return numa::plan_of(machine, params_.placement, params_.pairs, params_.kernel == Kernel::latency);
  }

  Params params_;
  double seconds_ = 0;
  std::optional<numa::Experiment> experiment_;
  std::unique_ptr<numa::Work> work_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay")
        .license("Apache-2.0")
        .summary("what the CPUs of each NUMA node get from the memory of each");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.numa.host", "0.1.0", assay::host::backend, About, Numa)
