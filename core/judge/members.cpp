// SPDX-License-Identifier: Apache-2.0
#include "judge/members.hpp"

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

GivenByIndex given_values(const std::vector<const result::Visit*>& last_attempts, const std::string& metric) {
  GivenByIndex given;
  for (const result::Visit* visit : last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const result::Value& value : rank.values)
        if (value.metric == metric) given[value.indices].push_back({visit, &rank, value.value});
  return given;
}

CountByIndex counts_of(const result::RankRecord& rank, const std::string& metric) {
  CountByIndex counts;
  for (const result::Value& value : rank.values)
    if (value.metric == metric) ++counts[value.indices];
  return counts;
}

std::map<int, std::set<Indices>> indices_by_rank(const CaseResult& result, const std::string& metric) {
  std::map<int, std::set<Indices>> found;
  for (const result::Visit* visit : result.last_attempts)
    for (const result::RankRecord& rank : visit->ranks)
      for (const auto& [indices, count] : counts_of(rank, metric)) found[rank.rank].insert(indices);
  return found;
}

std::vector<ValueEntry> observed(const std::vector<GivenValue>& given, const Indices& indices,
                                 std::size_t rounds) {
  std::vector<ValueEntry> members;
  std::map<double, std::size_t> seen;
  for (const GivenValue& one : given) {
    const auto [known, is_new] = seen.try_emplace(one.value, members.size());
    if (!is_new) {
      ++members[known->second].count;
      continue;
    }
    std::string where = index_text(indices);
    const std::string place = where_of(*one.visit, *one.rank, rounds);
    where += (where.empty() || place.empty() ? "" : " of ") + place;
    members.push_back({exact(one.value, {}), indices, std::move(where)});
  }
  return members;
}

}  // namespace assay::judge
