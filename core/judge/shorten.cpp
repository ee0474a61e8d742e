// SPDX-License-Identifier: Apache-2.0
#include "judge/shorten.hpp"

#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace assay::judge {
namespace {

constexpr std::size_t kLogBytes = 500;
constexpr std::size_t kTextBytes = 300;
constexpr std::size_t kFew = 20;

using OmittedParts = std::vector<std::string>;

Json flag_of(const OmittedParts& left_out) {
  return {{"code", "shortened"},
          {"text", "the result would be too large: left out are " + join(left_out, ", ") +
                       "; the journal has all of it"}};
}

// As it will stand in the document, with the flag that tells what it lacks, a comma and an end of line. Every line is moved in by two.
std::size_t size_of(const Json& one, const OmittedParts& left_out) {
  const auto bytes = [](const Json& json, std::size_t moved_in) {
    const std::string text = json.dump(1);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    return text.size() + moved_in * lines + 2;
  };
  return bytes(one, 2) + (left_out.empty() ? 0 : bytes(flag_of(left_out), 4));
}

std::string counted(std::size_t left_out, std::size_t all, const std::string& what) {
  return std::to_string(left_out) + " of " + std::to_string(all) + " " + what;
}

// Keeps the first few of a list.
void cut_list(Json& one, const char* key, std::size_t few, const std::string& what, OmittedParts& left_out) {
  const auto found = one.find(key);
  if (found == one.end() || !found->is_array() || found->size() <= few) return;
  left_out.push_back(counted(found->size() - few, found->size(), what));
  found->erase(found->begin() + static_cast<std::ptrdiff_t>(few), found->end());
}

void cut_texts(Json& json, std::size_t& cut) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.size() <= kTextBytes) return;
    json = printable(text.substr(0, kTextBytes)) + " […]";
    ++cut;
  } else if (json.is_structured()) {
    for (Json& each : json) cut_texts(each, cut);
  }
}

void leave_out_illustration(Json& one, OmittedParts& left_out) {
  if (Json& samples = one["samples"]; samples.is_object()) {
    const std::size_t before = left_out.size();
    cut_list(samples, "time_s", 0, "samples", left_out);
    if (left_out.size() > before) samples["thinned"] = true;
  }
  if (one.erase("timeline") > 0) left_out.emplace_back("the timeline");
  if (one["log"].is_string() && one["log"].get_ref<const std::string&>().size() > kLogBytes) {
    one["log"] = tail(one["log"].get<std::string>(), kLogBytes);
    left_out.emplace_back("a part of the log");
  }
}

void leave_out_repetition(Json& one, OmittedParts& left_out) {
  cut_list(one, "visits", kFew, "visits", left_out);
  cut_list(one, "telemetry", 0, "quantities of telemetry", left_out);
  if (one["diagnostics"].is_object()) cut_list(one["diagnostics"], "metrics", 0, "diagnostics", left_out);
}

void leave_out_values(Json& one, OmittedParts& left_out) {
  if (one["checks"].is_array())
    std::stable_partition(one["checks"].begin(), one["checks"].end(),
                          [](const Json& check) { return check.value("passed", true) == false; });
  cut_list(one, "checks", kFew, "checks", left_out);
  cut_list(one, "metrics", kFew, "values", left_out);
}

void leave_out_texts(Json& one, OmittedParts& left_out) {
  std::size_t cut = 0;
  for (const char* key :
       {"facts", "checks", "log", "reason", "flags", "parameters", "command", "environment"})
    if (const auto found = one.find(key); found != one.end()) cut_texts(*found, cut);
  if (cut > 0) left_out.push_back("the ends of " + std::to_string(cut) + " texts");
}

void leave_out_nearly_all(Json& one, OmittedParts& left_out) {
  cut_list(one, "metrics", 1, "values", left_out);
  cut_list(one, "checks", 1, "checks", left_out);
  cut_list(one, "visits", 1, "visits", left_out);
}

}  // namespace

bool shorten(Json& one, std::size_t bytes) {
  constexpr std::array kSteps = {leave_out_illustration, leave_out_repetition, leave_out_values,
                                 leave_out_texts, leave_out_nearly_all};
  OmittedParts left_out;
  for (const auto& step : kSteps) {
    if (size_of(one, left_out) <= bytes) break;
    step(one, left_out);
  }
  if (left_out.empty()) return false;
  one["flags"].push_back(flag_of(left_out));
  return true;
}

}  // namespace assay::judge
