// SPDX-License-Identifier: Apache-2.0
#include "plan/filter.hpp"

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"
#include "model/variants.hpp"
#include "suite/suite.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <optional>

namespace assay::plan {
namespace {

constexpr std::size_t kValuesToSuggest = 64;  // values that a suggestion is sought among

// A value as it is written beside one in base units: 64MiB is 67108864.
bool is_written_as(const std::string& written, const Json& value) {
  if (value.is_null()) return written == "~";
  if (value.is_boolean()) return written == (value.get<bool>() ? "true" : "false");
  if (value.is_string()) return written == value.get<std::string>();
  const std::optional<Quantity> quantity = value.is_number() ? parse_quantity(written) : std::nullopt;
  return quantity && quantity->value == value.get<double>();
}

// Without an inventory a row's device is "cuda:*", or "cuda:*-cuda:*": whichever is asked for may be there.
bool may_be_device(const std::string& any, const std::string& device) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t at = 0;
  for (const char c : any) {
    const std::size_t begin = at;
    if (c != '*' && at < device.size() && device[at] == c) ++at;
    while (c == '*' && at < device.size() && is_digit(device[at])) ++at;
    if (at == begin) return false;
  }
  return at == device.size();
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

}  // namespace

Filter::Filter(const PlanOptions& options) : options_(options), ids_(options.filters) {
  for (const std::string& term : options.where) {
    const std::size_t equals = term.find('=');
    const std::vector<std::string> values =
        split(equals == std::string::npos ? std::string() : term.substr(equals + 1), ',');
    if (equals == 0 || contains(values, ""))
      throw Error("usage.only",
                  "'" + printable(term) +
                      "' is not name=value of an axis or a parameter; write --only dtype=bf16, or "
                      "dtype=bf16,fp16 for several values");
    terms_.push_back({term.substr(0, equals), values, std::vector<bool>(values.size())});
  }
}

bool Filter::matches(Term& term, const PlannedCase& planned) {
  bool found = false;
  const auto look_at = [&](const std::string& text, const Json& value) {
    for (std::size_t i = 0; i < term.values.size(); ++i) {
      const bool may_be = term.name == "device" && may_be_device(text, term.values[i]);
      if (term.values[i] != text && !may_be && !is_written_as(term.values[i], value)) continue;
      found = term.matched[i] = true;
    }
    if (term.seen.size() < kValuesToSuggest) add_once(term.seen, text);
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
  return all && (ids_.passes(planned.id) || ids_.passes(id_without_variant(planned)));
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
