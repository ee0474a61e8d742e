// SPDX-License-Identifier: Apache-2.0
//
// roofline@cuda: the roofs of a GPU, measured, and operations placed under them. README.md says how they are
// counted.
#include "roofline/device_roofs.cuh"
#include "roofline/matrix_work.hpp"
#include "roofline/placement.hpp"
#include "roofline/roofs.hpp"
#include "roofline/vector_kernels.cuh"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace cuda = assay::cuda;
namespace roofline = assay::plugins::roofline;
using roofline::MatrixType;
using roofline::Steps;

enum class Work { fma, matrix, memory, sweep, axpy, gelu };
enum class Dtype { fp64, fp32, tf32, fp16, bf16, fp8_e4m3, int8 };

constexpr float kFactor = 3;  // of axpy

__global__ void fill_kernel(float* to, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = static_cast<float>(roofline::initial(i, seed));
  }
}

__global__ void fill_kernel(double* to, std::uint64_t count, std::uint64_t seed) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = roofline::initial(i, seed);
  }
}

struct Everywhere {
  float value;
  __device__ float operator()(std::uint64_t) const { return value; }
};

// The sum of a block of the sweep.
struct BlockSum {
  unsigned elements;  // in 16 bytes
  Steps steps;
  std::uint64_t seed;
  __device__ double operator()(std::uint64_t block) const {
    const std::uint64_t count = roofline::kBytesOfBlock / roofline::kVectorBytes * elements;
    std::uint64_t sum = 0;
    for (std::uint64_t i = block * count; i < (block + 1) * count; ++i) {
      sum += roofline::initial(i, seed) + steps.whole + (i % elements < steps.tail ? 1 : 0);
    }
    return static_cast<double>(sum);
  }
};

struct Axpy {
  std::uint64_t seed;
  __device__ float operator()(std::uint64_t i) const {
    return kFactor * static_cast<float>(roofline::initial(i, seed)) +
           static_cast<float>(roofline::initial(i, seed + 1));
  }
};

class Roofline final : public cuda::Benchmark {
 public:
  struct Params {
    Work work = Work::fma;
    Dtype dtype = Dtype::fp32;
    double intensity = 1;
    std::uint64_t bytes = 4 * assay::kGiB;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("roofline").revision(1);
    is.summary("the roofs of a GPU, measured, and operations placed under them");
    is.doc(
        "`fma` and `matrix` are roofs of computing: multiply-adds on registers, and products by the matrix "
        "units "
        "of operands that stay in shared memory. `memory` is the roof of reading. `sweep` reads and does as "
        "many multiply-adds with every byte as `intensity` says; `axpy` and `gelu` are operations as "
        "programs "
        "have them. "
        "These three measure both roofs first and record what they leave to reach: `throughput >= 85% of "
        "peak` is a share of that.");
    is.param("work", &Params::work)
        .choices({{"fma", Work::fma},
                  {"matrix", Work::matrix},
                  {"memory", Work::memory},
                  {"sweep", Work::sweep},
                  {"axpy", Work::axpy},
                  {"gelu", Work::gelu}})
        .help("a roof: fma, matrix, memory; or what is placed under them");
    is.param("dtype", &Params::dtype)
        .choices({{"fp64", Dtype::fp64},
                  {"fp32", Dtype::fp32},
                  {"tf32", Dtype::tf32},
                  {"fp16", Dtype::fp16},
                  {"bf16", Dtype::bf16},
                  {"fp8_e4m3", Dtype::fp8_e4m3},
                  {"int8", Dtype::int8}})
        .help("fma: fp64, fp32, fp16, bf16; matrix: all but fp32; sweep: fp64, fp32; axpy, gelu: fp32");
    is.param("intensity", &Params::intensity)
        .range(0.125, 1024)
        .help("of sweep: operations for every byte that is read, a multiple of 0.125");
    is.param("bytes", &Params::bytes)
        .unit(assay::unit::bytes)
        .range(roofline::kBytesOfBlock, std::uint64_t{1} << 42)
        .help("of each array in memory; a multiple of 16 KiB");
    is.rate("vector_throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("multiply-add units")
        .peak("vector_throughput")
        .summary("of work: fma")
        .headline();
    is.rate("matrix_throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("matrix units")
        .peak("matrix_throughput")
        .summary("of work: matrix; dense")
        .headline();
    is.rate("throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add, 1 any other; gelu: 8 an element")
        .mechanism("multiply-add units")
        .peak("attainable")
        .summary("of sweep, axpy and gelu")
        .headline();
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("each array read or written once")
        .flow("reads and writes together")
        .mechanism("kernel")
        .peak("memory_bandwidth")
        .summary("of all that goes through memory")
        .headline();
    is.value("compute_roof", assay::unit::flop_per_second)
        .higher_is_better()
        .summary("multiply-adds of this dtype, measured before the samples");
    is.value("memory_roof", assay::unit::bytes_per_second)
        .higher_is_better()
        .summary("reading, measured before the samples");
    roofline::describe_placement(is);
    is.honours({assay::Data::integer, assay::Data::normal, assay::Data::zeros, assay::Data::ones});
    cuda::honour_conditions(is);
  }

  Roofline(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.bytes % roofline::kBytesOfBlock != 0)
      throw assay::BadParameter("bytes", "it is not a multiple of 16 KiB");
    refuse_types();
    refuse_data();
    Benchmark::probe();
    if (params_.work == Work::matrix && device().architecture() != 90) {
      throw assay::Skip("the matrix units are driven by instructions of compute capability 9.0; " +
                        device().name() + " has " + std::to_string(device().architecture() / 10) + "." +
                        std::to_string(device().architecture() % 10));
    }
    if (uses_memory()) {
      const bool cold = context().conditions().cache == assay::Cache::cold;
      device().require_memory(ring_sets() * arrays() * params_.bytes +
                              (cold ? cuda::kFlushedCaches * device().l2_bytes() : 0) + kSpareBytes);
    }
  }

  void prepare() override {
    idempotent();
    sets_ = ring_sets();
    switch (params_.work) {
      case Work::fma:
        prepare_chains();
        work("vector_throughput", operations_of_chains());
        break;
      case Work::matrix:
        matrix_.emplace(context(), device(), stream(), matrix_type());
        work("matrix_throughput", matrix_->operations());
        break;
      default:
        prepare_memory();
        break;
    }
  }

  void restore() override {
    const std::uint64_t seed = context().seed();
    if (chains_.size() != 0) cuda::poison(stream(), chains_);
    if (matrix_) matrix_->restore(stream());
    if (out_.size() != 0) cuda::poison(stream(), out_);
    if (z_.size() != 0) cuda::poison(stream(), z_);
    if (x_.size() != 0) fill(x_, seed);
    if (y_.size() != 0) fill(y_, seed + 1);
  }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    switch (params_.work) {
      case Work::fma:
        queue_chains(stream);
        break;
      case Work::matrix:
        matrix_->enqueue(stream);
        break;
      case Work::memory:
      case Work::sweep:
        queue_sweep(stream, i % sets_, steps_);
        break;
      case Work::axpy: {
        const std::uint64_t first = i % sets_ * floats();
        roofline::axpy_kernel<<<blocks_of_vectors(), roofline::kVectorThreads, 0, stream>>>(
            kFactor, vectors(x_, first), vectors(y_, first), vectors(z_, first));
        break;
      }
      case Work::gelu: {
        const std::uint64_t first = i % sets_ * floats();
        roofline::gelu_kernel<<<blocks_of_vectors(), roofline::kVectorThreads, 0, stream>>>(
            vectors(x_, first), vectors(z_, first));
        break;
      }
    }
    ASSAY_CUDA_CHECK_LAUNCH("the work");
  }

  void verify() override {
    checks().method("closed form, exact");
    switch (params_.work) {
      case Work::fma:
        compare(chains_, Everywhere{sum_of_chains()});
        break;
      case Work::matrix:
        matrix_->verify(stream(), checks());
        break;
      case Work::memory:
      case Work::sweep:
        compare(out_, BlockSum{elements(), steps_, context().seed()});
        break;
      case Work::axpy:
        compare(z_, Axpy{context().seed()});
        break;
      case Work::gelu:
        verify_gelu();
        break;
    }
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 256 * assay::kMiB;  // sums, and what the driver needs itself
  static constexpr std::uint64_t kGeluSample = 1 << 16;            // elements at each of three places

  bool uses_memory() const { return params_.work != Work::fma && params_.work != Work::matrix; }
  bool is_placed() const { return uses_memory() && params_.work != Work::memory; }
  std::uint64_t arrays() const { return params_.work == Work::axpy ? 3 : params_.work == Work::gelu ? 2 : 1; }
  std::uint64_t ring_sets() {
    return uses_memory() ? buffer_sets(arrays() * params_.bytes) : buffer_sets(0, assay::Cache::hot);
  }
  bool is_double() const { return params_.work == Work::sweep && params_.dtype == Dtype::fp64; }
  unsigned elements() const { return is_double() ? 2 : 4; }  // in 16 bytes
  std::uint64_t floats() const { return params_.bytes / 4; }
  unsigned blocks_of_vectors() const {
    return static_cast<unsigned>(params_.bytes / roofline::kVectorBytes / roofline::kVectorThreads);
  }
  std::uint64_t blocks_of_sweep() const { return params_.bytes / roofline::kBytesOfBlock; }

  void refuse_types() const {
    const Dtype d = params_.dtype;
    const bool scalar = d == Dtype::fp64 || d == Dtype::fp32;
    switch (params_.work) {
      case Work::fma:
        if (scalar || d == Dtype::fp16 || d == Dtype::bf16) return;
        throw assay::Skip(
            "fma is of fp64, fp32, fp16 and bf16; the other types are of the matrix units alone");
      case Work::matrix:
        if (d != Dtype::fp32) return;
        throw assay::Skip("the matrix units have no fp32; tf32 is the nearest to it");
      case Work::memory:
        return;
      case Work::sweep:
        if (scalar) return;
        throw assay::Skip("sweep is of fp64 and fp32");
      case Work::axpy:
      case Work::gelu:
        if (d == Dtype::fp32) return;
        throw assay::Skip("axpy and gelu are of fp32");
    }
  }

  // What a sum of products holds exactly decides which data a type can be checked with.
  void refuse_data() const {
    const assay::Data data = context().conditions().data;
    if (data == assay::Data::standard || data == assay::Data::integer) return;
    if (params_.work != Work::matrix) throw assay::Skip("data other than integer is for work: matrix");
    if (data == assay::Data::normal && (params_.dtype == Dtype::fp8_e4m3 || params_.dtype == Dtype::int8)) {
      throw assay::Skip("with normal data the sums of 8-bit types are not exact; use data: integer");
    }
  }

  // ---- Multiply-adds on registers

  template <class Visit>
  auto with_type(Visit&& visit) const {
    switch (params_.dtype) {
      case Dtype::fp64:
        return visit(double{});
      case Dtype::fp16:
        return visit(__half2{});
      case Dtype::bf16:
        return visit(__nv_bfloat162{});
      default:
        return visit(float{});
    }
  }

  unsigned threads_of_chains() const { return blocks_of_chains_ * roofline::kVectorThreads; }

  void prepare_chains() {
    blocks_of_chains_ = roofline::kBlocksPerMultiprocessor * static_cast<unsigned>(device().sm_count());
    chains_ = cuda::DeviceBuffer<float>(device(), threads_of_chains());
  }

  void queue_chains(cudaStream_t stream) const {
    with_type([&](auto element) {
      roofline::chains_kernel<decltype(element)>
          <<<blocks_of_chains_, roofline::kVectorThreads, 0, stream>>>(1.0f, 1.0f, chains_.data());
    });
  }

  double operations_of_chains() const {
    return threads_of_chains() *
           with_type([](auto element) { return roofline::operations_of_thread<decltype(element)>(); });
  }

  float sum_of_chains() const {
    return with_type([](auto element) { return roofline::sum_of_thread<decltype(element)>(); });
  }

  // ---- Matrix units

  MatrixType matrix_type() const {
    switch (params_.dtype) {
      case Dtype::fp64:
        return MatrixType::fp64;
      case Dtype::fp32:
      case Dtype::tf32:
        break;
      case Dtype::fp16:
        return MatrixType::fp16;
      case Dtype::bf16:
        return MatrixType::bf16;
      case Dtype::fp8_e4m3:
        return MatrixType::fp8_e4m3;
      case Dtype::int8:
        return MatrixType::int8;
    }
    return MatrixType::tf32;
  }

  // ---- Memory, and what is placed under the roofs

  template <class Element>
  void fill(const cuda::DeviceBuffer<Element>& to, std::uint64_t seed) {
    if (is_double()) {
      fill_kernel<<<4096, 256, 0, stream()>>>(reinterpret_cast<double*>(to.data()), to.size() / 2, seed);
    } else {
      fill_kernel<<<4096, 256, 0, stream()>>>(to.data(), to.size(), seed);
    }
    ASSAY_CUDA_CHECK_LAUNCH("fill");
  }

  static float4* vectors(const cuda::DeviceBuffer<float>& buffer, std::uint64_t first) {
    return reinterpret_cast<float4*>(buffer.data() + first);
  }

  void queue_sweep(cudaStream_t stream, std::uint64_t set, Steps steps) {
    const auto* in = reinterpret_cast<const uint4*>(x_.data() + set * floats());
    double* out = out_.data() + set * blocks_of_sweep();
    const auto blocks = static_cast<unsigned>(blocks_of_sweep());
    if (is_double()) {
      roofline::sweep_kernel<double><<<blocks, roofline::kVectorThreads, 0, stream>>>(in, 1.0, steps, out);
    } else {
      roofline::sweep_kernel<float><<<blocks, roofline::kVectorThreads, 0, stream>>>(in, 1.0f, steps, out);
    }
  }

  void prepare_memory() {
    x_ = cuda::DeviceBuffer<float>(device(), sets_ * floats());
    out_ = cuda::DeviceBuffer<double>(device(), sets_ * blocks_of_sweep());
    if (params_.work == Work::axpy) y_ = cuda::DeviceBuffer<float>(device(), sets_ * floats());
    if (params_.work == Work::axpy || params_.work == Work::gelu)
      z_ = cuda::DeviceBuffer<float>(device(), sets_ * floats());
    restore();

    const auto bytes = static_cast<double>(params_.bytes);
    double operations = 0;
    if (params_.work == Work::sweep) {
      steps_ = roofline::steps_for(params_.intensity, elements());
      operations = steps_.intensity(elements()) * bytes;
    } else if (params_.work == Work::axpy) {
      operations = 2 * bytes / 4;
    } else if (params_.work == Work::gelu) {
      operations = roofline::kGeluOperations * bytes / 4;
    }
    work("bandwidth", static_cast<double>(arrays()) * bytes);
    if (!is_placed()) return;
    work("throughput", operations);
    place(operations / (static_cast<double>(arrays()) * bytes));
  }

  void place(double intensity) {
    prepare_chains();
    const double compute =
        operations_of_chains() / roofline::fastest(context(), stream(), [&] { queue_chains(stream()); });
    chains_ = {};
    const double memory = static_cast<double>(params_.bytes) / roofline::fastest(context(), stream(), [&] {
                            queue_sweep(stream(), roofs_read_++ % sets_, {});
                          });
    roofline::record_placement(context(), intensity, compute, memory);
  }

  void verify_gelu() {
    checks().method("in double precision, at three places");
    const std::uint64_t all = z_.size(), count = std::min(kGeluSample, all);
    for (const std::uint64_t first : {std::uint64_t{0}, (all - count) / 2, all - count}) {
      const std::vector<float> seen = z_.copy_back(stream(), first, count);
      for (std::uint64_t i = 0; i < count; ++i) {
        const double x = roofline::initial(first + i, context().seed());
        const double right = x / 2 * (1 + std::tanh(x * (roofline::kGeluC0 + roofline::kGeluC1 * x * x)));
        checks().expect_close(seen[i], right, assay::absolute(4e-6), first + i);
      }
    }
  }

  Params params_;
  std::uint64_t sets_ = 1, roofs_read_ = 0;
  Steps steps_;
  unsigned blocks_of_chains_ = 0;
  cuda::DeviceBuffer<float> chains_, x_, y_, z_;
  cuda::DeviceBuffer<double> out_;  // sums of blocks
  std::optional<roofline::MatrixWork> matrix_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("the roofs of a GPU, and operations placed under them");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.roofline.cuda", "0.1.0", assay::cuda::backend, About, Roofline)
