// SPDX-License-Identifier: Apache-2.0
#include "csv/csv.hpp"

#include <assay/plugin.hpp>

namespace {

class Csv final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("csv").summary("A table for spreadsheets and data frames").file("results.csv");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_csv(read_document(document)));
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as CSV");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.csv", "0.1.0", Csv, About)
