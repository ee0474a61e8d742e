// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "html/comparison.hpp"
#include "html/html.hpp"

namespace {

class Html final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as one HTML page";

  static void describe(assay::ReporterDescription& is) {
    is.named("html").summary("A page that needs nothing beside it").file("report.html");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(assay::model::is_comparison(document)
                           ? render_html(assay::model::read_comparison(document))
                           : render_html(read_document(document)));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.html", "0.1.0", Html, assay::reporters::Ours<Html>)
