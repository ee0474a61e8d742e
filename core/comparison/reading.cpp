// SPDX-License-Identifier: Apache-2.0
#include "comparison/reading.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "comparison/json_slices.hpp"
#include "text/utf8.hpp"

#include <map>
#include <utility>

namespace assay::comparison {

constexpr auto fields_of(const ReadMetric*) {
  using model::field;
  return model::object(field("name", &ReadMetric::name), field("unit", &ReadMetric::unit, &UnitText::base),
                       field("written", &ReadMetric::unit, &UnitText::as_written).if_any(),
                       field("direction", &ReadMetric::direction), field("headline", &ReadMetric::headline),
                       field("indices", &ReadMetric::indices), field("statistic", &ReadMetric::statistic),
                       field("value", &ReadMetric::value), field("rounds", &ReadMetric::rounds));
}

constexpr auto fields_of(const ReadCase*) {
  using model::field;
  return model::object(field("id", &ReadCase::id), field("comparison_key", &ReadCase::comparison_key),
                       field("benchmark", &ReadCase::benchmark), field("backend", &ReadCase::backend),
                       field("revision", &ReadCase::revision).or_default(),
                       field("parameters", &ReadCase::parameters), field("conditions", &ReadCase::conditions),
                       field("command", &ReadCase::command).if_any(),
                       field("environment", &ReadCase::environment), field("placement", &ReadCase::placement),
                       field("facts", &ReadCase::facts), field("outcome", &ReadCase::outcome),
                       field("reason", &ReadCase::reason), field("metrics", &ReadCase::metrics));
}

namespace {

class ReadingOf {
 public:
  ReadingOf(std::string_view document, const std::string& source)
      : document_(document), name_("'" + printable(source) + "'") {
    out_.source = printable(source);
  }

  Reading read() {
    std::map<std::string_view, std::string_view> parts;
    try {
      for_each_member(document_, [&](std::string_view key, std::string_view value) {
        if (key == "schema_version" || key == "run" || key == "cases") parts[key] = value;
      });
      check_version(parts["schema_version"]);
      for (const char* key : {"run", "cases"}) {
        if (parts[key].empty()) malformed("is not whole: it has no '" + std::string(key) + "'");
      }
      out_.run = value_of<model::Run>(parts["run"], "resolved_suite");
      for_each_element(parts["cases"],
                       [&](std::string_view one) { out_.cases.push_back(value_of<ReadCase>(one)); });
    } catch (const BadJson&) {
      malformed("is no JSON, or is cut off");
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void malformed(const std::string& what) const {
    throw Error("result.malformed",
                name_ + " " + what + "; take another result, or the folder or journal of its run");
  }

  void check_version(std::string_view text) const {
    if (text.size() < 2 || text.front() != '"') malformed("is no result of assay: it has no schema_version");
    const std::string version = printable(text.substr(1, text.size() - 2));
    if (version.starts_with("comparison-")) malformed("is a comparison, and two results are compared");
    if (!version.starts_with("1.")) {
      throw Error("result.version", name_ + " has schema version " + version +
                                        ", and this assay reads version 1: use the assay that wrote it");
    }
  }

  // Only what the struct has is parsed: samples, telemetry, timelines and logs are most of a result.
  template <class T>
  T value_of(std::string_view object, std::string_view but = {}) const {
    constexpr auto fields = fields_of(static_cast<const T*>(nullptr));
    std::string kept = "{";
    for_each_member(object, [&](std::string_view key, std::string_view value) {
      bool is_wanted = false;
      std::apply([&](const auto&... each) { ((is_wanted = is_wanted || key == each.name), ...); },
                 fields.all);
      if (!is_wanted || key == but) return;
      if (kept.size() > 1) kept += ',';
      ((((kept += '"') += key) += "\":") += value);
    });
    if (!but.empty()) (((kept += ",\"") += but) += "\":{}");
    Json json = parse_json(kept + "}", "result.malformed", name_);
    model::make_printable(json);
    return model::from_json<T>(json, {"result.malformed", name_ + " is not whole",
                                      "take another result, or judge its journal anew", false});
  }

  std::string_view document_;
  std::string name_;
  Reading out_;
};

}  // namespace

Reading read_result(std::string_view document, const std::string& source) {
  return ReadingOf(document, source).read();
}

}  // namespace assay::comparison
