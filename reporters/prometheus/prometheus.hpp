// SPDX-License-Identifier: Apache-2.0
//
// The result as gauges in Prometheus' text format, for node_exporter's textfile collector: no time stamps, one family a unit.
#pragma once

#include "lib/document.hpp"

#include <string>

namespace assay::reporters {

[[nodiscard]] std::string render_prometheus(const Document& document);

}  // namespace assay::reporters
