// SPDX-License-Identifier: Apache-2.0
//
// p2p@host: what the parts of one machine get from each other. A cache line from CPU to CPU, and copies from
// NUMA node to NUMA node.
#include "lib/available_memory.hpp"
#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"
#include "p2p/cache_line_transfers.hpp"
#include "p2p/copy_roles.hpp"
#include "p2p/copying_cpus.hpp"
#include "p2p/node_copies.hpp"
#include "p2p/work.hpp"

#include <assay/contracts/p2p_1.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace p2p = assay::plugins::p2p;
using p2p::Direction;

class Peers final : public assay::host::Benchmark {
 public:
  struct Params {
    Direction direction = Direction::read;
    std::uint64_t bytes = std::uint64_t{256} << 20;
    std::uint32_t threads = 0;
    std::uint32_t cpus = 0;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::p2p_1;
    contract::implement(is).revision(1);
    is.summary("copies between NUMA nodes, and how long a cache line takes from CPU to CPU");
    is.doc(
        "`latency` hands one cache line to and fro between every two allowed CPUs, one pair after the other: "
        "half a round trip. The indices of `latency_matrix` are numbers of CPUs: the one that leads, on "
        "whose node the line lies, and the one that answers. The headline is the mean over pairs of "
        "different cores. The other directions copy between memory on every two NUMA nodes that have allowed "
        "CPUs; the indices of `bandwidth_matrix` are numbers of nodes. The headline is of different nodes, "
        "or of the node and itself where there is but one.");
    contract::direction(is, &Params::direction)
        .choices({{"read", Direction::read},
                  {"write", Direction::write},
                  {"both", Direction::both},
                  {"latency", Direction::latency}})
        .help(
            "side that moves the data: the destination's threads pull, the "
            "source's push, both ways at once; latency: a cache line");
    contract::bytes(is, &Params::bytes)
        .range(64, std::uint64_t{1} << 40)
        .help("size of one copy, a multiple of 64; latency needs none");
    is.param("threads", &Params::threads)
        .range(0, 65536)
        .help("threads of a node, for copies; 0: one per allowed CPU of the node");
    is.param("cpus", &Params::cpus)
        .range(0, 65536)
        .help("most CPUs that latency uses, spread evenly over the allowed ones; 0: all");
    contract::bandwidth(is).mechanism("CPU threads, memcpy").summary("rate between nodes");
    contract::latency(is).summary("time of one hand-over of a cache line from CPU to CPU");
    contract::bandwidth_matrix(is).summary("rate from node to node, median of the latest samples");
    contract::latency_matrix(is).summary(
        "time between a CPU that leads and one that answers, median of the latest samples");
    contract::directions(is).summary(
        "rate of each way with direction both, from the lower node to the higher first");
    is.fact("cpus", "CPUs that took part");
    is.fact("nodes", "NUMA nodes of the CPUs that took part");
    is.fact("pairs", "pairs of which the headline is");
    is.fact("threads", "number of threads that copied, and of their nodes");
    is.fact("pages", "page size under the copies");
    is.fact("placement", "evidence of the nodes on which the copies' memory lies");
    is.supports({assay::Cache::hot});
  }

  Peers(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.direction != Direction::latency) {
      if (params_.bytes % 64 != 0) throw assay::BadParameter("bytes", "it is not a multiple of 64");
      require_memory();
      return;
    }
    if (params_.cpus == 1) throw assay::BadParameter("cpus", "one CPU has no other to hand a line to");
    if (assay::plugins::allowed_cpus().size() < 2) {
      throw assay::Skip("needs two CPUs to hand a cache line from one to the other; one is allowed here");
    }
  }

  void prepare() override {
    const std::vector<assay::plugins::CpuPlace> places = allowed_places();
    if (params_.direction == Direction::latency) {
      work_ = std::make_unique<p2p::LineTransfers>(context(), assay::plugins::spread(places, params_.cpus));
    } else {
      std::vector<assay::plugins::Node> nodes = assay::plugins::nodes_of_places(places);
      const bool two = params_.direction == Direction::both && nodes.size() == 1;
      for (assay::plugins::Node& node : nodes) node.cpus = p2p::copying_cpus(node, params_.threads, two);
      work_ =
          std::make_unique<p2p::NodeCopies>(context(), std::move(nodes), params_.direction, params_.bytes);
    }
    idempotent();
  }

  // The sum of the pairs' times is not that of the call.
  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.parts = true;
    return traits;
  }

  void run(std::uint64_t n) override { seconds_ = work_->run(n); }

  assay::Verification verification(assay::VerifyPhase phase) override { return work_->verification(phase); }
  // All of its memory is the host's, which can spoil that by itself.
  bool damage() override { return false; }

  // The pairs' own times, without what it takes to go from one to the next.
  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    sample.begin_ns = context().now_ns();
    run(n);
    sample.end_ns = context().now_ns();
    sample.host_s = sample.device_s = seconds_;
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  static std::vector<assay::plugins::CpuPlace> allowed_places() {
    std::vector<assay::plugins::CpuPlace> places;
    for (const int cpu : assay::plugins::allowed_cpus()) places.push_back(assay::plugins::place_of(cpu));
    return places;
  }

  // Memory is only taken when it is touched, and who touches too much is ended.
  void require_memory() const {
    const std::vector<assay::plugins::Node> nodes = assay::plugins::nodes_of_places(allowed_places());
    const std::uint64_t buffers = p2p::buffers_of_node(params_.direction);
    assay::plugins::require_memory(nodes.size() * buffers * params_.bytes, assay::plugins::available_memory(),
                                   std::to_string(nodes.size() * buffers) + " buffers");
    for (std::size_t i = 0; nodes.size() > 1 && i < nodes.size(); ++i) {
      assay::plugins::require_memory(
          buffers * params_.bytes, assay::plugins::available_on_node(nodes[i].number),
          std::to_string(buffers) + " buffers", " on node " + std::to_string(nodes[i].number));
    }
  }

  Params params_;
  std::unique_ptr<p2p::Work> work_;
  double seconds_ = 0;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("copies and cache lines between the parts of a machine");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.p2p.host", "0.1.0", assay::host::backend, About, Peers)
