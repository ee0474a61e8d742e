// SPDX-License-Identifier: Apache-2.0
#include "judge/other_runs.hpp"

#include "judge/document.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::judge {

std::vector<result::OtherRun> other_runs(const std::vector<const result::Visit*>& visits) {
  std::vector<result::OtherRun> found;
  for (const result::Visit* visit : visits)
    for (const result::OtherRun& other : visit->beside) add_once(found, other);
  return found;
}

std::string to_text(const result::OtherRun& run) {
  const std::string since = utc_time(run.since_s);
  return "process " + std::to_string(run.pid) + " with suite '" + printable(run.suite) + "'" +
         (since.empty() ? "" : " since " + since);
}

std::vector<model::OtherRun> other_runs_beside(const std::vector<result::Visit>& visits) {
  std::vector<const result::Visit*> all;
  for (const result::Visit& visit : visits) all.push_back(&visit);
  std::vector<model::OtherRun> runs;
  for (const result::OtherRun& run : other_runs(all)) {
    const auto beside = std::count_if(visits.begin(), visits.end(), [&](const result::Visit& visit) {
      return contains(visit.beside, run);
    });
    runs.push_back({run.pid, printable(run.suite), utc_time(run.since_s), static_cast<std::uint64_t>(beside),
                    to_text(run)});
  }
  return runs;
}

}  // namespace assay::judge
