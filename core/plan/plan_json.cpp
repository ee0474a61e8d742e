// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "model/measure_keys.hpp"
#include "plan/plan.hpp"
#include "plan/plan_hash.hpp"

namespace assay::plan {
namespace {

Json placement_json(const Placement& placement) {
  Json ranks = Json::array();
  for (const RankPlacement& rank : placement.ranks) {
    Json entry = {{"devices", rank.devices}};
    if (rank.node != 0) entry["node"] = rank.node;
    if (!rank.cpus.empty()) entry["cpus"] = system::to_cpu_list(rank.cpus);
    if (!rank.memory_nodes.empty()) entry["memory_nodes"] = system::to_cpu_list(rank.memory_nodes);
    ranks.push_back(std::move(entry));
  }
  return {{"bind", placement.bind}, {"load", placement.load}, {"ranks", std::move(ranks)}};
}

}  // namespace

Json to_json(const PlannedCase& planned) {
  Json environment = Json::object();
  for (const auto& [name, value] : planned.environment) environment[name] = value ? Json(*value) : Json();
  Json json = {{"id", planned.id},
               {"benchmark", planned.benchmark->name},
               {"plugin", planned.manifest->id},
               {"parameters", planned.parameters},
               {"environment", std::move(environment)},
               {"placement", placement_json(planned.placement)},
               {"conditions", model::conditions_to_json(planned.measure)},
               {"measure", model::to_plan_json(planned.measure)},
               {"timeout_s", planned.timeout_s},
               {"rounds", planned.rounds}};
  if (planned.looks > 0) json["looks"] = planned.looks;
  if (runs_command(planned)) json["external"] = planned.external;
  if (planned.has_reference_key)
    json["reference"] = planned.reference.empty() ? Json() : Json(planned.reference);
  if (planned.predetermined) {
    json["predetermined"] = {{"outcome", std::string(result::to_text(*planned.predetermined))},
                             {"code", planned.predetermined_reason.code},
                             {"text", planned.predetermined_reason.text}};
  }
  return json;
}

Json frame_to_json(const Plan& plan) {
  Json unmet = Json::array();
  for (const Unmet& entry : plan.unmet) unmet.push_back(entry.text);
  return {{"seed", plan.seed},
          {"rounds", plan.rounds},
          {"visits", plan.order.size()},
          {"hash", plan.hash},
          {"unmet", std::move(unmet)}};
}

Json to_json(const Plan& plan) {
  Json json = frame_to_json(plan);
  json["cases"] = Json::array();
  for (const PlannedCase& planned : plan.cases) json["cases"].push_back(to_json(planned));
  return json;
}

std::string plan_hash(const Plan& plan) {
  // Case by case: one document of ten thousand would be far larger than its text.
  std::string text = std::to_string(plan.seed) + "\n";
  for (const PlannedCase& planned : plan.cases) {
    Json json = to_json(planned);
    // Where the suite lies is how it was named; what it says of the folder is in its text.
    if (runs_command(planned)) json["external"].erase("directory");
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += planned.manifest->version + "/" + std::to_string(planned.benchmark->revision) + "\n";
  }
  for (const PlannedVisit& visit : plan.order) {
    text += std::to_string(visit.case_index) + "." + std::to_string(visit.round) + " ";
  }
  return sha256(text);
}

}  // namespace assay::plan
