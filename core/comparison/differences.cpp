// SPDX-License-Identifier: Apache-2.0
#include "comparison/differences.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace assay::comparison {

namespace {

// Facts of a device that name it, and those that were true at one moment only.
constexpr std::array<std::string_view, 8> kLabels{"census", "pci",      "serial",          "part_number",
                                                  "uuid",   "clock_hz", "memory_clock_hz", "nvlink_peers"};
// What comes with another fact of the same backend, and is not a difference of its own.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kFollows{{{"cuda_version", "driver"}}};

// Everything that a side says of one thing: usually one text.
using Texts = std::set<std::string>;
using Sayings = std::map<std::string, Texts>;

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void say_scalars(const std::string& of, const Json& facts, Sayings& out) {
  for (const auto& [name, value] : facts.items()) {
    const bool is_label = contains(kLabels, name);
    if (!is_label && value.is_primitive() && !value.is_null()) out[of + " " + name].insert(text_of(value));
  }
}

std::set<std::string> devices_in_use(const LoadedResult& reading) {
  std::set<std::string> names;
  for (const model::Case& one : reading.cases)
    names.insert(one.placement.devices.begin(), one.placement.devices.end());
  return names;
}

void say_machine(const LoadedResult& reading, Sayings& out) {
  for (const char* name : {"kernel", "os", "cpu", "threads", "container", "governor", "virtualization"}) {
    const auto found = reading.run.host.find(name);
    if (found != reading.run.host.end() && !found->is_null()) out[name].insert(text_of(*found));
  }
  const std::set<std::string> used = devices_in_use(reading);
  for (const model::Backend& backend : reading.run.backends) {
    const auto is_used = [&](const model::Device& device) { return used.contains(device.name); };
    if (std::none_of(backend.devices.begin(), backend.devices.end(), is_used)) continue;
    say_scalars(backend.name, backend.facts, out);
    for (const model::Device& device : backend.devices)
      if (is_used(device)) say_scalars(backend.name, device.facts, out);
  }
}

void say_software(const LoadedResult& reading, Sayings& out) {
  const Json& tool = reading.run.tool;
  const auto said = [&](const char* key) { return tool.contains(key) ? text_of(tool[key]) : std::string(); };
  out["assay"].insert(said("version") + " " + said("commit"));
  for (const model::Plugin& plugin : reading.run.plugins) {
    const std::string& sum = plugin.sha256.empty() ? plugin.manifest_sha256 : plugin.sha256;
    out["plugin " + plugin.id].insert(plugin.version + (sum.empty() ? "" : " " + sum.substr(0, 12)));
  }
}

void say_settings(const LoadedResult& reading, Sayings& out) {
  const model::Run& run = reading.run;
  for (const auto& [name, value] : run.environment.items())
    if (!value.is_null()) out["environment " + name].insert(text_of(value));
  out["suite"].insert(run.suite + " " + run.suite_sha256.substr(0, 12));
  if (run.mode.quick) out["--quick"].insert("yes");
  if (run.mode.wrap && !run.mode.wrap->empty()) out["--wrap"].insert(*run.mode.wrap);
  if (!run.beside.empty()) out["other runs beside it"].insert("yes");
}

// What the cases that both sides have say of their own: it stands in the suite, or in options of the command.
void say_cases(const LoadedResult& reading, const std::set<std::string>& shared, Sayings& out) {
  for (const model::Case& one : reading.cases) {
    if (!shared.contains(one.comparison_key)) continue;
    // What a benchmark calls, such as 'NCCL 2.28.3'; where its file lies is a label.
    for (const auto& [name, value] : one.facts)
      if (name == "library" || name == "library_plugins") out[name].insert(one.benchmark + " " + value);
    const std::string& of = one.comparison_key;
    for (const auto& [name, value] : one.environment)
      out["environment " + name + " of cases"].insert(of + "=" + value.value_or("removed"));
    if (!one.command.empty()) out["command of cases"].insert(of + ": " + join(one.command, " "));
    out["binding of cases"].insert(of + " " + one.placement.bind);
  }
}

std::set<std::string> keys_of(std::span<const LoadedResult> side) {
  std::set<std::string> keys;
  for (const LoadedResult& reading : side)
    for (const model::Case& one : reading.cases) keys.insert(one.comparison_key);
  return keys;
}

Sayings sayings_of(std::span<const LoadedResult> side, const std::set<std::string>& shared) {
  Sayings out;
  for (const LoadedResult& reading : side) {
    say_machine(reading, out);
    say_software(reading, out);
    say_settings(reading, out);
    say_cases(reading, shared, out);
  }
  return out;
}

std::string said(const Sayings& side, const std::string& what) {
  const auto found = side.find(what);
  if (found == side.end()) return "";
  constexpr std::size_t kMost = 3;
  std::vector<std::string> texts(found->second.begin(), found->second.end());
  const std::size_t count = texts.size();
  if (count > kMost) texts.resize(kMost);
  return join(texts, ", ") + (count > kMost ? ", and " + std::to_string(count - kMost) + " more" : "");
}

bool differs(const Sayings& before, const Sayings& after, const std::string& what) {
  const auto left = before.find(what), right = after.find(what);
  return (left == before.end() ? Texts{} : left->second) != (right == after.end() ? Texts{} : right->second);
}

// The plugins that come with assay are built with it; and what follows from a difference is none of its own.
bool follows_another(const std::string& what, const Sayings& before, const Sayings& after) {
  if (what.starts_with("plugin org.assay.")) return differs(before, after, "assay");
  if (what.ends_with(" of cases")) return differs(before, after, "suite");
  for (const auto& [name, leader] : kFollows) {
    const std::size_t at = what.rfind(' ');
    if (at != std::string::npos && what.substr(at + 1) == name)
      return differs(before, after, what.substr(0, at + 1) + std::string(leader));
  }
  return false;
}

std::string without_seed(Json conditions) {
  conditions.erase("seed");
  return conditions.dump();
}

}  // namespace

std::vector<model::Difference> differences_between(std::span<const LoadedResult> before,
                                                   std::span<const LoadedResult> after) {
  const std::set<std::string> left = keys_of(before), right = keys_of(after);
  std::set<std::string> shared;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::inserter(shared, shared.end()));
  const Sayings old_side = sayings_of(before, shared), new_side = sayings_of(after, shared);
  Texts all;
  for (const Sayings* side : {&old_side, &new_side})
    for (const auto& [what, texts] : *side) all.insert(what);
  std::vector<model::Difference> out;
  for (const std::string& what : all) {
    if (!differs(old_side, new_side, what) || follows_another(what, old_side, new_side)) continue;
    out.push_back({what, said(old_side, what), said(new_side, what)});
  }
  return out;
}

std::string why_other_work(const model::Case& before, const model::Case& after) {
  if (before.benchmark != after.benchmark || before.backend != after.backend)
    return "it is another benchmark: " + before.benchmark + "@" + before.backend + ", then " +
           after.benchmark + "@" + after.backend;
  if (before.revision.value_or(1) != after.revision.value_or(1))
    return "its benchmark has another revision (" + std::to_string(before.revision.value_or(1)) + ", then " +
           std::to_string(after.revision.value_or(1)) +
           "), which its author raises when figures stop being comparable";
  if (before.placement.ranks != after.placement.ranks || before.placement.load != after.placement.load)
    return "it ran with another number of ranks or another load";
  if (before.parameters != after.parameters)
    return "its parameters differ: " + before.parameters.dump() + ", then " + after.parameters.dump();
  if (without_seed(before.conditions) != without_seed(after.conditions))
    return "its conditions differ: " + without_seed(before.conditions) + ", then " +
           without_seed(after.conditions);
  return "";
}

std::string models_of(const LoadedResult& reading, const model::Case& one) {
  std::vector<std::string> models;
  for (const std::string& name : one.placement.devices) {
    for (const model::Backend& backend : reading.run.backends)
      for (const model::Device& device : backend.devices)
        if (device.name == name) models.push_back(device.model);
  }
  return join(models, ", ");
}

}  // namespace assay::comparison
