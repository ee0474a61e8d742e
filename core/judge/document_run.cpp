// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"
#include "judge/document.hpp"
#include "judge/other_runs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace assay::judge {
namespace {

Json backends_json(const system::Inventory& inventory) {
  Json backends = Json::array();
  for (const system::Backend& backend : inventory.backends) {
    Json devices = Json::array();
    for (const system::Device& device : backend.devices)
      devices.push_back({{"name", device.name},
                         {"uuid", device.uuid},
                         {"model", device.model},
                         {"numa_node", device.numa_node},
                         {"facts", device.facts}});
    backends.push_back({{"name", backend.name},
                        {"plugin", backend.plugin},
                        {"facts", backend.facts},
                        {"unavailable", backend.unavailable.empty() ? Json() : Json(backend.unavailable)},
                        {"devices", std::move(devices)}});
  }
  return backends;
}

// What the run recorded as loaded; else the plugins that the plan names.
Json plugins_json(const plan::Plan& plan, const result::JournalHeader& header) {
  Json plugins = header.options.libraries;
  if (!plugins.empty()) return plugins;
  std::vector<const catalog::Manifest*> seen;
  for (const plan::Case& planned : plan.cases) {
    if (!planned.manifest || std::find(seen.begin(), seen.end(), planned.manifest) != seen.end()) continue;
    seen.push_back(planned.manifest);
    plugins.push_back({{"id", planned.manifest->id}, {"version", planned.manifest->version}});
  }
  return plugins;
}

// Lines end in a newline alone, as everywhere in the document.
std::string suite_lines(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) text.erase(at, 1);
  return text;
}

}  // namespace

Json utc_time(double unix_s) {
  constexpr double kYear10000_s = 253402300800;  // no such time is written
  if (!(unix_s > 0 && unix_s < kYear10000_s)) return nullptr;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(unix_s)));
}

Json run_json(const suite::Suite& suite, const plan::Plan& plan, const system::Inventory& inventory,
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

  Json run;
  run["id"] = header.run_id;
  run["suite"] = suite.name;
  run["description"] = suite.description;
  run["suite_file"] = header.suite_file;
  run["suite_sha256"] = sha256(sources);
  run["suite_text"] = suite_lines(header.suite_text);
  for (const auto& [file, text] : header.includes)
    run["suite_includes"].push_back({{"file", file}, {"text", suite_lines(text)}});
  run["started_at"] = utc_time(header.started_at_s);
  run["finished_at"] = utc_time(finished_at);
  // By a clock that nobody sets, where one was read: the wall's may have jumped, and a resumed run paused.
  run["duration_s"] = end.duration_s > 0 ? number(end.duration_s)
                      : finished_at > 0 && header.started_at_s > 0
                          ? number(std::max(0.0, finished_at - header.started_at_s))
                          : Json();
  run["tool"] = header.tool.is_null() ? Json::object() : header.tool;
  run["command"] = header.command;
  run["seed"] = plan.seed;
  run["rounds"] = plan.rounds;
  run["mode"] = {{"quick", header.options.quick},
                 {"strict", strict},
                 {"wrap", header.options.wrap ? Json(*header.options.wrap) : Json()},
                 {"resumed", header.resumed},
                 {"interrupted_by", end.interrupted_by == 0 ? Json() : Json(signal_name(end.interrupted_by))},
                 {"simulated", simulated}};
  if (header.earlier.is_object())
    run["mode"]["failed_of"] = {{"run", header.earlier.at("run")}, {"cases", header.earlier.at("of")}};
  if (const auto& site = header.options.site)
    run["site"] = {{"file", site->file}, {"sha256", sha256(site->text)}, {"text", suite_lines(site->text)}};
  if (!header.options.others_unseen.empty()) run["others_unseen"] = header.options.others_unseen;
  if (Json beside = other_runs_json(visits); !beside.empty()) run["beside"] = std::move(beside);
  if (!header.options.run_to_run.is_null()) run["run_to_run"] = header.options.run_to_run;
  run["host"] = header.system.is_null() ? Json::object() : header.system;
  run["backends"] = backends_json(inventory);
  run["plugins"] = plugins_json(plan, header);
  run["environment"] = header.environment.is_null() ? Json::object() : header.environment;
  return run;
}

}  // namespace assay::judge
