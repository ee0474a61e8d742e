// SPDX-License-Identifier: Apache-2.0
//
// Numbers inside the sentences of reasons. Tables are the reporters' business.
#pragma once

#include <string>
#include <utility>

namespace assay::judge {

// The unit of values in base units, and the one that the suite wrote for them, if it wrote one.
struct UnitText {
  std::string base = "1";
  std::string written = {};  // "tokens/s", "us"; or ""
  double scale = 1;          // base units in one of those

  UnitText() = default;
  UnitText(std::string unit) : base(std::move(unit)) {}
  UnitText(const char* unit) : base(unit) {}
  UnitText(std::string unit, std::string as_written, double units)
      : base(std::move(unit)), written(std::move(as_written)), scale(units) {}
};

// "41.2 GB/s", "18.9 us", "64 MiB", "0.0123", "85 C": three significant digits, in the unit that was written where
// the number can be read in it, else with a prefix that fits the base unit.
[[nodiscard]] std::string quantity_text(double value, const UnitText& unit);

// "5.3 %": one digit after the point, none from 100 on or for whole ones.
[[nodiscard]] std::string percent_text(double share);

}  // namespace assay::judge
