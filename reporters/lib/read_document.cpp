// SPDX-License-Identifier: Apache-2.0
#include "lib/document.hpp"
#include "lib/json_fields.hpp"
#include "lib/read_case.hpp"

namespace assay::reporters {
namespace reader {
namespace {

Group group(const Json& json) {
  Group out;
  out.id = text(json, "id");
  out.case_name = text(json, "case");
  out.text = text(json, "text");
  out.status = text(json, "status");
  out.outcome = outcome(json, "outcome");
  out.where = scalars(object(json, "where"));
  out.value = number(json, "value");
  out.unit = unit(json);
  out.limit = number(json, "limit");
  out.op = text(json, "operator");
  out.over = text(json, "over");
  out.say = text(json, "say");
  out.why = text(json, "why");
  out.members = each<Member>(json, "members", [](const Json& item) {
    return Member{text(item, "id"), text(item, "label"), unit(item), number(item, "value")};
  });
  out.place = place(json);
  return out;
}

Operand operand(const Json& json) {
  return {text(json, "id"), text(json, "metric"), unit(json), number(json, "value")};
}

std::optional<Asks> asks(const Json& json) {
  const std::optional<double> factor = number(json, "factor"), tolerance = number(json, "tolerance");
  if (!factor || !tolerance) return std::nullopt;
  return Asks{text(json, "operator"), *factor, *tolerance};
}

Finding finding(const Json& json) {
  Finding out;
  out.id = text(json, "id");
  out.question = text(json, "question");
  out.claim = text(json, "claim");
  out.verdict = text(json, "verdict");
  out.asserted = boolean(json, "assert");
  out.theta = number(json, "theta");
  out.asks = asks(at(json, "asks"));
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
                      integer<std::uint64_t>(item, "more_rounds", 0),
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
  out.suite_text = text(json, "suite_text");
  out.suite_includes = each<Run::Include>(json, "suite_includes", [](const Json& item) {
    return Run::Include{text(item, "file"), text(item, "text")};
  });
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
  out.others_unseen = text(json, "others_unseen");
  out.beside = each<std::string>(json, "beside", [](const Json& item) { return text(item, "text"); });
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
    cases.push_back(read_case(parsed));
    return false;
  };
  return Json::parse(source, read, false);
}

Document document(std::string_view source) {
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
  out.devices = each<std::string>(verdict, "devices", [](const Json& item) { return text(item, "text"); });
  out.run = run(at(json, "run"));
  out.groups = each<Group>(json, "groups", group);
  out.findings = each<Finding>(json, "findings", finding);
  out.guards = each<Guard>(json, "guards", [](const Json& item) {
    return Guard{text(item, "code"), text(item, "severity"), text(item, "subject"), text(item, "text")};
  });
  return out;
}

}  // namespace
}  // namespace reader

Document read_document(std::string_view source) { return reader::document(source); }

}  // namespace assay::reporters
