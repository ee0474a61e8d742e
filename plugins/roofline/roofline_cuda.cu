// SPDX-License-Identifier: Apache-2.0
//
// roofline@cuda: measured roofs of a GPU, and operations placed under them. README.md says how they are
// counted.
#include "roofline/chain_work.cuh"
#include "roofline/device_roofs.cuh"
#include "roofline/matrix_work.hpp"
#include "roofline/memory_work.cuh"
#include "roofline/placement.hpp"

#include <assay/cuda.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace {

namespace cuda = assay::cuda;
namespace roofline = assay::plugins::roofline;
using roofline::MatrixType;
using roofline::Pass;
using roofline::VectorType;

enum class Work { fma, matrix, memory, sweep, axpy, gelu };
enum class Dtype { fp64, fp32, tf32, fp16, bf16, fp8_e4m3, int8 };

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
    is.summary("measured roofs of a GPU, and operations placed under them");
    is.doc(
        "`fma` and `matrix` are roofs of computing: multiply-adds on registers, and products by the matrix "
        "units of operands that stay in shared memory. `memory` is the roof of reading. `sweep` reads and "
        "does as many multiply-adds with every byte as `intensity` says; `axpy` and `gelu` are operations as "
        "programs have them. These three measure both roofs first and record what they leave to reach: "
        "`throughput >= 85% of peak` is a share of that.");
    is.param("work", &Params::work)
        .choices({{"fma", Work::fma},
                  {"matrix", Work::matrix},
                  {"memory", Work::memory},
                  {"sweep", Work::sweep},
                  {"axpy", Work::axpy},
                  {"gelu", Work::gelu}})
        .help("work that is measured: a roof (fma, matrix, memory), or what is placed under them");
    is.param("dtype", &Params::dtype)
        .choices({{"fp64", Dtype::fp64},
                  {"fp32", Dtype::fp32},
                  {"tf32", Dtype::tf32},
                  {"fp16", Dtype::fp16},
                  {"bf16", Dtype::bf16},
                  {"fp8_e4m3", Dtype::fp8_e4m3},
                  {"int8", Dtype::int8}})
        .help(
            "type of the numbers; fma: fp64, fp32, fp16, bf16; matrix: "
            "all but fp32; sweep: fp64, fp32; axpy, gelu: fp32");
    is.param("intensity", &Params::intensity)
        .range(0.125, 1024)
        .help("operations of sweep for every byte that is read, a multiple of 0.125");
    is.param("bytes", &Params::bytes)
        .unit(assay::unit::bytes)
        .range(roofline::kBytesOfBlock, std::uint64_t{1} << 42)
        .help("size of each array in memory; a multiple of 16 KiB");
    is.rate("vector_throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("multiply-add units")
        .peak("vector_throughput")
        .summary("rate of work: fma")
        .headline();
    is.rate("matrix_throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add")
        .mechanism("matrix units")
        .peak("matrix_throughput")
        .summary("dense rate of work: matrix")
        .headline();
    is.rate("throughput", assay::unit::flop_per_second)
        .counting("2 operations a multiply-add, 1 any other; gelu: 8 an element")
        .mechanism("multiply-add units")
        .peak("attainable")
        .summary("rate of sweep, axpy and gelu")
        .headline();
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("each array read or written once")
        .flow("reads and writes together")
        .mechanism("kernel")
        .peak("memory_bandwidth")
        .summary("rate of all that goes through memory")
        .headline();
    is.value("compute_roof", assay::unit::flop_per_second)
        .higher_is_better()
        .summary("rate of multiply-adds of this dtype, measured before the samples");
    is.value("memory_roof", assay::unit::bytes_per_second)
        .higher_is_better()
        .summary("rate of reading, measured before the samples");
    roofline::describe_placement(is);
    is.supports({assay::Data::integer, assay::Data::normal, assay::Data::zeros, assay::Data::ones});
    cuda::support_conditions(is);
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
        chains_.emplace(device(), vector_type());
        work("vector_throughput", chains_->operations());
        break;
      case Work::matrix:
        matrix_.emplace(context(), device(), stream(), matrix_type());
        work("matrix_throughput", matrix_->operations());
        break;
      default:
        memory_.emplace(device(), plan());
        inputs_follow_seed();
        work("bandwidth", memory_->bytes());
        if (is_placed()) place();
        break;
    }
  }

  void restore() override {
    if (chains_) chains_->restore(stream());
    if (matrix_) matrix_->restore(stream());
    if (memory_) memory_->restore(stream(), context().seed());
  }

  void enqueue(cudaStream_t stream, std::uint64_t i) override {
    if (chains_) chains_->enqueue(stream);
    if (matrix_) matrix_->enqueue(stream);
    if (memory_) memory_->enqueue(stream, i % sets_);
    ASSAY_CUDA_CHECK_LAUNCH("the work");
  }

  void verify() override {
    checks().method("closed form, exact");
    if (chains_) chains_->verify(context(), device(), stream(), checks());
    if (matrix_) matrix_->verify(stream(), checks());
    if (memory_) memory_->verify(context(), device(), stream(), checks());
  }

 private:
  static constexpr std::uint64_t kSpareBytes = 256 * assay::kMiB;  // sums, and what the driver needs itself

  bool uses_memory() const { return params_.work != Work::fma && params_.work != Work::matrix; }
  bool is_placed() const { return uses_memory() && params_.work != Work::memory; }
  std::uint64_t arrays() const { return roofline::MemoryWork::arrays(pass()); }
  std::uint64_t ring_sets() {
    return uses_memory() ? buffer_sets(arrays() * params_.bytes) : buffer_sets(0, assay::Cache::hot);
  }

  Pass pass() const {
    switch (params_.work) {
      case Work::sweep:
        return Pass::sweep;
      case Work::axpy:
        return Pass::axpy;
      case Work::gelu:
        return Pass::gelu;
      default:
        return Pass::read;
    }
  }

  roofline::MemoryWork::Plan plan() const {
    return {pass(),
            params_.work == Work::sweep && params_.dtype == Dtype::fp64,
            params_.intensity,
            params_.bytes,
            sets_,
            context().seed()};
  }

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

  VectorType vector_type() const {
    switch (params_.dtype) {
      case Dtype::fp64:
        return VectorType::fp64;
      case Dtype::fp16:
        return VectorType::fp16;
      case Dtype::bf16:
        return VectorType::bf16;
      default:
        return VectorType::fp32;
    }
  }

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

  // Measures both roofs, which the work is placed under.
  void place() {
    work("throughput", memory_->operations());
    memory_->restore(stream(), context().seed());
    const roofline::ChainWork chains(device(), vector_type());
    const double compute =
        chains.operations() / roofline::fastest(context(), stream(), [&] { chains.enqueue(stream()); });
    std::uint64_t readings = 0;
    const double memory = static_cast<double>(params_.bytes) / roofline::fastest(context(), stream(), [&] {
                            memory_->enqueue_reading(stream(), readings++ % sets_);
                          });
    roofline::record_placement(context(), memory_->operations() / memory_->bytes(), compute, memory);
  }

  Params params_;
  std::uint64_t sets_ = 1;
  // One of them, by the work.
  std::optional<roofline::ChainWork> chains_;
  std::optional<roofline::MatrixWork> matrix_;
  std::optional<roofline::MemoryWork> memory_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("the roofs of a GPU, and operations placed under them");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.roofline.cuda", "0.1.0", assay::cuda::backend, About, Roofline)
