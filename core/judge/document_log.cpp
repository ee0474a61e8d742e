// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace assay::judge {
namespace {

constexpr std::size_t kLogBytes = 4000;

struct Log {
  std::string head, text;
};

// The log of each rank of these visits under its number, the one that failed last.
std::vector<Log> logs_of(const CaseResult& result, const std::vector<const result::Visit*>& visits) {
  std::vector<Log> logs, guilty;
  for (const result::Visit* visit : visits) {
    std::string notes;
    for (const std::string& note : visit->notes) notes += note + "\n";
    if (!notes.empty()) logs.push_back({"", printable(notes)});
    for (const result::RankRecord& rank : visit->ranks) {
      if (rank.log.empty()) continue;
      Log log{visit->ranks.size() > 1 ? "rank " + std::to_string(rank.rank) + ":\n" : "",
              printable(rank.log)};
      if (log.text.back() != '\n') log.text += '\n';
      (rank.rank == result.reason.rank ? guilty : logs).push_back(std::move(log));
    }
  }
  std::move(guilty.begin(), guilty.end(), std::back_inserter(logs));
  return logs;
}

}  // namespace

// What a short log leaves of its share goes to longer ones.
std::string log_of(const CaseResult& result) {
  if (result.outcome == result::Outcome::passed) return {};
  std::vector<const result::Visit*> visits;
  for (const result::Visit* visit : result.last_attempts) {
    if (visit->outcome != result::Outcome::passed || result.reason.code.rfind("expectation", 0) == 0)
      visits.push_back(visit);
  }
  std::vector<Log> logs = logs_of(result, visits);
  std::vector<std::string*> by_size;
  for (Log& log : logs) by_size.push_back(&log.text);
  std::sort(by_size.begin(), by_size.end(),
            [](const std::string* a, const std::string* b) { return a->size() < b->size(); });
  std::size_t left = kLogBytes;
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    const std::size_t share = std::min(by_size[i]->size(), left / (by_size.size() - i));
    left -= share;
    *by_size[i] = tail(*by_size[i], share);
  }
  std::string all;
  for (const Log& log : logs) all += log.head + log.text;
  return all;
}

}  // namespace assay::judge
