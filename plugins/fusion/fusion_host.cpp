// SPDX-License-Identifier: Apache-2.0
//
// fusion@host: bias + GELU in two passes over memory and in one, on all allowed CPUs.
#include "fusion/byte_model.hpp"
#include "fusion/host_work.hpp"
#include "lib/cache_size.hpp"
#include "lib/cpu_team.hpp"
#include "lib/pages.hpp"

#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace {

using assay::Data;
using assay::plugins::CpuTeam;
using assay::plugins::SpinBarrier;
using namespace assay::plugins::fusion;  // NOLINT: the parts of this plugin

enum class Dtype { fp32, fp64 };

class Fusion final : public assay::host::Benchmark {
 public:
  struct Params {
    Variant variant = Variant::fused;
    Gelu gelu = Gelu::tanh;
    Bias bias = Bias::vector;
    Dtype dtype = Dtype::fp32;
    std::uint32_t rows = 8192, columns = 4096, threads = 0;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("fusion").revision(1);
    is.summary("bias + GELU in two passes over memory and in one, on the CPUs");
    is.doc(
        "y = gelu(x + b) over rows × columns. `separate` stores x + b and reads it back once all threads "
        "have "
        "stored theirs, `fused` does not. Every allowed CPU works on its own share of the arrays, which it "
        "touched first. What fusing should bring is a matter of bytes: model_speedup. It is about memory, or "
        "about the cache that holds the arrays: see the fact working_set. Bytes are counted as passes name "
        "them, not the line that a store fetches before it writes.");
    is.param("variant", &Params::variant)
        .choices({{"separate", Variant::separate}, {"fused", Variant::fused}})
        .help("variant that is run");
    is.param("gelu", &Params::gelu)
        .choices({{"erf", Gelu::erf}, {"tanh", Gelu::tanh}})
        .help("formula of GELU: the error function, or its approximation by tanh");
    is.param("bias", &Params::bias)
        .choices({{"vector", Bias::vector}, {"full", Bias::full}})
        .help("shape of the bias: one number a column, or an array of the whole shape");
    is.param("dtype", &Params::dtype)
        .choices({{"fp32", Dtype::fp32}, {"fp64", Dtype::fp64}})
        .help("type of all arrays, and of what is computed");
    is.param("rows", &Params::rows).range(1, 1 << 24).help("rows of x and y");
    is.param("columns", &Params::columns).range(8, 1 << 20).help("columns of x and y");
    is.param("threads", &Params::threads).range(0, 65536).help("number of threads; 0: one per allowed CPU");
    is.duration("latency").summary("time of y from x and b, all of its passes").headline();
    is.rate("bandwidth", assay::unit::bytes_per_second)
        .counting("every array that a pass reads or writes, each time")
        .mechanism("CPU threads");
    is.value("model_bytes", assay::unit::bytes).summary("data that bias and GELU move in this variant");
    is.value("model_speedup", assay::unit::one)
        .summary("bytes of `separate` over this variant's: what fusing brings if bytes are all that counts");
    is.fact("threads", "number of threads that took part");
    is.fact("working_set", "size of all arrays, and how it compares to the last-level cache");
    is.fact("pages", "page size under the arrays");
    is.fact("vectors", "vector instructions of the passes");
    is.supports({Data::normal, Data::uniform, Data::integer, Data::zeros, Data::ones});
    is.supports({assay::Cache::hot});
  }

  Fusion(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {}

  void prepare() override {
    team_.emplace(static_cast<int>(params_.threads));
    const HostTask task{params_.variant, params_.gelu, params_.bias, params_.rows, params_.columns};
    if (params_.dtype == Dtype::fp32) {
      work_ = std::make_unique<HostWorkOf<float>>(context(), *team_, task);
    } else {
      work_ = std::make_unique<HostWorkOf<double>>(context(), *team_, task);
    }
    restore();
    idempotent();
    inputs_follow_seed();
    declare();
  }

  void restore() override { work_->restore(context()); }

  void destroy_results() override { work_->destroy_results(context()); }

  void verify() override { work_->check(context(), checks()); }

  // Waking the team is not measured: the region begins when all have come and ends when all are done. They
  // meet after every pass, as kernels on a GPU end before the next one begins: otherwise a share that fits
  // into its CPU's own cache would be found there by the second pass.
  void run(std::uint64_t n) override {
    const unsigned passes = kernels_of(params_.variant);
    SpinBarrier barrier(team_->size());
    team_->run([&](int member) {
      barrier.wait([&] { begin_ns_ = context().now_ns(); });
      for (std::uint64_t left = n; left > 0; --left) {
        for (unsigned pass = 0; pass < passes; ++pass) {
          work_->pass(pass, member);
          barrier.wait([&] {
            if (left == 1 && pass + 1 == passes) end_ns_ = context().now_ns();
          });
        }
      }
    });
  }

  void iterate(assay::Mode, std::uint64_t n, assay::Sample& sample) override {
    run(n);
    sample.host_s = sample.device_s =
        static_cast<double>(end_ns_ > begin_ns_ ? end_ns_ - begin_ns_ : 1) * 1e-9;
    sample.begin_ns = begin_ns_;
    sample.end_ns = end_ns_;
    sample.done = ASSAY_DONE_HOT;
  }

 private:
  void declare() {
    const unsigned element_bytes = params_.dtype == Dtype::fp32 ? sizeof(float) : sizeof(double);
    const double bytes =
        bytes_of(params_.variant, params_.bias, params_.rows, params_.columns, element_bytes);
    context().value("model_bytes", bytes);
    context().value("model_speedup", model_speedup(params_.variant, params_.bias, params_.rows,
                                                   params_.columns, element_bytes));
    work("latency", 1);
    work("bandwidth", bytes);
    context().fact("threads", std::to_string(team_->size()));
    context().fact("pages", assay::plugins::page_policy());
    context().fact("vectors", work_->vectors());
    context().fact("working_set", assay::plugins::working_set_text(static_cast<double>(work_->bytes()),
                                                                   assay::plugins::allowed_cpus()));
  }

  Params params_;
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
  std::optional<CpuTeam> team_;
  std::unique_ptr<HostWork> work_;  // last: it points at the team, which is idle between calls
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("fused and separate passes over memory on the CPUs");
  }
};

}  // namespace

ASSAY_PLUGIN("org.assay.fusion.host", "0.1.0", assay::host::backend, Fusion, About)
