// SPDX-License-Identifier: Apache-2.0
#include "external/written_number.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

namespace assay::plugins::external {
namespace {

// Its digits without the point, and the place of the last one: 0 of units, -1 of tenths.
struct Written {
  std::string digits;
  long last_place = 0;
};

std::optional<Written> read(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const std::size_t exponent_at = text.find_first_of("eE");
  Written written;
  bool behind_point = false;
  for (const char c : text.substr(0, exponent_at)) {
    if (c == '.' && !behind_point) {
      behind_point = true;
    } else if (c < '0' || c > '9') {
      return std::nullopt;
    } else {
      written.digits += c;
      written.last_place -= behind_point ? 1 : 0;
    }
  }
  if (exponent_at == std::string_view::npos) return written;
  std::string_view exponent = text.substr(exponent_at + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  int shift = 0;
  const auto [end, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
  if (error != std::errc() || end != exponent.data() + exponent.size()) return std::nullopt;
  written.last_place += shift;
  return written;
}

}  // namespace

double in_base_units(double number, double scale) {
  const double inverse = std::round(1 / scale);
  return scale < 1 && std::abs(inverse * scale - 1) < 1e-12 ? number / inverse : number * scale;
}

bool is_rounded(std::string_view text, double value) {
  constexpr double kExact =
      9007199254740992;  // 2^53; from there on doubles are whole, and not all whole numbers
  if (!std::isfinite(value) || std::abs(value) < kExact) return false;
  std::optional<Written> written = read(text);
  if (!written || written->last_place > 0) return false;
  std::string& digits = written->digits;
  while (written->last_place < 0 && digits.ends_with('0')) {
    digits.pop_back();
    ++written->last_place;
  }
  if (written->last_place < 0) return true;
  digits.erase(0, digits.find_first_not_of('0'));
  char whole[400];
  const auto [end, error] =
      std::to_chars(std::begin(whole), std::end(whole), std::abs(value), std::chars_format::fixed, 0);
  return error != std::errc() || std::string_view(whole, static_cast<std::size_t>(end - whole)) != digits;
}

}  // namespace assay::plugins::external
