// SPDX-License-Identifier: Apache-2.0
#include "base/id_filter.hpp"

#include "base/error.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace assay {
namespace {

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
  std::vector<std::string> parts = split(id.substr(open + 1, id.size() - open - 2), ',');
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

IdFilter::IdFilter(const std::vector<std::string>& filters) {
  for (const std::string& filter : filters) {
    // Without a backslash an id is not an expression that anybody means: its brackets would be a class of letters.
    const bool is_id = !parts_of_id(filter).empty();
    const ParsedFilter& asked = filters_.emplace_back(
        ParsedFilter{is_id ? std::nullopt : std::optional<Pattern>(filter), name_in(filter)});
    const std::string problem = asked.pattern ? asked.pattern->problem() : "";
    if (problem.empty()) continue;
    throw Error("usage.filter", "'" + printable(filter) + "' is not a regular expression: " + problem +
                                    "; write '\\[' for a bracket, as in 'gemm\\[dtype=bf16'");
  }
}

bool IdFilter::passes(const std::string& id) const {
  if (filters_.empty()) return true;
  const std::vector<std::string> parts = parts_of_id(id);
  const std::string sorted = parts.empty() ? id : id_of_parts(parts);
  return std::any_of(filters_.begin(), filters_.end(), [&](const ParsedFilter& asked) {
    if (!parts.empty() && asked.name == parts) return true;
    return asked.pattern && (asked.pattern->is_found_in(id) || asked.pattern->is_found_in(sorted));
  });
}

}  // namespace assay
