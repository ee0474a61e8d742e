// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include <assay/plugin.hpp>

namespace {

class Trace final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("trace").summary("Timelines for Perfetto and chrome://tracing").file("trace.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    assay::File file = files.main();
    render_trace(read_document(document), [&](std::string_view piece) { file.write(piece); });
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("Timelines as a Chrome trace");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.trace", "0.1.0", Trace, About)
