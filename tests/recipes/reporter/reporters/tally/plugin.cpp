// SPDX-License-Identifier: Apache-2.0
#include "tally/tally.hpp"

#include <assay/plugin.hpp>

namespace {

class Tally final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("tally").summary("How many cases ended how").file("tally.txt");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_tally(read_document(document)));
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as one line");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.tally", "0.1.0", Tally, About)
