// SPDX-License-Identifier: Apache-2.0
//
// collective@cuda: collective operations between GPUs through NCCL. README.md says how they are counted.
#include "collective/device_buffers.hpp"
#include "collective/device_check.cuh"
#include "collective/device_types.cuh"
#include "collective/local_ranks.hpp"
#include "collective/nccl_facts.hpp"
#include "collective/nccl_limits.hpp"
#include "collective/nccl_operation.hpp"
#include "collective/operation.hpp"
#include "collective/parameters.hpp"

#include <assay/contracts/collective_1.hpp>
#include <assay/cuda.hpp>
#include <assay/nccl.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace nccl = assay::nccl;
namespace collective = assay::plugins::collective;
using collective::DeviceType;
using collective::Operation;
using collective::Operator;
using collective::Placement;
using collective::Registration;
using collective::Timing;

class Collective final : public assay::Benchmark {
 public:
  struct Params {
    Operation op = Operation::all_reduce;
    std::uint64_t bytes = std::uint64_t{16} << 20;
    DeviceType dtype = DeviceType::fp32;
    Operator reduction = Operator::sum;
    Placement placement = Placement::out;
    std::uint32_t root = 0;
    Timing timing = Timing::back_to_back;
    Registration registration = Registration::none;
    std::uint32_t groups = 1;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::collective_1;
    contract::implement(is).revision(1);
    is.summary("collective operations between GPUs, by NCCL");
    is.doc(
        "`devices: all` gives each GPU a process of its own; with `ranks: 1` one process has all of them. "
        "Operations are queued by the host as programs queue them: those that end sooner than they are "
        "queued are measured by what queueing takes, unless `launch: graph` replays them. The communicator "
        "is kept for later cases of the same ranks and environment. NCCL's own variables are axes "
        "(`env.NCCL_ALGO`), whose unset row is what users get.");
    collective::describe_size(is);
    contract::dtype(is, &Params::dtype)
        .choices({{"int8", DeviceType::int8},
                  {"uint8", DeviceType::uint8},
                  {"int32", DeviceType::int32},
                  {"uint32", DeviceType::uint32},
                  {"int64", DeviceType::int64},
                  {"uint64", DeviceType::uint64},
                  {"fp16", DeviceType::fp16},
                  {"bf16", DeviceType::bf16},
                  {"fp32", DeviceType::fp32},
                  {"fp64", DeviceType::fp64},
                  {"fp8_e4m3", DeviceType::fp8_e4m3},
                  {"fp8_e5m2", DeviceType::fp8_e5m2}});
    collective::describe_way(is);
    contract::registration(is, &Params::registration)
        .choices({{"none", Registration::none},
                  {"local", Registration::local},
                  {"symmetric", Registration::symmetric}})
        .help("registration of the buffers with NCCL: each for itself, or as one window of all ranks");
    is.param("groups", &Params::groups)
        .range(1, 2048)
        .help(
            "number of groups of neighbouring ranks, each with an operation of "
            "its own at the same time; n is the size of a group");
    collective::describe_metrics(is, "NCCL", "link_bandwidth");
    is.fact("library", "version of NCCL that was loaded");
    is.fact("library_file", "path from which the library was loaded");
    is.fact("library_plugins", "libraries that NCCL loaded for network, tuning and profiling");
    is.fact("settings_files", "settings that NCCL reads from files");
    is.fact("nvls", "use of NVLink's switches for reductions by NCCL, and the reason");
    is.fact("registration", "registration as NCCL reports it");
    is.fact("size", "size in bytes after rounding");
    is.fact("processes", "number of processes, and GPUs of each");
    is.supports({assay::Cache::hot});
    is.supports({assay::Launch::stream, assay::Launch::graph});
    is.ranks(1, 0).devices(1, 0);
  }

  Collective(const Params& params, assay::Case& run) : Benchmark(run), params_(params), group_(run) {}

  void probe() override {
    look_at_parameters();
    nccl::Library::get();
    const double exact = collective::exact_integers(params_.dtype);
    if (collective::reduces(params_.op) && !collective::Codes::is_exact(params_.reduction, ranks(), exact)) {
      throw assay::Skip("the type cannot hold sums over " + std::to_string(ranks()) +
                        " ranks exactly, so they could not be checked; take another dtype");
    }
    for (std::uint32_t i = 0; i < context().device_count(); ++i) {
      const cuda::Device device = cuda::Device::select(context(), i);
      if (collective::needs_fp8_units(params_.op, params_.dtype, library_code()))
        device.require_architecture(collective::kCapabilityOfFp8);
      device.require_memory(collective::DeviceBuffers::bytes_for(pieces_of(rank_of(i)), element_bytes()) +
                            kSpareBytes);
    }
  }

  void prepare() override {
    local_ranks_.emplace(context(), group_, ranks());
    local_ranks_->allocate(
        {params_.op, params_.reduction, params_.dtype, counts_, static_cast<int>(ranks()),
         static_cast<int>(root())},
        params_.registration, [this](std::uint32_t rank) { return layout_of(rank); },
        [this](std::uint32_t rank) { return pieces_of(rank); });
    tick_s_ = agreed(params_.timing == Timing::isolated ? host_tick_s() : local_ranks_->tick_s());
    const double size = static_cast<double>(counts_.whole * element_bytes());
    work("bus_bandwidth", size * collective::bus_factor(params_.op, ranks()) / group_.size());
    work("algorithm_bandwidth", size / group_.size());
    work("latency", 1);
    say_facts();
    restore();
    local_ranks_->once();  // connects the ranks and loads the kernels
    if (params_.timing == Timing::back_to_back) quantum_ = agreed_quantum();
  }

  assay::Traits traits() override {
    assay::Traits traits;
    traits.clock = params_.timing == Timing::isolated ? assay::Clock::host : assay::Clock::device;
    traits.tick_s = tick_s_;
    traits.quantum = quantum_;
    traits.idempotent = !in_place();
    traits.laps = params_.timing == Timing::isolated;
    return traits;
  }

  assay::Verification verification(assay::VerifyPhase phase) override {
    if (phase != assay::VerifyPhase::last) {
      restore();
      // What is replayed is not what was queued: its addresses and its algorithm are those of the capture.
      if (graph_wanted()) {
        local_ranks_->replayed(1, 1);
      } else {
        local_ranks_->once();
      }
    }
    if (is_to_spoil()) spoil();
    assay::Verification seen;
    seen.method(
        "closed form, at every rank, on its device, with canaries around each buffer; what is rounded by its "
        "relative error");
    local_ranks_->each([&](const collective::LocalRank& local) {
      const collective::Result wanted{
          codes(local.group), params_.op, params_.reduction, counts_.part, ranks(), root(), local.rank};
      collective::check_result(context(), local.device, local.stream, *local.buffers, params_.dtype, wanted,
                               seen);
    });
    // What the samples leave has to be theirs.
    if (phase == assay::VerifyPhase::before && !in_place()) restore();
    return seen;
  }

  void settle() override { cuda::synchronise_devices(context()); }
  bool damage() override { return spoil_next(); }

  // What more operations than one leave in place is not known.
  bool reseed() override {
    if (in_place() && quantum_ > 1) return false;
    restore();
    return true;
  }

  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    sample.done = ASSAY_DONE_HOT;
    sample.begin_ns = context().now_ns();
    if (params_.timing == Timing::isolated) {
      isolated(n, sample);
    } else if (graph_wanted()) {
      sample.device_s = local_ranks_->replayed(n, operations_per_graph());
      sample.done |= ASSAY_DONE_GRAPH;
    } else {
      sample.device_s = local_ranks_->back_to_back(n);
    }
    sample.device_s = std::max(sample.device_s, tick_s_);  // below the clock's step it reads as one step
    sample.end_ns = context().now_ns();
    // Read before the first event and after the last: what the device says to have taken lies within.
    sample.host_s = static_cast<double>(sample.end_ns - sample.begin_ns) * 1e-9;
  }

 private:
  static constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 30;  // NCCL's own buffers
  static constexpr double kSample_s = 0.02;
  static constexpr std::uint64_t kMostInSample = 4096;
  static constexpr std::uint64_t kLarge = std::uint64_t{16} << 20;  // bytes that take longer than a launch

  // Of one group; all operations are within one.
  std::uint32_t ranks() const { return all_ranks() / params_.groups; }
  std::uint32_t all_ranks() const { return group_.size() * context().device_count(); }
  std::uint32_t rank_of(std::uint32_t device) const {
    return (group_.rank() * context().device_count() + device) % ranks();
  }
  std::uint32_t root() const { return collective::has_root(params_.op) ? params_.root : 0; }
  bool in_place() const { return params_.placement == Placement::in; }
  std::size_t element_bytes() const { return collective::bytes_of(params_.dtype); }
  bool graph_wanted() const { return context().conditions().launch == assay::Launch::graph; }
  std::uint64_t operations_per_graph() const { return params_.bytes >= kLarge ? 1 : 32; }

  collective::Layout layout_of(std::uint32_t rank) const {
    return collective::layout_of(params_.op, counts_, rank, root(), in_place(), 0);
  }
  collective::Pieces pieces_of(std::uint32_t rank) const {
    return params_.registration == Registration::symmetric
               ? collective::alike_pieces_of(params_.op, counts_, ranks(), root(), in_place())
               : collective::pieces_of(layout_of(rank), in_place());
  }
  collective::Codes codes(std::uint32_t group) const {
    // What is only moved is coded so that each rank's words differ, whatever reduction the suite names.
    const auto reduction = collective::reduces(params_.op) ? params_.reduction : collective::Operator::sum;
    return collective::codes_of(reduction, params_.dtype, ranks(),
                                collective::seed_of_group(context().seed(), group));
  }

  void look_at_parameters() {
    if (all_ranks() < 2) {
      throw assay::Skip(
          "needs two GPUs at least, and this case has one; write 'devices: all' where there are more");
    }
    if (all_ranks() % params_.groups != 0 || ranks() < 2) {
      throw assay::Skip(std::to_string(all_ranks()) + " ranks cannot be divided into " +
                        std::to_string(params_.groups) + " equal groups of two or more");
    }
    counts_ = collective::require_possible(params_, element_bytes(), ranks());
    if (context().device_count() > 1 && graph_wanted()) {
      throw assay::Skip(
          "graphs of several GPUs in one process can wait for each other for ever; give each GPU a process "
          "(leave out 'ranks')");
    }
    if (context().device_count() > 1 && params_.registration != Registration::none)
      throw assay::Skip("registered buffers take a process for each GPU; leave out 'ranks'");
    if (params_.registration == Registration::symmetric && !has_windows())
      throw assay::Skip("symmetric windows need NCCL 2.27 or later, here it is " +
                        nccl::Library::get().version());
    if (collective::is_fp8(params_.dtype) && library_code() < collective::kNcclWithFp8)
      throw assay::Skip("8-bit floating-point types need NCCL 2.24 or later, here it is " +
                        nccl::Library::get().version());
    if (graph_wanted() && params_.timing == Timing::isolated)
      throw assay::Skip("isolated operations are queued one by one; take launch: stream");
  }

  static int library_code() {
    int code = 0;
    nccl::Library::get().ncclGetVersion(&code);
    return code;
  }

  static bool has_windows() {
#if NCCL_VERSION_CODE >= 22700
    return nccl::Library::get().ncclCommWindowRegister != nullptr;
#else
    return false;
#endif
  }

  // The smallest step between two readings of the host's clock that differ.
  double host_tick_s() const {
    constexpr int kSteps = 32;
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (int step = 0; step < kSteps; ++step) {
      const std::int64_t begin = context().now_ns();
      std::int64_t end = begin;
      while (end == begin) {
        context().throw_if_cancelled();
        end = context().now_ns();
      }
      smallest = std::min(smallest, end - begin);
    }
    return static_cast<double>(smallest) * 1e-9;
  }

  // Ranks state the same traits: the largest of their values is everyone's.
  double agreed(double mine) const {
    const std::vector<double> all = group_.allgather(mine);
    return *std::max_element(all.begin(), all.end());
  }

  // Operations in a sample. Beginning and ending one costs some 50 µs, which many operations have to share:
  // samples last 20 ms, as far as a few operations tell how long one takes.
  std::uint64_t agreed_quantum() {
    constexpr int kTried = 10;
    const std::int64_t begin = context().now_ns();
    local_ranks_->back_to_back(kTried);
    const double one_s = agreed(static_cast<double>(context().now_ns() - begin) * 1e-9 / kTried);
    const auto wanted =
        static_cast<std::uint64_t>(std::clamp(kSample_s / one_s, 1.0, static_cast<double>(kMostInSample)));
    const std::uint64_t each = graph_wanted() ? operations_per_graph() : 1;
    return std::max<std::uint64_t>(1, wanted / each) * each;
  }

  void say_facts() const {
    const nccl::Library& library = nccl::Library::get();
    context().fact("library", "NCCL " + library.version());
    context().fact("library_file", library.path());
    context().fact("library_plugins", collective::nccl_plugin_libraries());
    context().fact("settings_files", collective::nccl_settings_files(library_code()));
    context().fact("nvls", nvls());
    context().fact("registration", registered());
    context().fact("size", std::to_string(counts_.whole * element_bytes()));
    context().fact("processes", std::to_string(group_.size()) + " with " +
                                    std::to_string(context().device_count()) +
                                    (context().device_count() == 1 ? " GPU each" : " GPUs each"));
  }

  std::string nvls() const {
    // A number of the driver's, which older headers have no name for.
    constexpr int kMulticastSupported = 132;
    bool multicast = true;
    for (std::uint32_t i = 0; i < context().device_count(); ++i) {
      int supported = 0;
      const cudaError_t asked =
          cudaDeviceGetAttribute(&supported, static_cast<cudaDeviceAttr>(kMulticastSupported),
                                 cuda::Device::select(context(), i).ordinal());
      if (asked != cudaSuccess) cudaGetLastError();  // an older driver does not know the number
      multicast = multicast && asked == cudaSuccess && supported != 0;
    }
    return collective::nvls_state(collective::nccl_setting("NCCL_NVLS_ENABLE", library_code()),
                                  collective::nccl_setting("NCCL_ALGO", library_code()), ranks(), multicast);
  }

  // Where NCCL gave no handle the case was skipped.
  const char* registered() const {
    switch (params_.registration) {
      case Registration::local:
        return "local";
      case Registration::symmetric:
        return "a window; it may be local only, which cannot be asked for";
      case Registration::none:
        break;
    }
    return "none";
  }

  // Nobody writes what a slower rank still reads, and nobody begins before all inputs are there.
  void restore() {
    group_.barrier();
    local_ranks_->each([&](const collective::LocalRank& local) {
      collective::clear_and_fill(local.stream, *local.buffers, params_.dtype, codes(local.group), local.rank);
    });
    local_ranks_->each([&](const collective::LocalRank& local) { cuda::wait(context(), local.stream); });
    group_.barrier();
  }

  void spoil() {
    local_ranks_->each([&](const collective::LocalRank& local) {
      const collective::DeviceBuffers& buffers = *local.buffers;
      if (buffers.receive_bytes() == 0) return;
      ASSAY_CUDA_CHECK(cudaMemsetAsync(buffers.receive(), collective::kDeviceUntouched,
                                       buffers.receive_bytes(), local.stream));
      cuda::wait(context(), local.stream);
    });
  }

  // As a program sees it that needs the result: from the call to the end, by the host's clock.
  void isolated(std::uint64_t n, assay::Sample& sample) {
    double total_s = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      group_.barrier();
      const std::int64_t begin = context().now_ns();
      local_ranks_->once();
      const double lap_s = static_cast<double>(std::max<std::int64_t>(1, context().now_ns() - begin)) * 1e-9;
      total_s += lap_s;
      if (sample.laps_s != nullptr && i < sample.lap_capacity) sample.laps_s[i] = lap_s;
    }
    if (sample.laps_s != nullptr && n <= sample.lap_capacity) sample.lap_count = n;
    sample.device_s = total_s;
  }

  Params params_;
  assay::Group group_;
  collective::Counts counts_;
  std::optional<collective::LocalRanks> local_ranks_;
  double tick_s_ = 0;
  std::uint64_t quantum_ = 1;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("collective operations between GPUs, by NCCL");
    is.needs("libnccl.so.2", "apt-get install libnccl2, or pip install nvidia-nccl-cu13");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.collective.cuda", "0.1.0", assay::cuda::backend, About, Collective)
