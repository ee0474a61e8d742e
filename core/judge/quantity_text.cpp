// SPDX-License-Identifier: Apache-2.0
#include "judge/quantity_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace assay::judge {
namespace {

std::string three_digits(double value) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : value > 0 ? "∞" : "-∞";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  std::array<char, 64> text{};
  if (magnitude >= 6 || magnitude < -4) {
    std::snprintf(text.data(), text.size(), "%.2e", value);
  } else {
    const int decimals = magnitude >= 2 ? 0 : 2 - magnitude;
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  }
  std::string digits = text.data();
  for (char& c : digits)
    if (c == ',') c = '.';  // a locale's decimal point
  if (digits.find('.') != std::string::npos && digits.find('e') == std::string::npos) {
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return digits;
}

using Prefixes = std::array<std::pair<double, const char*>, 5>;
constexpr Prefixes kLarge = {{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
constexpr std::array<std::pair<double, const char*>, 4> kBinary = {
    {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};

}  // namespace

std::string quantity_text(double value, const UnitText& as) {
  constexpr double kLeastWritten = 1e-3, kMostWritten = 1e6;
  const std::string& unit = as.base;
  const double written = std::fabs(value / as.scale);
  if (!as.written.empty() && (written == 0 || (written >= kLeastWritten && written < kMostWritten)))
    return three_digits(value / as.scale) + " " + as.written;
  const double size = std::fabs(value);
  if (unit == "1" || unit.empty()) return three_digits(value);
  if (unit == "s" && size > 0 && size < 1) {
    if (size < 1e-6) return three_digits(value * 1e9) + " ns";
    if (size < 1e-3) return three_digits(value * 1e6) + " µs";
    return three_digits(value * 1e3) + " ms";
  }
  if (unit == "B") {
    for (const auto& [scale, prefix] : kBinary)
      if (size >= scale) return three_digits(value / scale) + " " + prefix;
  } else if (unit != "s" && unit != "C") {
    for (const auto& [scale, prefix] : kLarge)
      if (size >= scale) return three_digits(value / scale) + " " + prefix + unit;
  }
  return three_digits(value) + " " + unit;
}

std::string percent_text(double share) {
  const double percent = share * 100;
  std::array<char, 64> text{};
  const bool whole = std::fabs(percent) >= 99.95 || percent == std::round(percent);
  std::snprintf(text.data(), text.size(), "%.*f", whole ? 0 : 1, percent);
  std::string digits = text.data();
  for (char& c : digits)
    if (c == ',') c = '.';
  return digits + " %";
}

}  // namespace assay::judge
