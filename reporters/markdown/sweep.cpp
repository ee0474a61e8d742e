// SPDX-License-Identifier: Apache-2.0
#include "markdown/sweep.hpp"

#include "lib/axis_text.hpp"
#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "markdown/cells.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostColumns = 10;  // across; a table that is wider is none

// The axis of numbers with the most values: what goes down.
std::optional<std::size_t> axis_of_numbers(const Block& block) {
  std::optional<std::size_t> best;
  std::size_t most = 1;
  for (std::size_t i = 0; i < block.axes.size(); ++i) {
    std::set<std::string> values;
    for (const Row& row : block.rows) values.insert(row.labels[i]);
    if (!block.numbers[i] || values.size() <= most) continue;
    best = i;
    most = values.size();
  }
  return best;
}

std::vector<std::string> without(const std::vector<std::string>& list, std::size_t left_out) {
  std::vector<std::string> out = list;
  out.erase(out.begin() + static_cast<std::ptrdiff_t>(left_out));
  return out;
}

template <typename T>
std::size_t place_of(std::vector<T>& list, const T& wanted) {
  const auto found = std::find(list.begin(), list.end(), wanted);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(wanted);
  return list.size() - 1;
}

// "Ring, LL128", "persistent=true"; what is unset throughout is so once.
std::string heading_of(const std::vector<std::string>& axes, const std::vector<std::string>& labels) {
  if (std::all_of(labels.begin(), labels.end(), [](const auto& label) { return label == "unset"; }))
    return label_cell("unset");
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < labels.size(); ++i) cells.push_back(label_cell(with_axis(axes[i], labels[i])));
  return join(cells, ", ");
}

// Only rows with the same are compared with each other: values of different operations or references say
// nothing of which is better.
std::string group_of(const Row& row) {
  const Case& one = *row.members.front();
  const std::vector<Parameter> all = parameters_of(one);
  const auto op =
      std::find_if(all.begin(), all.end(), [](const Parameter& parameter) { return parameter.name == "op"; });
  return (row.reference ? one.id : one.reference) + '\n' + (op == all.end() ? "" : op->text);
}

// A point of the matrix, and its headline there; none where the matrix leaves it out.
struct Place {
  const Row* row = nullptr;
  const Metric* metric = nullptr;
};

class Sweep {
 public:
  Sweep(const Block& block, const BlockView& view, std::size_t down) : column_(view.columns.front()) {
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const Row& row = block.rows[i];
      const std::size_t line = place_of(lines_, row.labels[down]);
      const std::size_t column = place_of(columns_, without(row.labels, down));
      cells_.resize(std::max(cells_.size(), line + 1));
      cells_[line].resize(std::max(cells_[line].size(), column + 1));
      cells_[line][column] = {&row, view.rows[i].front().metric};
      if (row.reference) references_.insert(column);
    }
    for (auto& line : cells_) line.resize(columns_.size());
    down_ = block.axes[down];
    across_ = without(block.axes, down);
  }

  [[nodiscard]] bool fits() const {
    return lines_.size() > 1 && columns_.size() > 1 && columns_.size() <= kMostColumns;
  }

  void write(Page& page) const {
    std::string caption = "**" + with_unit(column_.metric, column_.scale);
    if (!column_.of_members.empty()) caption += ", " + column_.of_members;
    caption += "** over " + markdown_text(down_) + " and " + markdown_text(join(across_, ", "));
    if (!references_.empty()) caption += ", and the change to the reference";
    page.block(caption + ". Bold: the best of each row" + (several_groups() ? among() : "") +
               ", and every value that is not measurably worse.");
    std::vector<std::string> head{markdown_text(down_) + "\t"};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_reference = references_.size() == 1 && references_.contains(i);
      head.push_back(heading_of(across_, columns_[i]) + (is_reference ? " (reference)" : "") + "\t");
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      rows.push_back({label_cell(lines_[line])});
      for (const Place& place : cells_[line])
        rows.back().push_back(place.row == nullptr ? "" : cell(place, best_of(line, group_of(*place.row))));
    }
    page.table(head, rows);
  }

 private:
  [[nodiscard]] bool several_groups() const {
    return std::any_of(cells_.begin(), cells_.end(), [](const std::vector<Place>& line) {
      std::set<std::string> groups;
      for (const Place& place : line) {
        if (place.row != nullptr) groups.insert(group_of(*place.row));
      }
      return groups.size() > 1;
    });
  }

  [[nodiscard]] std::string among() const {
    return references_.empty() ? " among those of its operation" : " among those with its reference";
  }

  // Nothing where there are not several to choose from.
  [[nodiscard]] Place best_of(std::size_t line, const std::string& group) const {
    Place best;
    std::size_t count = 0;
    for (const Place& place : cells_[line]) {
      const auto& [row, metric] = place;
      if (row == nullptr || row->outcome() != Outcome::passed || group_of(*row) != group) continue;
      if (metric == nullptr || (metric->direction != "higher" && metric->direction != "lower")) continue;
      ++count;
      const bool lower = metric->direction == "lower";
      if (best.row == nullptr ||
          (lower ? *metric->value < *best.metric->value : *metric->value > *best.metric->value))
        best = place;
    }
    return count > 1 ? best : Place{};
  }

  // Against the reference the delta's verdict holds, which is made of rounds in pairs and stands in the same
  // cell; the overlap of two intervals knows less.
  static bool is_as_good(const Place& place, const Place& best) {
    const Metric &metric = *place.metric, &other = *best.metric;
    if (best.row == place.row || *metric.value == *other.value) return true;
    if (best.row->reference && metric.delta) return metric.delta->verdict != DeltaVerdict::worse;
    if (place.row->reference && other.delta) return other.delta->verdict != DeltaVerdict::better;
    return metric.interval && other.interval && metric.interval->low <= other.interval->high &&
           metric.interval->high >= other.interval->low;
  }

  [[nodiscard]] std::string cell(const Place& place, const Place& best) const {
    const Outcome outcome = place.row->outcome();
    std::string out = outcome == Outcome::passed ? "" : "**" + outcome_text(outcome) + "**";
    if (place.metric == nullptr) return out;
    std::string number = number_cell(*place.metric->value, *place.metric, column_.scale);
    if (outcome == Outcome::passed && best.row != nullptr && is_as_good(place, best))
      number = "**" + number + "**";
    out += (out.empty() ? "" : " ") + number;
    if (place.row->reference) return references_.size() == 1 ? out : out + " (reference)";
    const std::string change = change_cell(change_of(*place.row, *place.metric));
    return change.empty() ? out : out + " (" + change + ")";
  }

  const MetricColumn& column_;
  std::string down_;
  std::vector<std::string> across_;
  std::vector<std::string> lines_;                 // labels of the axis that goes down
  std::vector<std::vector<std::string>> columns_;  // labels of the others
  std::vector<std::vector<Place>> cells_;
  std::set<std::size_t> references_;  // columns
};

}  // namespace

bool write_sweep(const Block& block, const BlockView& view, Page& page) {
  if (block.axes.size() < 2 || block.metrics.empty()) return false;
  const auto down = axis_of_numbers(block);
  if (!down) return false;
  const Sweep sweep(block, view, *down);
  if (!sweep.fits()) return false;
  sweep.write(page);
  return true;
}

}  // namespace assay::reporters
