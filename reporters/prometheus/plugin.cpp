// SPDX-License-Identifier: Apache-2.0
#include "prometheus/prometheus.hpp"

#include <assay/plugin.hpp>

namespace {

class Prometheus final : public assay::Reporter {
 public:
  static void describe(assay::ReporterDescription& is) {
    is.named("prometheus").summary("Gauges for node_exporter's textfile collector").file("assay.prom");
  }

  void render(std::string_view document, const assay::Options&, assay::Files& files) override {
    using namespace assay::reporters;
    files.main().write(render_prometheus(read_document(document)));
  }
};

struct About {
  static void describe(assay::About& is) {
    is.vendor("Assay").license("Apache-2.0").summary("The result as Prometheus metrics");
  }
};

}  // namespace

ASSAY_REPORTER_PLUGIN("org.assay.reporter.prometheus", "0.1.0", Prometheus, About)
