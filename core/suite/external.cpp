// SPDX-License-Identifier: Apache-2.0
#include "suite/external.hpp"

#include "base/pattern.hpp"
#include "base/suggest.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace assay::suite {

namespace {

// Where a metric may come from.
constexpr const char* kSources[] = {"json", "pattern", "from"};
constexpr std::size_t kMostArguments = 1024;
constexpr std::size_t kLongestPattern = 1024;
constexpr std::size_t kMostGroups = 3;

bool is_identifier_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The end of the name that begins at `begin` and that `close` follows, or npos.
std::size_t name_end(std::string_view text, std::size_t begin, std::string_view close) {
  std::size_t end = begin;
  while (end < text.size() && is_identifier_part(text[end])) ++end;
  return is_identifier(text.substr(begin, end - begin)) && text.substr(end).starts_with(close)
             ? end
             : std::string_view::npos;
}

std::vector<Located<std::string>> arguments(const MapFields& fields, const Key& key, const Node& node) {
  std::vector<Located<std::string>> found;
  if (node.kind != Node::Kind::list) {
    fields.error("suite.type", node.position, "'command' must be a list of texts, not " + describe(node),
                 "write [PROGRAM, ARGUMENT, …]; a command line for a shell goes under 'shell'");
    return found;
  }
  if (node.items.empty() || node.items.size() > kMostArguments) {
    fields.error("suite.value", node.position,
                 "'command' has " + std::to_string(node.items.size()) + " entries",
                 "it has at least the program, and at most " + std::to_string(kMostArguments) + " entries");
    return found;
  }
  for (const NodePtr& item : node.items) {
    if (item->kind != Node::Kind::scalar) {
      fields.error("suite.type", item->position, "an argument must be text, not " + describe(*item),
                   "for example " + std::string(key.example));
    } else if (found.empty() && item->text.empty()) {
      fields.error("suite.empty", item->position, "the program's name is empty", "name a program");
      found.push_back({"?", item->position});
    } else {
      // As it is written: the program decides what 010 or yes means.
      found.push_back({item->text, item->position});
    }
  }
  return found;
}

ExternalMetric read_metric(const MapFields& fields, const Node& name, const Node& node) {
  ExternalMetric metric;
  metric.name = {name.text, name.position};
  metric.unit.position = node.position;
  const bool map = fields.read_map(node, metric);
  const auto sources = std::count_if(std::begin(kSources), std::end(kSources), [&](const char* source) {
    const Node* value = node.find(source);
    return value != nullptr && value->kind != Node::Kind::null;
  });
  if (map && sources != 1)
    fields.error("suite.metric", name.position,
                 "metric '" + name.text + "' has " +
                     (sources == 0 ? "no source" : std::to_string(sources) + " sources"),
                 "give it one of 'json', 'pattern' and 'from'");
  return metric;
}

// "", "/a/b/0", with ~0 for ~ and ~1 for /.
bool is_pointer(std::string_view text) {
  if (!text.starts_with('/')) return false;
  for (std::size_t i = text.find('~'); i != std::string_view::npos; i = text.find('~', i + 1))
    if (i + 1 >= text.size() || (text[i + 1] != '0' && text[i + 1] != '1')) return false;
  return true;
}

void check_pattern(const Located<std::string>& pattern, bool value, Diagnostics& diagnostics) {
  std::size_t groups = 0;
  const std::string problem = pattern_problem(pattern.value, groups);
  if (!problem.empty()) {
    diagnostics.error("suite.pattern", pattern.position,
                      "'" + printable(pattern.value) + "' is not a regular expression: " + problem,
                      "write [.] for a dot itself, and keep the pattern in single quotes");
  } else if (value && (groups == 0 || groups > kMostGroups)) {
    diagnostics.error("suite.pattern", pattern.position,
                      "the pattern has " + std::to_string(groups) + " groups",
                      "put the number in ( ), with at most two groups for indices before it; (?: ) groups "
                      "without taking");
  }
}

// Without case, and without the plural that an abbreviation has not: "Tflops/s" as "tflop/s".
std::string loosely(std::string_view unit) {
  std::string text = lower_case(unit);
  if (const std::size_t plural = text.find("s/"); plural != std::string::npos && plural > 1)
    text.erase(plural, 1);
  return text;
}

std::string unit_suggestion(const std::string& unit) {
  const std::vector<std::string> common = {"GB/s", "GiB/s", "MB/s", "B/s",      "TFLOP/s", "GFLOP/s", "us",
                                           "ms",   "s",     "ns",   "tokens/s", "items/s", "W",       "J",
                                           "C",    "B",     "GB",   "GiB",      "Hz"};
  for (const std::string& candidate : common)
    if (loosely(candidate) == loosely(unit)) return "did you mean '" + candidate + "'?";
  return suggestion(unit, common);
}

void check_metric(const ExternalMetric& metric, Diagnostics& diagnostics) {
  if (metric.pattern) check_pattern(*metric.pattern, true, diagnostics);
  if (metric.json && !is_pointer(metric.json->value))
    diagnostics.error("suite.pointer", metric.json->position,
                      "'" + printable(metric.json->value) + "' is not a JSON pointer",
                      "it is like /results/0/value, with ~1 for a slash and ~0 for a tilde in a name");
  const std::string& unit = metric.unit.value;
  if (!unit.empty() && !parse_unit(unit)) {
    std::string hint = unit_suggestion(unit);
    if (hint.empty())
      hint =
          "units are like GB/s, us, TFLOP/s, tokens/s, W, C and 1; any word over s or below a unit counts items, like img/s and "
          "s/epoch";
    diagnostics.error("suite.unit", metric.unit.position,
                      "'" + printable(unit) + "' is not a unit that Assay knows", std::move(hint));
  }
  if (metric.exit_status && (!unit.empty() || !metric.take.empty() || !metric.as.empty()))
    diagnostics.error("suite.conflict", metric.name.position,
                      "an exit status is one plain number, without 'unit', 'take' and 'as'",
                      "leave them out");
}

void check_command(const SuiteCase& one, Diagnostics& diagnostics) {
  const External& external = one.external;
  const std::vector<std::string> parameters = external_parameters(one);
  std::vector<std::string> used;
  // A program gets texts that end at the first one.
  const auto check_bytes = [&](const Located<std::string>& text) {
    if (text.value.find('\0') != std::string::npos)
      diagnostics.error("suite.value", text.position, "a value can't hold a zero byte", "remove the '\\0'");
  };
  for (const Located<std::string>& argument : external.command) check_bytes(argument);
  if (external.shell) check_bytes(*external.shell);
  if (external.directory) check_bytes(*external.directory);
  for (const Located<std::string>& argument : external.command) {
    const std::string unused = fill_placeholders(argument.value, [&](const std::string& name) {
      used.push_back(name);
      std::vector<std::string> known = parameters;
      if (std::count(known.begin(), known.end(), kDeviceCount) == 0) known.emplace_back(kDeviceCount);
      if (std::count(known.begin(), known.end(), name) == 0) {
        diagnostics.error(
            "suite.placeholder", argument.position, "nothing is called '" + name + "' here",
            suggestion(name, known, "give it a value under 'with' or 'matrix', or write {{" + name + "}}"));
      }
      return std::optional<std::string>();
    });
  }
  const auto check = [&](const Located<std::string>& name) {
    if (name.value == kDeviceCount)
      diagnostics.error("suite.reserved", name.position, "'device_count' is the number of devices",
                        "take another name");
    else if (!contains(used, name.value))
      diagnostics.error("suite.unused", name.position, "the command does not use '" + name.value + "'",
                        external.shell ? "a shell gets values as variables: write env." + name.value
                                       : "write {" + name.value + "} in an argument, or leave it out");
  };
  for (const auto& [name, value] : one.with) check(name);
  for (const SuiteAxis& axis : one.matrix.axes) {
    const bool bundle = is_bundle(axis);
    const auto own = [](const std::string& name) { return !name.starts_with("env.") && !is_reserved(name); };
    if (!bundle && own(axis.name.value)) check(axis.name);
    // Maps of a bundle are alike; variants are not.
    const std::size_t told =
        axis.of_variants ? axis.values.size() : std::min<std::size_t>(1, axis.values.size());
    for (std::size_t i = 0; bundle && i < told; ++i)
      for (const auto& [name, value] : axis.values[i].map)
        if (own(name.value)) check(name);
  }
}

}  // namespace

// The plugin of this name runs them.
bool is_of_commands(std::string_view benchmark) { return benchmark == "external"; }

bool runs_command(const SuiteCase& one) {
  return is_of_commands(std::string_view(one.uses.value).substr(0, one.uses.value.find('@')));
}

void read_command(const MapFields& fields, const Key& key, const Node& node, External& out) {
  out.command = arguments(fields, key, node);
}

void read_shell(const MapFields& fields, const Key& key, const Node& node, External& out) {
  if (node.kind == Node::Kind::scalar && !node.quoted && (node.text == "true" || node.text == "false"))
    fields.error("suite.type", node.position, "'shell' is the command line itself, not " + node.text,
                 "write shell: \"a | b\" instead of 'command', or leave it out: 'command' needs no shell");
  else
    fields.read(key, node, out.shell);
}

void read_metrics(const MapFields& fields, const Key& key, const Node& node, External& command) {
  std::vector<ExternalMetric>& out = command.metrics;
  if (node.kind != Node::Kind::map) return fields.wrong(key, node);
  if (node.entries.empty())
    fields.error("suite.empty", node.position, "'metrics' is empty", "name a metric, or leave the key out");
  for (const auto& [name, value] : node.entries) {
    if (!is_identifier(name->text)) {
      fields.error("suite.value", name->position, describe(*name) + " can't be the name of a metric",
                   "a metric has letters, digits and '_', like busbw");
      continue;
    }
    if (is_reserved(name->text)) {
      fields.error("suite.reserved", name->position, "'" + name->text + "' is reserved and no metric",
                   name->text == "time" ? "Assay itself measures how long the command took as 'time'"
                                        : "take another name");
      continue;
    }
    ExternalMetric metric = read_metric(fields, *name, *value);
    const auto old = std::find_if(out.begin(), out.end(), [&](const ExternalMetric& other) {
      return other.name.value == metric.name.value;
    });
    if (old == out.end())
      out.push_back(std::move(metric));
    else
      *old = std::move(metric);
  }
}

void check_external(const SuiteCase& one, Diagnostics& diagnostics) {
  const External& external = one.external;
  if (!runs_command(one)) {
    for (const Located<std::string>& key : external.keys_used)
      diagnostics.error("suite.conflict", key.position,
                        "'" + key.value + "' is for cases that run a command, and this one uses '" +
                            printable(one.uses.value) + "'",
                        "write uses: external, or leave it out");
    return;
  }
  const auto find = [&](std::string_view name) {
    return std::find_if(external.keys_used.begin(), external.keys_used.end(),
                        [&](const Located<std::string>& key) { return key.value == name; });
  };
  const auto has = [&](std::string_view name) { return find(name) != external.keys_used.end(); };
  if (!has("command") && !has("shell"))
    diagnostics.error("suite.missing-key", one.uses.position, "an external case needs 'command'",
                      "add 'command: [PROGRAM, ARGUMENT, …]'");
  if (has("verify") && !external.verify.pattern && !external.verify.exit)
    diagnostics.error("suite.empty", find("verify")->position, "'verify' says nothing",
                      "give it a 'pattern' or an 'exit' status, or leave it out");
  // Where the status is a metric, and nothing is said, none means anything by itself.
  const bool any = std::any_of(external.metrics.begin(), external.metrics.end(),
                               [](const ExternalMetric& metric) { return metric.exit_status; });
  std::vector<int> passed = external.exit.passed;
  if (passed.empty() && !any) passed = {0};
  for (const int status : external.exit.skipped)
    if (contains(passed, status))
      diagnostics.error("suite.conflict", find("exit")->position,
                        "exit status " + std::to_string(status) + " means both 'passed' and 'skipped'",
                        "take it out of one of them");
  if (external.shell && has("command"))
    diagnostics.error("suite.conflict", external.keys_used.back().position,
                      "'command' and 'shell' are two ways to say what runs", "keep one of them");
  check_command(one, diagnostics);
  for (const ExternalMetric& metric : external.metrics) check_metric(metric, diagnostics);
  if (external.verify.pattern) check_pattern(*external.verify.pattern, false, diagnostics);
}

std::vector<std::string> external_parameters(const SuiteCase& one) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (name.starts_with("env.") || is_reserved(name)) return;
    add_once(names, name);
  };
  for (const auto& [name, value] : one.with) add(name.value);
  for (const SuiteAxis& axis : one.matrix.axes) {
    if (!is_bundle(axis)) add(axis.name.value);
    if (is_bundle(axis))
      for (const AxisValue& value : axis.values)
        for (const auto& [name, scalar] : value.map) add(name.value);
  }
  return names;
}

std::string fill_placeholders(const std::string& text, const PlaceholderValue& value) {
  const std::string_view all = text;
  std::string filled;
  for (std::size_t i = 0; i < all.size();) {
    if (all.substr(i).starts_with("{{")) {
      if (const std::size_t end = name_end(all, i + 2, "}}"); end != std::string_view::npos) {
        filled += all.substr(i + 1, end - i);
        i = end + 2;
        continue;
      }
    }
    if (all[i] == '{') {
      if (const std::size_t end = name_end(all, i + 1, "}"); end != std::string_view::npos) {
        const auto found = value(std::string(all.substr(i + 1, end - i - 1)));
        filled += found ? *found : std::string(all.substr(i, end + 1 - i));
        i = end + 1;
        continue;
      }
    }
    filled += all[i++];
  }
  return filled;
}

std::string pattern_problem(const std::string& text, std::size_t& groups) {
  if (text.size() > kLongestPattern)
    return "it has " + std::to_string(text.size()) + " characters, more than " +
           std::to_string(kLongestPattern);
  // As plugins/external compiles it.
  const Pattern pattern(text);
  groups = pattern.groups();
  return pattern.problem();
}

}  // namespace assay::suite
