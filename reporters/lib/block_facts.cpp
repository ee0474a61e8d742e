// SPDX-License-Identifier: Apache-2.0
#include "lib/block_facts.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostLabels = 8;  // of an axis, in one line
constexpr std::size_t kMostNamed = 2;   // members with the same value, in a cell

using Labelled = std::vector<std::pair<std::string, std::vector<std::string>>>;  // value → what has it

// A case and the labels that it stands at: the block's axes, then its device.
struct Told {
  const Case* one;
  std::vector<std::string> labels;
  std::size_t row;
  std::vector<Parameter> parameters;
};

std::vector<Told> told_of(const Block& block) {
  std::vector<Told> out;
  for (std::size_t row = 0; row < block.rows.size(); ++row) {
    for (const Case* one : block.rows[row].members) {
      if (one->facts.empty()) continue;
      out.push_back({one, block.rows[row].labels, row, parameters_of(*one)});
      if (block.over_devices) out.back().labels.push_back(member_label(*one));
    }
  }
  return out;
}

std::string value_of(const Case& one, const std::string& name) {
  const std::string* const found = find_value(one.facts, name);
  return found == nullptr ? std::string() : one_line(*found);
}

std::vector<std::string> names_of(const std::vector<Told>& all) {
  std::vector<std::string> out;
  for (const Told& told : all)
    for (const auto& [name, value] : told.one->facts) add_once(out, name);
  return out;
}

bool has_number(const Parameter& parameter, const std::string& value) {
  return parameter.number && std::abs(*parameter.number) < 1e15 &&
         std::to_string(std::llround(*parameter.number)) == value;
}

// Whether a parameter says the same in every case: the one of its name, or one whose number is somewhere
// long enough not to be the fact's by chance.
bool is_repeated(const std::vector<Told>& all, const std::string& name) {
  constexpr double kLong = 1000;
  const std::vector<Parameter>& parameters = all.front().parameters;
  return std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& parameter) {
    double largest = 0;
    const bool same = std::all_of(all.begin(), all.end(), [&](const Told& told) {
      const std::string value = value_of(*told.one, name);
      const auto* const found =
          find_in(told.parameters, [&](const Parameter& one) { return one.name == parameter.name; });
      if (found == nullptr) return false;
      largest = std::max(largest, std::abs(found->number.value_or(0)));
      return has_number(*found, value) || (parameter.name == name && one_line(found->text) == value);
    });
    return same && (parameter.name == name || largest >= kLong);
  });
}

// Nothing if two cases with the same label differ, or if there are too many labels for a line.
std::optional<FactByAxis> along(const std::vector<Told>& all, const std::string& name, std::size_t axis) {
  std::vector<std::pair<std::string, std::string>> seen;  // label → value
  for (const Told& told : all) {
    const std::string value = value_of(*told.one, name);
    const std::string* const known = find_value(seen, told.labels[axis]);
    if (known != nullptr && *known != value) return std::nullopt;
    if (known == nullptr) seen.emplace_back(told.labels[axis], value);
  }
  if (seen.size() > kMostLabels) return std::nullopt;
  FactByAxis out;
  for (const auto& [label, value] : seen) {
    if (value.empty()) continue;
    entry_of(out.values, value).push_back(label);
  }
  return out;
}

// "x", or "x (3 of 4); y (cuda:2)" where a row's members differ. Empty if the fact is another one for every
// member of every row: it names them, and the table does so, too.
std::vector<std::string> by_row(const Block& block, const std::string& name) {
  std::vector<std::string> out(block.rows.size());
  bool names_members = true;
  for (std::size_t row = 0; row < block.rows.size(); ++row) {
    const std::vector<const Case*>& members = block.rows[row].members;
    Labelled values;
    for (const Case* one : members) {
      const std::string value = value_of(*one, name);
      if (!value.empty()) entry_of(values, value).push_back(member_label(*one));
    }
    if (values.empty()) continue;
    names_members = names_members && members.size() > 1 && values.size() == members.size();
    std::vector<std::string> parts;
    for (const auto& [value, labels] : values) {
      const bool few = labels.size() <= kMostNamed;
      parts.push_back(value + " (" +
                      (few ? join(labels, ", ")
                           : std::to_string(labels.size()) + " of " + std::to_string(members.size())) +
                      ")");
    }
    out[row] = values.size() == 1 ? values.front().first : join(parts, "; ");
  }
  return names_members ? std::vector<std::string>() : out;
}

}  // namespace

BlockFacts facts_of(const Block& block) {
  BlockFacts out;
  out.by_row.resize(block.rows.size());
  const std::vector<Told> all = told_of(block);
  for (const std::string& name : names_of(all)) {
    const std::string first = value_of(*all.front().one, name);
    if (is_repeated(all, name)) continue;
    if (std::all_of(all.begin(), all.end(),
                    [&](const Told& told) { return value_of(*told.one, name) == first; })) {
      out.shared.emplace_back(one_line(name), first);
      continue;
    }
    std::optional<FactByAxis> found;
    for (std::size_t axis = 0; !found && axis < all.front().labels.size(); ++axis) {
      found = along(all, name, axis);
      if (!found) continue;
      found->name = one_line(name);
      found->axis = axis < block.axes.size() ? block.axes[axis] : "device";
    }
    if (found) {
      out.by_axis.push_back(std::move(*found));
      continue;
    }
    std::vector<std::string> texts = by_row(block, name);
    if (texts.empty()) continue;
    out.names.push_back(one_line(name));
    for (std::size_t row = 0; row < texts.size(); ++row) out.by_row[row].push_back(std::move(texts[row]));
  }
  return out;
}

}  // namespace assay::reporters
