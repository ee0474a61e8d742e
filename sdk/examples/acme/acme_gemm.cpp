// SPDX-License-Identifier: Apache-2.0
//
// gemm/1 on the simulated clock. Products of small whole numbers are computed on the CPU and compared row by
// row with 64-bit integers, as the contract says; large ones in a part.
#include "simulated_device.hpp"

#include <assay/contracts/gemm_1.hpp>
#include <assay/memory.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstdint>

namespace {

enum class Dtype { fp32, fp64 };
enum class Layout { nn, nt, tn, tt };

class AcmeGemm final : public acme::SimulatedBenchmark {
 public:
  struct Params {
    std::uint32_t m = 2048, n = 2048, k = 2048;
    Dtype dtype = Dtype::fp32;
    Layout layout = Layout::nn;
  };

  static void describe(assay::Description<Params>& is) {
    namespace contract = assay::contracts::gemm_1;
    contract::implement(is).revision(1);
    is.summary("matrix product C = A·B on a simulated accelerator");
    contract::m(is, &Params::m).range(1, 1 << 20);
    contract::n(is, &Params::n).range(1, 1 << 20);
    contract::k(is, &Params::k).range(1, 1 << 20);
    contract::dtype(is, &Params::dtype)
        .choices({{"fp32", Dtype::fp32}, {"fp64", Dtype::fp64}})
        .help("type of all three matrices");
    contract::layout(is, &Params::layout)
        .choices({{"nn", Layout::nn}, {"nt", Layout::nt}, {"tn", Layout::tn}, {"tt", Layout::tt}})
        .help("order of storage of A and B, transposed or not");
    contract::throughput(is).mechanism("simulation").peak("fma_peak");
    is.value("fma_peak", assay::unit::flop_per_second).summary("of the simulated multiply-add units");
    is.supports({assay::Data::integer});
    is.supports({assay::Cache::hot});
  }

  AcmeGemm(const Params& params, assay::Case& run) : SimulatedBenchmark(run), params_(params) {}

  void prepare() override {
    a_ = assay::HostBuffer<double>(context(), kPart * kPart);
    b_ = assay::HostBuffer<double>(context(), kPart * kPart);
    c_ = assay::HostBuffer<double>(context(), kPart * kPart);
    context().value("fma_peak", peak());
    work("throughput", operations());
  }

  double seconds() const override { return acme::kLaunch_s + operations() / (peak() * kShare); }

  void compute(assay::Verification& seen) override {
    seen.method("64-bit integer products of a part");
    const std::size_t m = part(params_.m), n = part(params_.n), k = part(params_.k);
    const bool across_a = params_.layout == Layout::tn || params_.layout == Layout::tt;
    const bool across_b = params_.layout == Layout::nt || params_.layout == Layout::tt;
    // Element (row, column) of a matrix that is stored row by row, or column by column.
    const auto at = [](std::size_t row, std::size_t column, std::size_t rows, std::size_t columns,
                       bool across) { return across ? column * rows + row : row * columns + column; };
    const assay::Random left(context().seed(), 1), right(context().seed(), 2);
    for (std::size_t i = 0; i < m * k; ++i) a_[i] = static_cast<double>(left.integer(i, -3, 3));
    for (std::size_t i = 0; i < k * n; ++i) b_[i] = static_cast<double>(right.integer(i, -3, 3));
    for (std::size_t i = 0; i < m * n; ++i) c_[i] = 0.5;  // no product of whole numbers
    for (std::size_t row = 0; row < m; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i)
          sum += a_[at(row, i, m, k, across_a)] * b_[at(i, column, k, n, across_b)];
        c_[row * n + column] = sum;
      }
    }
    context().throw_if_cancelled();
    for (std::size_t row = 0; row < m; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < k; ++i)
          sum += left.integer(at(row, i, m, k, across_a), -3, 3) *
                 right.integer(at(i, column, k, n, across_b), -3, 3);
        seen.expect_equal(c_[row * n + column], static_cast<double>(sum), row * n + column);
      }
    }
  }

 private:
  static constexpr std::size_t kPart = 64;
  static constexpr double kShare = 0.8;

  static std::size_t part(std::uint32_t size) { return std::min<std::size_t>(size, kPart); }
  double operations() const { return 2.0 * params_.m * params_.n * params_.k; }
  double peak() const { return params_.dtype == Dtype::fp32 ? 60e12 : 30e12; }

  Params params_;
  assay::HostBuffer<double> a_, b_, c_;
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Acme").license("Apache-2.0").summary("matrix products on Acme accelerators, simulated");
  }
};

}  // namespace

ASSAY_PLUGIN("com.acme.gemm", "1.0.0", acme::kBackend, AcmeGemm, About)
