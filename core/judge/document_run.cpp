// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "judge/document.hpp"
#include "judge/other_runs.hpp"
#include "model/document_json.hpp"
#include "result/exit_code.hpp"
#include "text/lookup.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace assay::judge {
namespace {

std::vector<model::Backend> backends_of(const system::Inventory& inventory) {
  std::vector<model::Backend> backends;
  for (const system::Backend& backend : inventory.backends) {
    model::Backend& one = backends.emplace_back(
        model::Backend{backend.name, backend.plugin, backend.facts, backend.unavailable, {}});
    for (const system::Device& device : backend.devices)
      one.devices.push_back({device.name, device.uuid, device.model, device.numa_node, device.facts});
  }
  return backends;
}

// What the run recorded as loaded; else the plugins that the plan names.
std::vector<model::Plugin> plugins_of(const plan::Plan& plan, const result::JournalHeader& header) {
  auto plugins = model::read_leniently<std::vector<model::Plugin>>(header.options.libraries);
  if (!plugins.empty()) return plugins;
  std::vector<const catalog::Manifest*> seen;
  for (const plan::PlannedCase& planned : plan.cases) {
    if (!planned.manifest || contains(seen, planned.manifest)) continue;
    seen.push_back(planned.manifest);
    plugins.push_back({planned.manifest->id, planned.manifest->version, {}, {}});
  }
  return plugins;
}

Json object_or_empty(const Json& json) { return json.is_null() ? Json::object() : json; }

// Lines end in a newline alone, as everywhere in the document.
std::string suite_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

}  // namespace

std::string utc_time(double unix_s) {
  constexpr double kYear10000_s = 253402300800;  // no such time is written
  if (!(unix_s > 0 && unix_s < kYear10000_s)) return {};
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(unix_s)));
}

model::Run run_of(const suite::Suite& suite, const plan::Plan& plan, const system::Inventory& inventory,
                  const result::JournalHeader& header, const std::vector<result::Visit>& visits,
                  const result::JournalEnd& end, bool strict) {
  // A run that was killed ended with its last finished visit, as far as anybody knows.
  double finished_at = end.finished_at_s;
  for (const result::Visit& visit : visits)
    if (end.finished_at_s <= 0) finished_at = std::max(finished_at, visit.started_at_s + visit.duration_s);
  const bool simulated = std::any_of(visits.begin(), visits.end(), [](const result::Visit& visit) {
    return visit.measurement.clock == "simulated";
  });
  std::string sources = header.suite_text;
  for (const auto& [file, text] : header.includes) sources += text;

  model::Run run;
  run.id = header.run_id;
  run.suite = suite.name;
  run.description = suite.description;
  run.suite_file = header.suite_file;
  run.suite_sha256 = sha256(sources);
  run.suite_text = suite_lines(header.suite_text);
  for (const auto& [file, text] : header.includes) run.suite_includes.push_back({file, suite_lines(text)});
  run.started_at = utc_time(header.started_at_s);
  run.finished_at = utc_time(finished_at);
  // By a clock that nobody sets, where one was read: the wall's may have jumped, and a resumed run paused.
  if (end.duration_s > 0)
    run.duration_s = end.duration_s;
  else if (finished_at > 0 && header.started_at_s > 0)
    run.duration_s = std::max(0.0, finished_at - header.started_at_s);
  run.tool = object_or_empty(header.tool);
  run.command = header.command;
  run.seed = plan.seed;
  run.rounds = plan.rounds;
  run.mode = {header.options.quick,
              strict,
              header.options.wrap,
              header.resumed,
              end.interrupted_by == 0 ? "" : result::signal_name(end.interrupted_by),
              simulated,
              std::nullopt,
              header.options.budget_s,
              {}};
  for (const result::Extension& each : header.options.extensions)
    run.mode.extended.push_back({utc_time(each.at_s), each.rounds.size(), each.command});
  if (header.earlier.is_object())
    run.mode.failed_of = model::FailedOf{header.earlier.at("run").get<std::string>(),
                                         integer_at<std::uint64_t>(header.earlier, "of")};
  if (const auto& site = header.options.site)
    run.site = model::SiteFile{site->file, sha256(site->text), suite_lines(site->text)};
  if (const auto& held = header.options.baseline)
    run.baseline = model::SiteFile{held->file, sha256(held->text), suite_lines(held->text)};
  run.others_unseen = header.options.others_unseen;
  run.beside = other_runs_beside(visits);
  if (const Json& measured = header.options.run_to_run; !measured.is_null())
    run.run_to_run = model::read_leniently<model::RunToRun>(measured);
  run.host = object_or_empty(header.system);
  run.backends = backends_of(inventory);
  run.plugins = plugins_of(plan, header);
  run.environment = object_or_empty(header.environment);
  return run;
}

}  // namespace assay::judge
