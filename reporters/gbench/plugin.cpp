// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "gbench/gbench.hpp"

namespace {

class Gbench final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as Google Benchmark writes it";

  static void describe(assay::ReporterDescription& is) {
    is.named("gbench").summary("JSON for Google Benchmark's compare.py").file("gbench.json");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_gbench(read_document(document)));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.gbench", "0.1.0", Gbench, assay::reporters::Ours<Gbench>)
