// SPDX-License-Identifier: Apache-2.0
#include "lib/pivot.hpp"

#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace assay::reporters {
namespace {

bool is_device_axis(std::string_view name) { return name == "device" || name == "pair"; }

std::string without_env(std::string_view name) {
  return std::string(name.substr(0, 4) == "env." ? name.substr(4) : name);
}

std::string label(const Axis* axis) {
  if (axis == nullptr) return "–";
  return axis->unset ? "unset" : one_line(axis->text);
}

// Axes of the block in order of first appearance, but the device's, whose text is not the same in all cases.
std::vector<std::string> varying_axes(const std::vector<const Case*>& cases) {
  std::vector<std::string> names;
  for (const Case* one : cases) {
    for (const Axis& axis : one->axes) {
      if (!is_device_axis(axis.name) && std::find(names.begin(), names.end(), axis.name) == names.end()) {
        names.push_back(axis.name);
      }
    }
  }
  std::erase_if(names, [&](const std::string& name) {
    const std::string first = label(cases.front()->axis(name));
    return std::all_of(cases.begin(), cases.end(),
                       [&](const Case* one) { return label(one->axis(name)) == first; });
  });
  return names;
}

bool has_unit(const Parameter& parameter) {
  return parameter.number && one_line(parameter.text).find(' ') != std::string::npos;
}

// A bare size says what it is of as long as it is the only one that somebody chose.
bool is_plain_size(const Parameter& parameter, const std::vector<const Case*>& cases) {
  const std::vector<Parameter>& all = cases.front()->parameters;
  return !parameter.is_default && std::count_if(all.begin(), all.end(), [](const Parameter& one) {
                                    return has_unit(one) && !one.is_default;
                                  }) == 1;
}

// Shared parameters in few words: numbers as m=n=k=8192, texts and quantities bare, switches by name.
std::vector<std::string> shared_parameters(const std::vector<const Case*>& cases) {
  std::vector<std::pair<std::string, std::string>> numbers;  // text of the value → names joined by "="
  std::vector<std::string> words;
  for (const Parameter& parameter : cases.front()->parameters) {
    const bool shared = std::all_of(cases.begin(), cases.end(), [&](const Case* one) {
      return std::any_of(one->parameters.begin(), one->parameters.end(), [&](const Parameter& other) {
        return other.name == parameter.name && other.text == parameter.text;
      });
    });
    if (!shared || parameter.text.empty()) continue;
    // What nobody chose says little, but for sizes: a switch at rest, a default variant, 0 for "automatic".
    if (parameter.is_default && parameter.number.value_or(0) == 0) continue;
    const std::string text = one_line(parameter.text);
    if (parameter.number && !has_unit(parameter)) {
      const auto same = std::find_if(numbers.begin(), numbers.end(),
                                     [&](const auto& entry) { return entry.first == text; });
      if (same == numbers.end()) {
        numbers.emplace_back(text, parameter.name);
      } else {
        same->second += "=" + parameter.name;
      }
    } else if (text == "true") {
      words.push_back(parameter.name);
    } else if (text != "false") {
      const bool bare = !has_unit(parameter) || is_plain_size(parameter, cases);
      words.push_back(bare ? text : parameter.name + "=" + text);
    }
  }
  for (const auto& [text, names] : numbers) words.push_back(names + "=" + text);
  return words;
}

std::vector<std::string> constants_of(const std::vector<const Case*>& cases) {
  std::vector<std::string> out = shared_parameters(cases);
  const Case& first = *cases.front();
  const auto shared = [&](auto read) {
    return std::all_of(cases.begin(), cases.end(),
                       [&](const Case* one) { return read(*one) == read(first); });
  };
  for (const auto& condition : first.conditions) {
    const bool same = shared([&](const Case& one) {
      const auto found = std::find(one.conditions.begin(), one.conditions.end(), condition);
      return found != one.conditions.end();
    });
    if (same && condition.second != "default") out.push_back(condition.second);
  }
  for (const auto& [name, value] : first.environment) {
    const bool same = shared([&, key = name](const Case& one) {
      const auto found = std::find_if(one.environment.begin(), one.environment.end(),
                                      [&](const auto& entry) { return entry.first == key; });
      return found == one.environment.end() ? std::optional<std::string>("\x01") : found->second;
    });
    if (same) out.push_back(value ? name + "=" + *value : name + " unset");
  }
  if (first.ranks > 1 && shared([](const Case& one) { return one.ranks; })) {
    out.push_back(count_of(static_cast<std::size_t>(first.ranks), "rank"));
  }
  if (first.load == "together" && shared([](const Case& one) { return one.load; }))
    out.push_back("all devices at once");
  if (!first.bind.empty() && first.bind != "none" && shared([](const Case& one) { return one.bind; })) {
    out.push_back("bound " + first.bind);
  }
  return out;
}

constexpr const char* kReported = "reported";  // a statistic, and the flag that comes with it

bool measured(const Case& one) { return one.outcome == Outcome::passed || one.outcome == Outcome::failed; }

std::optional<bool> verified_of(const std::vector<const Case*>& cases) {
  std::optional<bool> out;
  for (const Case* one : cases) {
    if (measured(*one) && one->verified) out = out.value_or(true) && *one->verified;
  }
  return out;
}

bool is_about(const Expectation& expectation, std::string_view metric) {
  const std::string_view text = expectation.text;
  if (text.substr(0, metric.size()) != metric || !expectation.limit) return false;
  const std::string_view rest = text.substr(metric.size());
  const std::size_t next = rest.find_first_not_of(' ');
  return next != std::string_view::npos && (rest[next] == '<' || rest[next] == '>' || rest[next] == '=');
}

bool is_judged(const std::vector<const Case*>& cases, std::string_view metric) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case* one) {
    return std::any_of(one->expectations.begin(), one->expectations.end(),
                       [&](const Expectation& expectation) { return is_about(expectation, metric); });
  });
}

// A headline that no expectation is about gives way to a metric of its unit that one is about: its limit and
// its share of peak are what the suite asks for.
std::string judged_instead_of(const std::string& headline, const std::vector<const Case*>& cases) {
  if (is_judged(cases, headline)) return headline;
  for (const Case* one : cases) {
    const auto unit_of = [&](std::string_view name) {
      const auto found = std::find_if(one->metrics.begin(), one->metrics.end(),
                                      [&](const Metric& metric) { return metric.name == name; });
      return found == one->metrics.end() ? std::string() : found->unit;
    };
    for (const Metric& metric : one->metrics) {
      if (!metric.headline && metric.indices.empty() && metric.value && metric.unit == unit_of(headline) &&
          is_judged(cases, metric.name)) {
        return metric.name;
      }
    }
  }
  return headline;
}

std::vector<std::string> headline_metrics(const std::vector<const Case*>& cases) {
  std::vector<std::string> out;
  for (const Case* one : cases) {
    for (const Metric& metric : one->metrics) {
      if (metric.headline && metric.indices.empty() &&
          std::find(out.begin(), out.end(), metric.name) == out.end()) {
        out.push_back(metric.name);
      }
    }
  }
  for (std::string& name : out) {
    std::string judged = judged_instead_of(name, cases);
    if (std::find(out.begin(), out.end(), judged) == out.end()) name = std::move(judged);
  }
  return out;
}

Block block_of(const std::vector<const Case*>& cases) {
  Block out;
  out.name = one_line(cases.front()->name);
  out.backend = one_line(cases.front()->backend);
  const std::vector<std::string> axes = varying_axes(cases);
  for (const std::string& axis : axes) {
    out.axes.push_back(without_env(one_line(axis)));
    out.numbers.push_back(std::all_of(cases.begin(), cases.end(), [&](const Case* one) {
      const Axis* value = one->axis(axis);
      return value != nullptr && value->number;
    }));
  }
  std::map<std::vector<std::string>, std::size_t> index;
  for (const Case* one : cases) {
    std::vector<std::string> labels;
    for (const std::string& axis : axes) labels.push_back(label(one->axis(axis)));
    const auto [found, added] = index.emplace(labels, out.rows.size());
    if (added) out.rows.push_back({std::move(labels), {}, false});
    Row& row = out.rows[found->second];
    row.members.push_back(one);
    row.reference = row.reference || one->is_reference;
    out.most_members = std::max(out.most_members, row.members.size());
  }
  out.over_devices = out.most_members > 1;
  out.constants = constants_of(cases);
  out.verified = verified_of(cases);
  out.metrics = headline_metrics(cases);
  out.reported = std::any_of(cases.begin(), cases.end(), [](const Case* one) {
    return std::any_of(one->metrics.begin(), one->metrics.end(),
                       [](const Metric& metric) { return metric.headline && metric.statistic == kReported; });
  });
  return out;
}

bool is_percent(const Group& group) {
  return group.unit == "1" &&
         (group.text.find('%') != std::string::npos || group.text.substr(0, 6) == "spread");
}

// The number N of "N% of WHAT" in an expectation's text, as it is written there; and WHAT.
std::optional<std::pair<std::string, std::string>> share_of(std::string_view text) {
  const std::size_t sign = text.find('%');
  if (sign == std::string_view::npos) return std::nullopt;
  std::size_t end = sign;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && ((text[begin - 1] >= '0' && text[begin - 1] <= '9') || text[begin - 1] == '.')) --begin;
  const std::size_t of = text.find("of ", sign);
  if (begin == end || of == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(of + 3);
  return std::pair(std::string(text.substr(begin, end - begin)), std::string(rest.substr(0, rest.find(' '))));
}

}  // namespace

Outcome Row::outcome() const {
  Outcome worst = Outcome::passed;
  for (const Case* one : members) {
    if (severity(one->outcome) > severity(worst)) worst = one->outcome;
  }
  return worst;
}

bool Row::undecided() const {
  return std::any_of(members.begin(), members.end(), [](const Case* one) { return one->undecided(); });
}

std::vector<const Case*> Row::not_passed() const {
  std::vector<const Case*> out;
  std::copy_if(members.begin(), members.end(), std::back_inserter(out),
               [](const Case* one) { return one->outcome != Outcome::passed; });
  return out;
}

std::vector<Block> pivot(const Document& document) {
  std::vector<std::pair<std::string, std::vector<const Case*>>> grouped;
  std::map<std::string, std::size_t> index;
  for (const Case& one : document.cases) {
    const std::string key = one.name + '\n' + one.backend;
    const auto [found, added] = index.emplace(key, grouped.size());
    if (added) grouped.emplace_back(key, std::vector<const Case*>());
    grouped[found->second].second.push_back(&one);
  }
  std::vector<Block> blocks;
  for (const auto& [key, cases] : grouped) blocks.push_back(block_of(cases));
  for (const Group& group : document.groups) {
    const auto owner = std::find_if(blocks.begin(), blocks.end(), [&](const Block& block) {
      return block.name == one_line(group.case_name);
    });
    if (owner != blocks.end()) owner->groups.push_back(&group);
  }
  return blocks;
}

std::optional<Reading> reading(const Row& row, std::string_view name) {
  std::optional<Reading> out;
  for (const Case* one : row.members) {
    const auto metric =
        std::find_if(one->metrics.begin(), one->metrics.end(), [name](const Metric& candidate) {
          return candidate.name == name && candidate.indices.empty() && candidate.value;
        });
    if (metric == one->metrics.end()) continue;
    const double value = *metric->value;
    if (!out) {
      out = Reading{one, &*metric, value, value, 1};
      continue;
    }
    ++out->count;
    out->low = std::min(out->low, value);
    out->high = std::max(out->high, value);
    const bool worse =
        metric->direction == "lower" ? value > *out->metric->value : value < *out->metric->value;
    if (worse) {
      out->source = one;
      out->metric = &*metric;
    }
  }
  return out;
}

std::string mixed_outcomes(const Row& row) {
  std::map<int, std::pair<Outcome, std::size_t>, std::greater<>> counts;
  for (const Case* one : row.not_passed()) {
    const auto [found, added] = counts.emplace(severity(one->outcome), std::pair(one->outcome, 0));
    ++found->second.second;
  }
  if (counts.size() < 2) return {};
  std::vector<std::string> parts;
  for (const auto& [order, entry] : counts) {
    parts.push_back(std::to_string(entry.second) + " " + std::string(to_text(entry.first)));
  }
  return join(parts, ", ");
}

bool is_run_wide(const Flag& flag) { return flag.code == "quick"; }

std::string flags_text(const Row& row, std::size_t named) {
  std::vector<std::string> codes;
  for (const Case* one : row.members) {
    for (const Flag& flag : one->flags) {
      std::string code = one_line(flag.code);
      std::replace(code.begin(), code.end(), '_', ' ');
      const bool said_elsewhere = is_run_wide(flag) || flag.code == kReported;
      if (!said_elsewhere && std::find(codes.begin(), codes.end(), code) == codes.end())
        codes.push_back(std::move(code));
    }
  }
  if (codes.size() > named + 1) {
    const std::string rest = "+" + std::to_string(codes.size() - named);
    codes.resize(named);
    codes.push_back(rest);
  }
  return join(codes, ", ");
}

std::string limit_text(const Row& row, std::string_view metric) {
  const auto weight = [](const Expectation& one) {
    return one.status == "failed" ? 2 : one.status == "passed" ? 0 : 1;
  };
  const Expectation* chosen = nullptr;
  for (const Case* one : row.members) {
    for (const Expectation& expectation : one->expectations) {
      if (!is_about(expectation, metric)) continue;
      if (chosen == nullptr || weight(expectation) > weight(*chosen)) chosen = &expectation;
    }
  }
  if (chosen == nullptr) return {};
  std::string out = sign_of(chosen->op) + " ";
  if (const auto share = share_of(chosen->text)) {
    return out + share->first + " %" + (share->second == "peak" ? "" : " of " + share->second);
  }
  return out + quantity(*chosen->limit, chosen->unit);
}

std::string member_label(const Case& one) {
  for (const Axis& axis : one.axes) {
    if (is_device_axis(axis.name)) return one_line(axis.text);
  }
  return one_line(join(one.devices, "+"));
}

std::string group_label(const Group& group) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : group.where) {
    if (!is_device_axis(axis)) parts.push_back(one_line(value));
  }
  const std::size_t end = group.text.find('(');
  parts.push_back(end == std::string::npos ? "check" : one_line(group.text.substr(0, end)));
  return join(parts, ", ");
}

std::string group_value(const Group& group) {
  if (!group.value) return {};
  if (is_percent(group)) return fixed(*group.value * 100, *group.value < 0.0995 ? 2 : 1) + " %";
  return quantity(*group.value, group.unit);
}

std::string group_limit(const Group& group) {
  if (!group.limit) return {};
  const std::string sign = sign_of(group.op) + " ";
  if (!is_percent(group)) return sign + quantity(*group.limit, group.unit);
  const double value = *group.limit * 100;
  return sign + fixed(value, value == static_cast<double>(static_cast<long>(value)) ? 0 : 1) + " %";
}

std::string sign_of(std::string_view op) {
  if (op == ">=") return "≥";
  if (op == "<=") return "≤";
  if (op == "!=") return "≠";
  if (op == "==") return "=";
  return std::string(op);
}

}  // namespace assay::reporters
