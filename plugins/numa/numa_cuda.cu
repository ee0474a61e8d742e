// SPDX-License-Identifier: Apache-2.0
//
// numa@cuda: copies between the memory of each NUMA node and each GPU, by threads of that node.
#include "lib/available_memory.hpp"
#include "lib/rolling_median.hpp"
#include "numa/crew.hpp"
#include "numa/link_buffers.cuh"
#include "numa/links.hpp"
#include "numa/machine.hpp"

#include <assay/cuda.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace numa = assay::plugins::numa;
using assay::plugins::CopiedWord;
using assay::plugins::CopyWay;
using assay::plugins::Node;

enum class Memory { pinned, pageable };
enum class Traffic { alone, together };

class Numa final : public assay::host::Benchmark {
 public:
  struct Params {
    CopyWay direction = CopyWay::to_device;
    Memory memory = Memory::pinned;
    Traffic traffic = Traffic::alone;
    std::uint64_t bytes = 256 * assay::kMiB;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("numa").revision(1);
    is.summary("copies between the memory of each NUMA node and each GPU");
    is.doc(
        "Each node that has both CPUs and memory copies to, or from, each GPU of the case: threads that are "
        "bound to the node's CPUs, and memory that lies there. The first index of the matrix is the number "
        "of the node, the second the place of the GPU among the case's devices. With `traffic: alone` one "
        "link is measured after the other, with `together` a node copies with all GPUs at once, each by a "
        "thread of its own. Before a rate is published the kernel is asked where every page lies and where "
        "every thread runs.");
    is.param("direction", &Params::direction)
        .choices({{"h2d", CopyWay::to_device}, {"d2h", CopyWay::to_host}})
        .help("direction of copies: host to device or device to host");
    is.param("memory", &Params::memory)
        .choices({{"pinned", Memory::pinned}, {"pageable", Memory::pageable}})
        .help("memory of the host: page-locked where it lies, or ordinary");
    is.param("traffic", &Params::traffic)
        .choices({{"alone", Traffic::alone}, {"together", Traffic::together}})
        .help("order of GPUs: one after the other, or all at once");
    is.param("bytes", &Params::bytes)
        .unit(assay::unit::bytes)
        .range(4096, std::uint64_t{1} << 42)
        .help("size of one copy; a multiple of 128");
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("each byte that is copied, once")
        .flow("one way")
        .mechanism("the GPU's copy engine")
        .summary("mean rate over all links; together: sum of all GPUs at once")
        .headline();
    is.value("bandwidth_matrix", assay::unit::bytes_per_second)
        .dimensions(2)
        .higher_is_better()
        .summary("rate between a node and a GPU, median of the latest samples");
    is.value("remote_ratio", assay::unit::one)
        .summary("mean of links to other nodes than the GPU's / mean of those to its own");
    is.value("placed", assay::unit::one)
        .higher_is_better()
        .summary("share of the pages that lie where they belong, of the buffer with the least");
    is.fact("nodes", "CPUs and memory of each node that this process may use");
    is.fact("distances", "distances from each node to all that are used, as the firmware reports them");
    is.fact("gpu_nodes", "the node of each GPU, as the kernel has it");
    is.fact("pages", "page size under the buffers");
    is.fact("placement", "evidence of the nodes on which pages lie");
    is.supports({assay::Cache::hot});
    is.ranks(1, 1).devices(1, 0);
  }

  Numa(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}
  // After a cancel a GPU may still use memory that is about to be freed.
  ~Numa() override {
    for (const cuda::Device& device : devices_) {
      if (cudaSetDevice(device.ordinal()) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
        cudaGetLastError();
    }
  }

  void probe() override {
    if (params_.bytes % 128 != 0) throw assay::BadParameter("bytes", "it is not a multiple of 128");
    select_devices();
    machine_ = numa::this_machine();
    nodes_ = numa::copying_nodes(machine_, threads());
    const std::uint64_t on_node = devices_.size() * params_.bytes;
    const std::string buffers = std::to_string(devices_.size()) + " buffers";
    assay::plugins::require_memory(nodes_.size() * on_node, assay::plugins::available_memory(),
                                   std::to_string(nodes_.size() * devices_.size()) + " buffers");
    for (const Node& node : nodes_) {
      if (machine_.nodes_with_memory == 1) break;
      assay::plugins::require_memory(on_node, assay::plugins::available_on_node(node.number), buffers,
                                     " on node " + std::to_string(node.number));
    }
    for (const cuda::Device& device : devices_)
      device.require_memory(nodes_.size() * params_.bytes + kSpareBytes);
  }

  void prepare() override {
    for (const cuda::Device& device : devices_) {
      streams_.push_back(cuda::kept_stream(context(), device));
      device.make_current();
      done_.emplace_back();
    }
    crew_.emplace(nodes_, threads());
    phases_ = numa::link_phases(nodes_.size(), devices_.size(), params_.traffic == Traffic::together);
    times_.emplace(nodes_.size() * devices_.size());
    buffers_.emplace(context(), *crew_, nodes_, devices_, params_.bytes / sizeof(CopiedWord),
                     params_.direction, params_.memory == Memory::pinned, machine_.nodes_with_memory > 1);
    idempotent();
    inputs_follow_seed();
    quantum(std::clamp<std::uint64_t>(kSampleBytes / params_.bytes, 1, kMostInQuantum));
    work("bandwidth", static_cast<double>(nodes_.size() * devices_.size() * params_.bytes));
    state_facts();
  }

  // The sum of the phases' times is not that of the call.
  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    traits.parts = true;
    return traits;
  }

  void run(std::uint64_t n) override {
    seconds_ = 0;
    for (const numa::LinkPhase& phase : phases_) seconds_ += copy_over(phase, n);
    record();
  }

  void restore() override { buffers_->restore(streams_); }
  void destroy_results() override { buffers_->destroy_results(streams_); }
  void settle() override { cuda::synchronise_devices(context()); }

  void verify() override {
    checks().method("closed form, every word where it arrived; every page's node; every thread's CPU");
    crew_->check_affinity(checks());
    context().value("placed", buffers_->check(streams_, checks()));
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
  static constexpr std::uint64_t kSpareBytes = 64 * assay::kMiB;  // what the driver needs itself
  static constexpr std::uint64_t kSampleBytes = assay::kGiB;      // of one link in a sample, at least
  static constexpr std::uint64_t kMostInQuantum = 256;            // copies, however small

  [[nodiscard]] std::size_t threads() const {
    return params_.traffic == Traffic::together ? devices_.size() : 1;
  }

  void select_devices() {
    devices_.clear();
    for (std::uint32_t i = 0; i < context().device_count(); ++i) {
      cuda::Device device = cuda::Device::select(context(), i);
      for (const cuda::Device& other : devices_) {
        if (other.ordinal() == device.ordinal())
          throw assay::Skip(device.name() + " is named twice; it has one link");
      }
      devices_.push_back(std::move(device));
    }
  }

  // n copies over each of these links at once, each by a thread of its node. Returns how long it took until the
  // last was done, in seconds, by the clock of the host: what it takes to submit a copy is part of it.
  double copy_over(const numa::LinkPhase& phase, std::uint64_t n) {
    const std::size_t first = crew_->first_of(phase.front().node);
    assay::plugins::SpinBarrier barrier(static_cast<int>(phase.size()));
    std::vector<std::int64_t> begins(phase.size()), ends(phase.size());
    std::vector<std::exception_ptr> failures(phase.size());
    crew_->run([&](std::size_t member) {
      if (member < first || member - first >= phase.size()) return;
      const std::size_t place = member - first;
      const numa::Link& link = phase[place];
      const cudaError_t current = cudaSetDevice(devices_[link.device].ordinal());
      barrier.wait();
      begins[place] = context().now_ns();
      try {
        cuda::check(current, "cudaSetDevice");
        for (std::uint64_t i = 0; i < n; ++i) {
          context().throw_if_cancelled();
          buffers_->copy(link, streams_[link.device]);
        }
        done_[link.device].record(streams_[link.device]);
        cuda::wait(context(), done_[link.device]);
      } catch (...) {
        failures[place] = std::current_exception();
      }
      ends[place] = context().now_ns();
    });
    for (const std::exception_ptr& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
    for (std::size_t i = 0; i < phase.size(); ++i)
      times_->add(place_of(phase[i]), seconds(ends[i] - begins[i]) / static_cast<double>(n));
    return seconds(*std::max_element(ends.begin(), ends.end()) -
                   *std::min_element(begins.begin(), begins.end()));
  }

  static double seconds(std::int64_t nanoseconds) {
    return 1e-9 * static_cast<double>(std::max<std::int64_t>(nanoseconds, 1));
  }
  [[nodiscard]] std::size_t place_of(const numa::Link& link) const {
    return link.node * devices_.size() + link.device;
  }

  void record() const {
    std::vector<numa::LinkRate> rates;
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      for (std::size_t device = 0; device < devices_.size(); ++device) {
        const numa::Link link{node, device};
        rates.push_back({link, static_cast<double>(params_.bytes) / times_->median(place_of(link))});
        context().value("bandwidth_matrix", static_cast<std::uint32_t>(nodes_[node].number),
                        static_cast<std::uint32_t>(device), rates.back().bytes_per_second);
      }
    }
    std::vector<int> numbers;
    for (const Node& node : nodes_) numbers.push_back(node.number);
    if (const auto share = numa::remote_share(rates, numbers, device_nodes_))
      context().value("remote_ratio", *share);
  }

  void state_facts() {
    std::string text;
    for (const cuda::Device& device : devices_) {
      char address[32] = "";
      ASSAY_CUDA_CHECK(cudaDeviceGetPCIBusId(address, sizeof(address), device.ordinal()));
      device_nodes_.push_back(numa::node_of_pci_device(address));
      text += (text.empty() ? "" : "; ") + device.name() + ": " +
              (device_nodes_.back() ? "node " + std::to_string(*device_nodes_.back()) : "unknown");
    }
    context().fact("gpu_nodes", text);
    context().fact("nodes", numa::nodes_text(machine_));
    context().fact("distances", numa::distances_text(machine_));
    context().fact("pages", assay::plugins::page_policy());
    context().fact("placement", buffers_->is_known()
                                    ? "every page, as the kernel shows it"
                                    : "one node has memory; the kernel does not show where pages lie");
  }

  Params params_;
  double seconds_ = 0;
  numa::Machine machine_;
  std::vector<Node> nodes_;            // that copy
  std::vector<cuda::Device> devices_;  // in the case's order
  std::vector<std::optional<int>> device_nodes_;
  std::vector<cudaStream_t> streams_;  // by device
  std::vector<cuda::Event> done_;      // by device
  std::vector<numa::LinkPhase> phases_;
  std::optional<assay::plugins::RollingMedian> times_;  // by node and device: of one copy
  std::optional<numa::Crew> crew_;
  std::optional<numa::LinkBuffers> buffers_;  // last: it uses the crew and the devices
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay")
        .license("Apache-2.0")
        .summary("copies between the memory of each NUMA node and each GPU");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.numa.cuda", "0.1.0", assay::cuda::backend, About, Numa)
