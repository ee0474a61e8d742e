// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "csv/csv.hpp"

namespace {

class Csv final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as CSV";

  static void describe(assay::ReporterDescription& is) {
    is.named("csv").summary("A table for spreadsheets and data frames").file("results.csv");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_csv(read_document(document)));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.csv", "0.1.0", Csv, assay::reporters::Ours<Csv>)
