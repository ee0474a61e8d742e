// SPDX-License-Identifier: Apache-2.0
//
// membw@cuda: bandwidth and latency of a GPU's memory and caches. README.md says how bytes are counted.
#include "lib/device_chase.cuh"
#include "lib/launch_search.hpp"
#include "membw/device_parameters.hpp"
#include "membw/random_sectors.cuh"
#include "membw/stream_kernels.cuh"
#include "membw/stream_values.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace membw = assay::plugins::membw;
using assay::plugins::ChaseLoad;
using assay::plugins::ChaseNode;
using membw::Access;
using membw::Array;
using Kernel = membw::DeviceKernel;
using membw::Operation;

__global__ void fill_kernel(double* to, std::uint64_t count, Array array, std::uint64_t seed) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = membw::initial(array, i, seed);
  }
}

// Adds to `sum` what elements [first, first + count) contribute to the expected sum: whole numbers.
__global__ void expected_sum_kernel(std::uint64_t first, std::uint64_t count, membw::Expected expected,
                                    unsigned long long* sum) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long mine = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    mine += static_cast<unsigned long long>(expected(first + i));
  }
  atomicAdd(sum, mine);
}

class Membw final : public cuda::Benchmark {
 public:
  using Params = membw::DeviceParameters;

  static void describe(assay::Description<Params>& is) { membw::describe(is); }

  Membw(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % sizeof(ChaseNode) != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 128");
    Benchmark::probe();
    const assay::Cache cache = context().conditions().cache;
    if (params_.kernel == Kernel::latency &&
        (cache == assay::Cache::cold || cache == assay::Cache::rotating)) {
      throw assay::Skip(
          "kernel=latency follows its chain of loads repeatedly, so it can only be measured with cache: hot");
    }
    const std::uint64_t flushed =
        cache == assay::Cache::cold ? cuda::kFlushedCaches * device().l2_bytes() : 0;
    device().require_memory(ring_sets() * arrays() * params_.bytes + flushed + kSpareBytes);
  }

  void prepare() override {
    if (params_.kernel == Kernel::latency) {
      prepare_chase();
    } else {
      prepare_arrays();
      inputs_follow_seed();
    }
    say_working_set();
  }

  void restore() override {
    if (chase_) {
      chase_->begin(stream());
      return;
    }
    const std::uint64_t seed = context().seed();
    if (a_.size() != 0) cuda::poison(stream(), a_);
    if (b_.size() != 0) fill(b_, Array::b, seed);
    if (c_.size() != 0) fill(c_, Array::c, seed);
    if (sums_.size() != 0) cuda::poison(stream(), sums_);
  }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    if (chase_) {
      chase_->follow<ChaseLoad::cached>(stream, loads_);
    } else {
      sweep(stream, shape_, i % sets_, passes_);
    }
  }

  void verify() override {
    if (chase_) {
      chase_->verify(context(), stream(), checks());
    } else if (membw::gives_sum(operation_)) {
      verify_sums();
    } else {
      checks().method("closed form, every element");
      compare(a_, membw::Expected{operation_, context().seed()});
    }
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 256 * assay::kMiB;  // for the sums and the driver's own memory
  static constexpr double kLaunch_s = 0.01;            // about the duration of one launch of all passes
  static constexpr std::uint64_t kMostPasses = 65535;  // limit of a grid's height
  static constexpr std::uint64_t kMostCopies = 64;     // memcpy takes one call for each pass
  static constexpr std::uint64_t kCachesOfMemory = 4;  // arrays of so many L2 sizes lie in memory
  static constexpr std::uint64_t kLoads = 16384;       // fewest loads in an iteration of latency
  static constexpr std::uint64_t kRoundsInL1 = 1024;   // enough to hide the first round, which loads from L2
  static constexpr std::uint64_t kL1Bytes = 256 * assay::kKiB;  // the largest L1 cache of any GPU so far
  static constexpr std::uint64_t kUntimedLoads = std::uint64_t{1} << 18;

  static Operation operation_of(Kernel kernel) {
    switch (kernel) {
      case Kernel::read:
        return Operation::read;
      case Kernel::write:
        return Operation::write;
      case Kernel::copy:
      case Kernel::memcpy:
        return Operation::copy;
      case Kernel::scale:
        return Operation::scale;
      case Kernel::add:
        return Operation::add;
      case Kernel::dot:
        return Operation::dot;
      case Kernel::random:
        return Operation::random;
      case Kernel::triad:
      case Kernel::latency:
        break;
    }
    return Operation::triad;
  }

  std::uint64_t arrays() const {
    return params_.kernel == Kernel::latency ? 1 : membw::arrays_of(operation_);
  }

  // True if the arrays may be found in the cache: then the rate is published as `cache_bandwidth`, not as `bandwidth`.
  bool in_cache() {
    return sets_ == 1 && context().conditions().cache != assay::Cache::cold &&
           arrays() * params_.bytes < kCachesOfMemory * device().l2_bytes();
  }

  // The number of buffer sets that prepare() will need; 1 with hot and with cold caches.
  std::uint64_t ring_sets() {
    if (params_.kernel == Kernel::latency) return 1;
    return buffer_sets(arrays() * params_.bytes);
  }

  void fill(const cuda::DeviceBuffer<double>& to, Array array, std::uint64_t seed) {
    fill_kernel<<<kBlocks, kThreads, 0, stream()>>>(to.data(), to.size(), array, seed);
    ASSAY_CUDA_CHECK_LAUNCH("fill");
  }

  void prepare_arrays() {
    sets_ = ring_sets();
    elements_ = params_.bytes / sizeof(double);
    const std::uint64_t all = sets_ * elements_;
    if (membw::writes_a(operation_)) a_ = cuda::DeviceBuffer<double>(device(), all);
    if (membw::reads_b(operation_)) b_ = cuda::DeviceBuffer<double>(device(), all);
    if (membw::reads_c(operation_)) c_ = cuda::DeviceBuffer<double>(device(), all);
    if (operation_ == Operation::random)
      order_.emplace(params_.bytes / membw::kSectorBytes, context().seed());
    choose_passes();
    choose_shape();
    idempotent();
    launches(params_.kernel == Kernel::memcpy ? passes_ : 1);
    work(in_cache() ? "cache_bandwidth" : "bandwidth",
         static_cast<double>(passes_ * arrays() * params_.bytes));
  }

  // Several passes only if nothing has to happen between two passes.
  void choose_passes() {
    if (sets_ == 1 && context().conditions().cache != assay::Cache::cold) {
      // The bus transfers data over its whole width on both clock edges.
      const double peak = 2e3 * device().attribute(cudaDevAttrMemoryClockRate) *
                          device().attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
      const auto once = static_cast<double>(arrays() * params_.bytes);
      const std::uint64_t most = params_.kernel == Kernel::memcpy ? kMostCopies : kMostPasses;
      passes_ =
          static_cast<unsigned>(std::min(most, 1 + static_cast<std::uint64_t>(kLaunch_s * peak / once)));
    }
    context().fact("passes", std::to_string(passes_) + " in a launch");
  }

  void choose_shape() {
    if (params_.kernel == Kernel::memcpy) {
      context().fact("launch_shape", "the driver's");
      return;
    }
    // True if the benchmark measures the cache: then the data should stay there.
    const bool stays =
        context().conditions().cache == assay::Cache::hot && arrays() * params_.bytes <= device().l2_bytes();
    const std::vector<membw::Shape> shapes =
        membw::shapes_to_try(operation_, stays ? Access::cached : Access::streaming);
    if (membw::gives_sum(operation_)) {
      // One sum for each block, ordered by set and then by pass.
      std::uint64_t most = 0;
      for (const membw::Shape& shape : shapes) most = std::max(most, membw::blocks_of(shape, vectors()));
      sums_ = cuda::DeviceBuffer<double>(device(), sets_ * passes_ * most);
    }
    restore();
    // Shapes are tried in the state of the cache that the case reports.
    std::optional<cuda::CacheFlush> flush;
    if (context().conditions().cache == assay::Cache::cold) flush.emplace(device());
    std::uint64_t launched = 0;
    const std::size_t best = assay::plugins::fastest_launch(
        context(), stream(), shapes.size(),
        [&](std::size_t i) { sweep(stream(), shapes[i], launched++ % sets_, passes_); },
        [&] {
          if (flush) flush->enqueue(stream());
        });
    shape_ = shapes[best];
    context().fact("launch_shape", membw::text_of(shape_));
  }

  std::uint64_t vectors() const { return elements_ / 2; }

  static auto vectors_of(const cuda::DeviceBuffer<double>& buffer, std::uint64_t first) {
    return buffer.size() == 0 ? nullptr : reinterpret_cast<membw::Vector*>(buffer.data() + first);
  }

  void sweep(cudaStream_t stream, const membw::Shape& shape, std::uint64_t set, unsigned passes) {
    const std::uint64_t first = set * elements_;
    const membw::Sweep sweep{vectors_of(a_, first),
                             vectors_of(b_, first),
                             vectors_of(c_, first),
                             vectors(),
                             sums_.size() == 0 ? nullptr : sums_.data() + set * sums_of_a_set(shape),
                             passes};
    if (params_.kernel == Kernel::memcpy) {
      for (unsigned pass = 0; pass < passes; ++pass) {
        ASSAY_CUDA_CHECK(cudaMemcpyAsync(sweep.a, sweep.b, params_.bytes, cudaMemcpyDeviceToDevice, stream));
      }
    } else if (operation_ == Operation::random) {
      membw::launch_random(stream, shape, sweep, *order_);
    } else {
      membw::launch(stream, operation_, shape, sweep);
    }
  }

  std::uint64_t sums_of_a_set(const membw::Shape& shape) const {
    return passes_ * membw::blocks_of(shape, vectors());
  }

  // Each pass must give exactly the sum of its set, because all values are whole numbers.
  void verify_sums() {
    checks().method("sum in closed form, every pass");
    const membw::Expected expected{operation_, context().seed()};
    const cuda::DeviceBuffer<unsigned long long> wanted(device(), sets_);
    ASSAY_CUDA_CHECK(cudaMemsetAsync(wanted.data(), 0, wanted.bytes(), stream()));
    for (std::uint64_t set = 0; set < sets_; ++set) {
      expected_sum_kernel<<<kBlocks, kThreads, 0, stream()>>>(set * elements_, elements_, expected,
                                                              wanted.data() + set);
      ASSAY_CUDA_CHECK_LAUNCH("expected sum");
    }
    wait();
    const auto right = wanted.copy_back(stream(), 0, sets_);
    const std::uint64_t blocks = membw::blocks_of(shape_, vectors());
    for (std::uint64_t set = 0; set < sets_; ++set) {
      const auto sums = sums_.copy_back(stream(), set * sums_of_a_set(shape_), sums_of_a_set(shape_));
      for (unsigned pass = 0; pass < passes_; ++pass) {
        double sum = 0;
        for (std::uint64_t block = 0; block < blocks; ++block) sum += sums[pass * blocks + block];
        const bool good = sum == static_cast<double>(right[set]);
        checks().count(elements_, good ? 0 : elements_,
                       "the sum of pass " + std::to_string(pass) + " is " + std::to_string(sum) +
                           ", expected " + std::to_string(right[set]));
      }
    }
  }

  void prepare_chase() {
    nodes_ = cuda::DeviceBuffer<ChaseNode>(device(), params_.bytes / sizeof(ChaseNode));
    chase_.emplace(device(), stream(), nodes_.data(), nodes_.size(), context().seed());
    // L1 starts empty with every launch.
    loads_ = params_.bytes <= kL1Bytes ? std::max(kLoads, kRoundsInL1 * nodes_.size()) : kLoads;
    context().value("cycles",
                    chase_->cycles_per_load<ChaseLoad::cached>(
                        context(), stream(), std::min<std::uint64_t>(nodes_.size(), kUntimedLoads), kLoads));
    context().fact("launch_shape", "one thread");
    context().fact("passes", std::to_string(loads_) + " loads in a launch");
    work("latency", static_cast<double>(loads_));
  }

  void say_working_set() {
    const std::uint64_t bytes = sets_ * arrays() * params_.bytes;
    char text[96];
    std::snprintf(text, sizeof(text), "%.6g MiB, %.3g × the L2 cache", static_cast<double>(bytes) / 0x1p20,
                  static_cast<double>(bytes) / static_cast<double>(device().l2_bytes()));
    context().fact("working_set", text);
  }

  static constexpr unsigned kBlocks = 4096, kThreads = 256;  // for kernels that are not timed

  Params params_;
  Operation operation_ = operation_of(params_.kernel);
  std::uint64_t sets_ = 1, elements_ = 0;
  unsigned passes_ = 1;
  membw::Shape shape_{256, 1, Access::streaming};
  cuda::DeviceBuffer<double> a_, b_, c_, sums_;
  std::optional<assay::plugins::Permutation> order_;
  cuda::DeviceBuffer<ChaseNode> nodes_;
  std::optional<assay::plugins::DeviceChase> chase_;
  std::uint64_t loads_ = kLoads;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("bandwidth and latency of GPU memory and caches");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.membw.cuda", "0.1.0", assay::cuda::backend, Membw, About)
