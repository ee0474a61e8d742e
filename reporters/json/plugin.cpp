// SPDX-License-Identifier: Apache-2.0
#include "json/json.hpp"

#include <assay/plugin.hpp>

namespace {

// The document itself: what `assay report` and `assay compare` read.
class Json final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("json").summary("The result document itself").file("result.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    assay::File file = files.main();
    assay::reporters::render_json(document, [&](std::string_view piece) { file.write(piece); });
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as JSON");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.json", "0.1.0", Json, About)
