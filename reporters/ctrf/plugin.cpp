// SPDX-License-Identifier: Apache-2.0
#include "ctrf/ctrf.hpp"

#include <assay/plugin.hpp>

namespace {

class Ctrf final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("ctrf").summary("Common Test Report Format for CI systems").file("ctrf.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_ctrf(read_document(document)));
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as CTRF");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.ctrf", "0.1.0", Ctrf, About)
