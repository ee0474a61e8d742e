// SPDX-License-Identifier: Apache-2.0
#include "html/comparison.hpp"
#include "html/html.hpp"

#include <assay/plugin.hpp>

namespace {

class Html final : public assay::Reporter {
 public:
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

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as one HTML page");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.html", "0.1.0", Html, About)
