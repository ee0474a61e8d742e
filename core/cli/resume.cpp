// SPDX-License-Identifier: Apache-2.0
#include "cli/resume.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <map>

namespace assay::cli {
namespace {

[[noreturn]] void refuse_resume(const std::string& why) {
  throw Error("journal.other-plan", "the run cannot be resumed: " + why +
                                        "; leave the option out, it is taken from the journal, or "
                                        "start anew without --resume");
}

// A list that is not given is taken over; one that is must be the same.
void adopt(std::vector<std::string>& given, const Json& begun, const std::string& option) {
  const auto words = begun.get<std::vector<std::string>>();
  if (!given.empty() && given != words) {
    refuse_resume("it was begun " + (words.empty() ? "without " + option
                                                   : "with " + option + " " + printable(join(words, " "))));
  }
  given = words;
}

void adopt(bool& given, const Json& begun, const std::string& option) {
  if (given && !begun.get<bool>()) refuse_resume("it was begun without " + option);
  given = begun.get<bool>();
}

void adopt(std::string& given, const Json& begun, const std::string& option) {
  const auto word = begun.get<std::string>();
  if (!given.empty() && given != word)
    refuse_resume("it was begun " +
                  (word.empty() ? "without " + option : "with " + option + " " + printable(word)));
  given = word;
}

// Name → UUID of the devices that have one.
std::map<std::string, std::string> identities(const Json& backends) {
  std::map<std::string, std::string> found;
  for (const Json& backend : backends) {
    for (const Json& device : backend.at("devices")) {
      const auto uuid = device.at("uuid").get<std::string>();
      if (!uuid.empty()) found[device.at("name").get<std::string>()] = uuid;
    }
  }
  return found;
}

std::string quoted(const Json& value) {
  return value.is_string() ? "'" + printable(value.get<std::string>()) + "'" : "unknown";
}

}  // namespace

void adopt_options(RunOptions& options, const result::JournalHeader& header) {
  const Json& begun = header.options;
  const auto seed = integer_at<std::uint64_t>(begun, "seed");
  if (options.seed && *options.seed != seed)
    refuse_resume("it was begun with --seed " + std::to_string(seed));
  options.seed = seed;
  Json overrides = header.overrides;
  adopt(options.overrides, overrides, "--set");
  adopt(options.filters, begun.at("filters"), "--filter");
  adopt(options.quick, begun.at("quick"), "--quick");
  adopt(options.strict, begun.at("strict"), "--strict");
  adopt(options.isolation, begun.at("isolation"), "--isolation");
  adopt(options.wrap, begun.at("wrap"), "--wrap");
  adopt(options.doctor, begun.value("doctor", ""), "--doctor");
}

std::string why_other_machine(const Json& backends_then, const Json& host_then, const Json& backends_now,
                              const Json& host_now) {
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

}  // namespace assay::cli
