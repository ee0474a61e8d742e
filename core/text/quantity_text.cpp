// SPDX-License-Identifier: Apache-2.0
#include "text/quantity_text.hpp"

#include "text/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace assay {
namespace {

constexpr int kFewestDigits = 3, kMostDigits = 9;

std::string number_text(double value, int digits) {
  if (value == 0) return "0";
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : value > 0 ? "∞" : "-∞";
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (magnitude >= 6 || magnitude < -4) return fmt::format("{:.{}e}", value, digits - 1);
  std::string text = fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

constexpr double kLeastInColumn = 0.1,
                 kMostInColumn = 9999.5;  // of a number in a unit that was not its own choice

// No prefix helps a number that has an exponent with it, too.
constexpr double kNeedsExponent = 1e15;

struct UnitStep {
  double factor;
  const char* prefix;
};
constexpr std::array<UnitStep, 7> kDecimal{
    {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}}};
constexpr std::array<UnitStep, 5> kBinary{
    {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}}};
constexpr std::array<UnitStep, 4> kTimes{{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};

bool takes_prefix(std::string_view unit) {
  constexpr std::array<std::string_view, 13> kUnits{
      "B/s", "FLOP/s",  "FLOP",      "OP/s",     "OP",       "Hz",        "W",
      "J",   "items/s", "samples/s", "tokens/s", "images/s", "messages/s"};
  constexpr std::size_t kShortest = 4;  // of a word of somebody's own, "it/s"
  return contains(kUnits, unit) ||
         (unit.size() >= kShortest && unit.ends_with("/s") && unit.find('/') == unit.size() - 2);
}

// "µs" of "us": a keyboard has no such signs.
std::string sign_of_unit(std::string_view unit) {
  return unit == "us" ? "µs" : unit == "C" ? "°C" : std::string(unit);
}

Scale scale_as_written(const UnitText& unit) {
  return {unit.as_written.scale, sign_of_unit(unit.as_written.unit)};
}

// Of the least and the largest size that are not zero.
bool reads_well_as_written(const UnitText& unit, double smallest, double largest) {
  constexpr double kLeast = 1e-3, kMost = 1e6;
  if (unit.as_written.empty() || !(unit.as_written.scale > 0)) return false;
  return largest == 0 ||
         (smallest / unit.as_written.scale >= kLeast && largest / unit.as_written.scale < kMost);
}

}  // namespace

Scale scale_for(const UnitText& unit, double magnitude) {
  const double size = std::abs(magnitude);
  if (reads_well_as_written(unit, size, size)) return scale_as_written(unit);
  const std::string_view base_unit = unit.base;
  if (base_unit == "s") {
    for (const UnitStep& step : kTimes) {
      if (size >= step.factor * 0.9995) return {step.factor, step.prefix};
    }
    return !(size > 0) ? Scale{1, "s"} : Scale{kTimes.back().factor, kTimes.back().prefix};
  }
  if (base_unit == "B") {
    for (const UnitStep& step : kBinary) {
      if (size >= step.factor) return {step.factor, step.prefix};
    }
    return {1, "B"};
  }
  if (takes_prefix(base_unit)) {
    const bool operations = base_unit.substr(0, 4) == "FLOP" || base_unit.substr(0, 2) == "OP";
    for (const UnitStep& step : kDecimal) {
      if (operations && base_unit.ends_with("/s") && step.factor > 1e12) continue;
      if (size / step.factor >= kNeedsExponent) break;
      if (size >= step.factor * 0.9995) return {step.factor, step.prefix + std::string(base_unit)};
    }
  }
  if (base_unit == "1") return {1, ""};
  return {1, sign_of_unit(base_unit)};
}

Scale scale_beside(const Scale& beside, const UnitText& unit, double magnitude) {
  const double shown = std::abs(magnitude / beside.factor);
  return shown == 0 || (shown >= kLeastInColumn && shown < kMostInColumn) ? beside
                                                                          : scale_for(unit, magnitude);
}

std::optional<Scale> common_scale(const UnitText& unit, const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  double smallest = 0, largest = 0;
  for (const double value : values) {
    const double size = std::abs(value);
    largest = std::max(largest, size);
    if (size > 0) smallest = smallest == 0 ? size : std::min(smallest, size);
  }
  if (reads_well_as_written(unit, smallest, largest)) return scale_as_written(unit);
  // Three digits before the point where that can be had, four before each cell needs a unit of its own.
  for (const double most : {999.5, kMostInColumn}) {
    for (const double magnitude : {smallest, largest}) {
      const Scale scale = scale_for(UnitText(unit.base), magnitude);
      if (largest / scale.factor < most && smallest / scale.factor >= kLeastInColumn) return scale;
    }
  }
  return std::nullopt;
}

std::string quantity_text(double value, const Scale& scale, int digits) {
  return number_text(value / scale.factor, digits) + (scale.unit.empty() ? "" : " " + scale.unit);
}

int digits_apart(double value, double beside, const Scale& scale) {
  if (value == beside) return kFewestDigits;
  const auto alike = [&](int digits) {
    return number_text(value / scale.factor, digits) == number_text(beside / scale.factor, digits);
  };
  int digits = kFewestDigits;
  while (digits < kMostDigits && alike(digits)) ++digits;
  return digits;
}

std::string quantity_text(double value, const UnitText& unit) {
  return quantity_text(value, scale_for(unit, value));
}

std::string size_text(double bytes) {
  constexpr double kExact = 0x1p53;
  if (!(bytes > 0 && bytes < kExact) || bytes != std::floor(bytes)) return quantity_text(bytes, "B");
  double least = bytes;
  std::string unit = "B";
  const auto consider = [&](const UnitStep& step, const std::string& name) {
    const double count = bytes / step.factor;
    if (count != std::floor(count) || std::floor(std::log10(count)) >= std::floor(std::log10(least))) return;
    least = count;
    unit = name;
  };
  for (const UnitStep& step : kBinary) consider(step, step.prefix);
  for (const UnitStep& step : kDecimal) consider(step, step.prefix + std::string("B"));
  return fmt::format("{:.0f} {}", least, unit);
}

std::string written_text(std::string_view written) {
  double number = 0;
  const auto [end, problem] = std::from_chars(written.data(), written.data() + written.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(written.data() + written.size() - end));
  if (problem != std::errc() || unit.empty()) return std::string(written);
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  return std::string(written.data(), end) + " " + sign_of_unit(unit);
}

std::string percent_text(double share) {
  const double percent = share * 100;
  const bool whole = std::fabs(percent) >= 99.95 || percent == std::round(percent);
  return fmt::format("{:.{}f} %", percent, whole ? 0 : 1);
}

}  // namespace assay
