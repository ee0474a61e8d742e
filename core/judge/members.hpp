// SPDX-License-Identifier: Apache-2.0
//
// Which of several values one is, in words, and the values of an observation.
#pragma once

#include "judge/case_result.hpp"
#include "judge/evaluate.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace assay::judge {

// "index 2", "index 0, 3"; "" without indices.
[[nodiscard]] std::string index_text(const std::vector<std::uint32_t>& indices);

// "rank 3 in round 2", as far as there are several of them.
[[nodiscard]] std::string where_of(const result::Visit& visit, const result::RankRecord& rank,
                                   std::size_t rounds);

// A value that a rank gave in a visit.
struct GivenValue {
  const result::Visit* visit;
  const result::RankRecord* rank;
  double value;
};

using Indices = std::vector<std::uint32_t>;
// In the order of rounds, ranks and samples. Looked for once: a case may give a million values.
using GivenByIndex = std::map<Indices, std::vector<GivenValue>>;

[[nodiscard]] GivenByIndex given_values(const std::vector<const result::Visit*>& last_attempts,
                                        const std::string& metric);

// How many values one rank gave in one visit, by index.
using CountByIndex = std::map<Indices, std::size_t>;
[[nodiscard]] CountByIndex counts_of(const result::RankRecord& rank, const std::string& metric);
// Every index that a rank ever gave, by rank.
[[nodiscard]] std::map<int, std::set<Indices>> indices_by_rank(const CaseResult& result,
                                                               const std::string& metric);

// Every different one of the values that were given at these indices, the first that gave it named; in the order
// of rounds.
[[nodiscard]] std::vector<ValueEntry> observed(const std::vector<GivenValue>& given, const Indices& indices,
                                               std::size_t rounds);

}  // namespace assay::judge
