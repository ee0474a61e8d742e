// SPDX-License-Identifier: Apache-2.0
#include "judge/members.hpp"

#include <set>

namespace assay::judge {

std::string index_text(const std::vector<std::uint32_t>& indices) {
  std::string text;
  for (const std::uint32_t index : indices) text += (text.empty() ? "index " : ", ") + std::to_string(index);
  return text;
}

std::string where_of(const result::Visit& visit, const result::RankRecord& rank, std::size_t rounds) {
  std::string text = visit.ranks.size() > 1 ? "rank " + std::to_string(rank.rank) : "";
  if (rounds > 1) text += (text.empty() ? "" : " in ") + ("round " + std::to_string(visit.round));
  return text;
}

std::vector<ValueEntry> observed(const std::vector<const result::Visit*>& finals, const std::string& metric,
                                 const std::vector<std::uint32_t>& indices) {
  std::vector<ValueEntry> members;
  std::set<double> seen;
  for (const result::Visit* visit : finals)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Value& value : rank.values) {
        if (value.metric != metric || value.indices != indices || !seen.insert(value.value).second) continue;
        std::string where = index_text(indices);
        const std::string place = where_of(*visit, rank, finals.size());
        where += (where.empty() || place.empty() ? "" : " of ") + place;
        members.push_back({exact(value.value, {}), indices, std::move(where)});
      }
  return members;
}

}  // namespace assay::judge
