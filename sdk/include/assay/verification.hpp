// SPDX-License-Identifier: Apache-2.0
//
// Collects what a check of results saw. Without a check of at least one value, no rate is published.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

namespace assay {

// How far a value may be from what is expected. Errors are reported in the same terms.
struct Tolerance {
  enum class Kind { absolute, relative, ulps };
  Kind kind = Kind::absolute;
  double limit = 0;
};

constexpr Tolerance absolute(double limit) { return {Tolerance::Kind::absolute, limit}; }
// Relative to the expected value.
constexpr Tolerance relative(double limit) { return {Tolerance::Kind::relative, limit}; }
// In units in the last place of the type that is checked.
constexpr Tolerance ulps(double limit) { return {Tolerance::Kind::ulps, limit}; }

class Verification {
 public:
  // How it was checked: "closed form", "Freivalds". Static text.
  Verification& method(const char* text) {
    method_ = text;
    return *this;
  }

  // Compares bit for bit (numbers: by ==). `index` only names the value in the reason.
  template <class Value>
  void expect_equal(const Value& actual, const Value& expected, std::uint64_t index) {
    ++checked_;
    if (!(actual == expected)) miss(index, actual, expected);
  }

  template <class Value>
  void expect_close(Value actual, double expected, Tolerance tolerance, std::uint64_t index) {
    static_assert(std::is_floating_point_v<Value>, "compare integers with expect_equal");
    ++checked_;
    exact_ = false;
    const double error = error_of(actual, expected, tolerance.kind);
    // Of comparisons with several tolerances the one that came nearest to its own, or went beyond it, is told.
    const double share = tolerance.limit > 0 ? error / tolerance.limit : error;
    if (tolerance_ == 0 || (std::isfinite(error) && share > largest_share_)) tolerance_ = tolerance.limit;
    if (std::isfinite(error) && share > largest_share_) {
      largest_share_ = share;
      largest_error_ = error;
    }
    if (!(error <= tolerance.limit)) miss(index, actual, expected);
  }

  // Counts values that the caller compared by its own means.
  void count(std::uint64_t checked, std::uint64_t wrong, const std::string& first_wrong = "") {
    checked_ += checked;
    wrong_ += wrong;
    if (wrong != 0 && first_wrong_.empty()) first_wrong_ = first_wrong;
  }

  const char* method() const { return method_; }
  bool exact() const { return exact_; }
  std::uint64_t checked() const { return checked_; }
  std::uint64_t wrong() const { return wrong_; }
  double largest_error() const { return largest_error_; }
  double tolerance() const { return tolerance_; }

  // "3 of 1000 values are wrong; element 17 is 2, expected 3"
  std::string reason() const {
    return std::to_string(wrong_) + " of " + std::to_string(checked_) + " values are wrong" +
           (first_wrong_.empty() ? "" : "; " + first_wrong_);
  }

 private:
  template <class Value>
  static double error_of(Value actual, double expected, Tolerance::Kind kind) {
    const double difference = std::fabs(static_cast<double>(actual) - expected);
    if (difference == 0 || kind == Tolerance::Kind::absolute) return difference;
    if (kind == Tolerance::Kind::relative) return difference / std::fabs(expected);
    const double smallest = static_cast<double>(std::numeric_limits<Value>::denorm_min());
    const double magnitude = std::fabs(expected);
    if (!(magnitude > 0) || !std::isfinite(magnitude)) return difference / smallest;
    const double ulp =
        std::ldexp(static_cast<double>(std::numeric_limits<Value>::epsilon()), std::ilogb(magnitude));
    return difference / (ulp > smallest ? ulp : smallest);
  }

  template <class Actual, class Expected>
  void miss(std::uint64_t index, const Actual& actual, const Expected& expected) {
    ++wrong_;
    if (!first_wrong_.empty()) return;
    std::string is = number(actual, kShort), should = number(expected, kShort);
    if (is == should) {
      is = number(actual, kWhole);
      should = number(expected, kWhole);
    }
    first_wrong_ = "element " + std::to_string(index) + " is " + is + ", expected " + should;
  }

  // Digits of a number with a fraction: what is easily read, and what tells any two apart.
  static constexpr int kShort = 9, kWhole = 17;

  template <class Value>
  static std::string number(const Value& value, [[maybe_unused]] int digits) {
    if constexpr (std::is_integral_v<Value>) {
      return std::to_string(value);
    } else {
      char text[40];
      std::snprintf(text, sizeof(text), "%.*g", digits, static_cast<double>(value));
      return text;
    }
  }

  const char* method_ = "";
  bool exact_ = true;
  std::uint64_t checked_ = 0;
  std::uint64_t wrong_ = 0;
  double largest_error_ = 0;
  double tolerance_ = 0;
  double largest_share_ = 0;  // of its tolerance
  std::string first_wrong_;
};

}  // namespace assay
