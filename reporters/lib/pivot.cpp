// SPDX-License-Identifier: Apache-2.0
#include "lib/pivot.hpp"

#include "lib/axis_text.hpp"
#include "lib/block_constants.hpp"
#include "lib/marks.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace assay::reporters {
namespace {

std::string without_env(std::string_view name) {
  return std::string(name.substr(0, 4) == "env." ? name.substr(4) : name);
}

std::string label(const Axis* axis) {
  if (axis == nullptr) return "–";
  return axis->value.is_null() ? "unset" : axis_text(axis->text);
}

// Axes of the block in order of first appearance, but the device's, whose text is not the same in all cases.
std::vector<std::string> varying_axes(const std::vector<const Case*>& cases) {
  std::vector<std::string> names;
  for (const Case* one : cases) {
    for (const Axis& axis : one->axes) {
      if (!is_device_axis(axis.name) && !contains(names, axis.name)) {
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

bool measured(const Case& one) { return one.outcome == Outcome::passed || one.outcome == Outcome::failed; }

std::optional<bool> verified_of(const std::vector<const Case*>& cases) {
  std::optional<bool> out;
  for (const Case* one : cases) {
    if (measured(*one) && one->verification) out = out.value_or(true) && one->verification->verified;
  }
  return out;
}

bool is_judged(const std::vector<const Case*>& cases, std::string_view metric) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case* one) {
    return std::any_of(one->expectations.begin(), one->expectations.end(),
                       [&](const Expectation& expectation) { return is_about(expectation, metric); });
  });
}

// Of a command: what the suite declares of it, and how long it took, give way to nothing.
bool is_wanted_by_hand(const std::string& name, const std::vector<const Case*>& cases) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case* one) {
    return !one->command.empty() && std::any_of(one->metrics.begin(), one->metrics.end(),
                                                [&](const Metric& metric) { return metric.name == name; });
  });
}

// A headline that no expectation is about gives way to a metric of its unit that one is about: its limit and
// its share of peak are what the suite asks for.
std::string judged_instead_of(const std::string& headline, const std::vector<const Case*>& cases) {
  if (is_judged(cases, headline)) return headline;
  std::map<std::string, bool> judged;  // many cases have the same few metrics
  for (const Case* one : cases) {
    const auto unit_of = [&](std::string_view name) {
      const auto* const found =
          find_in(one->metrics, [&](const Metric& metric) { return metric.name == name; });
      return found == nullptr ? Unit() : found->unit;
    };
    for (const Metric& metric : one->metrics) {
      if (metric.headline || !metric.indices.empty() || !metric.value || metric.unit != unit_of(headline))
        continue;
      const auto [known, is_new] = judged.emplace(metric.name, false);
      if (is_new) known->second = is_judged(cases, metric.name);
      if (known->second) return metric.name;
    }
  }
  return headline;
}

template <typename Predicate>
void add_names(const std::vector<const Case*>& cases, Predicate wanted, std::vector<std::string>& names) {
  for (const Case* one : cases) {
    for (const Metric& metric : one->metrics) {
      if (metric.indices.empty() && wanted(metric) && !contains(names, metric.name)) {
        names.push_back(metric.name);
      }
    }
  }
}

// Headlines, and what the suite has computed from others: who writes that wants to see it. Energy is there of every case
// of a device that counts it, and shown where the suite has a limit for it.
std::vector<std::string> shown_metrics(const std::vector<const Case*>& cases) {
  std::vector<std::string> out;
  add_names(
      cases, [](const Metric& metric) { return metric.headline; }, out);
  for (const Case* one : cases) {
    const Metric* lead = one->headline();
    if (lead != nullptr) add_once(out, lead->name);
  }
  for (std::string& name : out) {
    if (is_wanted_by_hand(name, cases)) continue;
    std::string judged = judged_instead_of(name, cases);
    if (!contains(out, judged)) name = std::move(judged);
  }
  add_names(
      cases,
      [&](const Metric& metric) {
        return metric.statistic == kDerived &&
               (metric.name != kEnergyPerIteration || is_judged(cases, metric.name));
      },
      out);
  return out;
}

Block block_of(const std::vector<const Case*>& cases, const std::vector<CommonMark>& common) {
  Block out;
  out.name = one_line(cases.front()->name);
  out.backend = one_line(cases.front()->backend);
  const std::vector<std::string> axes = varying_axes(cases);
  for (const std::string& axis : axes) {
    out.axes.push_back(without_env(one_line(axis)));
    out.numbers.push_back(std::all_of(cases.begin(), cases.end(), [&](const Case* one) {
      const Axis* value = one->axis(axis);
      return value != nullptr && value->value.is_number();
    }));
  }
  std::map<std::vector<std::string>, std::size_t> index;
  for (const Case* one : cases) {
    std::vector<std::string> labels;
    for (const std::string& axis : axes) labels.push_back(label(one->axis(axis)));
    const auto [found, added] = index.emplace(labels, out.rows.size());
    if (added) out.rows.push_back({std::move(labels), {}, nullptr, false});
    Row& row = out.rows[found->second];
    row.members.push_back(one);
    if (const model::Mark* mark = mark_of(*one, common); mark && (!row.mark || mark < row.mark))
      row.mark = mark;
    row.reference = row.reference || one->is_reference;
    out.most_members = std::max(out.most_members, row.members.size());
  }
  out.over_devices = out.most_members > 1;
  out.constants = constants_of(cases);
  out.verified = verified_of(cases);
  out.metrics = shown_metrics(cases);
  out.reported = std::any_of(cases.begin(), cases.end(), [](const Case* one) {
    return std::any_of(one->metrics.begin(), one->metrics.end(),
                       [](const Metric& metric) { return metric.headline && metric.statistic == kReported; });
  });
  return out;
}

}  // namespace

std::size_t limits_left_out(const Case& one) {
  if (one.outcome != Outcome::passed) return 0;
  return static_cast<std::size_t>(
      std::count_if(one.expectations.begin(), one.expectations.end(), [](const Expectation& each) {
        return each.status == ExpectationStatus::not_available ||
               each.status == ExpectationStatus::no_reference || each.status == ExpectationStatus::not_judged;
      }));
}

bool no_limit_judged(const Case& one) {
  return !one.expectations.empty() && limits_left_out(one) == one.expectations.size();
}

Outcome Row::outcome() const {
  Outcome worst = Outcome::passed;
  for (const Case* one : members) {
    if (one->outcome > worst) worst = one->outcome;
  }
  return worst;
}

bool Row::undecided() const {
  return std::any_of(members.begin(), members.end(), [](const Case* one) { return one->undecided(); });
}

bool Row::no_limit_judged() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Case* one) { return reporters::no_limit_judged(*one); });
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
  const std::vector<CommonMark> common = common_marks(document);
  std::vector<Block> blocks;
  for (const auto& [key, cases] : grouped) blocks.push_back(block_of(cases, common));
  std::map<std::string, std::size_t> names;
  for (const Block& block : blocks) ++names[block.name];
  for (Block& block : blocks)
    block.title = block.name + (names[block.name] > 1 ? " (" + block.backend + ")" : "");
  for (const Group& group : document.groups) {
    const std::string name = one_line(group.case_name);
    if (auto* const owner = find_in(blocks, [&](const Block& block) { return block.name == name; }))
      owner->groups.push_back(&group);
  }
  return blocks;
}

std::optional<Reading> reading(const Row& row, std::string_view name) {
  std::optional<Reading> out;
  for (const Case* one : row.members) {
    const Metric* const metric = find_in(one->metrics, [name](const Metric& candidate) {
      return candidate.name == name && candidate.indices.empty() && candidate.value;
    });
    if (metric == nullptr) continue;
    const double value = *metric->value;
    if (!out) {
      out = Reading{one, metric, value, value, 1};
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

std::string shown_of_members(const Block& block, std::string_view metric) {
  bool has_direction = false;
  for (const Row& row : block.rows) {
    const auto read = reading(row, metric);
    if (read) has_direction = read->metric->direction == "higher" || read->metric->direction == "lower";
    if (read) break;
  }
  return (has_direction ? "worst of " : "lowest of ") + std::to_string(block.most_members);
}

}  // namespace assay::reporters
