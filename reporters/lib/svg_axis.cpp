// SPDX-License-Identifier: Apache-2.0
#include "lib/svg_axis.hpp"

#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::reporters {
namespace {

// 1, 2 or 5 times a power of ten, so that about five of them fit.
double tick_step(double span) {
  const double raw = span / 5, power = std::pow(10.0, std::floor(std::log10(raw))), lead = raw / power;
  return power * (lead > 5 ? 10 : lead > 2 ? 5 : lead > 1 ? 2 : 1);
}

}  // namespace

void Extent::add(double value) {
  if (!std::isfinite(value)) return;
  low = any ? std::min(low, value) : value;
  high = any ? std::max(high, value) : value;
  any = true;
}

bool Extent::has_span() const { return any && high > low && std::isfinite(high - low); }

std::vector<double> ticks_between(double low, double high) {
  std::vector<double> out;
  const double step = tick_step(high - low);
  if (!(step > 0) || !std::isfinite(step)) return out;
  // Counted, not added up: a step that is lost in the size of the ends would never come to an end.
  const double first = std::ceil(low / step), last = std::floor(high / step + 1e-9);
  for (int i = 0; i <= 12 && first + i <= last; ++i) out.push_back((first + i) * step);
  return out;
}

std::vector<double> log_ticks_between(double low, double high) {
  std::vector<double> out;
  const int first = static_cast<int>(std::floor(low)), last = static_cast<int>(std::ceil(high));
  const int every = std::max(1, (last - first) / 6);
  for (int power = first; power <= last; power += every) {
    for (const double lead : {1.0, 2.0, 5.0}) {
      if (lead > 1 && high - low > 2) break;
      const double value = lead * std::pow(10.0, power), at = std::log10(value);
      if (at >= low - 1e-9 && at <= high + 1e-9) out.push_back(value);
    }
  }
  return out;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  return size != 0 && (size >= 1e6 || size < 1e-3) ? fmt::format("{:.3g}", value)
                                                   : shortest(std::round(value * 1e6) / 1e6);
}

}  // namespace assay::reporters
