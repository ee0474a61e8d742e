// SPDX-License-Identifier: Apache-2.0
#include "judge/earlier.hpp"

#include "model/document_json.hpp"

#include <algorithm>

namespace assay::judge {

std::optional<Earlier> earlier_of(const Json& earlier, const std::string& case_id) {
  if (!earlier.is_object()) return std::nullopt;
  const Json& cases = earlier.at("cases");
  const auto found = cases.find(case_id);
  if (found == cases.end()) return std::nullopt;
  Earlier result{earlier.at("run").get<std::string>(), found->at("outcome").get<std::string>(),
                 found->at("text").get<std::string>(),
                 model::from_json<std::vector<model::Visit>>(
                     found->at("visits"), {"journal.malformed", "the visits of '" + case_id + "' before",
                                           "run the suite without --failed", false}),
                 0};
  for (const model::Visit& visit : result.visits) result.attempts = std::max(result.attempts, visit.attempt);
  return result;
}

Json earlier_from_document(const model::Document& document) {
  Json cases = Json::object();
  for (const model::Case& one : document.cases) {
    std::vector<model::Visit> visits = one.visits;
    if (visits.empty()) continue;
    int last = 0;
    for (const model::Visit& visit : visits) last = std::max(last, visit.attempt);
    // A visit that ran well in a case that did not pass was not a success.
    for (model::Visit& visit : visits) {
      if (visit.attempt == last && visit.outcome == Outcome::passed) visit.outcome = one.outcome;
    }
    cases[one.id] = {{"outcome", to_text(one.outcome)},
                     {"text", one.reason ? one.reason->text : std::string()},
                     {"visits", model::to_json(visits)}};
  }
  return {{"run", document.run.id}, {"of", document.cases.size()}, {"cases", std::move(cases)}};
}

}  // namespace assay::judge
