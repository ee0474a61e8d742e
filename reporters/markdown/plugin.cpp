// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "markdown/comparison.hpp"
#include "markdown/markdown.hpp"

namespace {

class Markdown final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as Markdown";

  static void describe(assay::ReporterDescription& is) {
    is.named("markdown").summary("A report to read and to send on").file("report.md");
    is.option("flavor", "github").values({"github", "gitlab", "plain"}).help("dialect of Markdown");
    is.option("heading_base", 1).help("level of the title, 1 to 4; 3 suits a job summary");
    is.option("budget", 1000000).help("largest size in bytes; the least important parts are left out first");
    is.option("charts", true).help("pictures as SVG files beside the report");
  }

  void render(std::string_view document, const assay::Options& options, assay::Files& files) override {
    using namespace assay::reporters;
    const OptionList list = listed(options, {"flavor", "heading_base", "budget", "charts"});
    const MarkdownOptions chosen = markdown_options(list);
    PictureFiles pictures;
    files.main().write(assay::model::is_comparison(document)
                           ? render_markdown(assay::model::read_comparison(document), chosen, &pictures)
                           : render_markdown(read_document(document), chosen, &pictures));
    for (const auto& [name, svg] : pictures) files.open(name).write(svg);
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.markdown", "0.1.0", Markdown, assay::reporters::Ours<Markdown>)
