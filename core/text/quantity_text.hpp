// SPDX-License-Identifier: Apache-2.0
//
// The unit in which a number reads best, for tables and sentences alike, and numbers inside the sentences of reasons.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay {

// The unit that a suite wrote for a number, letter by letter: "tokens/s", "us"; or none. Texts have a sign for some: "µs".
struct WrittenUnit {
  std::string unit;
  double scale = 1;  // base units in one of those

  [[nodiscard]] bool empty() const { return unit.empty(); }
  friend bool operator==(const WrittenUnit&, const WrittenUnit&) = default;
};

// The unit of values in base units ("s", "B", "B/s", "FLOP/s", "1", "tokens/s"), and the one that the suite wrote
// for them, if it wrote one.
struct UnitText {
  std::string base = "1";
  WrittenUnit as_written = {};

  UnitText() = default;
  UnitText(std::string unit) : base(std::move(unit)) {}
  UnitText(std::string_view unit) : base(unit) {}
  UnitText(const char* unit) : base(unit) {}
  UnitText(std::string unit, std::string written, double scale)
      : base(std::move(unit)), as_written{std::move(written), scale} {}
  friend bool operator==(const UnitText&, const UnitText&) = default;
};

// A unit to print in: the number shown is value / factor.
struct Scale {
  double factor = 1;
  std::string unit;  // "GB/s", "MiB", "µs", "" for a plain number
};

// The unit in which a magnitude reads best: the one that was written where the number has at most six digits before
// the point and three zeros behind it, else a multiple of the base unit. Rates and times are decimal, sizes binary.
// Times stop at seconds, FLOP/s at tera.
[[nodiscard]] Scale scale_for(const UnitText& unit, double magnitude);

// The scale of the number that stands beside this one, as a measured value does beside its limit, where this one can
// be read in it: at most four digits before the point and one zero behind it. Else its own.
[[nodiscard]] Scale scale_beside(const Scale& beside, const UnitText& unit, double magnitude);

// One unit for a whole column, in which every value has at most three digits before the point, four if no
// unit does that, and at most one zero behind it; else nothing, and each cell carries its own.
[[nodiscard]] std::optional<Scale> common_scale(const UnitText& unit, const std::vector<double>& values);

// "41.2 GB/s", "18.9 µs", "64 MiB", "0.0123", "85 °C": three significant digits, none of them a zero at the end.
[[nodiscard]] std::string quantity_text(double value, const UnitText& unit);
[[nodiscard]] std::string quantity_text(double value, const Scale& scale, int digits = 3);
// The number of digits, from three to nine, that tell a value from the one beside it. Three for equal values.
[[nodiscard]] int digits_apart(double value, double beside, const Scale& scale);

// Whole bytes as somebody would have written them, in the unit that takes the fewest digits: "4 GiB", "64 MB". As many in
// both kinds of units: binary.
[[nodiscard]] std::string size_text(double bytes);

// "512 kB" of "512kB", "1.5 µs" of "1.5us": a number with its unit as somebody wrote it, in the signs of texts.
[[nodiscard]] std::string written_text(std::string_view written);

// "5.3 %": one digit after the point, none from 100 on or for whole ones.
[[nodiscard]] std::string percent_text(double share);

}  // namespace assay
