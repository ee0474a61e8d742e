// SPDX-License-Identifier: Apache-2.0
//
// What the driver says of the links between devices, in words.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::p2p {

struct Link {
  std::string from, to;  // names of the devices: `from` reaches into the memory of `to`
  bool access = false;   // by loads, stores and copies of its own
  bool atomics = false;  // by atomic operations, too
  int performance = 0;   // the driver's rank of it: 0 is the best of this machine
};

inline std::string class_of(const Link& link) {
  if (!link.access) return "no peer access";
  return std::string("peer access") + (link.atomics ? ", native atomics" : "") + ", performance rank " +
         std::to_string(link.performance);
}

// "peer access, native atomics, performance rank 0"; links that differ by their names:
// "no peer access: cuda:0-cuda:2, cuda:2-cuda:0; peer access, performance rank 1: cuda:0-cuda:1"
inline std::string text_of(const std::vector<Link>& links) {
  std::vector<std::pair<std::string, std::string>> classes;  // and the pairs of each
  for (const Link& link : links) {
    const std::string kind = class_of(link);
    std::size_t place = 0;
    while (place < classes.size() && classes[place].first != kind) ++place;
    if (place == classes.size()) classes.emplace_back(kind, "");
    std::string& pairs = classes[place].second;
    pairs += (pairs.empty() ? "" : ", ") + link.from + "-" + link.to;
  }
  if (classes.size() == 1) return classes.front().first;
  std::string text;
  for (const auto& [kind, pairs] : classes) text += (text.empty() ? "" : "; ") + kind + ": " + pairs;
  return text;
}

}  // namespace assay::plugins::p2p
