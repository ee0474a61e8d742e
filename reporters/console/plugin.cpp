// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "console/comparison.hpp"
#include "console/console.hpp"

namespace {

class Console final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The report on the terminal";

  static void describe(assay::ReporterDescription& is) {
    is.named("console").summary("Tables for a person at a terminal").file("-");
    is.option("color", false).help("colours for outcomes");
    is.option("ascii", false).help("only ASCII characters");
    is.option("width", 120).help("columns of the terminal, at least 40");
    is.option("verbose", false)
        .help(
            "all flags of all cases, p99 and p99.9 of their iterations, and what of their samples does not grow with iterations");
    is.option("results", "").help("text of the line 'results': where the run's files are");
    is.option("folder", "").help("the run's folder, for the command that goes on or runs again");
    is.option("repeat", "").help("the command that ran it, to which --resume or --failed can be added");
    is.option("exit", "").help("text of the line 'exit', if it is not the run's exit code");
    is.option("again", "").help("text of the line 'again', if it is another command than 'repeat' tells");
    is.option("continued", false)
        .help("table that another one follows: no lines 'results', 'again' and 'exit'");
  }

  void render(std::string_view document, const assay::Options& options, assay::Files& files) override {
    using namespace assay::reporters;
    const OptionList list = listed(options, {"color", "ascii", "width", "verbose", "results", "folder",
                                             "repeat", "exit", "again", "continued"});
    const ConsoleOptions chosen = console_options(list);
    files.main().write(assay::model::is_comparison(document)
                           ? render_console(assay::model::read_comparison(document), chosen)
                           : render_console(read_document(document), chosen));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.console", "0.1.0", Console, assay::reporters::Ours<Console>)
