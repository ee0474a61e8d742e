// SPDX-License-Identifier: Apache-2.0
#include "lib/plugin.hpp"

#include "prometheus/prometheus.hpp"

namespace {

class Prometheus final : public assay::Reporter {
 public:
  static constexpr const char* kAbout = "The result as Prometheus metrics";

  static void describe(assay::ReporterDescription& is) {
    is.named("prometheus").summary("Gauges for node_exporter's textfile collector").file("assay.prom");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_prometheus(read_document(document)));
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.prometheus", "0.1.0", Prometheus,
                      assay::reporters::Ours<Prometheus>)
