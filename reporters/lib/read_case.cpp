// SPDX-License-Identifier: Apache-2.0
#include "lib/read_case.hpp"

#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters::reader {
namespace {

Metric metric(const Json& json) {
  Metric out;
  out.name = text(json, "name");
  out.unit = unit(json);
  out.direction = text(json, "direction");
  out.kind = text(json, "kind");
  out.statistic = text(json, "statistic");
  out.counting = text(json, "counting");
  out.flow = text(json, "flow");
  out.mechanism = text(json, "mechanism");
  out.headline = boolean(json, "headline");
  for (const Json& index : list(json, "indices")) {
    out.indices.push_back(index.is_number_unsigned() ? index.get<std::uint64_t>() : 0);
  }
  out.value = number(json, "value");
  out.n = integer<std::uint64_t>(json, "n", 0);
  out.rounds = list(json, "rounds").size();
  out.interval = bounds(at(json, "interval"));
  out.interval_kind = text(at(json, "interval"), "kind");
  if (const Json& spread = at(json, "spread"); number(spread, "p5") && number(spread, "p95"))
    out.samples = Bounds{*number(spread, "p5"), *number(spread, "p95")};
  if (const Json& none = at(json, "no_interval"); none.is_object())
    out.no_interval = NoInterval{text(none, "code"), text(none, "text")};
  if (const Json& peak = at(json, "peak"); number(peak, "value")) {
    out.peak = Peak{*number(peak, "value"), number(peak, "share"), text(peak, "name"), text(peak, "source")};
  }
  if (const Json& delta = at(json, "delta"); delta.is_object()) {
    out.delta =
        Delta{text(delta, "reference"), text(delta, "verdict"), number(delta, "ratio"), bounds(delta)};
  }
  return out;
}

// Documents of older versions do not say how severe a flag is; of these two they were the first to have any.
bool is_note(const Json& flag) {
  const std::string severity = text(flag, "severity"), code = text(flag, "code");
  return severity.empty() ? code == "work_declared" || code == "time_in_parts" || code == "unlike_ranks"
                          : severity == "note";
}

std::vector<Parameter> parameters(const Json& json) {
  std::vector<Parameter> out;
  const Json& units = object(json, "units");
  std::vector<std::string> defaults;
  for (const Json& name : list(json, "defaults")) defaults.push_back(text(name));
  for (const auto& [name, value] : object(json, "parameters").items()) {
    Parameter one{printable(name), scalar(value), number(value)};
    if (one.number) {
      const std::string unit = text(at(units, name.c_str()));
      if (!unit.empty()) one.text = parameter(*one.number, unit);
    }
    one.is_default = std::find(defaults.begin(), defaults.end(), name) != defaults.end();
    out.push_back(std::move(one));
  }
  return out;
}

Expectation expectation(const Json& json) {
  return {text(json, "text"),     text(json, "status"),  unit(json),
          text(json, "operator"), text(json, "say"),     text(json, "why"),
          number(json, "value"),  number(json, "limit"), place(json)};
}

// What a failed case measured all the same, for its log: never shown as a result.
std::string diagnostics(const Json& json) {
  if (json.is_null() || json.empty()) return {};
  return json.is_string() ? text(json) : printable(json.dump(1, ' ', false, Json::error_handler_t::replace));
}

void read_measured(const Json& json, Case& out) {
  out.metrics = each<Metric>(json, "metrics", metric);
  if (const Json& verification = at(json, "verification"); at(verification, "verified").is_boolean()) {
    out.verified = boolean(verification, "verified");
    out.verification_method = text(verification, "method");
  }
  out.flags = each<Flag>(json, "flags", [](const Json& item) {
    return Flag{text(item, "code"), text(item, "text"), is_note(item)};
  });
  out.facts = scalars(object(json, "facts"));
  out.checks = each<Check>(json, "checks", [](const Json& item) {
    return Check{text(item, "name"), text(item, "subject"), text(item, "text"), boolean(item, "passed")};
  });
  out.expectations = each<Expectation>(json, "expectations", expectation);
  out.throttle = each<Throttle>(json, "throttle", [](const Json& item) {
    return Throttle{text(item, "device"), text(item, "reason"), number(item, "share")};
  });
  if (const Json& team = at(json, "team"); team.is_object()) {
    const Json& skew = at(team, "start_skew_s");
    out.team = Team{each<Rank>(json, "ranks",
                               [](const Json& item) {
                                 return Rank{integer(item, "rank", 0), texts(item, "devices"),
                                             number(item, "median_s"), number(item, "share_slowest")};
                               }),
                    number(team, "mean_over_ranks_s"), number(skew, "median"), number(skew, "maximum")};
  }
  out.visits = each<Visit>(json, "visits", [](const Json& item) {
    return Visit{integer(item, "round", 1), integer(item, "attempt", 1), outcome(item, "outcome")};
  });
}

std::optional<Timeline> timeline(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto span = [](const Json& item) {
    const double begin = std::max(0.0, number(item, "begin_s").value_or(0));
    Span out{text(item, "name"), begin, std::max(begin, number(item, "end_s").value_or(begin)), {}};
    if (item.contains("iteration")) out.iteration = integer<std::uint64_t>(item, "iteration", 0);
    return out;
  };
  Timeline out;
  out.tracks = each<Track>(json, "tracks", [&](const Json& item) {
    Track track{integer(item, "rank", 0), text(item, "name"), each<Span>(item, "spans", span)};
    std::stable_sort(track.spans.begin(), track.spans.end(),
                     [](const Span& a, const Span& b) { return a.begin_s < b.begin_s; });
    return track;
  });
  out.left_out = integer<std::uint64_t>(json, "left_out", 0);
  return out;
}

}  // namespace

Case read_case(const Json& json) {
  Case out;
  out.id = text(json, "id");
  out.name = text(json, "case");
  out.benchmark = text(json, "benchmark");
  out.backend = text(json, "backend");
  out.plugin = text(json, "plugin");
  out.comparison_key = text(json, "comparison_key");
  out.reference = text(json, "reference");
  out.is_reference = boolean(json, "is_reference");
  out.axes = each<Axis>(json, "axes", [](const Json& item) {
    return Axis{text(item, "name"), text(item, "text"),
                item.is_object() && item.contains("value") && at(item, "value").is_null(),
                at(item, "value").is_number()};
  });
  out.parameters = parameters(json);
  for (const auto& [name, value] : object(json, "environment").items()) {
    out.environment.emplace_back(printable(name),
                                 value.is_null() ? std::nullopt : std::optional(scalar(value)));
  }
  const Json& placement = at(json, "placement");
  out.devices = texts(placement, "devices");
  out.ranks = integer(placement, "ranks", 1);
  out.bind = text(placement, "bind");
  out.load = text(placement, "load");
  out.conditions = scalars(object(json, "conditions"));
  std::erase_if(out.conditions, [](const auto& condition) { return condition.first == "seed"; });
  out.place = place(json);
  out.outcome = outcome(json, "outcome");
  if (const Json& reason = at(json, "reason"); reason.is_object()) {
    out.reason = Reason{text(reason, "code"),   text(reason, "text"),        text(reason, "phase"),
                        text(reason, "device"), integer(reason, "rank", -1), place(reason)};
  }
  out.duration_s = number(json, "duration_s").value_or(0);
  read_measured(json, out);
  out.thinned = boolean(at(json, "samples"), "thinned");
  out.timeline = timeline(at(json, "timeline"));
  out.log = text(json, "log");
  out.diagnostics = diagnostics(at(json, "diagnostics"));
  out.reproduce = text(json, "reproduce");
  return out;
}

}  // namespace assay::reporters::reader
