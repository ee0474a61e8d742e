// SPDX-License-Identifier: Apache-2.0
//
// roofline_gemm@host: a matrix product by the BLAS, placed under the roofs that were measured before it.
#include "lib/blas_product.hpp"
#include "lib/cpu_team.hpp"
#include "lib/fma_peak.hpp"
#include "lib/pages.hpp"
#include "lib/product_description.hpp"
#include "roofline/host_kernels.hpp"
#include "roofline/host_roofs.hpp"
#include "roofline/placement.hpp"
#include "roofline/roofs.hpp"

#include <assay/host.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace {

namespace roofline = assay::plugins::roofline;
using assay::plugins::CpuTeam;
using assay::plugins::gemm::Product;

enum class Dtype { fp32, fp64 };

class PlacedProduct final : public assay::host::Benchmark {
 public:
  struct Params {
    std::uint32_t m = 2048, n = 2048, k = 2048;
    Dtype dtype = Dtype::fp64;
    std::uint64_t roof_bytes = 256 * assay::kMiB;
    std::uint32_t threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("roofline_gemm").revision(1);
    is.summary("a matrix product on the CPUs, placed under their roofs");
    is.doc(
        "C = A·B by OpenBLAS, m × k by k × n. Before the samples both roofs are measured on the same "
        "threads, multiply-adds of the same type and reading, and what they leave to reach is recorded: "
        "`throughput >= 70% of peak` is a share of that.");
    assay::plugins::gemm::describe_sizes(is);
    is.param("dtype", &Params::dtype)
        .choices({{"fp32", Dtype::fp32}, {"fp64", Dtype::fp64}})
        .help("type of the matrices");
    is.param("roof_bytes", &Params::roof_bytes)
        .unit(assay::unit::bytes)
        .range(64 * assay::kKiB, std::uint64_t{1} << 42)
        .help(
            "bytes that are read for the roof of memory; a multiple "
            "of 512, several times the last-level cache");
    is.param("threads", &Params::threads).range(0, 65536).help("number of threads; 0: one per allowed CPU");
    roofline::describe_product_rates(is, "CPU threads, OpenBLAS");
    is.fact("threads", "number of threads that took part");
    is.fact("vectors", "vector instructions of the compute roof");
    is.supports({assay::Data::normal, assay::Data::uniform, assay::Data::integer, assay::Data::zeros,
                 assay::Data::ones});
    is.supports({assay::Cache::hot});
  }

  PlacedProduct(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void probe() override {
    if (params_.roof_bytes % (8 * roofline::kStripe) != 0)
      throw assay::BadParameter("roof_bytes", "it is not a multiple of 512");
  }

  void prepare() override {
    CpuTeam& team = *(team_ = std::make_unique<CpuTeam>(static_cast<int>(params_.threads)));
    openblas_set_num_threads(team.size());
    context().fact("threads", std::to_string(team.size()));
    const bool single = params_.dtype == Dtype::fp32;
    const auto compute = single ? assay::plugins::measure_fma_peak<float>(team)
                                : assay::plugins::measure_fma_peak<double>(team);
    context().fact("vectors", compute.vector);
    const roofline::ProductCounts counts(params_.m, params_.n, params_.k, single ? 4 : 8);
    roofline::record_placement(context(), counts.intensity(), compute.operations_per_second,
                               memory_roof(team));
    if (single)
      product_ = std::make_unique<Product<float>>(context(), params_.m, params_.n, params_.k, false, false);
    else
      product_ = std::make_unique<Product<double>>(context(), params_.m, params_.n, params_.k, false, false);
    restore();
    work("throughput", counts.operations());
    work("bandwidth", counts.bytes());
    idempotent();
    inputs_follow_seed();
    done(ASSAY_DONE_HOT);
  }

  void restore() override {
    const assay::Conditions conditions = context().conditions();
    visit([&](auto& product) { product.fill(*team_, conditions.data, conditions.seed); });
  }

  void destroy_results() override {
    visit([&](auto& product) { product.clear(*team_); });
  }

  void run(std::uint64_t n) override {
    visit([&](auto& product) {
      for (std::uint64_t i = 0; i < n; ++i) product.run();
    });
  }

  void verify() override {
    visit([&](auto& product) { product.verify(*team_, false, context().seed(), checks()); });
  }

 private:
  template <class Body>
  void visit(Body&& body) {
    std::visit([&](auto& product) { body(*product); }, product_);
  }

  double memory_roof(CpuTeam& team) const {
    assay::HostBuffer<double> numbers(context(), params_.roof_bytes / 8, 4096);
    assay::plugins::ask_for_huge_pages(numbers.data(), numbers.bytes());
    team.run([&](int member) {
      const auto [first, last] = team.share(member, numbers.size(), roofline::kStripe);
      std::fill(numbers.data() + first, numbers.data() + last, 1.0);
    });
    return roofline::reading_rate(context(), team, numbers, roofline::best_sweep());
  }

  Params params_;
  std::variant<std::unique_ptr<Product<float>>, std::unique_ptr<Product<double>>> product_;
  std::unique_ptr<CpuTeam> team_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("a matrix product under the roofs of the CPUs");
    is.needs("libopenblas.so.0", "apt-get install libopenblas0");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.roofline.gemm.host", "0.1.0", assay::host::backend, PlacedProduct, About)
