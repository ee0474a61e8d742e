// SPDX-License-Identifier: Apache-2.0
#include "lib/stable_name.hpp"

#include "lib/text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace assay::reporters {

std::string stable_name(const Case& one) {
  std::vector<std::string> axes;
  for (const Axis& axis : one.axes) axes.push_back(axis.name + "=" + axis.text);
  std::sort(axes.begin(), axes.end());
  return axes.empty() ? one.name : one.name + "[" + join(axes, ",") + "]";
}

std::vector<std::string> unique_names(const Document& document) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  std::map<std::string, int> counts;  // of each name; those with a smaller number are taken
  for (const Case& one : document.cases) {
    const std::string plain = one_line(stable_name(one));
    std::string name = plain;
    int& count = counts.try_emplace(plain, 1).first->second;
    while (!taken.insert(name).second) name = plain + "#" + std::to_string(++count);
    out.push_back(std::move(name));
  }
  return out;
}

std::string index_text(const Metric& metric) {
  if (metric.indices.empty()) return {};
  std::vector<std::string> parts;
  for (const std::uint64_t index : metric.indices) parts.push_back(std::to_string(index));
  return "[" + join(parts, ",") + "]";
}

std::string devices_text(const Case& one) { return join(one.placement.devices, " "); }

}  // namespace assay::reporters
