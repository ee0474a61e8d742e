// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "trace/trace.hpp"

namespace {

class Trace final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "Timelines as a Chrome trace";

  static void describe(assay::ReporterDescription& is) {
    is.named("trace").summary("Timelines for Perfetto and chrome://tracing").file("trace.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    assay::File file = files.main();
    render_trace(read_document(document), [&](std::string_view piece) { file.write(piece); });
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.trace", "0.1.0", Trace, assay::reporters::Ours<Trace>)
