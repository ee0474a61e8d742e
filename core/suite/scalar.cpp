// SPDX-License-Identifier: Apache-2.0
#include "suite/scalar.hpp"

#include "suite/characters.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace assay::suite {

namespace {

bool all(std::string_view text, bool (*accept)(char)) {
  return !text.empty() && std::all_of(text.begin(), text.end(), accept);
}

std::string_view without_sign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

// [+-]? digits [. digits] [e [+-] digits], with digits on at least one side of the point.
bool is_number(std::string_view text) {
  text = without_sign(text);
  std::size_t i = 0, digits = 0;
  const auto eat = [&] {
    while (i < text.size() && is_digit(text[i])) ++i, ++digits;
  };
  eat();
  if (i < text.size() && text[i] == '.') ++i, eat();
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  return all(text.substr(i), is_digit);
}

// 1:30, 01:02:03: a number to base 60 in YAML 1.1.
bool is_sexagesimal(std::string_view text) {
  text = without_sign(text);
  std::size_t begin = 0, parts = 0;
  for (;;) {
    const std::size_t colon = text.find(':', begin);
    const std::string_view part = text.substr(begin, colon - begin);
    if (!all(part, is_digit) || (parts > 0 && part.size() > 2)) return false;
    ++parts;
    if (colon == std::string_view::npos) return parts > 1;
    begin = colon + 1;
  }
}

struct Doubt {
  std::string text, hint;
};

// Why a plain word can't be taken for what it seems to be.
std::optional<Doubt> doubt(std::string_view text) {
  const std::string shown = "'" + printable(text) + "'";
  const std::string small = lower_case(text);
  const std::string quote = "\"" + printable(text) + "\"";
  if (small == "yes" || small == "on")
    return Doubt{shown + " is a boolean to some YAML readers and text to others",
                 "write true, or " + quote + " for text"};
  if (small == "no" || small == "off")
    return Doubt{shown + " is a boolean to some YAML readers and text to others",
                 "write false, or " + quote + " for text"};
  if ((small == "true" || small == "false") && small != text)
    return Doubt{shown + " is not how a boolean is written",
                 "write " + small + ", or " + quote + " for text"};
  const std::string_view bare = without_sign(text);
  if (small == ".inf" || small == "-.inf" || small == "+.inf" || small == ".nan")
    return Doubt{shown + " is not a finite number", "write a finite number"};
  if (bare.size() > 1 && bare[0] == '0' && is_number(text) && is_digit(bare[1]))
    return Doubt{shown + " has a leading zero: octal to some YAML readers, decimal to others",
                 "write it without the zero, or " + quote + " for text"};
  if (bare.size() > 2 && bare[0] == '0' &&
      std::string_view("xXoObB").find(bare[1]) != std::string_view::npos &&
      std::all_of(bare.begin() + 2, bare.end(), [](char c) {
        return is_digit(c) || (lower_case({&c, 1}) >= "a" && lower_case({&c, 1}) <= "f") || c == '_';
      }))
    return Doubt{shown + " is not a decimal number", "write it in decimal, or " + quote + " for text"};
  if (bare.find('_') != std::string_view::npos && is_digit(bare[0])) {
    std::string joined(text);
    std::erase(joined, '_');
    if (is_number(joined))
      return Doubt{shown + " is a number to some YAML readers and text to others",
                   "write " + joined + ", or " + quote + " for text"};
  }
  if (is_sexagesimal(text))
    return Doubt{shown + " is a number to base 60 to some YAML readers and text to others",
                 "write a time like 90s, or " + quote + " for text"};
  return std::nullopt;
}

}  // namespace

std::optional<Scalar> read_scalar(const yaml::Node& node, ScalarUse use, Diagnostics& diagnostics) {
  Scalar scalar;
  scalar.position = node.position;
  scalar.text = node.text;
  if (node.kind == yaml::Node::Kind::null) {
    scalar.text = "~";
    return scalar;
  }
  if (node.kind != yaml::Node::Kind::scalar) {
    diagnostics.error("suite.type", node.position, "one value must stand here, not " + describe(node),
                      "write a number, a word or a quantity like 64MiB");
    return std::nullopt;
  }
  scalar.kind = Scalar::Kind::text;
  scalar.quoted = node.quoted || use == ScalarUse::environment;
  if (node.text.find('\0') != std::string::npos) {
    diagnostics.error("suite.value", node.position, "a value can't hold a zero byte", "remove the '\\0'");
    return std::nullopt;
  }
  if (scalar.quoted) return scalar;
  if (const auto found = doubt(node.text)) {
    diagnostics.error("suite.ambiguous", node.position, found->text, found->hint);
    return std::nullopt;
  }
  if (node.text == "true" || node.text == "false") {
    scalar.kind = Scalar::Kind::boolean;
    scalar.boolean = node.text == "true";
    return scalar;
  }
  if (!is_number(node.text)) return scalar;

  std::string_view digits = node.text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  if (all(without_sign(digits), is_digit)) {
    scalar.kind = Scalar::Kind::integer;
    if (std::from_chars(digits.data(), end, scalar.integer).ec != std::errc()) {
      diagnostics.error(
          "suite.value", node.position, "'" + node.text + "' is beyond the largest integer",
          "the limits are -9223372036854775808 and 9223372036854775807; quote it if it is text");
      return std::nullopt;
    }
    scalar.number = static_cast<double>(scalar.integer);
    return scalar;
  }
  scalar.kind = Scalar::Kind::number;
  const auto [last, error] = std::from_chars(digits.data(), end, scalar.number);
  if (error != std::errc() || last != end || !std::isfinite(scalar.number)) {
    diagnostics.error("suite.value", node.position,
                      "'" + printable(node.text) + "' is not a number that a double can hold",
                      "quote it if it is text");
    return std::nullopt;
  }
  return scalar;
}

std::optional<Quantity> to_quantity(const Scalar& scalar) {
  switch (scalar.kind) {
    case Scalar::Kind::integer:
    case Scalar::Kind::number:
      return Quantity{scalar.number, {}, false};
    case Scalar::Kind::text:
      return scalar.quoted ? std::nullopt : parse_quantity(scalar.text);
    case Scalar::Kind::null:
    case Scalar::Kind::boolean:
      break;
  }
  return std::nullopt;
}

std::string value_key(const Scalar& scalar) {
  if (scalar.kind == Scalar::Kind::null) return "null";
  if (scalar.kind == Scalar::Kind::integer && !is_exact(scalar.text, scalar.number))
    return "integer " + std::to_string(scalar.integer);
  if (const auto quantity = to_quantity(scalar)) {
    const double value = quantity->value == 0 ? 0 : quantity->value;  // no negative zero
    return "quantity " + shortest(value) + " " + base_unit(quantity->dimension);
  }
  return (scalar.kind == Scalar::Kind::boolean ? "boolean " : "text ") + scalar.text;
}

}  // namespace assay::suite
