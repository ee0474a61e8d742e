// SPDX-License-Identifier: Apache-2.0
#include "bench_history/bench_history.hpp"

#include <assay/plugin.hpp>

namespace {

class History final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("bench-history")
        .summary("Histories at Bencher and with github-action-benchmark")
        .file("bench-history.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    const BenchHistory history = render_bench_history(read_document(document));
    files.main().write(history.bencher);
    for (const auto& [name, text] : history.beside) files.open(name).write(text);
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result for services that keep a history");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.bench-history", "0.1.0", History, About)
