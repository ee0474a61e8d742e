// SPDX-License-Identifier: Apache-2.0
#include "gbench/gbench.hpp"

#include <assay/plugin.hpp>

namespace {

class Gbench final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("gbench").summary("JSON for Google Benchmark's compare.py").file("gbench.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_gbench(read_document(document)));
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as Google Benchmark writes it");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.gbench", "0.1.0", Gbench, About)
