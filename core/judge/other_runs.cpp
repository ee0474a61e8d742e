// SPDX-License-Identifier: Apache-2.0
#include "judge/other_runs.hpp"

#include "judge/document.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::judge {

std::vector<result::OtherRun> other_runs(const std::vector<const result::Visit*>& visits) {
  std::vector<result::OtherRun> found;
  for (const result::Visit* visit : visits)
    for (const result::OtherRun& other : visit->beside)
      if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
  return found;
}

std::string to_text(const result::OtherRun& run) {
  const Json since = utc_time(run.since_s);
  return "process " + std::to_string(run.pid) + " with suite '" + printable(run.suite) + "'" +
         (since.is_string() ? " since " + since.get<std::string>() : "");
}

Json other_runs_json(const std::vector<result::Visit>& visits) {
  std::vector<const result::Visit*> all;
  for (const result::Visit& visit : visits) all.push_back(&visit);
  Json runs = Json::array();
  for (const result::OtherRun& run : other_runs(all)) {
    const auto beside = std::count_if(visits.begin(), visits.end(), [&](const result::Visit& visit) {
      return std::find(visit.beside.begin(), visit.beside.end(), run) != visit.beside.end();
    });
    runs.push_back({{"pid", run.pid},
                    {"suite", printable(run.suite)},
                    {"since", utc_time(run.since_s)},
                    {"visits", beside},
                    {"text", to_text(run)}});
  }
  return runs;
}

}  // namespace assay::judge
