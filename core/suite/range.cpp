// SPDX-License-Identifier: Apache-2.0
#include "suite/range.hpp"

#include "suite/scalar.hpp"
#include "text/text.hpp"

#include <charconv>
#include <cmath>
#include <string>

namespace assay::suite {

namespace {

constexpr double kTolerance = 1e-9;  // relative; factors such as 1.2589 are roundings

struct RangeProblem {
  const Scalar& at;
  std::string code, text, hint;
};

// Twelve significant digits: 0.1 + 2 × 0.1 is meant to be 0.3.
double rounded(double value) {
  if (std::nearbyint(value) == value) return value;
  char buffer[32];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 11);
  double result = value;
  std::from_chars(buffer, written.ptr, result);
  return result;
}

std::string shown(const Scalar& scalar) { return "'" + printable(scalar.text) + "'"; }

class RangeSeries {
 public:
  // Throws RangeProblem.
  explicit RangeSeries(const Range& range) : range_(range) {
    from_ = quantity(range.from, "from");
    to_ = quantity(range.to, "to");
    same_dimension(range.to, to_);
    if (to_.value <= from_.value)
      throw RangeProblem{range.to, "suite.range",
                         "the range ends at " + shown(range.to) + ", not above its begin",
                         "a range goes up; write a list for a single value or another order"};
    geometric_ = range.step.kind == Scalar::Kind::null;
    geometric_ ? start_geometric() : start_arithmetic();
    if (!(steps_ + 1 <= static_cast<double>(kMaximumRangeValues)))
      throw RangeProblem{geometric_ ? range.factor : range.step, "suite.limit",
                         "the range has more values than the limit of " + std::to_string(kMaximumRangeValues),
                         "take bigger steps"};
    const double nearest = std::nearbyint(steps_);
    const double end = value(nearest);
    const double scale = geometric_ ? std::abs(to_.value) : std::max(std::abs(to_.value), growth_);
    if (nearest < 1 || std::abs(end - to_.value) > kTolerance * scale) miss();
    steps_ = nearest;
  }

  [[nodiscard]] std::vector<Scalar> scalars() const {
    std::vector<Scalar> all;
    const auto last = static_cast<std::size_t>(steps_);
    for (std::size_t i = 0; i <= last; ++i) {
      if (i == 0 || i == last)
        all.push_back(i == 0 ? range_.from : range_.to);
      else
        all.push_back(scalar(rounded(value(static_cast<double>(i)))));
    }
    return all;
  }

 private:
  static Quantity quantity(const Scalar& scalar, const char* key) {
    const auto found = to_quantity(scalar);
    if (!found)
      throw RangeProblem{
          scalar, "suite.type",
          "'" + std::string(key) + "' must be a number, with its unit if it has one, not " + shown(scalar),
          scalar.quoted ? "write it without quotes" : "for example 1KiB"};
    return *found;
  }

  void same_dimension(const Scalar& at, const Quantity& other) const {
    if (other.dimension == from_.dimension && other.percent == from_.percent) return;
    throw RangeProblem{at, "suite.dimension",
                       "the range begins with " + describe(from_.dimension) + " (" +
                           printable(range_.from.text) + ") and " + shown(at) + " is " +
                           describe(other.dimension),
                       "write both with the same kind of unit"};
  }

  void start_geometric() {
    const Quantity factor = quantity(range_.factor, "factor");
    if (!factor.dimension.none() || factor.percent || !(factor.value > 1))
      throw RangeProblem{range_.factor, "suite.range", "the factor is " + shown(range_.factor),
                         "it must be a number above 1"};
    if (!(from_.value > 0))
      throw RangeProblem{range_.from, "suite.range",
                         "a range with a factor can't begin at " + shown(range_.from),
                         "begin above 0, or use 'step'"};
    growth_ = factor.value;
    steps_ = std::log(to_.value / from_.value) / std::log(growth_);
  }

  void start_arithmetic() {
    const Quantity step = quantity(range_.step, "step");
    same_dimension(range_.step, step);
    if (!(step.value > 0))
      throw RangeProblem{range_.step, "suite.range", "the step is " + shown(range_.step),
                         "it must be above 0"};
    growth_ = step.value;
    steps_ = (to_.value - from_.value) / growth_;
  }

  [[nodiscard]] double value(double step) const {
    return geometric_ ? from_.value * std::pow(growth_, step) : from_.value + step * growth_;
  }

  // The number in a unit that somebody wrote, "1088KiB"; "" where it would be another number.
  static std::string in_unit_of(const Scalar& written, double number, bool whole) {
    const std::string unit = written.text.substr(written.text.find_last_of("0123456789. ") + 1);
    const auto known = parse_unit(unit);
    if (!known) return {};
    const double count = rounded(number / known->scale);
    std::string text = shortest(count) + unit;
    const auto read = parse_quantity(text);
    return (whole && std::nearbyint(count) != count) || !read || read->value != number ? "" : text;
  }

  // Steps read in the unit that they were written in: "1088KiB" after 1024KiB, and not 1.0625MiB. Values of a factor span
  // units, and stay decimal where they were: "256kB" after 128kB, where the shortest text would be "250KiB".
  [[nodiscard]] std::string text_of(double number) const {
    std::string own;
    if (!geometric_) {
      own = in_unit_of(range_.from, number, true);
      if (own.empty()) own = in_unit_of(range_.step, number, true);
      if (own.empty()) own = in_unit_of(range_.from, number, false);
      if (!own.empty()) return own;
    }
    const auto is_binary = [](const std::string& text) { return text.find("iB") != std::string::npos; };
    std::string text = to_text(Quantity{number, from_.dimension, from_.percent});
    if (!is_binary(text) || is_binary(range_.from.text)) return text;
    own = in_unit_of(range_.from, number, false);
    return own.empty() ? text : own;
  }

  [[nodiscard]] Scalar scalar(double number) const {
    Scalar result;
    result.position = range_.from.position;
    result.number = number;
    if (from_.dimension.none() && !from_.percent) {
      const bool whole = std::nearbyint(number) == number && std::abs(number) < 9e15;
      result.kind = whole ? Scalar::Kind::integer : Scalar::Kind::number;
      result.integer = whole ? static_cast<std::int64_t>(number) : 0;
      result.text = whole ? std::to_string(result.integer) : shortest(number);
    } else {
      result.kind = Scalar::Kind::text;
      result.text = text_of(number);
    }
    return result;
  }

  [[noreturn]] void miss() const {
    const double below = std::floor(steps_ + kTolerance);
    const std::string low = scalar(rounded(value(below))).text;
    const std::string high = scalar(rounded(value(below + 1))).text;
    throw RangeProblem{range_.to, "suite.range",
                       "the range misses its end " + shown(range_.to) + ": after " + low + " comes " + high,
                       below >= 1 ? "end it at " + low + " or " + high : "end it at " + high};
  }

  const Range& range_;
  Quantity from_, to_;
  bool geometric_ = true;
  double growth_ = 0;
  double steps_ = 0;
};

}  // namespace

void check_range(const Range& range, Diagnostics& diagnostics) {
  try {
    (void)RangeSeries(range);
  } catch (const RangeProblem& problem) {
    diagnostics.error(problem.code, problem.at.position, problem.text, problem.hint);
  }
}

std::vector<Scalar> expand(const Range& range) {
  try {
    return RangeSeries(range).scalars();
  } catch (const RangeProblem&) {
    return {};
  }
}

}  // namespace assay::suite
