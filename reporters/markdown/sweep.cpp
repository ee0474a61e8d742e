// SPDX-License-Identifier: Apache-2.0
#include "markdown/sweep.hpp"

#include "lib/escape.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "markdown/cells.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

// "Ring, LL128"; what is unset throughout is so once.
std::string heading_of(const std::vector<std::string>& labels) {
  if (std::all_of(labels.begin(), labels.end(), [](const auto& label) { return label == "unset"; }))
    return label_cell("unset");
  std::vector<std::string> cells;
  for (const std::string& label : labels) cells.push_back(label_cell(label));
  return join(cells, ", ");
}

// Only rows with the same are held against each other: values of different operations or references say
// nothing of which is better.
std::string group_of(const Row& row) {
  const Case& one = *row.members.front();
  const std::vector<Parameter> all = parameters_of(one);
  const auto op =
      std::find_if(all.begin(), all.end(), [](const Parameter& parameter) { return parameter.name == "op"; });
  return (row.reference ? one.id : one.reference) + '\n' + (op == all.end() ? "" : op->text);
}

struct Candidate {
  const Row* row;
  Reading read;
};

class Sweep {
 public:
  Sweep(const Block& block, std::size_t down) : block_(block), metric_(block.metrics.front()) {
    for (const Row& row : block.rows) {
      const std::size_t line = place_of(lines_, row.labels[down]);
      const std::size_t column = place_of(columns_, without(row.labels, down));
      cells_.resize(std::max(cells_.size(), line + 1));
      cells_[line].resize(std::max(cells_[line].size(), column + 1));
      cells_[line][column] = &row;
      if (row.reference) references_.insert(column);
    }
    for (auto& line : cells_) line.resize(columns_.size());
    down_ = block.axes[down];
    across_ = without(block.axes, down);
    scale_ = scale_of(block, metric_);
  }

  [[nodiscard]] bool fits() const {
    return lines_.size() > 1 && columns_.size() > 1 && columns_.size() <= kMostColumns;
  }

  void write(Page& page) const {
    std::string caption = "**" + with_unit(metric_, scale_);
    if (block_.over_devices) caption += ", " + shown_of_members(block_, metric_);
    caption += "** over " + markdown_text(down_) + " and " + markdown_text(join(across_, ", "));
    if (!references_.empty()) caption += ", and the change to the reference";
    page.block(caption + ". Bold: the best of each row" + (several_groups() ? among() : "") +
               ", and every value that is not measurably worse.");
    std::vector<std::string> head{markdown_text(down_) + "\t"};
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool is_reference = references_.size() == 1 && references_.contains(i);
      head.push_back(heading_of(columns_[i]) + (is_reference ? " (reference)" : "") + "\t");
    }
    std::vector<std::vector<std::string>> rows;
    for (std::size_t line = 0; line < lines_.size(); ++line) {
      rows.push_back({label_cell(lines_[line])});
      for (const Row* row : cells_[line])
        rows.back().push_back(row == nullptr ? "" : cell(*row, best_of(line, group_of(*row))));
    }
    page.table(head, rows);
  }

 private:
  [[nodiscard]] bool several_groups() const {
    return std::any_of(cells_.begin(), cells_.end(), [](const std::vector<const Row*>& line) {
      std::set<std::string> groups;
      for (const Row* row : line) {
        if (row != nullptr) groups.insert(group_of(*row));
      }
      return groups.size() > 1;
    });
  }

  [[nodiscard]] std::string among() const {
    return references_.empty() ? " among those of its operation" : " among those with its reference";
  }

  [[nodiscard]] std::optional<Candidate> best_of(std::size_t line, const std::string& group) const {
    std::optional<Candidate> best;
    std::size_t count = 0;
    for (const Row* row : cells_[line]) {
      if (row == nullptr || row->outcome() != Outcome::passed || group_of(*row) != group) continue;
      const auto read = reading(*row, metric_);
      if (!read || (read->metric->direction != "higher" && read->metric->direction != "lower")) continue;
      ++count;
      const bool lower = read->metric->direction == "lower";
      if (!best || (lower ? *read->metric->value < *best->read.metric->value
                          : *read->metric->value > *best->read.metric->value))
        best = Candidate{row, *read};
    }
    return count > 1 ? best : std::nullopt;
  }

  // Against the reference the delta's verdict holds, which is made of rounds in pairs and stands in the same
  // cell; the overlap of two intervals knows less.
  static bool is_as_good(const Row& row, const Metric& metric, const Candidate& best) {
    const Metric& other = *best.read.metric;
    if (best.row == &row || *metric.value == *other.value) return true;
    if (best.row->reference && metric.delta) return metric.delta->verdict != "worse";
    if (row.reference && other.delta) return other.delta->verdict != "better";
    return metric.interval && other.interval && metric.interval->low <= other.interval->high &&
           metric.interval->high >= other.interval->low;
  }

  [[nodiscard]] std::string cell(const Row& row, const std::optional<Candidate>& best) const {
    const auto read = reading(row, metric_);
    const Outcome outcome = row.outcome();
    std::string out = outcome == Outcome::passed ? "" : "**" + outcome_text(outcome) + "**";
    if (!read) return out;
    const Metric& metric = *read->metric;
    std::string number = number_cell(*metric.value, metric, scale_);
    if (outcome == Outcome::passed && best && is_as_good(row, metric, *best)) number = "**" + number + "**";
    out += (out.empty() ? "" : " ") + number;
    if (row.reference) return references_.size() == 1 ? out : out + " (reference)";
    const std::string delta = delta_cell(row, metric);
    return delta.empty() ? out : out + " (" + delta + ")";
  }

  const Block& block_;
  const std::string& metric_;
  std::string down_;
  std::vector<std::string> across_;
  std::vector<std::string> lines_;                 // labels of the axis that goes down
  std::vector<std::vector<std::string>> columns_;  // labels of the others
  std::vector<std::vector<const Row*>> cells_;     // null where the matrix leaves a point out
  std::set<std::size_t> references_;               // columns
  std::optional<Scale> scale_;
};

}  // namespace

bool write_sweep(const Block& block, Page& page) {
  if (block.axes.size() < 2 || block.metrics.empty()) return false;
  const auto down = axis_of_numbers(block);
  if (!down) return false;
  const Sweep sweep(block, *down);
  if (!sweep.fits()) return false;
  sweep.write(page);
  return true;
}

}  // namespace assay::reporters
