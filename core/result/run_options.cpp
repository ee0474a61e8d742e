// SPDX-License-Identifier: Apache-2.0
#include "result/run_options.hpp"

#include "base/json_words.hpp"

namespace assay::result {

Json to_json(const RunOptions& options) {
  Json json = {{"filters", options.filters},     {"seed", options.seed},
               {"quick", options.quick},         {"strict", options.strict},
               {"isolation", options.isolation}, {"wrap", options.wrap.value_or("")},
               {"doctor", options.doctor},       {"missing_libraries", options.missing_libraries}};
  if (!options.run_to_run.is_null()) json["run_to_run"] = options.run_to_run;
  if (!options.others_unseen.empty()) json["others_unseen"] = options.others_unseen;
  if (options.site) json["site"] = {{"file", options.site->file}, {"text", options.site->text}};
  json["libraries"] = options.libraries;
  if (options.only) json["only"] = *options.only;
  return json;
}

RunOptions run_options_from_json(const Json& json) {
  RunOptions options;
  options.filters = value_at<std::vector<std::string>>(json, "filters");
  options.seed = integer_at<std::uint64_t>(json, "seed");
  options.quick = value_at<bool>(json, "quick");
  options.strict = value_at<bool>(json, "strict");
  options.isolation = value_at<std::string>(json, "isolation");
  options.wrap = value_at<std::string>(json, "wrap");
  if (json.contains("doctor")) options.doctor = value_at<std::string>(json, "doctor");
  options.missing_libraries = value_at<decltype(options.missing_libraries)>(json, "missing_libraries");
  if (json.contains("run_to_run")) options.run_to_run = json.at("run_to_run");
  if (json.contains("others_unseen")) options.others_unseen = value_at<std::string>(json, "others_unseen");
  if (const auto site = json.find("site"); site != json.end())
    options.site = {value_at<std::string>(*site, "file"), value_at<std::string>(*site, "text")};
  if (json.contains("libraries")) options.libraries = json.at("libraries");
  if (json.contains("only")) options.only = value_at<std::set<std::string>>(json, "only");
  return options;
}

}  // namespace assay::result
