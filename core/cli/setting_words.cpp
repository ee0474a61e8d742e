// SPDX-License-Identifier: Apache-2.0
#include "cli/setting_words.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/quantity.hpp"
#include "suite/expression.hpp"
#include "suite/fields.hpp"
#include "suite/key_table.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <optional>

namespace assay::cli {
namespace {

// Those with one value.
const std::vector<std::string>& case_keys() {
  static const std::vector<std::string> keys = [] {
    using F = suite::Form;
    std::vector<std::string> found;
    for (const suite::Key* key : suite::keys_of(suite::KeyScope::one_case))
      for (const F form : {F::devices, F::choice, F::count, F::bind, F::duration})
        if (key->form == form) found.emplace_back(key->name);
    return found;
  }();
  return keys;
}

const std::vector<std::string>& measure_keys() {
  static const std::vector<std::string> keys = suite::key_names(suite::KeyScope::measure);
  return keys;
}

// The value of a boolean is true or false where it is one; what is neither is refused as any text is.
std::string scalar(const std::string& text, bool is_boolean) {
  return is_boolean && (text == "true" || text == "false") ? text : yaml_scalar(text);
}

std::string without_spaces_around(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

std::vector<std::string> items(const std::string& text) {
  std::vector<std::string> found = split(text, ',');
  for (std::string& item : found) item = without_spaces_around(item);
  return found;
}

std::string list(const std::string& text, bool is_boolean = false) {
  std::string result;
  for (const std::string& item : items(text))
    result += (result.empty() ? "[" : ", ") + (item == "~" ? item : scalar(item, is_boolean));
  return result + "]";
}

std::string reference(const std::string& text) {
  std::string result;
  for (const std::string& item : items(text)) {
    const std::size_t sign = item.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == item.size()) {
      throw Error("usage.parameter", "'reference=" + printable(text) +
                                         "' is to name an axis and one of its values: reference=dtype=fp32");
    }
    result += (result.empty() ? "{" : ", ") + yaml_scalar(item.substr(0, sign)) + ": " +
              yaml_scalar(item.substr(sign + 1));
  }
  return result + "}";
}

// "8B..1GiB*4" or "1..9+2" as a range of a suite; nothing for what does not read like one. Throws Error "usage.parameter"
// for one that lacks its step.
std::optional<std::string> range(const std::string& text) {
  const std::size_t dots = text.find("..");
  const std::size_t sign = text.find_first_of("*+", dots == std::string::npos ? dots : dots + 2);
  if (sign == std::string::npos) {
    if (dots != std::string::npos && parse_quantity(text.substr(0, dots)) &&
        parse_quantity(text.substr(dots + 2)))
      throw Error("usage.parameter", "the range '" + printable(text) + "' has no step: write " +
                                         printable(text) + "*2 to double, or " + printable(text) +
                                         "+1 to add");
    return std::nullopt;
  }
  const std::string from = text.substr(0, dots), to = text.substr(dots + 2, sign - dots - 2),
                    by = text.substr(sign + 1);
  if (!parse_quantity(from) || !parse_quantity(to) || !parse_quantity(by)) return std::nullopt;
  return "{from: " + from + ", to: " + to + (text[sign] == '*' ? ", factor: " : ", step: ") + by + "}";
}

// The values of an axis, if the text is one.
std::optional<std::string> axis(const std::string& text, bool is_boolean) {
  if (text.find(',') != std::string::npos) return list(text, is_boolean);
  return range(text);
}

// A word or a number of devices, or a list of their names.
std::string devices(const std::string& text) {
  const bool named = text.find_first_of(":,") != std::string::npos;
  return named ? list(text) : yaml_scalar(text);
}

std::string values_of(const std::string& text, bool is_boolean = false) {
  return axis(text, is_boolean).value_or(scalar(text, is_boolean));
}

// "prog_py_10" for "prog.py-10"; "" where expressions or YAML would read something else than a name.
std::string name_of_let(const std::string& text) {
  std::string name = id_from(text, "");
  std::replace(name.begin(), name.end(), '-', '_');
  const bool is_name = suite::is_identifier(name) && suite::is_free_name(name) && !suite::is_reserved(name);
  return is_name && yaml_scalar(name) == name ? name : "";
}

bool is_axis(const std::string& text) { return axis(text, false).has_value(); }

}  // namespace

std::string yaml_text(const std::string& word) {
  return Json(word).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string yaml_scalar(const std::string& text) {
  const bool plain = !text.empty() && text.find_first_of(":#,[]{}&*!|>'\"%@` \t\n") == std::string::npos &&
                     text != "~" && text != "-";
  static const std::vector<std::string> meant_otherwise = {"null", "Null", "NULL", "true", "false",
                                                           "yes",  "no",   "on",   "off"};
  if ((plain && !contains(meant_otherwise, text)) || parse_quantity(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";  // as it stands YAML reads a line's end as a space
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string id_from(std::string text, const std::string& prefix) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (char& c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '-') c = '_';
  return text.empty() || !is_letter(text[0]) ? prefix + text : text;
}

std::string finding_text(const std::string& id, const std::string& question, const AskedRow& row,
                         const std::string& is, const AskedRow& base) {
  std::string left = name_of_let(row.name), right = name_of_let(base.name);
  std::string labels;
  if (left.empty() || right.empty() || left == right) {
    left = "this";
    right = "base";
    if (row.name != base.name)
      labels = "    labels: {this: " + yaml_text(row.name) + ", base: " + yaml_text(base.name) + "}\n";
  }
  return "  - id: " + yaml_scalar(id) + "\n    question: " + yaml_text(question) + "\n    let: {" + left +
         ": " + yaml_text(row.selector) + ", " + right + ": " + yaml_text(base.selector) + "}\n" + labels +
         "    claim: " + left + " " + is + " " + right + "\n";
}

std::vector<std::string> listed_values(const std::string& text) {
  return text.find(',') == std::string::npos ? std::vector<std::string>{} : items(text);
}

std::vector<std::string> setting_keys() {
  std::vector<std::string> known = measure_keys();
  known.emplace_back("reference");
  known.insert(known.end(), case_keys().begin(), case_keys().end());
  return known;
}

void CaseText::add_parameter(const SettingText& setting, bool is_boolean) {
  const auto& [key, value] = setting;
  (is_axis(value) ? matrix : with) += "      " + key + ": " + values_of(value, is_boolean) + "\n";
}

void refuse_key_of_suites(const std::string& key) {
  if (!contains(suite::key_names(suite::KeyScope::one_case), key) &&
      !contains(suite::key_names(suite::KeyScope::suite), key))
    return;
  if (key == "command")
    throw Error("usage.parameter",
                "a command of your own stands behind '--': assay bench -- ./program argument");
  throw Error("usage.parameter",
              "'" + printable(key) +
                  "' stands in suites only: print the suite with --yaml > suite.yaml, write '" +
                  printable(key) + "' into it, and run it with 'assay run suite.yaml'");
}

bool CaseText::add_key(const SettingText& setting) {
  const auto& [key, value] = setting;
  if (key.starts_with("env.")) {
    const bool several = is_axis(value);
    (several ? matrix : env) += "      " + (several ? key : key.substr(4)) + ": " + values_of(value) + "\n";
  } else if (key == "reference") {
    rest += "    reference: " + reference(value) + "\n";
  } else if (contains(measure_keys(), key)) {
    (is_axis(value) ? matrix : measure) += "      " + key + ": " + values_of(value) + "\n";
  } else if (contains(case_keys(), key)) {
    rest += "    " + key + ": " + (key == "devices" ? devices(value) : values_of(value)) + "\n";
  } else {
    return false;
  }
  return true;
}

std::string CaseText::text() const {
  std::string text;
  if (!with.empty()) text += "    with:\n" + with;
  if (!matrix.empty()) text += "    matrix:\n" + matrix;
  if (!env.empty()) text += "    env:\n" + env;
  if (!measure.empty()) text += "    measure:\n" + measure;
  return text + rest;
}

}  // namespace assay::cli
