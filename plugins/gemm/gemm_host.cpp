// SPDX-License-Identifier: Apache-2.0
//
// gemm@host: C = A·B on the CPUs through OpenBLAS, compared with the multiply-add rate that was measured in
// the same process.
#include "lib/blas_product.hpp"
#include "lib/cpu_team.hpp"
#include "lib/fma_peak.hpp"
#include "lib/product_description.hpp"

#include <assay/contracts/gemm_1.hpp>
#include <assay/data.hpp>
#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace {

using assay::plugins::CpuTeam;
using assay::plugins::gemm::Product;

enum class Dtype { fp32, fp64 };
enum class Layout { nn, nt, tn, tt };

class Gemm final : public assay::host::Benchmark {
 public:
  struct Params {
    std::uint32_t m = 2048, n = 2048, k = 2048;
    Dtype dtype = Dtype::fp32;
    Layout layout = Layout::nn;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::gemm_1;
    contract::implement(is).revision(1);
    is.summary("matrix product C = A·B on the CPUs (OpenBLAS)");
    is.doc(
        "A is m × k, B is k × n. The peak is measured in the same process before the product: the rate of "
        "independent multiply-add "
        "chains on all threads at once, with the widest vectors of this CPU.");
    assay::plugins::gemm::describe_sizes(is);
    contract::dtype(is, &Params::dtype)
        .choices({{"fp32", Dtype::fp32}, {"fp64", Dtype::fp64}})
        .help("type of all three matrices");
    contract::layout(is, &Params::layout)
        .choices({{"nn", Layout::nn}, {"nt", Layout::nt}, {"tn", Layout::tn}, {"tt", Layout::tt}})
        .help("order of storage of A and B, transposed or not");
    is.param("threads", &Params::threads).range(0, 65536).help("number of threads; 0: one per allowed CPU");
    contract::throughput(is).mechanism("CPU threads, OpenBLAS").peak("fma_peak");
    is.value("fma_peak", assay::unit::flop_per_second)
        .summary("multiply-add chains on the same threads, measured before the product");
    is.fact("library", "OpenBLAS' own description of the build and kernels that it chose");
    is.fact("threads", "number of threads that took part");
    is.fact("vectors", "vector instructions of the peak's measurement");
    is.supports({assay::Data::normal, assay::Data::uniform, assay::Data::integer, assay::Data::zeros,
                 assay::Data::ones});
    is.supports({assay::Cache::hot});
  }

  Gemm(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void prepare() override {
    CpuTeam& team = *(team_ = std::make_unique<CpuTeam>(static_cast<int>(params_.threads)));
    openblas_set_num_threads(team.size());
    context().fact("threads", std::to_string(openblas_get_num_threads()));
    context().fact("library", openblas_get_config());
    const bool single = params_.dtype == Dtype::fp32;
    const assay::plugins::FmaPeak peak = single ? assay::plugins::measure_fma_peak<float>(team)
                                                : assay::plugins::measure_fma_peak<double>(team);
    context().value("fma_peak", peak.operations_per_second);
    context().fact("vectors", peak.vector);

    const bool transpose_a = params_.layout == Layout::tn || params_.layout == Layout::tt;
    const bool transpose_b = params_.layout == Layout::nt || params_.layout == Layout::tt;
    if (single) {
      single_ = std::make_unique<Product<float>>(context(), params_.m, params_.n, params_.k, transpose_a,
                                                 transpose_b);
    } else {
      double_ = std::make_unique<Product<double>>(context(), params_.m, params_.n, params_.k, transpose_a,
                                                  transpose_b);
    }
    restore();
    work("throughput", 2.0 * params_.m * params_.n * params_.k);
    idempotent();
    inputs_follow_seed();
    done(ASSAY_DONE_HOT);
  }

  void restore() override {
    const assay::Conditions conditions = context().conditions();
    if (single_) single_->fill(*team_, conditions.data, conditions.seed);
    if (double_) double_->fill(*team_, conditions.data, conditions.seed);
  }

  void destroy_results() override {
    if (single_) single_->clear(*team_);
    if (double_) double_->clear(*team_);
  }

  void run(std::uint64_t n) override {
    for (std::uint64_t i = 0; i < n; ++i) single_ ? single_->run() : double_->run();
  }

  void verify() override {
    const assay::Conditions conditions = context().conditions();
    // Sums of products of small whole numbers are exact as long as they stay below 2^24 (9·k for numbers up
    // to 3).
    const bool whole = conditions.data == assay::Data::integer || conditions.data == assay::Data::ones ||
                       conditions.data == assay::Data::zeros;
    const bool exact = whole && (params_.dtype == Dtype::fp64 || 9.0 * params_.k < 0x1p24);
    if (single_) single_->verify(*team_, exact, conditions.seed, checks());
    if (double_) double_->verify(*team_, exact, conditions.seed, checks());
  }

 private:
  Params params_;
  std::unique_ptr<Product<float>> single_;
  std::unique_ptr<Product<double>> double_;
  std::unique_ptr<CpuTeam> team_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("matrix products on the CPUs");
    is.needs("libopenblas.so.0", "apt-get install libopenblas0");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.gemm.host", "0.1.0", assay::host::backend, Gemm, About)
