// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "json/json.hpp"

namespace {

// The document itself: what `assay report` and `assay compare` read.
class Json final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as JSON";

  static void describe(assay::ReporterDescription& is) {
    is.named("json").summary("The result document itself").file("result.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    assay::File file = files.main();
    assay::reporters::render_json(document, [&](std::string_view piece) { file.write(piece); });
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.json", "0.1.0", Json, assay::reporters::Ours<Json>)
