// SPDX-License-Identifier: Apache-2.0
#include "engine/repeatability.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "engine/fitness.hpp"
#include "engine/rejudge.hpp"
#include "engine/resume.hpp"
#include "statistics/distribution.hpp"
#include "text/text.hpp"

#include <algorithm>

namespace assay::engine {

Json measured_repeatability(const std::string& result, const system::Inventory& inventory, const Json& host) {
  const std::string name = "'" + printable(result) + "'";
  const Json document = parse_json(document_of(result), "result.malformed", name);
  try {
    const Json& run = document.at("run");
    if (const auto suite = value_at<std::string>(run, "suite"); suite != "doctor") {
      throw Error("usage.doctor", name + " is a result of '" + printable(suite) +
                                      "', and --doctor takes one of 'assay doctor'");
    }
    const std::string other = why_other_machine(run.at("backends"), run.at("host"),
                                                system::to_json(inventory).at("backends"), host);
    if (!other.empty()) {
      throw Error("usage.doctor",
                  name + " says nothing of this machine: " + other + "; let 'assay doctor' measure here");
    }
    Json shares = Json::object();
    for (const Deviation& deviation : deviations(document)) {
      // One run against the mean of many, whose deviation is estimated from few: Student's t.
      const double half_width = deviation.share * statistics::student_t_quantile(0.975, deviation.rounds - 1);
      shares[deviation.backend] = std::max(shares.value(deviation.backend, 0.0), half_width);
    }
    if (shares.empty()) {
      throw Error("usage.doctor", name +
                                      " has no work that was done in three processes; let 'assay doctor' "
                                      "measure with its default of five");
    }
    return {{"run", run.at("id")}, {"shares", std::move(shares)}};
  } catch (const nlohmann::json::exception& error) {
    throw Error("result.malformed", name + " is not whole: " + in_words(error));
  }
}

}  // namespace assay::engine
