// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

namespace assay {
namespace {

struct NamedUnit {
  std::string_view name;
  Unit unit;
  enum class Prefixes { none, decimal, decimal_and_binary } prefixes = Prefixes::none;
};

constexpr Dimension kTime{.time = 1};
constexpr Dimension kData{.data = 1};
constexpr Dimension kOperations{.operations = 1};
constexpr Dimension kItems{.items = 1};
constexpr Dimension kPower{.power = 1};
constexpr Dimension kTemperature{.temperature = 1};
constexpr Dimension kEnergy{.time = 1, .power = 1};
constexpr Dimension kFrequency{.time = -1};

const std::vector<NamedUnit>& units() {
  using P = NamedUnit::Prefixes;
  static const std::vector<NamedUnit> table = {{"B", {1, kData}, P::decimal_and_binary},
                                               {"s", {1, kTime}, P::decimal},
                                               {"min", {60, kTime}},
                                               {"h", {3600, kTime}},
                                               {"FLOP", {1, kOperations}, P::decimal},
                                               {"OP", {1, kOperations}, P::decimal},
                                               {"W", {1, kPower}, P::decimal},
                                               {"J", {1, kEnergy}, P::decimal},
                                               {"Hz", {1, kFrequency}, P::decimal},
                                               {"C", {1, kTemperature}},
                                               {"samples", {1, kItems}, P::decimal},
                                               {"tokens", {1, kItems}, P::decimal},
                                               {"images", {1, kItems}, P::decimal},
                                               {"messages", {1, kItems}, P::decimal},
                                               {"items", {1, kItems}, P::decimal},
                                               {"%", {0.01, {}}},
                                               {"1", {1, {}}}};
  return table;
}

struct Prefix {
  std::string_view name;
  double scale;
  bool binary = false;
};

const std::vector<Prefix>& prefixes() {
  static const std::vector<Prefix> table = {{"Ki", 0x1p10, true}, {"Mi", 0x1p20, true}, {"Gi", 0x1p30, true},
                                            {"Ti", 0x1p40, true}, {"Pi", 0x1p50, true}, {"k", 1e3},
                                            {"K", 1e3},           {"M", 1e6},           {"G", 1e9},
                                            {"T", 1e12},          {"P", 1e15},          {"E", 1e18},
                                            {"m", 1e-3},          {"u", 1e-6},          {"\xC2\xB5", 1e-6},
                                            {"\xCE\xBC", 1e-6},   {"n", 1e-9},          {"p", 1e-12}};
  return table;
}

const NamedUnit* named_unit(std::string_view text) {
  for (const NamedUnit& named : units())
    if (text == named.name) return &named;
  return nullptr;
}

std::optional<Unit> parse_factor(std::string_view text) {
  if (const NamedUnit* named = named_unit(text)) return named->unit;
  for (const NamedUnit& named : units()) {
    if (named.prefixes == NamedUnit::Prefixes::none || !text.ends_with(named.name)) continue;
    const std::string_view head = text.substr(0, text.size() - named.name.size());
    for (const Prefix& prefix : prefixes()) {
      if (head != prefix.name) continue;
      if (prefix.binary && named.prefixes != NamedUnit::Prefixes::decimal_and_binary) continue;
      // Nobody means a millibyte; "mB" is a slip for MB that would be wrong by 10^9.
      if (prefix.scale < 1 && (named.unit.dimension == kData || named.unit.dimension == kOperations ||
                               named.unit.dimension == kItems))
        continue;
      // Kilobytes are written kB; "K" is accepted for no other unit.
      if (prefix.name == "K") continue;
      return Unit{named.unit.scale * prefix.scale, named.unit.dimension};
    }
  }
  return std::nullopt;
}

bool is_word(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

// "sec" of "GB/sec": whoever writes that means a unit, and counts nothing.
constexpr std::array<std::string_view, 26> kForeignUnits{
    "sec",   "secs", "second", "seconds",     "minute",       "minutes",     "hr",           "hrs",    "hour",
    "hours", "day",  "days",   "millisecond", "milliseconds", "microsecond", "microseconds", "msec",   "usec",
    "nsec",  "watt", "watts",  "joule",       "joules",       "hertz",       "percent",      "celsius"};

// What is counted in these is a unit in an expression, too: "40 s/epoch" divides by nothing that is called epoch.
constexpr std::array<std::string_view, 11> kCommonWords{
    "item", "sample", "token", "image", "message", "step", "epoch", "iteration", "request", "batch", "frame"};

// "gb", "Tflops", "bytes": the same.
bool looks_like_a_unit(std::string_view word) {
  const std::string text = lower_case(word);
  if (text == "byte" || text == "bytes") return true;
  const auto is_it = [&](const std::string& unit) { return text == unit || text == unit + "s"; };
  for (const NamedUnit& named : units()) {
    if (named.name == "%" || named.name == "1") continue;
    const bool counts =
        named.unit.dimension == kItems;  // with an s of their own: "token/s" is a word like others
    if (!counts && is_it(lower_case(named.name))) return true;
    for (const Prefix& prefix : prefixes())
      if (is_it(lower_case(prefix.name) + lower_case(named.name))) return true;
  }
  return false;
}

// The word that counts in "img/s"; "" if it is no such unit.
std::string_view counted_word(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view word = text.substr(0, slash);
  const NamedUnit* below = named_unit(text.substr(slash + 1));
  const bool counts = below != nullptr && below->unit.dimension == kTime && !parse_factor(word) &&
                      is_word(word) && !looks_like_a_unit(word);
  return counts ? word : std::string_view();
}

// The word that is counted below the line in "s/epoch" and "J/token"; "" if it is no such unit.
std::string_view word_below(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.starts_with('%') || !parse_factor(text.substr(0, slash)))
    return {};
  const std::string_view word = text.substr(slash + 1);
  const bool counts = !parse_factor(word) && is_word(word) && !looks_like_a_unit(word) &&
                      !contains(kForeignUnits, lower_case(word));
  return counts ? word : std::string_view();
}

// The word of what is counted in "ktokens", "images": without a prefix.
std::string_view word_of_items(std::string_view factor) {
  for (const NamedUnit& named : units())
    if (named.unit.dimension == kItems && factor.ends_with(named.name)) return named.name;
  return {};
}

struct DimensionName {
  Dimension dimension;
  std::string_view words;
  std::string_view unit;
};

const std::vector<DimensionName>& dimension_names() {
  static const std::vector<DimensionName> table = {
      {{}, "a plain number", "1"},
      {kTime, "a time", "s"},
      {kData, "a data size", "B"},
      {kData / kTime, "a data rate", "B/s"},
      {kOperations, "a number of operations", "FLOP"},
      {kOperations / kTime, "an operation rate", "FLOP/s"},
      {kOperations / kData, "an arithmetic intensity", "FLOP/B"},
      {kItems, "a number of items", "items"},
      {kItems / kTime, "an item rate", "items/s"},
      {kPower, "a power", "W"},
      {kEnergy, "an energy", "J"},
      {kFrequency, "a frequency", "Hz"},
      {kTemperature, "a temperature", "C"},
      {kOperations / kEnergy, "an operation rate per power", "FLOP/J"},
      {kEnergy / kOperations, "an energy per operation", "J/FLOP"}};
  return table;
}

// "Hz/s" for what no unit has a name for but a quotient of two has; else "". What can be read can be written
// so.
std::string quotient_of_units(const Dimension& dimension) {
  for (const DimensionName& above : dimension_names()) {
    for (const DimensionName& below : dimension_names()) {
      const bool named = above.unit != "1" && above.unit.find('/') == std::string_view::npos &&
                         below.unit.find('/') == std::string_view::npos;
      if (named && above.dimension / below.dimension == dimension)
        return std::string(above.unit) + "/" + std::string(below.unit);
    }
  }
  return "";
}

std::string with_15_digits(double value) {
  std::array<char, 32> buffer{};
  const auto result =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 15);
  return {buffer.data(), result.ptr};
}

Dimension combine(Dimension a, Dimension b, int sign) {
  const auto add = [sign](std::int8_t x, std::int8_t y) { return static_cast<std::int8_t>(x + sign * y); };
  return {.time = add(a.time, b.time),
          .data = add(a.data, b.data),
          .operations = add(a.operations, b.operations),
          .items = add(a.items, b.items),
          .power = add(a.power, b.power),
          .temperature = add(a.temperature, b.temperature)};
}

}  // namespace

Dimension operator*(Dimension a, Dimension b) { return combine(a, b, 1); }
Dimension operator/(Dimension a, Dimension b) { return combine(a, b, -1); }

std::optional<Unit> parse_unit(std::string_view text) {
  if (text.empty() || text.size() > 32) return std::nullopt;
  const std::size_t slash = text.find('/');
  if (!counted_word(text).empty())
    return Unit{1 / parse_factor(text.substr(slash + 1))->scale, kItems / kTime};
  const auto numerator = parse_factor(text.substr(0, slash));
  if (!numerator || slash == std::string_view::npos) return numerator;
  if (!word_below(text).empty()) return Unit{numerator->scale, numerator->dimension / kItems};
  const auto denominator = parse_factor(text.substr(slash + 1));
  if (!denominator || text[slash - 1] == '%') return std::nullopt;
  return Unit{numerator->scale / denominator->scale, numerator->dimension / denominator->dimension};
}

double in_base_units(double number, double scale) {
  const double inverse = std::round(1 / scale);
  return scale < 1 && std::abs(inverse * scale - 1) < 1e-12 ? number / inverse : number * scale;
}

bool is_exact(std::string_view digits, double number) {
  constexpr double kWhole = 0x1p53;
  if (std::abs(number) < kWhole || digits.find_first_of("eE") != std::string_view::npos) return true;
  const std::size_t point = std::min(digits.find('.'), digits.size());
  std::string_view whole = digits.substr(0, point);
  const bool fraction = digits.substr(point).find_first_not_of(".0") != std::string_view::npos;
  if (fraction) return true;  // of which rounding is expected
  if (whole.starts_with('-')) whole.remove_prefix(1);
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  return fmt::format("{:.0f}", std::abs(number)) == whole;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::general);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  if (!is_exact({text.data(), end}, number)) return std::nullopt;
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (rest.empty()) return Quantity{number, {}, false};
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest == "1") return std::nullopt;  // "5 1" is two numbers
  const auto unit = parse_unit(rest);
  if (!unit) return std::nullopt;
  const double value = in_base_units(number, unit->scale);
  if (!std::isfinite(value)) return std::nullopt;
  return Quantity{value, unit->dimension, rest == "%"};
}

std::string describe(const Dimension& dimension) {
  for (const DimensionName& row : dimension_names()) {
    if (row.dimension == dimension) return std::string(row.words);
  }
  return "a quantity in " + base_unit(dimension);
}

std::string base_unit(const Dimension& dimension) {
  for (const DimensionName& row : dimension_names()) {
    if (row.dimension == dimension) return std::string(row.unit);
  }
  if (std::string quotient = quotient_of_units(dimension); !quotient.empty()) return quotient;
  std::string above, below;
  const auto factor = [&](std::string_view name, int power) {
    std::string& side = power > 0 ? above : below;
    for (int i = 0; i < std::abs(power); ++i) side += (side.empty() ? "" : "·") + std::string(name);
  };
  factor("B", dimension.data);
  factor("FLOP", dimension.operations);
  factor("items", dimension.items);
  factor("W", dimension.power);
  factor("C", dimension.temperature);
  factor("s", dimension.time);
  return (above.empty() ? "1" : above) + (below.empty() ? "" : "/" + below);
}

bool divides_by_own_word(std::string_view unit) {
  const std::string_view word = word_below(unit);
  return !word.empty() && !contains(kCommonWords, word);
}

std::string base_unit_of(std::string_view unit) {
  const std::optional<Unit> parsed = parse_unit(unit);
  const Dimension dimension = parsed ? parsed->dimension : Dimension{};
  const std::size_t slash = unit.find('/');
  if (dimension == kItems || dimension == kItems / kTime) {
    const std::string_view word = counted_word(unit);
    return std::string(word.empty() ? word_of_items(unit.substr(0, slash)) : word) +
           (dimension == kItems ? "" : "/s");
  }
  if (!parsed || slash == std::string_view::npos) return base_unit(dimension);
  const std::string_view below = word_below(unit);
  const std::string_view word = below.empty() ? word_of_items(unit.substr(slash + 1)) : below;
  if (word.empty() || dimension.none()) return base_unit(dimension);
  return base_unit(parse_factor(unit.substr(0, slash))->dimension) + "/" + std::string(word);
}

std::string to_text(const Quantity& quantity) {
  const double value = quantity.value;
  const auto reads_back = [&](const std::string& text) {
    const auto parsed = parse_quantity(text);
    return parsed && parsed->value == value && parsed->dimension == quantity.dimension;
  };
  if (quantity.percent) {
    const std::string text = with_15_digits(value * 100) + "%";
    return reads_back(text) ? text : shortest(value * 100) + "%";
  }
  std::string base = base_unit(quantity.dimension);
  if (base == "1") return shortest(value);
  if (base[0] == '1') base.insert(0, " ");  // 4 1/B, not 41/B
  std::string best = shortest(value) + base;
  const bool data = quantity.dimension == kData;
  for (const Prefix& prefix : prefixes()) {
    if (prefix.binary && !data) continue;
    if (prefix.name == "K" || prefix.name[0] == '\xC2' || prefix.name[0] == '\xCE') continue;
    const double scaled = value / prefix.scale;
    if (std::abs(scaled) < 1 || std::abs(scaled) >= (prefix.binary ? 1024 : 1000)) continue;
    // 5e-06 / 1e-06 is 4.999999999999999: its first 15 digits are the 5 that was written.
    std::string text = with_15_digits(scaled) + std::string(prefix.name) + base;
    if (!reads_back(text)) text = shortest(scaled) + std::string(prefix.name) + base;
    // A size that is a whole number of MiB reads best as that even where 1.048576MB would be exact too.
    const bool whole_binary = prefix.binary && scaled == std::floor(scaled);
    if (!reads_back(text)) continue;
    if (whole_binary) return text;
    if (text.size() <= best.size()) best = text;
  }
  return best;
}

}  // namespace assay
