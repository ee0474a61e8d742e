// SPDX-License-Identifier: Apache-2.0
#include "system/doubled_peaks.hpp"

#include "text/quantity_text.hpp"

#include <cmath>
#include <string>

namespace assay::system {
namespace {

constexpr double kRounding = 0.01;  // of sheets

class DoubledPeaks {
 public:
  DoubledPeaks(const Json& own, const Json& cited, Diagnostics& diagnostics)
      : own_(own), cited_(cited), diagnostics_(diagnostics) {}

  void look() {
    for (const auto& [name, given] : own_.at("peaks").items()) {
      const auto known = cited_.at("peaks").find(name);
      if (known == cited_.at("peaks").end()) continue;
      const auto table = known->find("by_dtype");
      if (table == known->end()) {
        compare(name, "", given, *known);
        continue;
      }
      if (!given.contains("by_dtype")) continue;
      for (const auto& [dtype, row] : given.at("by_dtype").items())
        if (table->contains(dtype)) compare(name, dtype, row, table->at(dtype));
    }
  }

 private:
  void compare(const std::string& name, const std::string& dtype, const Json& given, const Json& known) {
    if (!given.contains("value") || !known.contains("value")) return;
    const double value = given.at("value").get<double>(), cited = known.at("value").get<double>();
    if (std::fabs(value / cited / 2 - 1) > kRounding) return;
    const std::string unit = known.value("unit", "");
    const bool product = name == "matrix_throughput";
    diagnostics_.error("peaks.doubled", {},
                       "peak '" + name + "'" + (dtype.empty() ? "" : " of " + dtype) + " of '" +
                           own_.value("name", "") + "' (" + own_.value("source", "") + ") is " +
                           quantity_text(value, unit) + ", twice the " + quantity_text(cited, unit) + " of " +
                           cited_.value("source", ""),
                       product ? "sheets give the double for 2:4 sparsity; give the dense figure"
                               : "sheets add both directions of a link; give the figure of one way");
  }

  const Json& own_;
  const Json& cited_;
  Diagnostics& diagnostics_;
};

}  // namespace

void refuse_doubled_peaks(const Json& own, const Json& cited, Diagnostics& diagnostics) {
  for (const Json& entry : own)
    for (const Json& known : cited)
      if (entry.at("match").contains("model") && known.at("match").contains("model") &&
          entry.at("match").at("model") == known.at("match").at("model"))
        DoubledPeaks(entry, known, diagnostics).look();
}

}  // namespace assay::system
