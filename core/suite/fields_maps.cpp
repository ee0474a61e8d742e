// SPDX-License-Identifier: Apache-2.0
//
// Readers of values that are maps, and of texts with a grammar of their own.
#include "base/suggest.hpp"
#include "suite/characters.hpp"
#include "suite/fields.hpp"
#include "suite/scalar.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace assay::suite {

namespace {

// Offset of the first number outside {placeholders}, or npos. Digits of a word that begins with a letter
// (bf16, H200, RFC-12) are part of a name, not a number.
std::size_t first_number(std::string_view text) {
  bool word = false;
  int braces = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++braces;
    if (text[i] == '}') braces = std::max(0, braces - 1);
    if (is_digit(text[i]) && !word && braces == 0) return i;
    const bool joins = text[i] == '-' && i + 1 < text.size() && is_digit(text[i + 1]);
    word = is_letter(text[i]) || (word && (is_digit(text[i]) || joins));
  }
  return std::string_view::npos;
}

// Offset of a brace that opens no {placeholder} or closes none, or npos.
std::size_t bad_brace(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '}') return i;
    if (text[i] != '{') continue;
    const std::size_t end = text.find('}', i);
    if (end == std::string_view::npos || !is_identifier(text.substr(i + 1, end - i - 1))) return i;
    i = end;
  }
  return std::string_view::npos;
}

// What reporters fill into a verdict's sentence.
const std::vector<std::string>& placeholders() {
  static const std::vector<std::string> names = {"effect", "interval", "measured", "asked", "theta",
                                                 "rounds", "left",     "right",    "at"};
  return names;
}

struct UnknownPlaceholder {
  std::size_t offset = 0;  // of its brace
  std::string name;
};

std::optional<UnknownPlaceholder> unknown_placeholder(std::string_view text) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    std::string name(text.substr(open + 1, text.find('}', open) - open - 1));
    if (!contains(placeholders(), name)) return UnknownPlaceholder{open, std::move(name)};
  }
  return std::nullopt;
}

const Expression* call_that_finds_value(const Expression& expression) {
  if (finds_value(expression)) return &expression;
  for (const ExpressionPtr& operand : expression.operands)
    if (const Expression* found = call_that_finds_value(*operand)) return found;
  return nullptr;
}

}  // namespace

std::optional<Located<std::string>> MapFields::device_count(const Key& key, const Node& node) const {
  std::string_view number = node.text;
  const bool least = number.starts_with(">=");
  if (least) number.remove_prefix(2);
  while (least && number.starts_with(' ')) number.remove_prefix(1);
  const bool fits = node.kind == Node::Kind::scalar && !number.empty() && number.size() < 6 &&
                    number[0] != '0' && std::all_of(number.begin(), number.end(), is_digit);
  if (!fits)
    wrong(key, node);
  else if (within(key, std::stod(std::string(number)), node))
    return Located<std::string>{(least ? ">=" : "") + std::string(number), node.position};
  return std::nullopt;
}

std::optional<Located<std::string>> MapFields::memory(const Key& key, const Node& node) const {
  if (!quantity(key, node, Dimension{.data = 1})) return std::nullopt;
  return Located<std::string>{node.text, node.position};
}

std::optional<Located<std::string>> MapFields::numa_node(const Key& key, const Node& node) const {
  const std::string_view number =
      std::string_view(node.text).substr(std::min<std::size_t>(5, node.text.size()));
  if (node.kind == Node::Kind::scalar && node.text.starts_with("node:") && !number.empty() &&
      number.size() <= 5 && std::all_of(number.begin(), number.end(), is_digit))
    return Located<std::string>{node.text, node.position};
  wrong(key, node);
  return std::nullopt;
}

void MapFields::read_value(const Key& key, const Node& node,
                           std::optional<Located<std::string>>& found) const {
  using Reader = std::optional<Located<std::string>> (MapFields::*)(const Key&, const Node&) const;
  static const std::map<Form, Reader> readers = {
      {Form::name, &MapFields::name},     {Form::benchmark, &MapFields::benchmark},
      {Form::choice, &MapFields::choice}, {Form::version_text, &MapFields::version_text},
      {Form::advice, &MapFields::advice}, {Form::device_count, &MapFields::device_count},
      {Form::memory, &MapFields::memory}, {Form::node, &MapFields::numa_node},
      {Form::text, &MapFields::text}};
  found = (this->*readers.at(key.form))(key, node);
}

// A choice of one word is a flag that is set by it.
void MapFields::read_value(const Key& key, const Node& node, std::optional<Located<bool>>& found) const {
  const auto set = key.form == Form::choice ? std::optional(choice(key, node).has_value()) : flag(key, node);
  if (set) found = Located<bool>{*set, node.position};
}

void MapFields::read_value(const Key& key, const Node& node, std::optional<Located<double>>& found) const {
  found = key.form == Form::percent ? percent(key, node) : duration(key, node);
}

void MapFields::read_value(const Key& key, const Node& node, std::optional<Located<int>>& found) const {
  if (const auto whole = count(key, node))
    found = Located<int>{static_cast<int>(whole->value), whole->position};
}

void MapFields::read(const Key& key, const Node& node, DeviceChoice& found) const {
  if (auto named = devices(key, node)) found = std::move(*named);
}

void MapFields::read(const Key& key, const Node& node, std::optional<Bind>& found) const {
  if (auto nodes = bind(key, node)) found = std::move(nodes);
}

void MapFields::read(const Key&, const Node& node, Scalar& found) const {
  if (auto scalar = read_scalar(node, ScalarUse::typed, diagnostics_)) found = std::move(*scalar);
}

void MapFields::read(const Key& key, const Node& node, NamedScalars& found) const {
  NamedScalars more;
  if (key.form == Form::parameters) more = parameters(key, node);
  if (key.form == Form::environment) more = environment(key, node);
  if (key.form == Form::point)
    for (auto& [axis, values] : terms(key, node, false)) more.emplace_back(axis, values.front());
  for (auto& entry : more) {
    const auto old = std::find_if(found.begin(), found.end(),
                                  [&](const auto& other) { return other.first.value == entry.first.value; });
    if (old == found.end())
      found.push_back(std::move(entry));
    else
      *old = std::move(entry);
  }
}

void MapFields::read(const Key& key, const Node& node, Terms& found) const { found = terms(key, node, true); }

void MapFields::read(const Key& key, const Node& node, std::vector<Located<std::string>>& found) const {
  found = key.form == Form::backends ? backends(key, node)
          : key.form == Form::texts  ? texts(key, node)
                                     : libraries(key, node);
}

std::vector<Located<std::string>> MapFields::texts(const Key& key, const Node& node) const {
  std::vector<Located<std::string>> found;
  for_each_item(key, node, "write a text", [&](const Node& item) {
    if (auto one = text(key, item)) found.push_back(std::move(*one));
  });
  return found;
}

void MapFields::read(const Key& key, const Node& node, std::vector<int>& found) const {
  found.clear();
  for_each_item(key, node, "name an exit status", [&](const Node& item) {
    if (const auto status = count(key, item)) found.push_back(static_cast<int>(status->value));
  });
}

std::optional<Located<std::string>> MapFields::advice(const Key& key, const Node& node) const {
  auto found = text(key, node);
  if (!found) return found;
  const std::size_t brace = bad_brace(found->value);
  const std::size_t number = first_number(found->value);
  if (brace != std::string::npos)
    error("suite.placeholder", places_of(node)[brace], "a brace that belongs to no placeholder",
          "placeholders are like {effect}");
  else if (number != std::string::npos)
    error("suite.number", places_of(node)[number], "a number in '" + std::string(key.name) + "'",
          key.place == KeyScope::verdict
              ? "numbers come from measurements: use a placeholder like {measured} or {at}; numbers of your "
                "own go into 'do', 'background' or 'expected'"
              : "the report has the value and the limit beside it: leave the number out");
  else if (const auto unknown = unknown_placeholder(found->value);
           unknown && key.place == KeyScope::verdict) {
    error("suite.placeholder", places_of(node)[unknown->offset],
          "there is no placeholder '{" + unknown->name + "}'",
          suggestion(unknown->name, placeholders(), "one of: " + join(placeholders(), ", ")));
  } else if (found->value.find('{') != std::string::npos && key.place != KeyScope::verdict) {
    error("suite.placeholder", places_of(node)[found->value.find('{')], "nothing is filled in here",
          "placeholders are for the texts of findings");
  } else {
    return found;
  }
  return std::nullopt;
}

ExpressionPtr MapFields::expression(const Key& key, const Node& node) const {
  if (node.kind != Node::Kind::scalar) {
    error("suite.type", node.position, "an expression must stand here, not " + describe(node),
          node.kind == Node::Kind::map ? "quote an expression that has brackets or ': ' in it"
                                       : "for example " + std::string(key.example));
    return nullptr;
  }
  if (node.text.empty()) {
    error("suite.empty", node.position, "the expression is empty", "for example " + std::string(key.example));
    return nullptr;
  }
  ExpressionPtr expression = parse_expression(node.text, places_of(node), diagnostics_);
  if (expression && is_within(*expression) && key.place != KeyScope::finding) {
    error("suite.expression", expression->position, "'within' is for claims of findings",
          "write two limits: one with >= and one with <=");
    return nullptr;
  }
  if (expression && key.place != KeyScope::finding)
    if (const Expression* call = call_that_finds_value(*expression)) {
      error("suite.expression", call->position, "'" + call->name + "' is for claims of findings",
            "write a finding with 'claim: " + call->name + "(rate over batch) == 8'");
      return nullptr;
    }
  return expression;
}

bool MapFields::parameter_name(const Node& node) const {
  if (!is_identifier(node.text)) {
    error("suite.value", node.position, describe(node) + " can't be the name of a parameter",
          "a parameter has letters, digits and '_'");
    return false;
  }
  if (!is_reserved(node.text)) return true;
  std::string hint = "it has a meaning of its own";
  if (find_key(KeyScope::one_case, node.text)) hint = "it is a key of the case: write it beside 'with'";
  if (find_key(KeyScope::measure, node.text)) hint = "it goes under 'measure'";
  error("suite.reserved", node.position, "'" + node.text + "' is reserved and no parameter", hint);
  return false;
}

bool MapFields::variable_name(const Node& node, std::string_view name) const {
  if (is_identifier(name)) return true;
  error("suite.value", node.position,
        "'" + printable(name) + "' can't be the name of an environment variable",
        "a variable has letters, digits and '_'");
  return false;
}

bool MapFields::axis_name(const Node& node) const {
  constexpr std::string_view kEnvironment = "env.";
  if (node.text.starts_with(kEnvironment))
    return variable_name(node, std::string_view(node.text).substr(kEnvironment.size()));
  const auto words = axis_words();
  if (contains(words, node.text)) return true;
  if (is_identifier(node.text) && is_reserved(node.text)) {
    error("suite.reserved", node.position, "'" + node.text + "' is reserved and can't be an axis",
          "reserved words that can: " + join(words, ", "));
    return false;
  }
  return parameter_name(node);
}

std::optional<Scalar> MapFields::axis_value(const std::string& axis, const Node& node) const {
  if (axis.starts_with("env.")) return read_scalar(node, ScalarUse::environment, diagnostics_);
  auto scalar = read_scalar(node, ScalarUse::typed, diagnostics_);
  if (!scalar) return std::nullopt;
  if (scalar->kind == Scalar::Kind::null) {
    error("suite.type", node.position, "'" + axis + "' has no value here",
          "~ is for environment variables; write a value");
    return std::nullopt;
  }
  const Key* key = find_key(KeyScope::one_case, axis);
  if (!key || !key->axis) key = find_key(KeyScope::measure, axis);
  if (!key || !key->axis) return scalar;
  bool good = false;
  switch (key->form) {
    case Form::choice:
    case Form::bind:
      good = choice(*key, node).has_value();
      break;
    case Form::count:
      good = count(*key, node).has_value();
      break;
    default:
      good = devices(*key, node).has_value();
  }
  return good ? scalar : std::nullopt;
}

NamedScalars MapFields::parameters(const Key& key, const Node& node) const {
  NamedScalars found;
  if (!is(Node::Kind::map, key, node)) return found;
  for (const auto& [name, value] : node.entries) {
    if (!parameter_name(*name)) continue;
    if (value->kind == Node::Kind::null) {
      error("suite.type", name->position, "'" + name->text + "' has no value",
            "write one, or leave the parameter out");
    } else if (value->kind == Node::Kind::list) {
      error("suite.type", value->position, "'" + name->text + "' has several values",
            "several values make an axis: move it to 'matrix'");
    } else if (const auto scalar = read_scalar(*value, ScalarUse::typed, diagnostics_)) {
      found.emplace_back(Located<std::string>{name->text, name->position}, *scalar);
    }
  }
  return found;
}

NamedScalars MapFields::environment(const Key& key, const Node& node) const {
  NamedScalars found;
  if (!is(Node::Kind::map, key, node)) return found;
  for (const auto& [name, value] : node.entries) {
    if (!variable_name(*name, name->text)) continue;
    if (value->kind == Node::Kind::list)
      error("suite.type", value->position, "'" + name->text + "' has several values",
            "several values make an axis: write env." + name->text + " under 'matrix'");
    else if (const auto scalar = read_scalar(*value, ScalarUse::environment, diagnostics_))
      found.emplace_back(Located<std::string>{name->text, name->position}, *scalar);
  }
  return found;
}

Terms MapFields::terms(const Key& key, const Node& node, bool lists) const {
  Terms found;
  if (!is(Node::Kind::map, key, node)) return found;
  if (node.entries.empty())
    error("suite.empty", node.position, "an empty map matches everything", "name an axis and its value");
  for (const auto& entry : node.entries) {
    const auto& name = entry.first;
    const auto& value = entry.second;
    if (name->text != "device" && !axis_name(*name)) continue;
    std::vector<Scalar> values;
    const auto read = [&](const Node& item) {
      auto scalar = axis_value(name->text, item);
      if (scalar) values.push_back(std::move(*scalar));
    };
    if (value->kind != Node::Kind::list) {
      read(*value);
    } else if (!lists) {
      error("suite.type", value->position, "'" + name->text + "' needs one value here, not a list",
            "write one of them");
    } else if (value->items.empty()) {
      error("suite.empty", value->position, "'" + name->text + "' is an empty list", "name a value");
    } else {
      for (const NodePtr& item : value->items) read(*item);
    }
    if (!values.empty())
      found.emplace_back(Located<std::string>{name->text, name->position}, std::move(values));
  }
  return found;
}

}  // namespace assay::suite
