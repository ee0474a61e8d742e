// SPDX-License-Identifier: Apache-2.0
#include "lib/document.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::reporters {
namespace {

using Json = nlohmann::ordered_json;
using Pairs = std::vector<std::pair<std::string, std::string>>;

const Json& at(const Json& json, const char* key) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

std::string text(const Json& json) {
  return json.is_string() ? clean(json.get_ref<const std::string&>()) : std::string();
}
std::string text(const Json& json, const char* key) { return text(at(json, key)); }

std::optional<double> number(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const double value = json.get<double>();
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}
std::optional<double> number(const Json& json, const char* key) { return number(at(json, key)); }

template <typename Integer>
Integer integer(const Json& json, const char* key, Integer fallback) {
  const auto value = number(json, key);
  if (!value || *value < static_cast<double>(std::numeric_limits<Integer>::lowest()) ||
      *value >= static_cast<double>(std::numeric_limits<Integer>::max())) {
    return fallback;
  }
  return static_cast<Integer>(*value);
}

bool boolean(const Json& json, const char* key) {
  return at(json, key).is_boolean() && at(json, key).get<bool>();
}

// A scalar as it was written; "" for null, objects and arrays.
std::string scalar(const Json& json) {
  if (json.is_string()) return text(json);
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  return json.is_number() || json.is_boolean() ? json.dump() : std::string();
}

const Json& list(const Json& json, const char* key) {
  static const Json kEmpty = Json::array();
  const Json& found = at(json, key);
  return found.is_array() ? found : kEmpty;
}

const Json& object(const Json& json, const char* key) {
  static const Json kEmpty = Json::object();
  const Json& found = at(json, key);
  return found.is_object() ? found : kEmpty;
}

template <typename T, typename Read>
std::vector<T> each(const Json& json, const char* key, Read read) {
  std::vector<T> out;
  for (const Json& item : list(json, key)) out.push_back(read(item));
  return out;
}

Pairs scalars(const Json& json) {
  Pairs out;
  for (const auto& [key, value] : json.items()) {
    std::string shown = scalar(value);
    if (!shown.empty()) out.emplace_back(clean(key), std::move(shown));
  }
  return out;
}

std::vector<std::string> texts(const Json& json, const char* key) {
  return each<std::string>(json, key, [](const Json& item) { return text(item); });
}

Place place(const Json& json) {
  const Json& position = at(json, "position");
  return {text(position, "file"), integer(position, "line", 0), integer(position, "column", 0)};
}

std::optional<Bounds> bounds(const Json& json) {
  const auto low = number(json, "low"), high = number(json, "high");
  if (!low || !high || *low > *high) return std::nullopt;
  return Bounds{*low, *high};
}

Outcome outcome(const Json& json, const char* key) {
  std::string word = text(json, key);
  if (word == "not_run") word = "not run";
  for (int i = 0; i < static_cast<int>(Outcome::other); ++i) {
    if (word == to_text(static_cast<Outcome>(i))) return static_cast<Outcome>(i);
  }
  return Outcome::other;
}

Metric metric(const Json& json) {
  Metric out;
  out.name = text(json, "name");
  out.unit = text(json, "unit");
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
  if (const Json& peak = at(json, "peak"); number(peak, "value")) {
    out.peak = Peak{*number(peak, "value"), number(peak, "share"), text(peak, "name"), text(peak, "source")};
  }
  if (const Json& delta = at(json, "delta"); delta.is_object()) {
    out.delta =
        Delta{text(delta, "reference"), text(delta, "verdict"), number(delta, "ratio"), bounds(delta)};
  }
  return out;
}

std::vector<Parameter> parameters(const Json& json) {
  std::vector<Parameter> out;
  const Json& units = object(json, "units");
  std::vector<std::string> defaults;
  for (const Json& name : list(json, "defaults")) defaults.push_back(text(name));
  for (const auto& [name, value] : object(json, "parameters").items()) {
    Parameter one{clean(name), scalar(value), number(value)};
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
  return {text(json, "text"),     text(json, "status"),  text(json, "unit"),
          text(json, "operator"), text(json, "say"),     text(json, "why"),
          number(json, "value"),  number(json, "limit"), place(json)};
}

// What a failed case measured all the same, for its log: never shown as a result.
std::string diagnostics(const Json& json) {
  if (json.is_null() || json.empty()) return {};
  return json.is_string() ? text(json) : clean(json.dump(1, ' ', false, Json::error_handler_t::replace));
}

void read_measured(const Json& json, Case& out) {
  out.metrics = each<Metric>(json, "metrics", metric);
  if (const Json& verification = at(json, "verification"); at(verification, "verified").is_boolean()) {
    out.verified = boolean(verification, "verified");
    out.verification_method = text(verification, "method");
  }
  out.flags = each<Flag>(json, "flags", [](const Json& item) {
    return Flag{text(item, "code"), text(item, "text")};
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
    return Span{text(item, "name"), begin, std::max(begin, number(item, "end_s").value_or(begin))};
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

Case one_case(const Json& json) {
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
    out.environment.emplace_back(clean(name), value.is_null() ? std::nullopt : std::optional(scalar(value)));
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
  out.timeline = timeline(at(json, "timeline"));
  out.log = text(json, "log");
  out.diagnostics = diagnostics(at(json, "diagnostics"));
  out.reproduce = text(json, "reproduce");
  return out;
}

Group group(const Json& json) {
  Group out;
  out.id = text(json, "id");
  out.case_name = text(json, "case");
  out.text = text(json, "text");
  out.status = text(json, "status");
  out.outcome = outcome(json, "outcome");
  out.where = scalars(object(json, "where"));
  out.value = number(json, "value");
  out.unit = text(json, "unit");
  out.limit = number(json, "limit");
  out.op = text(json, "operator");
  out.over = text(json, "over");
  out.say = text(json, "say");
  out.why = text(json, "why");
  out.members = each<Member>(json, "members", [](const Json& item) {
    return Member{text(item, "id"), text(item, "label"), text(item, "unit"), number(item, "value")};
  });
  out.place = place(json);
  return out;
}

Operand operand(const Json& json) { return {text(json, "id"), text(json, "unit"), number(json, "value")}; }

Finding finding(const Json& json) {
  Finding out;
  out.id = text(json, "id");
  out.question = text(json, "question");
  out.claim = text(json, "claim");
  out.verdict = text(json, "verdict");
  out.asserted = boolean(json, "assert");
  out.theta = number(json, "theta");
  out.why = text(json, "why");
  out.say = text(json, "say");
  out.act = text(json, "do");
  out.rows = each<FindingRow>(json, "rows", [](const Json& item) {
    return FindingRow{text(item, "label"),
                      text(item, "verdict"),
                      text(item, "why"),
                      number(item, "effect"),
                      bounds(item),
                      integer<std::uint64_t>(item, "n", 0),
                      operand(at(item, "left")),
                      operand(at(item, "right"))};
  });
  out.place = place(json);
  return out;
}

Backend backend(const Json& json) {
  Backend out{text(json, "name"),
              text(json, "plugin"),
              text(json, "unavailable"),
              scalars(object(json, "facts")),
              {}};
  out.devices = each<Device>(json, "devices", [](const Json& item) {
    return Device{text(item, "name"), text(item, "uuid"), text(item, "model"), integer(item, "numa_node", -1),
                  scalars(object(item, "facts"))};
  });
  return out;
}

Host host(const Json& json) {
  Host out;
  out.hostname = text(json, "hostname");
  out.os = text(json, "os");
  out.kernel = text(json, "kernel");
  out.cpu = text(json, "cpu");
  out.container = text(json, "container");
  out.governor = text(json, "governor");
  out.virtualization = text(json, "virtualization");
  out.cores = integer<std::uint64_t>(json, "cores", 0);
  out.threads = integer<std::uint64_t>(json, "threads", 0);
  out.sockets = integer<std::uint64_t>(json, "sockets", 0);
  out.memory_bytes = number(json, "memory_bytes").value_or(0);
  out.numa_nodes = each<Host::Numa>(json, "numa_nodes", [](const Json& item) {
    return Host::Numa{integer(item, "node", 0), text(item, "cpus"), number(item, "memory_bytes").value_or(0)};
  });
  return out;
}

Run run(const Json& json) {
  Run out;
  out.id = text(json, "id");
  out.suite = text(json, "suite");
  out.description = text(json, "description");
  out.suite_file = text(json, "suite_file");
  out.suite_sha256 = text(json, "suite_sha256");
  out.started_at = text(json, "started_at");
  out.duration_s = number(json, "duration_s").value_or(0);
  out.tool_version = text(at(json, "tool"), "version");
  out.tool_commit = text(at(json, "tool"), "commit");
  out.command = texts(json, "command");
  out.seed = scalar(at(json, "seed"));
  out.rounds = integer<std::uint64_t>(json, "rounds", 1);
  const Json& mode = at(json, "mode");
  out.quick = boolean(mode, "quick");
  out.strict = boolean(mode, "strict");
  out.resumed = boolean(mode, "resumed");
  const Json& failed_of = at(mode, "failed_of");
  out.failed_of = text(failed_of, "run");
  out.failed_of_cases = static_cast<std::size_t>(integer(failed_of, "cases", 0));
  out.simulated = boolean(mode, "simulated");
  out.wrap = text(mode, "wrap");
  out.interrupted_by = scalar(at(mode, "interrupted_by"));
  out.host = host(at(json, "host"));
  out.backends = each<Backend>(json, "backends", backend);
  for (const Json& plugin : list(json, "plugins"))
    out.plugins.emplace_back(text(plugin, "id"), text(plugin, "version"));
  out.environment = scalars(object(json, "environment"));
  return out;
}

// Values are written by recursion, so that depth has to end somewhere.
constexpr int kMaximumDepth = 64;

bool too_deep(std::string_view source) {
  int depth = 0;
  bool inside = false;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (inside) {
      if (c == '\\') ++i;
      if (c == '"') inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaximumDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// The document without what needs most memory: each case is read as soon as it ends and leaves no tree
// behind, and the resolved suite, which no report shows, never becomes one.
Json parse_but_cases(std::string_view source, std::vector<Case>& cases) {
  std::string section;   // key of the document
  bool in_list = false;  // its value is a list
  const auto read = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key && depth == 1) {
      section = parsed.get<std::string>();
      if (section == "cases") cases.clear();  // of two, the last counts
    }
    if (event == Event::key && depth == 2)
      return section != "run" || parsed.get_ref<const std::string&>() != "resolved_suite";
    if (depth == 1 && (event == Event::array_start || event == Event::array_end))
      in_list = event == Event::array_start;
    const bool ends = event == Event::object_end || event == Event::array_end || event == Event::value;
    if (!ends || depth != 2 || !in_list || section != "cases") return true;
    cases.push_back(one_case(parsed));
    return false;
  };
  return Json::parse(source, read, false);
}

}  // namespace

Document read_document(std::string_view source) {
  if (too_deep(source))
    throw Unreadable("the result is nested deeper than " + std::to_string(kMaximumDepth) + " levels");
  Document out;
  const Json json = parse_but_cases(source, out.cases);
  if (!json.is_object()) throw Unreadable("the result is not a JSON object");
  const std::string version = text(json, "schema_version");
  if (version.substr(0, 2) != "1.") {
    throw Unreadable("the result has schema version '" + version + "', and this reporter reads 1.x");
  }
  const Json& verdict = at(json, "verdict");
  out.verdict = text(verdict, "outcome");
  out.exit_code = integer(verdict, "exit_code", 0);
  out.undecided = integer<std::uint64_t>(verdict, "undecided", 0);
  out.reasons = each<ReasonLine>(verdict, "reasons", [](const Json& item) {
    return ReasonLine{text(item, "code"), text(item, "severity"), text(item, "subject"),
                      text(item, "text"), text(item, "next"),     place(item)};
  });
  out.run = run(at(json, "run"));
  out.groups = each<Group>(json, "groups", group);
  out.findings = each<Finding>(json, "findings", finding);
  out.guards = each<Guard>(json, "guards", [](const Json& item) {
    return Guard{text(item, "code"), text(item, "severity"), text(item, "subject"), text(item, "text")};
  });
  return out;
}

}  // namespace assay::reporters
