// SPDX-License-Identifier: Apache-2.0
#include "engine/repeatability.hpp"

#include "base/error.hpp"
#include "engine/fitness.hpp"
#include "engine/rejudge.hpp"
#include "engine/resume.hpp"
#include "model/document_json.hpp"
#include "statistics/distribution.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::engine {

Json measured_repeatability(const std::string& result, const system::Inventory& inventory, const Json& host) {
  const std::string name = "'" + printable(result) + "'";
  const model::Document document = result_of(result);
  const model::Run& run = document.run;
  if (run.suite != "doctor") {
    throw Error("usage.doctor", name + " is a result of '" + printable(run.suite) +
                                    "', and --doctor takes one of 'assay doctor'");
  }
  const std::string other = why_other_machine(model::to_json(run.backends), run.host,
                                              system::to_json(inventory).at("backends"), host);
  if (!other.empty()) {
    throw Error("usage.doctor",
                name + " says nothing of this machine: " + other + "; let 'assay doctor' measure here");
  }
  Json shares = Json::object();
  for (const Deviation& deviation : deviations(document)) {
    // One run against the mean of many, whose deviation is estimated from few: Student's t.
    const double half_width = deviation.share * statistics::student_t_quantile(0.975, deviation.rounds - 1);
    const auto widen = [&](const std::string& key) {
      shares[key] = std::max(shares.value(key, 0.0), half_width);
    };
    widen(deviation.backend);
    if (!deviation.work.empty()) widen(deviation.backend + "/" + deviation.work);
  }
  if (shares.empty()) {
    throw Error("usage.doctor", name +
                                    " has no work that was done in three processes; let 'assay doctor' "
                                    "measure with its default of five");
  }
  return {{"run", run.id}, {"shares", std::move(shares)}};
}

}  // namespace assay::engine
