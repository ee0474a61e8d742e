// SPDX-License-Identifier: Apache-2.0
#include "plan/value.hpp"

#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "suite/scalar.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace assay::plan {
namespace {

using catalog::Parameter;
using catalog::ParameterType;
using suite::Scalar;

// Above it a double no longer tells neighbours apart.
constexpr double kLargestExact = 9007199254740992.0;

std::string shown(const Scalar& scalar) { return "'" + printable(scalar.text) + "'"; }

class Typing {
 public:
  Typing(const Parameter& parameter, const Scalar& scalar, Diagnostics& diagnostics)
      : parameter_(parameter), scalar_(scalar), diagnostics_(diagnostics) {}

  std::optional<TypedValue> run() {
    if (scalar_.kind == Scalar::Kind::null) return wrong("needs a value", "~ is for environment variables");
    switch (parameter_.type) {
      case ParameterType::boolean:
        return boolean();
      case ParameterType::text:
        return text();
      case ParameterType::integer:
      case ParameterType::number:
        return number();
    }
    return std::nullopt;
  }

 private:
  std::nullopt_t wrong(const std::string& what, std::string hint = {}) {
    diagnostics_.error("suite.parameter", scalar_.position, "parameter '" + parameter_.name + "' " + what,
                       std::move(hint));
    return std::nullopt;
  }

  std::optional<TypedValue> boolean() {
    if (scalar_.kind != Scalar::Kind::boolean) return wrong("is true or false, not " + shown(scalar_));
    return TypedValue{scalar_.boolean, scalar_.boolean ? "true" : "false", ""};
  }

  std::optional<TypedValue> text() {
    const std::string value = printable(scalar_.text);
    const auto& values = parameter_.values;
    if (!values.empty() && !contains(values, value)) {
      return wrong("has no value " + shown(scalar_),
                   suggestion(value, values, "one of: " + join(values, ", ")));
    }
    return TypedValue{value, id_text(value), ""};
  }

  std::optional<TypedValue> number() {
    const Dimension dimension = parse_unit(parameter_.unit).value_or(Unit{}).dimension;
    const std::string example =
        dimension.none() ? "a plain number" : describe(dimension) + ", like " + example_of(dimension);
    const auto quantity = suite::to_quantity(scalar_);
    if (!quantity) return wrong("is " + example + ", not " + shown(scalar_));
    const bool plain_bytes =
        quantity->dimension.none() && !quantity->percent && dimension == Dimension{.data = 1};
    if (quantity->dimension != dimension && !plain_bytes) {
      const bool plain = quantity->dimension.none() && !dimension.none();
      return wrong(
          "is " + example + ", not " + shown(scalar_),
          plain ? "write its unit, for example " + printable(scalar_.text) + base_unit(dimension) : "");
    }
    Json value = quantity->value;
    if (parameter_.type == ParameterType::integer) {
      if (scalar_.kind == Scalar::Kind::integer) {
        value = scalar_.integer;
      } else if (std::abs(quantity->value) > kLargestExact) {
        return wrong("is too large: " + shown(scalar_), "the limit is " + shortest(kLargestExact));
      } else if (quantity->value != std::floor(quantity->value)) {
        return wrong("is a whole number" + std::string(dimension.none() ? "" : " of " + parameter_.unit) +
                     ", not " + shown(scalar_));
      } else {
        value = static_cast<std::int64_t>(quantity->value);
      }
    }
    const auto limit = [&](double bound) { return to_text(Quantity{bound, dimension, false}); };
    if (parameter_.minimum && quantity->value < *parameter_.minimum) {
      return wrong("is at least " + limit(*parameter_.minimum) + ", not " + shown(scalar_));
    }
    if (parameter_.maximum && quantity->value > *parameter_.maximum) {
      return wrong("is at most " + limit(*parameter_.maximum) + ", not " + shown(scalar_));
    }
    const bool integer = value.is_number_integer();
    std::string text = dimension.none() && integer ? std::to_string(value.get<std::int64_t>())
                                                   : to_text(Quantity{quantity->value, dimension, false});
    const bool has_unit = scalar_.kind == Scalar::Kind::text && !dimension.none();
    return TypedValue{std::move(value), id_text(text), has_unit ? scalar_.text : ""};
  }

  static std::string example_of(const Dimension& dimension) {
    if (dimension == Dimension{.data = 1}) return "64MiB";
    if (dimension == Dimension{.time = 1}) return "5ms";
    return "1" + base_unit(dimension);
  }

  const Parameter& parameter_;
  const Scalar& scalar_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<TypedValue> type_value(const Parameter& parameter, const Scalar& scalar,
                                     Diagnostics& diagnostics) {
  return Typing(parameter, scalar, diagnostics).run();
}

std::string id_text(const TypedValue& typed) {
  constexpr std::size_t kWrittenFits = 16;
  std::string plain = typed.written;
  std::erase(plain, ' ');
  const bool is_plain = std::all_of(plain.begin(), plain.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '/';
  });
  return plain.empty() || plain.size() > kWrittenFits || !is_plain ? typed.text : plain;
}

std::string id_text(const std::string& text) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || std::string_view(",[]{}\"'`%\\").find(c) != std::string_view::npos) {
      result += {'%', kHexadecimal[byte >> 4U], kHexadecimal[byte & 15U]};
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace assay::plan
