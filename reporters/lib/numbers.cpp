// SPDX-License-Identifier: Apache-2.0
#include "lib/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::reporters {
namespace {

constexpr int kMostDigits = 4;
constexpr int kMostDecimals = 12;  // what would need more is written with an exponent
constexpr int kDigitsWithoutInterval = 3;
constexpr int kDigitsOfHalfWidth = 2;

// Of zero and of what has no order, 0; no computation on it then leaves the range of int.
int order_of(double value) {
  const double order = std::floor(std::log10(std::abs(value)));
  return std::isfinite(order) ? static_cast<int>(order) : 0;
}

// The order of a number after it was rounded to this many significant digits: 9.996 to three is 10.0.
int rounded_order(double value, int digits) {
  if (value == 0) return 0;
  const int order = order_of(value);
  const double unit = std::pow(10.0, order - digits + 1);
  if (!std::isnormal(unit)) return order;
  return order_of(std::round(std::abs(value) / unit) * unit * (1 + 1e-12));
}

}  // namespace

int decimals(double value, std::optional<double> half_width, double factor) {
  const double shown = value / factor;
  const int most = kMostDigits - 1 - rounded_order(shown, kMostDigits);
  if (half_width && *half_width > 0) {
    const int least = shown == 0 ? 0 : 1 - rounded_order(shown, 2);
    const int supported = kDigitsOfHalfWidth - 1 - rounded_order(*half_width / factor, kDigitsOfHalfWidth);
    return std::clamp(std::clamp(supported, std::min(least, most), most), 0, kMostDecimals);
  }
  if (half_width) return std::clamp(most, 0, kMostDecimals);
  if (std::abs(shown - std::round(shown)) <= 1e-9 * std::abs(shown) && std::abs(shown) < 1e6) return 0;
  return std::clamp(kDigitsWithoutInterval - 1 - rounded_order(shown, kDigitsWithoutInterval), 0,
                    kMostDecimals);
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "–";
  if (decimals >= kMostDecimals && value != 0 && std::abs(value) < 1e-9) return fmt::format("{:.2e}", value);
  // No unit has a prefix for it: hundreds of digits would say nothing.
  std::string text = std::abs(value) >= 1e15 ? fmt::format("{:.3e}", std::abs(value))
                                             : fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? "−" + text : text;
}

std::string quantity(double value, const Scale& scale, std::optional<double> half_width) {
  const std::string number = fixed(value / scale.factor, decimals(value, half_width, scale.factor));
  return scale.unit.empty() ? number : number + " " + scale.unit;
}

std::string quantity(double value, const Unit& unit, std::optional<double> half_width) {
  return quantity(value, scale_for(unit, value), half_width);
}

std::string interval(double value, double low, double high, const Scale& scale) {
  const int digits = decimals(value, (high - low) / 2, scale.factor);
  return "[" + fixed(low / scale.factor, digits) + ", " + fixed(high / scale.factor, digits) + "]";
}

std::string quantity_with_interval(double value, const Unit& unit, double low, double high) {
  constexpr double kLopsided = 2;
  const Scale scale = scale_for(unit, value);
  const double below = value - low, above = high - value, half_width = (high - low) / 2;
  if (below > kLopsided * above || above > kLopsided * below)
    return quantity(value, scale, std::min(below, above)) + " " + interval(value, low, high, scale);
  const int digits = decimals(value, half_width, scale.factor);
  const std::string number =
      fixed(value / scale.factor, digits) + " ± " + fixed(half_width / scale.factor, digits);
  return scale.unit.empty() ? number : number + " " + scale.unit;
}

std::string range(double low, double high, const Scale& scale, std::optional<double> half_width) {
  const int of_low =
      std::max(0, kDigitsWithoutInterval - 1 - rounded_order(low / scale.factor, kDigitsWithoutInterval));
  const auto end = [&](double value) {
    const int digits = half_width ? decimals(value, half_width, scale.factor)
                                  : std::min(of_low, decimals(value, 0.0, scale.factor));
    return fixed(value / scale.factor, digits);
  };
  const std::string from = end(low), to = end(high);
  return from == to ? from : from + "–" + to;
}

std::string percent(double share) {
  const double value = share * 100;
  return fixed(value, std::abs(value) < 9.95 ? 1 : 0) + " %";
}

std::string change(double relative, std::optional<double> half_width) {
  const double value = relative * 100;
  int digits = 1;
  if (half_width && *half_width > 0) digits = std::clamp(-order_of(*half_width * 100), 0, 2);
  const std::string text = fixed(value, digits);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return (value > 0 && !zero ? "+" : "") + text + " %";
}

std::string change_interval(double low, double high) {
  const int digits = std::clamp(high > low ? -order_of((high - low) * 50) : 1, 0, 2);
  const auto signed_text = [digits](double value) {
    const std::string text = fixed(value * 100, digits);
    return (value > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" : "") + text;
  };
  return "[" + signed_text(low) + ", " + signed_text(high) + "]";
}

std::string duration(double seconds) {
  if (seconds < 59.95) return fixed(seconds, seconds < 9.995 ? 2 : 1) + " s";
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string parameter(double value, const Unit& unit) {
  if (unit.base == "B" && std::isfinite(value) && value == std::floor(value)) return size_text(value);
  return quantity(value, unit.base.empty() ? Unit("1") : unit);
}

}  // namespace assay::reporters
