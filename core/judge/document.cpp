// SPDX-License-Identifier: Apache-2.0
#include "judge/document.hpp"

#include "result/exit_code.hpp"

#include <cmath>

namespace assay::judge {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json position_json(const Position& position) {
  if (!position.known() && position.file.empty()) return nullptr;
  return {{"file", position.file}, {"line", position.line}, {"column", position.column}};
}

Json written_json(const UnitText& unit) {
  if (unit.written.empty()) return nullptr;
  return {{"unit", unit.written}, {"scale", number(unit.scale)}};
}

namespace {

// Only where there is one: most documents are about no command's numbers.
void add_written(const UnitText& unit, Json& json) {
  if (Json written = written_json(unit); !written.is_null()) json["written"] = std::move(written);
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
  Json counts = Json::object();
  for (const result::OutcomeRow& row : result::outcome_table()) counts[std::string(row.text())] = 0;
  for (const result::Outcome outcome : verdict.outcomes) {
    Json& count = counts[std::string(result::to_text(outcome))];
    count = count.get<int>() + 1;
  }
  Json reasons = Json::array();
  for (const VerdictReason& each : verdict.reasons)
    reasons.push_back({{"code", each.code},
                       {"severity", result::to_text(each.severity)},
                       {"subject", each.subject},
                       {"text", each.text},
                       {"next", each.next},
                       {"position", position_json(each.position)}});
  Json json = {{"outcome", verdict.outcome},
               {"exit_code", verdict.exit_code},
               {"counts", std::move(counts)},
               {"undecided", verdict.undecided},
               {"reasons", std::move(reasons)}};
  for (const Verdict::Devices& each : verdict.devices)
    json["devices"].push_back({{"backend", each.backend}, {"count", each.count}, {"text", each.text}});
  return json;
}

Json group_json(const GroupResult& group) {
  Json where = Json::object();
  for (const auto& [name, text] : group.where) where[name] = text;
  Json members = Json::array();
  for (const GroupMember& member : group.members) {
    Json one = {{"id", member.result->planned->id},
                {"label", member.label},
                {"value", member.value ? number(*member.value) : Json()},
                {"unit", member.unit.base}};
    add_written(member.unit, one);
    members.push_back(std::move(one));
  }
  const bool judged = group.relation.measured.ok() && group.relation.limit.ok();
  Json json = {{"id", group.id},
               {"case", group.suite_case},
               {"text", group.expectation->text},
               {"status", group.status},
               {"outcome", result::to_text(group.outcome)},
               {"where", std::move(where)},
               {"value", judged ? number(group.relation.measured.estimate.value) : Json()},
               {"unit", group.unit.base},
               {"limit", judged ? number(group.relation.limit.estimate.value) : Json()},
               {"operator", to_text(group.relation.comparison)},
               {"over", group.axis},
               {"say", group.expectation->say},
               {"why", group.why},
               {"members", std::move(members)},
               {"position", position_json(group.expectation->position)}};
  add_written(group.unit, json);
  return json;
}

Json finding_json(const FindingResult& result) {
  const auto operand = [](const FindingOperand& each) {
    Json json = {{"id", each.id},
                 {"metric", each.metric},
                 {"value", each.value ? number(*each.value) : Json()},
                 {"unit", each.value ? Json(each.unit.base) : Json()}};
    if (each.value) add_written(each.unit, json);
    return json;
  };
  Json rows = Json::array();
  for (const FindingRow& row : result.rows) {
    Json axes = Json::object();
    for (const auto& [name, text] : row.axes) axes[name] = text;
    const bool has_effect = row.rounds > 0;
    rows.push_back({{"label", row.label},
                    {"axes", std::move(axes)},
                    {"verdict", row.verdict},
                    {"effect", has_effect ? number(row.effect) : Json()},
                    {"low", row.has_interval ? number(row.interval.low) : Json()},
                    {"high", row.has_interval ? number(row.interval.high) : Json()},
                    {"n", row.rounds},
                    {"left", operand(row.left)},
                    {"right", operand(row.right)},
                    {"why", row.why}});
    if (row.more_rounds > 0) rows.back()["more_rounds"] = row.more_rounds;
  }
  Json asks = nullptr;
  if (result.limit)
    asks = {{"operator", to_text(result.limit->comparison)},
            {"factor", number(result.limit->factor)},
            {"tolerance", number(result.limit->tolerance)}};
  return {{"id", result.finding->id.value},
          {"question", result.finding->question.value},
          {"claim", result.finding->claim_text},
          {"verdict", result.verdict},
          {"theta", result.finding->over},
          {"asks", std::move(asks)},
          {"assert", result.finding->assert_confirmed},
          {"why", result.why},
          {"rows", std::move(rows)},
          {"say", result.text ? result.text->say : ""},
          {"do", result.text ? result.text->act : ""},
          {"position", position_json(result.finding->position)}};
}

Json guard_json(const Guard& guard) {
  return {{"code", guard.code}, {"severity", "invalid"}, {"subject", guard.subject}, {"text", guard.text}};
}

}  // namespace assay::judge
