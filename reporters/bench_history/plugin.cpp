// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "bench_history/bench_history.hpp"

namespace {

class History final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result for services that keep a history";

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

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.bench-history", "0.1.0", History, assay::reporters::Ours<History>)
