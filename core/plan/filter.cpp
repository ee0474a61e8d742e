// SPDX-License-Identifier: Apache-2.0
#include "plan/filter.hpp"

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "model/variants.hpp"
#include "suite/suite.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace assay::plan {
namespace {

constexpr std::size_t kValuesToSuggest = 64;  // values that a suggestion is sought among

// "a,b" in its parts; none may be empty.
std::vector<std::string> comma_parts(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// A value as it is written beside one in base units: 64MiB is 67108864.
bool is_written_as(const std::string& written, const Json& value) {
  if (value.is_null()) return written == "~";
  if (value.is_boolean()) return written == (value.get<bool>() ? "true" : "false");
  if (value.is_string()) return written == value.get<std::string>();
  const std::optional<Quantity> quantity = value.is_number() ? parse_quantity(written) : std::nullopt;
  return quantity && quantity->value == value.get<double>();
}

std::string shown_parameter(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "gemm[m=1]" for "gemm[m=1,variant=before]": what a case is called in a suite of which --pairs makes variants.
std::string id_without_variant(const PlannedCase& planned) {
  std::string id = planned.id;
  for (const AxisPoint& point : planned.axes)
    if (point.name == suite::kVariant) id = model::id_without(id, point.name, point.text);
  return id;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
}

// "gemm[m=1,dtype=bf16]" as gemm, dtype=bf16, m=1: reports sort the axes, and the suite does not. Nothing for an id without any,
// or what is none.
std::vector<std::string> parts_of_id(std::string_view id) {
  const std::size_t open = id.find('[');
  if (open == std::string_view::npos || !id.ends_with(']') || !is_name(id.substr(0, open))) return {};
  std::vector<std::string> parts = comma_parts(std::string(id.substr(open + 1, id.size() - open - 2)));
  const auto is_axis = [](const std::string& part) {
    return is_name(part.substr(0, std::min(part.find('='), part.size())));
  };
  if (id.find('=') == std::string_view::npos || !std::all_of(parts.begin(), parts.end(), is_axis)) return {};
  std::sort(parts.begin(), parts.end());
  parts.insert(parts.begin(), std::string(id.substr(0, open)));
  return parts;
}

std::string id_of_parts(const std::vector<std::string>& parts) {
  return parts.front() + "[" + join({parts.begin() + 1, parts.end()}, ",") + "]";
}

// The id that somebody copied from a report, as it stands there or with what an expression needs around it: "^a\\[m=1\\]$".
std::vector<std::string> name_in(std::string_view filter) {
  if (filter.starts_with('^')) filter.remove_prefix(1);
  if (filter.ends_with('$')) filter.remove_suffix(1);
  std::string id;
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const bool escapes = filter[i] == '\\' && i + 1 < filter.size();
    if (escapes && std::isalnum(static_cast<unsigned char>(filter[i + 1])) != 0) return {};  // a class, as \d
    id += filter[escapes ? ++i : i];
  }
  return parts_of_id(id);
}

}  // namespace

Filter::Filter(const PlanOptions& options) : options_(options) {
  for (const std::string& filter : options.filters) {
    // Without a backslash an id is no expression that anybody means: its brackets would be a class of letters.
    const bool is_id = !parts_of_id(filter).empty();
    const ParsedFilter& asked = filters_.emplace_back(
        ParsedFilter{is_id ? std::nullopt : std::optional<Pattern>(filter), name_in(filter)});
    const std::string problem = asked.pattern ? asked.pattern->problem() : "";
    if (problem.empty()) continue;
    throw Error("usage.filter", "'" + printable(filter) + "' is no regular expression: " + problem +
                                    "; write '\\[' for a bracket, as in 'gemm\\[dtype=bf16'");
  }
  for (const std::string& term : options.where) {
    const std::size_t equals = term.find('=');
    const std::vector<std::string> values =
        comma_parts(equals == std::string::npos ? std::string() : term.substr(equals + 1));
    if (equals == 0 || std::find(values.begin(), values.end(), "") != values.end())
      throw Error("usage.only",
                  "'" + printable(term) +
                      "' is no name=value of an axis or a parameter; write --only dtype=bf16, or "
                      "dtype=bf16,fp16 for several values");
    terms_.push_back({term.substr(0, equals), values, std::vector<bool>(values.size())});
  }
}

bool Filter::matches(Term& term, const PlannedCase& planned) {
  bool found = false;
  const auto look_at = [&](const std::string& text, const Json& value) {
    for (std::size_t i = 0; i < term.values.size(); ++i) {
      if (term.values[i] != text && !is_written_as(term.values[i], value)) continue;
      found = term.matched[i] = true;
    }
    if (term.seen.size() < kValuesToSuggest &&
        std::find(term.seen.begin(), term.seen.end(), text) == term.seen.end())
      term.seen.push_back(text);
  };
  for (const AxisPoint& point : planned.axes)
    if (point.name == term.name) {
      look_at(point.text, point.value);
      return found;
    }
  if (!planned.parameters.is_object()) return found;
  if (const auto parameter = planned.parameters.find(term.name); parameter != planned.parameters.end())
    look_at(shown_parameter(*parameter), *parameter);
  return found;
}

bool Filter::passes(const PlannedCase& planned) {
  if (options_.only && !options_.only->contains(planned.id)) return false;
  bool all = true;
  if (!terms_.empty()) {
    for (const AxisPoint& point : planned.axes) names_.insert(point.name);
    if (planned.parameters.is_object())
      for (const auto& [name, value] : planned.parameters.items()) names_.insert(name);
    for (Term& term : terms_) all = matches(term, planned) && all;
  }
  if (!all || filters_.empty()) return all;
  return asks_for(planned.id) || asks_for(id_without_variant(planned));
}

bool Filter::asks_for(const std::string& id) const {
  const std::vector<std::string> parts = parts_of_id(id);
  const std::string sorted = parts.empty() ? id : id_of_parts(parts);
  return std::any_of(filters_.begin(), filters_.end(), [&](const ParsedFilter& asked) {
    if (!parts.empty() && asked.name == parts) return true;
    return asked.pattern && (asked.pattern->is_found_in(id) || asked.pattern->is_found_in(sorted));
  });
}

void Filter::require_matches() const {
  if (names_.empty()) return;  // no case was planned
  for (const Term& term : terms_) {
    const auto with_hint = [](const std::string& text, const std::string& word,
                              const std::vector<std::string>& known) {
      const std::string hint = suggestion(word, known);
      return hint.empty() ? text : text + " (" + hint + ")";
    };
    if (!names_.contains(term.name))
      throw Error("usage.only", with_hint("--only: no case has '" + printable(term.name) + "'", term.name,
                                          {names_.begin(), names_.end()}));
    for (std::size_t i = 0; i < term.values.size(); ++i)
      if (!term.matched[i])
        throw Error("usage.only",
                    with_hint("--only: no case has " + printable(term.name) + "=" + printable(term.values[i]),
                              term.values[i], term.seen));
  }
}

}  // namespace assay::plan
