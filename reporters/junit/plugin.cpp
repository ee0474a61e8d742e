// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "junit/comparison.hpp"
#include "junit/junit.hpp"

namespace {

class Junit final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as JUnit XML";

  static void describe(assay::ReporterDescription& is) {
    is.named("junit").summary("JUnit XML for CI systems").file("junit.xml");
    is.option("dialect", "portable")
        .values({"portable", "rich"})
        .help("form of test cases: rich adds file, line and properties, which strict readers refuse");
    is.option("prefix", "")
        .help(
            "text before the names of suites and classes, such as prefix=h200 where files of several machines meet");
  }

  void render(std::string_view document, const assay::Options& options, assay::Files& files) override {
    using namespace assay::reporters;
    const JunitOptions chosen = junit_options(listed(options, {"dialect", "prefix"}));
    files.main().write(assay::model::is_comparison(document)
                           ? render_junit(assay::model::read_comparison(document))
                           : render_junit(read_document(document), chosen));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.junit", "0.1.0", Junit, assay::reporters::Ours<Junit>)
