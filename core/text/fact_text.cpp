// SPDX-License-Identifier: Apache-2.0
#include "text/fact_text.hpp"

#include "text/quantity_text.hpp"

#include <fmt/format.h>

namespace assay {
namespace {

constexpr std::string_view kBytes = "_bytes", kHertz = "_hz", kWatts = "_w";

}  // namespace

std::string fact_name(std::string_view key) {
  for (const std::string_view unit : {kBytes, kHertz, kWatts})
    if (key.ends_with(unit)) return std::string(key.substr(0, key.size() - unit.size()));
  return std::string(key);
}

std::string fact_text(std::string_view key, double value) {
  if (key.ends_with(kBytes)) return quantity_text(value, "B");
  if (key.ends_with(kHertz)) return fmt::format("{:.0f} MHz", value / 1e6);
  if (key.ends_with(kWatts)) return fmt::format("{:.0f} W", value);
  return {};
}

}  // namespace assay
