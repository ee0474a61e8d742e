// SPDX-License-Identifier: Apache-2.0
#include "lib/telemetry_unit.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace assay::reporters {

Unit telemetry_unit(const model::Telemetry& telemetry) {
  if (!telemetry.unit.empty()) return Unit(telemetry.unit);
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kUnits{{{"power", "W"},
                                                                            {"energy", "J"},
                                                                            {"temperature", "C"},
                                                                            {"clock", "Hz"},
                                                                            {"memory_clock", "Hz"},
                                                                            {"memory_used", "B"}}};
  for (const auto& [quantity, unit] : kUnits)
    if (quantity == telemetry.quantity) return Unit(unit);
  return Unit("1");
}

}  // namespace assay::reporters
