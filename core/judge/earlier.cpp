// SPDX-License-Identifier: Apache-2.0
#include "judge/earlier.hpp"

#include <algorithm>

namespace assay::judge {

std::optional<Earlier> earlier_of(const Json& earlier, const std::string& case_id) {
  if (!earlier.is_object()) return std::nullopt;
  const Json& cases = earlier.at("cases");
  const auto found = cases.find(case_id);
  if (found == cases.end()) return std::nullopt;
  Earlier result{earlier.at("run").get<std::string>(), found->at("outcome").get<std::string>(),
                 found->at("text").get<std::string>(), found->at("visits"), 0};
  for (const Json& visit : result.visits)
    result.attempts = std::max(result.attempts, integer_at<int>(visit, "attempt"));
  return result;
}

Json earlier_from_document(const Json& document) {
  Json cases = Json::object();
  for (const Json& one : document.at("cases")) {
    Json visits = one.at("visits");
    if (visits.empty()) continue;
    const std::string outcome = one.at("outcome").get<std::string>();
    int last = 0;
    for (const Json& visit : visits) last = std::max(last, integer_at<int>(visit, "attempt"));
    // A visit that ran well in a case that did not pass was no success.
    for (Json& visit : visits) {
      if (integer_at<int>(visit, "attempt") == last && visit.at("outcome") == "passed")
        visit["outcome"] = outcome;
    }
    const Json& reason = one.at("reason");
    cases[one.at("id").get<std::string>()] = {
        {"outcome", outcome},
        {"text", reason.is_object() ? reason.at("text").get<std::string>() : std::string()},
        {"visits", std::move(visits)}};
  }
  return {{"run", document.at("run").at("id").get<std::string>()},
          {"of", document.at("cases").size()},
          {"cases", std::move(cases)}};
}

}  // namespace assay::judge
