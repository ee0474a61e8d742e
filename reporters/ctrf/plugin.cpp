// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "ctrf/ctrf.hpp"

namespace {

class Ctrf final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as CTRF";

  static void describe(assay::ReporterDescription& is) {
    is.named("ctrf").summary("Common Test Report Format for CI systems").file("ctrf.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_ctrf(read_document(document)));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.ctrf", "0.1.0", Ctrf, assay::reporters::Ours<Ctrf>)
