// SPDX-License-Identifier: Apache-2.0
//
// hostcopy@cuda: copies between the host's memory and a GPU's. README.md says how they are counted.
#include "lib/copied_words.cuh"
#include "lib/copied_words.hpp"
#include "lib/copy_kernel.cuh"
#include "lib/device_chase.cuh"
#include "lib/host_memory.hpp"
#include "lib/launch_search.hpp"
#include "lib/page_nodes.hpp"

#include <assay/contracts/hostcopy_1.hpp>
#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>

namespace {

namespace cuda = assay::cuda;
using assay::plugins::ChaseLoad;
using assay::plugins::ChaseNode;
using assay::plugins::HostMemory;
using assay::plugins::HostMemoryKind;
using Words = assay::plugins::CopiedWords;
using Way = assay::plugins::CopyWay;
using Word = assay::plugins::CopiedWord;

enum class Direction { h2d, d2h, both, latency };
enum class Engine { copy, kernel };

class Hostcopy final : public cuda::Benchmark {
 public:
  struct Params {
    Direction direction = Direction::h2d;
    std::uint64_t bytes = 256 * assay::kMiB;
    HostMemoryKind memory = HostMemoryKind::pinned;
    Engine engine = Engine::copy;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::hostcopy_1;
    contract::implement(is).revision(1);
    is.summary("copies between host memory and a GPU, and the latency of its loads from host memory");
    is.doc(
        "The thread that measures touches the host's memory first, so that `bind` decides on which NUMA node "
        "it lies; the fact `memory_node` says where it is. With `load: together` every GPU has a process and "
        "memory of its own, and all copy at the same time. With `direction: both` the two copies of an "
        "iteration begin together, and it ends with the later. Copies of pageable memory go through a buffer "
        "of the driver, which the calling thread fills or empties.");
    contract::direction(is, &Params::direction)
        .choices({{"h2d", Direction::h2d},
                  {"d2h", Direction::d2h},
                  {"both", Direction::both},
                  {"latency", Direction::latency}});
    contract::bytes(is, &Params::bytes)
        .range(128, std::uint64_t{1} << 42)
        .help("size of one copy, or of the memory that latency goes through; a multiple of 128");
    contract::memory(is, &Params::memory)
        .choices({{"pinned", HostMemoryKind::pinned},
                  {"pageable", HostMemoryKind::pageable},
                  {"registered", HostMemoryKind::registered}});
    contract::engine(is, &Params::engine).choices({{"copy", Engine::copy}, {"kernel", Engine::kernel}});
    contract::bandwidth(is).mechanism("as the parameter engine says");
    is.rate("one_way_bandwidth", assay::unit::bytes_per_second)
        .counting("each byte that is copied, once")
        .flow("one way")
        .mechanism("as the parameter engine says")
        .peak("host_link_bandwidth")
        .summary("the bandwidth of one way alone, to be compared with what the link can do");
    contract::latency(is);
    is.fact("memory_node", "NUMA nodes on which the host's memory lies");
    is.fact("launch_shape", "blocks of a copying kernel, and what a thread of theirs has under way");
    cuda::support_conditions(is);
  }

  Hostcopy(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % sizeof(ChaseNode) != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 128");
    if (params_.memory == HostMemoryKind::pageable) {
      if (latency()) throw assay::Skip("a kernel cannot load from pageable memory; take memory: pinned");
      if (params_.engine == Engine::kernel)
        throw assay::Skip("a kernel cannot copy pageable memory; take memory: pinned or engine: copy");
      if (params_.direction == Direction::both) {
        throw assay::Skip(
            "copies of pageable memory keep the calling thread busy, so one thread cannot have both at once");
      }
    }
    Benchmark::probe();
    if (latency() && context().conditions().cache == assay::Cache::rotating) {
      throw assay::Skip("latency goes through one chain; it can be measured with cache: hot or cold");
    }
    if (!latency()) device().require_memory(ways() * choose_sets() * params_.bytes + kSpareBytes);
  }

  void prepare() override {
    words_ = params_.bytes / sizeof(Word);
    if (latency()) {
      prepare_chase();
      return;
    }
    inputs_follow_seed();
    sets_ = choose_sets();
    for (const Way way : {Way::to_device, Way::to_host}) {
      if (!goes(way)) continue;
      on_host(way) = HostMemory<Word>(context(), params_.memory, sets_ * words_);
      on_device(way) = cuda::DeviceBuffer<Word>(device(), sets_ * words_);
    }
    if (params_.direction == Direction::both) {
      other_.emplace();
      fork_.emplace();
      join_.emplace();
      launches(6);  // two copies, two events, and two waits for them
    }
    if (params_.memory == HostMemoryKind::pageable) synchronises();
    say_node((goes(Way::to_device) ? on_host(Way::to_device) : on_host(Way::to_host)).data(),
             sets_ * params_.bytes);
    choose_shapes();
    idempotent();
    work("bandwidth", static_cast<double>(ways() * params_.bytes));
    if (ways() == 1) work("one_way_bandwidth", static_cast<double>(params_.bytes));
  }

  assay::Traits traits() override {
    assay::Traits traits = Benchmark::traits();
    if (chase_) {
      // Loads from every multiprocessor: some are farther from the host than others.
      traits.quantum = static_cast<std::uint64_t>(device().sm_count());
    } else if (context().conditions().cache != assay::Cache::cold) {
      // Until the first copy of a sample moves, the engine needs as long as for a megabyte or two.
      const std::uint64_t wanted = std::min(kMostInQuantum, assay::ceil_div(kSampleBytes, params_.bytes));
      const std::uint64_t rings = assay::ceil_div(wanted, traits.quantum);
      const std::uint64_t fit = traits.maximum == 0 ? rings : traits.maximum / traits.quantum;
      traits.quantum *= std::max<std::uint64_t>(1, std::min(rings, fit));
    }
    return traits;
  }

  void restore() override {
    if (chase_) {
      chase_->begin(stream());
      return;
    }
    for (const Way way : {Way::to_device, Way::to_host}) {
      if (!goes(way)) continue;
      const Words pattern{way, context().seed()};
      HostMemory<Word>& host = on_host(way);
      if (way == Way::to_device) {
        in_pieces(host.size(), [&](std::size_t first, std::size_t last) {
          assay::plugins::write_words(host.data(), first, last, pattern);
        });
        cuda::poison(stream(), on_device(way));
      } else {
        clear(host);
        assay::plugins::write_words(stream(), on_device(way).data(), on_device(way).size(), pattern);
      }
    }
    wait();
  }

  void destroy_results() override {
    if (chase_) return restore();
    if (goes(Way::to_device)) cuda::poison(stream(), on_device(Way::to_device));
    if (goes(Way::to_host)) clear(on_host(Way::to_host));
    wait();
  }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    if (chase_) {
      const auto multiprocessors = static_cast<unsigned>(device().sm_count());
      chase_->follow<ChaseLoad::uncached>(stream, kLoads, static_cast<unsigned>(i % multiprocessors),
                                          multiprocessors);
      return;
    }
    const std::uint64_t set = i % sets_;
    if (params_.direction != Direction::both) {
      copy(stream, params_.direction == Direction::h2d ? Way::to_device : Way::to_host, set);
      return;
    }
    fork_->record(stream);
    ASSAY_CUDA_CHECK(cudaStreamWaitEvent(*other_, *fork_, 0));
    copy(stream, Way::to_device, set);
    copy(*other_, Way::to_host, set);
    join_->record(*other_);
    ASSAY_CUDA_CHECK(cudaStreamWaitEvent(stream, *join_, 0));
  }

  void verify() override {
    if (chase_) {
      chase_->verify(context(), stream(), checks());
      return;
    }
    checks().method("closed form, every word, where it arrived");
    if (goes(Way::to_device)) {
      compare(on_device(Way::to_device), Words{Way::to_device, context().seed()});
    }
    if (goes(Way::to_host)) {
      const HostMemory<Word>& host = on_host(Way::to_host);
      assay::plugins::CopyMisses seen;
      in_pieces(host.size(), [&](std::size_t first, std::size_t last) {
        assay::plugins::check_words(host.data(), first, last, Words{Way::to_host, context().seed()}, seen);
      });
      checks().count(host.size(), seen.wrong,
                     "word " + std::to_string(seen.first) + " on the host is not what was expected");
    }
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 64 * assay::kMiB;  // what the driver needs itself
  static constexpr std::uint64_t kLoads = 1024;                   // of one launch of latency
  static constexpr std::uint64_t kSampleBytes = 2 * assay::kGiB;  // in a sample, at least
  static constexpr std::uint64_t kMostInQuantum = 256;            // copies, however small

  bool latency() const { return params_.direction == Direction::latency; }
  bool goes(Way way) const {
    return params_.direction == Direction::both ||
           params_.direction == (way == Way::to_device ? Direction::h2d : Direction::d2h);
  }
  std::uint64_t ways() const { return params_.direction == Direction::both ? 2 : 1; }

  // The link is what is measured: the same buffers again and again unless the suite wants otherwise.
  std::uint64_t choose_sets() { return buffer_sets(ways() * params_.bytes, assay::Cache::hot); }

  static std::size_t place(Way way) { return static_cast<std::size_t>(way); }
  HostMemory<Word>& on_host(Way way) { return host_[place(way)]; }
  cuda::DeviceBuffer<Word>& on_device(Way way) { return device_memory_[place(way)]; }

  void clear(HostMemory<Word>& host) {
    in_pieces(host.size(), [&](std::size_t first, std::size_t last) {
      std::memset(host.data() + first, 0xFF, (last - first) * sizeof(Word));
    });
  }

  // The host's own work on large buffers ends soon after a cancel.
  template <class Piece>
  void in_pieces(std::size_t words, Piece&& piece) const {
    constexpr std::size_t kPiece = std::size_t{1} << 23;
    for (std::size_t first = 0; first < words; first += kPiece) {
      context().throw_if_cancelled();
      piece(first, std::min(words, first + kPiece));
    }
  }

  void copy(cudaStream_t stream, Way way, std::uint64_t set) {
    Word* const host = on_host(way).data() + set * words_;
    Word* const device = on_device(way).data() + set * words_;
    Word* const to = way == Way::to_device ? device : host;
    const Word* const from = way == Way::to_device ? host : device;
    if (params_.engine == Engine::kernel) {
      assay::plugins::launch_copy(stream, shape_, to, from, params_.bytes);
    } else {
      ASSAY_CUDA_CHECK(
          cudaMemcpyAsync(to, from, params_.bytes,
                          way == Way::to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
    }
  }

  void choose_shapes() {
    if (params_.engine != Engine::kernel) return;
    const auto shapes = assay::plugins::copy_shapes_to_try(static_cast<unsigned>(device().sm_count()));
    const std::size_t best =
        assay::plugins::fastest_launch(context(), stream(), shapes.size(), [&](std::size_t i) {
          shape_ = shapes[i];
          enqueue(stream(), 0);
        });
    shape_ = shapes[best];
    context().fact("launch_shape", assay::plugins::text_of(shape_));
  }

  void prepare_chase() {
    nodes_ = HostMemory<ChaseNode>(context(), params_.memory, params_.bytes / sizeof(ChaseNode));
    void* seen_by_device = nullptr;
    ASSAY_CUDA_CHECK(cudaHostGetDevicePointer(&seen_by_device, nodes_.data(), 0));
    chase_.emplace(device(), stream(), static_cast<ChaseNode*>(seen_by_device), nodes_.size(),
                   context().seed());
    wait();
    say_node(nodes_.data(), nodes_.bytes());
    work("latency", static_cast<double>(kLoads));
  }

  void say_node(const void* memory, std::size_t bytes) {
    context().fact("memory_node",
                   assay::plugins::page_nodes_text(assay::plugins::page_nodes_of(memory, bytes)));
  }

  Params params_;
  std::uint64_t sets_ = 1, words_ = 0;
  HostMemory<Word> host_[2];  // by way
  cuda::DeviceBuffer<Word> device_memory_[2];
  assay::plugins::CopyShape shape_{};
  std::optional<cuda::Stream> other_;
  std::optional<cuda::Event> fork_, join_;
  HostMemory<ChaseNode> nodes_;
  std::optional<assay::plugins::DeviceChase> chase_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("copies between host memory and GPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.hostcopy.cuda", "0.1.0", assay::cuda::backend, Hostcopy, About)
