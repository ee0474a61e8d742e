// SPDX-License-Identifier: Apache-2.0
#include "model/variants.hpp"

#include "base/json.hpp"

#include <set>

namespace assay::model {
namespace {

// What nobody sets is a variable as the caller has it, or left to the benchmark.
std::string said_of(const Json& settings, const std::string& name) {
  const auto found = settings.find(name);
  if (found == settings.end()) return name.starts_with("env.") ? "as it is outside" : "not said";
  if (found->is_null()) return "unset";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

bool is_variant(const std::string& axis, const Json& value) {
  return axis == kVariantAxis && value.is_object();
}

std::vector<VariedSetting> varied_settings(const Json& before, const Json& after) {
  std::set<std::string> names;
  for (const Json* side : {&before, &after})
    for (const auto& [name, value] : side->items()) names.insert(name);
  std::vector<VariedSetting> varied;
  for (const std::string& name : names) {
    std::string left = said_of(before, name), right = said_of(after, name);
    if (left != right) varied.push_back({name, std::move(left), std::move(right)});
  }
  return varied;
}

std::vector<std::string> lines_of_variants(const std::vector<std::pair<std::string, Json>>& variants) {
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < variants.size(); ++i) {
    std::string line;
    for (const VariedSetting& each : varied_settings(variants.front().second, variants[i].second))
      line += (line.empty() ? "" : ", ") + each.name + " " + each.before + " → " + each.after;
    lines.push_back(variants.front().first + " → " + variants[i].first + ": " + line);
  }
  return lines;
}

std::string id_without(std::string id, const std::string& axis, const std::string& value) {
  // A value has neither of the signs that part terms.
  const std::string term = axis + "=" + value;
  for (std::size_t at = id.find(term); at != std::string::npos; at = id.find(term, at + 1)) {
    const std::size_t end = at + term.size();
    if (at == 0 || end >= id.size() || (id[end] != ',' && id[end] != ']')) continue;
    if (id[at - 1] == ',') return id.erase(at - 1, term.size() + 1);
    if (id[at - 1] != '[') continue;
    return id[end] == ',' ? id.erase(at, term.size() + 1) : id.erase(at - 1, term.size() + 2);
  }
  return id;
}

}  // namespace assay::model
