// SPDX-License-Identifier: Apache-2.0
#include "engine/resume.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_words.hpp"
#include "engine/preparation.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace assay::engine {
namespace {

[[noreturn]] void refuse_resume(const std::string& why) {
  throw Error("journal.other-plan", "the run cannot be resumed: " + why +
                                        "; leave the option out, it is taken from the journal, or "
                                        "start anew without --resume");
}

// What is not given is taken over; what is must be the same.
void adopt(std::vector<std::string>& given, const std::vector<std::string>& begun,
           const std::string& option) {
  if (!given.empty() && given != begun) {
    refuse_resume("it was begun " + (begun.empty() ? "without " + option
                                                   : "with " + option + " " + printable(join(begun, " "))));
  }
  given = begun;
}

// What starts programs is the caller's to say: a journal may come from anywhere.
[[noreturn]] void refuse_to_execute(const std::string& option) {
  throw Error("journal.other-plan", "the run cannot be resumed: it was begun with " + printable(option) +
                                        "; give that again, for what a journal names is not executed");
}

// "--pairs as-is with:n=2", as it was typed, where settings come from it; "" where they do not.
std::string typed_pairs(const result::JournalHeader& header) {
  const auto found = std::find(header.command.begin(), header.command.end(), "--pairs");
  if (header.command.end() - found < 3) return "";
  return "--pairs " + shell_word(*(found + 1)) + " " + shell_word(*(found + 2));
}

void adopt(bool& given, bool begun, const std::string& option) {
  if (given && !begun) refuse_resume("it was begun without " + option);
  given = begun;
}

void adopt(std::string& given, const std::string& begun, const std::string& option) {
  if (!given.empty() && given != begun)
    refuse_resume("it was begun " +
                  (begun.empty() ? "without " + option : "with " + option + " " + printable(begun)));
  given = begun;
}

// What the machine is held to is text, and is taken over; another text is another condition.
void adopt_text(std::string& given, const std::optional<result::NamedText>& begun,
                const std::string& option) {
  if (!begun && !given.empty()) refuse_resume("it was begun without " + option);
  if (!begun) return;
  if (!given.empty() && read_named_file(given, kLargestSiteBytes) != begun->text)
    refuse_resume("it was begun with " + option + " " + begun->file + ", which said something else");
  if (given.empty()) given = begun->file;
}

// Name → UUID of the devices that have one.
std::map<std::string, std::string> identities(const Json& backends) {
  std::map<std::string, std::string> found;
  for (const Json& backend : backends) {
    for (const Json& device : backend.at("devices")) {
      const auto uuid = value_at<std::string>(device, "uuid");
      if (!uuid.empty()) found[value_at<std::string>(device, "name")] = uuid;
    }
  }
  return found;
}

std::string value_of(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) return "not set";
  return found->is_string() ? "'" + printable(found->get<std::string>()) + "'" : printable(found->dump());
}

// The first key whose value differs, as a sentence; "" if none does.
template <typename Ignored>
std::string difference(const Json& then, const Json& now, const std::string& what, Ignored ignored) {
  std::set<std::string> keys;
  for (const Json* object : {&then, &now}) {
    for (const auto& [key, value] : object->items()) keys.insert(key);
  }
  for (const std::string& key : keys) {
    if (ignored(key)) continue;
    const std::string before = value_of(then, key), after = value_of(now, key);
    if (before != after) return what + " " + printable(key) + " was " + before + " and is " + after + " now";
  }
  return {};
}

// {id: member} of an array of objects; of two files of one plugin the second has a number.
Json by_id(const Json& entries, const char* id, const char* member) {
  Json found = Json::object();
  for (const Json& entry : entries) {
    const auto name = entry.at(id).get<std::string>();
    std::string key = name;
    for (int number = 2; found.contains(key); ++number) key = name + " (" + std::to_string(number) + ")";
    found[key] = entry.at(member);
  }
  return found;
}

// What the backends say of the software below them.
Json drivers(const Json& backends) {
  Json found = Json::object();
  for (const Json& backend : backends) {
    for (const auto& [key, value] : backend.at("facts").items()) {
      if (key.find("driver") != std::string::npos || key.find("version") != std::string::npos)
        found[value_at<std::string>(backend, "name") + " " + key] = value;
    }
  }
  return found;
}

// A backend that answers now and did not then, or the other way round.
std::string other_backends(const Json& then, const Json& now) {
  const Json before = by_id(then, "name", "unavailable"), after = by_id(now, "name", "unavailable");
  for (const auto& [name, why] : after.items()) {
    if (!before.contains(name) || before.at(name).is_null() == why.is_null()) continue;
    const bool lost = !why.is_null();
    return "the backend '" + printable(name) + "' " +
           (lost ? "gives no inventory now (" : "gave no inventory when it was begun (") +
           printable((lost ? why : before.at(name)).get<std::string>()) + ")";
  }
  return {};
}

Json manifests_of(const Json& entries) {
  Json found = Json::object();
  for (const Json& entry : entries) {
    const Json& manifest = entry.at("manifest");
    found[value_at<std::string>(manifest, "id")] = sha256(manifest.dump());
  }
  return found;
}

std::string quoted(const Json& value) {
  return value.is_string() ? "'" + printable(value.get<std::string>()) + "'" : "unknown";
}

}  // namespace

bool sets_what_is_executed(const std::string& assignment) {
  const std::size_t dot = assignment.find('.');
  if (dot == std::string::npos) return false;
  const std::string key = assignment.substr(dot + 1, assignment.find_first_of(".=", dot + 1) - dot - 1);
  return key == "command" || key == "env" || key == "variants";
}

bool is_of_location(const std::string& name) {
  static const std::set<std::string> kNames = {"ASSAY_LOCK_FOLDER", "ASSAY_PLUGIN_PATH", "ASSAY_SUITE_PATH"};
  return name.starts_with("SLURM_") || name.starts_with("PMIX_") || kNames.contains(name);
}

void adopt_options(Request& request, const result::JournalHeader& header) {
  const result::RunOptions& begun = header.options;
  if (request.seed && *request.seed != begun.seed)
    refuse_resume("it was begun with --seed " + std::to_string(begun.seed));
  request.seed = begun.seed;
  const auto executing =
      std::find_if(header.overrides.begin(), header.overrides.end(), sets_what_is_executed);
  if (request.overrides.empty() && executing != header.overrides.end()) {
    const std::string pairs = typed_pairs(header);
    if (!pairs.empty() && !request.extend.empty())
      throw Error("usage.extend",
                  "the run was begun with " + printable(pairs) +
                      ", and --extend does not go with that: start a new run with more rounds, "
                      "by --set CASE.processes=N");
    if (!pairs.empty()) refuse_to_execute(pairs);
    refuse_to_execute("--set " + *executing);
  }
  adopt(request.overrides, header.overrides, "--set");
  request.made_by = begun.made_by;
  adopt(request.filters, begun.filters, "--filter");
  adopt(request.where, begun.where, "--only");
  adopt(request.quick, begun.quick, "--quick");
  adopt(request.strict, begun.strict, "--strict");
  adopt(request.isolation, begun.isolation, "--isolation");
  const std::string wrap = begun.wrap.value_or("");
  if (request.wrap.empty() && !wrap.empty()) refuse_to_execute("--wrap " + wrap);
  adopt(request.wrap, wrap, "--wrap");
  adopt(request.doctor, begun.doctor, "--doctor");
  adopt_text(request.site, begun.site, "--site");
  // As it was begun.
  if (begun.baseline || request.baseline != kNoBaseline)
    adopt_text(request.baseline, begun.baseline, "--baseline");
}

std::string why_measured_otherwise(const result::JournalHeader& then, const result::JournalHeader& now) {
  const auto none = [](const std::string&) { return false; };
  const Json& backends_then = then.inventory.at("backends");
  const Json& backends_now = now.inventory.at("backends");
  std::string why = difference(then.tool, now.tool, "assay's", none);
  const Json &libraries_then = then.options.libraries, &libraries_now = now.options.libraries;
  if (why.empty())
    why = difference(by_id(libraries_then, "id", "sha256"), by_id(libraries_now, "id", "sha256"),
                     "the SHA-256 of the library of", none);
  if (why.empty())
    why = difference(manifests_of(then.manifests), manifests_of(now.manifests),
                     "the SHA-256 of the manifest of", none);
  const Json &programs_then = then.options.programs, &programs_now = now.options.programs;
  if (why.empty() && !programs_then.is_null())  // an earlier version did not look at them
    why = difference(programs_then, programs_now, "the SHA-256 of the program", none);
  if (why.empty()) why = difference(drivers(backends_then), drivers(backends_now), "of the backend", none);
  if (why.empty()) why = difference(then.environment, now.environment, "the variable", is_of_location);
  return why;
}

std::string why_other_machine(const Json& backends_then, const Json& host_then, const Json& backends_now,
                              const Json& host_now) {
  if (std::string why = other_backends(backends_then, backends_now); !why.empty()) return why;
  const auto then = identities(backends_then), now = identities(backends_now);
  for (const auto& [name, uuid] : then) {
    const auto found = now.find(name);
    if (found == now.end())
      return "device '" + printable(name) + "' (" + printable(uuid) + ") is not there any more";
    if (found->second != uuid) {
      return "device '" + printable(name) + "' was " + printable(uuid) + " and is " +
             printable(found->second) + " now: another machine, or another device";
    }
  }
  for (const auto& [name, uuid] : now) {
    if (!then.contains(name)) return "device '" + printable(name) + "' was not there before";
  }
  if (!then.empty()) return {};
  for (const char* fact : {"hostname", "cpu"}) {
    const Json before = host_then.value(fact, Json()), after = host_now.value(fact, Json());
    if (before != after)
      return "it was made on another machine: its " + std::string(fact) + " was " + quoted(before) +
             " and is " + quoted(after) + " here";
  }
  return {};
}

}  // namespace assay::engine
