// SPDX-License-Identifier: Apache-2.0
#include "markdown/results.hpp"

#include "lib/axis_text.hpp"
#include "lib/charts.hpp"
#include "lib/escape.hpp"
#include "lib/group_lines.hpp"
#include "lib/indexed_lines.hpp"
#include "lib/marks.hpp"
#include "lib/matrix.hpp"
#include "lib/numbers.hpp"
#include "lib/pivot.hpp"
#include "lib/row_texts.hpp"
#include "lib/unknown_peaks.hpp"
#include "lib/view.hpp"
#include "lib/wording.hpp"
#include "markdown/cells.hpp"
#include "markdown/facts.hpp"
#include "markdown/grid.hpp"
#include "markdown/matrices.hpp"
#include "markdown/ranks.hpp"
#include "markdown/sweep.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostMembers = 32;   // of a table by device
constexpr std::size_t kMostTimelines = 6;  // pictures of one block
constexpr std::size_t kMostCountings = 4;  // different rules printed under a table

std::string unless_zero(std::size_t count, const std::string& text) {
  return count == 0 ? std::string() : text;
}

std::string outcome_cell(const Row& row) {
  const std::vector<const Case*> bad = row.not_passed();
  if (bad.empty()) {
    std::string out = row.undecided() ? "**undecided**" : "passed";
    if (row.no_limit_judged()) out += ", **" + std::string(kLimitsNotJudged) + "**";
    if (row.mark != nullptr) out += ", " + markdown_text(mark_text(row.mark));
    return out;
  }
  if (const std::string mixed = mixed_outcomes(row); !mixed.empty()) return "**" + mixed + "**";
  std::string out = "**" + outcome_text(row.outcome()) + "**";
  if (row.members.size() == 1) return out;
  if (bad.size() > 4)
    return out + " " + std::to_string(bad.size()) + " of " + std::to_string(row.members.size());
  for (std::size_t i = 0; i < bad.size(); ++i)
    out += (i == 0 ? " " : ", ") + markdown_text(member_label(*bad[i]));
  return out;
}

// It passed, and there is no more to say of it.
bool is_settled(const Row& row) {
  return row.outcome() == Outcome::passed && !row.undecided() && !row.no_limit_judged();
}

class BlockWriter {
 public:
  BlockWriter(const Block& block, const Document& document, Page& page)
      : block_(block), view_(view_of(block)), document_(document), page_(page) {}

  void write() {
    page_.heading(3, markdown_text(block_.title));
    page_.block(markdown_text(view_.caption));
    if (page_.keeps(Detail::not_passing_only)) pictures();
    const bool swept = page_.keeps(Detail::not_passing_only) && write_sweep(block_, view_, page_);
    // Rows that say more than the sweep are not folded away.
    const bool fold = swept && page_.keeps(Detail::no_details) && all_passed();
    if (fold) page_.begin_fold("Each point");
    rows(swept);
    if (fold) page_.end_fold();
    groups();
    if (page_.keeps(Detail::no_details)) counting();
    if (page_.keeps(Detail::no_details)) write_facts(block_, page_);
    if (page_.keeps(Detail::no_details)) write_matrices(block_, document_.run.backends, page_);
    if (page_.keeps(Detail::everything) && block_.over_devices && !is_over_pairs(block_)) by_device();
    if (page_.keeps(Detail::no_details)) write_ranks(block_, page_);
  }

 private:
  void pictures() {
    for (const Picture& picture : block_charts(block_)) page_.picture(picture);
    std::size_t timelines = 0;
    for (const Row& row : block_.rows) {
      for (const Case* one : row.members) {
        const auto picture = timeline_chart(*one);
        if (!picture || timelines++ == kMostTimelines) continue;
        page_.picture(*picture);
      }
    }
  }

  [[nodiscard]] bool all_passed() const {
    return std::all_of(block_.rows.begin(), block_.rows.end(),
                       [](const Row& row) { return is_settled(row); });
  }

  // Behind a sweep, in which bold is the best, no value is bold.
  void rows(bool swept) {
    Grid grid;
    std::vector<std::size_t> values, intervals;
    grid.axes(block_);
    for (const MetricColumn& column : view_.columns) {
      const std::string of = column.of_members.empty() ? "" : ", " + column.of_members;
      values.push_back(grid.column(with_unit(column.metric, column.scale) + of, true));
      intervals.push_back(grid.column(column.beside));
    }
    const std::size_t peak = grid.column("of peak", true), delta = grid.column("to reference", true);
    const std::size_t limit = grid.column("limit", true), outcome = grid.column("outcome");
    std::size_t left_out = 0;
    for (std::size_t number = 0; number < block_.rows.size(); ++number) {
      const Row& row = block_.rows[number];
      if (!page_.keeps(Detail::no_details) && is_settled(row)) {
        ++left_out;
        continue;
      }
      grid.row(row.labels);
      std::vector<std::string> limits;
      for (std::size_t i = 0; i < view_.columns.size(); ++i) {
        const ValueCell& cell = view_.rows[number][i];
        if (!cell.limit.empty()) limits.push_back(cell.limit);
        if (cell.metric == nullptr) continue;
        const std::string value = number_cell(*cell.metric->value, *cell.metric, view_.columns[i].scale);
        grid.set(values[i], i == 0 && !swept ? "**" + value + "**" : value);
        grid.set(intervals[i],
                 cell.no_interval.empty() ? cell.beside : "*" + markdown_text(cell.no_interval) + "*");
        if (i > 0) continue;
        grid.set(peak, cell.share);
        grid.set(delta, change_cell(cell.change));
      }
      grid.set(limit, markdown_text(join(limits, ", ")));
      grid.set(outcome, outcome_cell(row));
    }
    grid.write(page_);
    if (left_out > 0) page_.block(count_of(left_out, "row") + " passed and left out here.");
  }

  void groups() {
    Grid grid;
    const std::size_t what = grid.column("group check"), value = grid.column("value", true);
    const std::size_t limit = grid.column("limit", true), outcome = grid.column("outcome"),
                      members = grid.column("members");
    for (const GroupLine& line : group_lines(block_.groups)) {
      const Group* const group = line.group;
      const bool passed = group->outcome == Outcome::passed && group->status != ExpectationStatus::undecided;
      if (passed && !page_.keeps(Detail::no_details)) continue;
      grid.row();
      grid.set(what, markdown_text(group_label(line) + (group->over.empty() ? "" : " over " + group->over)));
      grid.set(value, markdown_text(group_value(*group)));
      grid.set(limit, markdown_text(group_limit(*group)));
      const std::string status = markdown_text(in_words(group->status));
      grid.set(outcome, passed ? status
                               : "**" + status + "**" +
                                     (group->why.empty() ? "" : ", " + markdown_cell_sentence(group->why)));
      if (passed) continue;
      std::vector<std::string> each;
      for (const Member& member : members_to_show(line)) {
        each.push_back(markdown_text(as_written(member.label) + " " +
                                     (member.value ? quantity(*member.value, member.unit) : "–")));
      }
      grid.set(members, join(each, "<br>"));
    }
    grid.write(page_);
  }

  // What one iteration's work is, and what "of peak" refers to, each rule once.
  void counting() {
    using Labelled =
        std::vector<std::pair<std::string, std::vector<std::string>>>;  // text → rows it holds for
    std::vector<std::string> lines;
    Labelled peaks;
    std::set<std::string> different;
    for (std::size_t i = 0; i < view_.columns.size(); ++i) {
      const std::string& name = view_.columns[i].metric;
      Labelled rules;
      for (std::size_t row = 0; row < block_.rows.size(); ++row) {
        if (view_.rows[row][i].metric == nullptr) continue;
        const Metric& metric = *view_.rows[row][i].metric;
        const std::string label = join(block_.rows[row].labels, " ");
        std::vector<std::string> parts;
        for (const std::string& part : {metric.counting, metric.flow, metric.mechanism}) {
          if (!part.empty()) parts.push_back(part);
        }
        const std::string verb = metric.counting.empty()        ? ": "
                                 : metric.statistic == kDerived ? " is "
                                                                : " counts ";
        if (!parts.empty()) entry_of(rules, verb + join(parts, ", ") + ".").push_back(label);
        if (!metric.peak) continue;
        const std::string value = quantity(metric.peak->value, metric.unit);
        entry_of(peaks, metric.peak->source).push_back(label.empty() ? value : label + " " + value);
        different.insert(value);
      }
      for (const auto& [rule, labels] : rules) {
        lines.push_back(markdown_text((rules.size() > 1 ? join(labels, ", ") + ": " : "") + name + rule));
      }
    }
    if (lines.size() > kMostCountings) {
      lines.resize(kMostCountings);
      lines.emplace_back("Others are in result.json.");
    }
    for (const auto& [source, values] : peaks) {
      const std::string shown = different.size() == 1 ? *different.begin() : join(values, ", ");
      lines.push_back("Peak: " + markdown_text(shown + (source.empty() ? "" : " (" + source + ")")) + ".");
    }
    for (const std::string& line : missing_intervals()) lines.push_back(line);
    page_.block(join(lines, "\n"));
  }

  // "few samples" in a cell is explained once below the table.
  [[nodiscard]] std::vector<std::string> missing_intervals() const {
    std::vector<std::string> lines;
    for (const std::vector<ValueCell>& row : view_.rows) {
      for (const ValueCell& cell : row) {
        if (cell.no_interval.empty()) continue;
        std::string line = "No interval, *" + markdown_text(cell.no_interval) +
                           "*: " + markdown_sentence(cell.metric->no_interval->text);
        add_once(lines, std::move(line));
      }
    }
    return lines;
  }

  // Every member's headline value, the longer side downwards.
  void by_device() {
    if (block_.metrics.empty()) return;
    const std::string& name = block_.metrics.front();
    std::vector<std::string> members;
    for (const Row& row : block_.rows) {
      for (const Case* one : row.members) {
        const std::string label = member_label(*one);
        add_once(members, label);
      }
    }
    if (members.size() > kMostMembers) return;
    const std::optional<Scale>& scale = view_.columns.front().scale;
    const auto cell = [&](const Row& row, const std::string& label) -> std::string {
      for (const Case* one : row.members) {
        if (member_label(*one) != label) continue;
        const Row alone{row.labels, {one}, nullptr, false};
        const auto read = reading(alone, name);
        return read ? number_cell(*read->metric->value, *read->metric, scale) : "–";
      }
      return "–";
    };
    const auto row_name = [&](const Row& row) {
      return row.labels.empty() ? markdown_text(name) : markdown_text(join(row.labels, ", "));
    };
    const bool down = members.size() > block_.rows.size();
    std::vector<std::string> head{down ? "device" : markdown_text(join(block_.axes, ", "))};
    std::vector<std::vector<std::string>> rows;
    if (down) {
      for (const Row& row : block_.rows) head.push_back(row_name(row) + "\t");
      for (const std::string& member : members) {
        rows.push_back({markdown_text(member)});
        for (const Row& row : block_.rows) rows.back().push_back(cell(row, member));
      }
    } else {
      for (const std::string& member : members) head.push_back(markdown_text(member) + "\t");
      for (const Row& row : block_.rows) {
        rows.push_back({row_name(row)});
        for (const std::string& member : members) rows.back().push_back(cell(row, member));
      }
    }
    page_.begin_fold(name + (scale && !scale->unit.empty() ? ", " + scale->unit : "") + ", each of " +
                     std::to_string(members.size()));
    page_.table(head, rows);
    page_.end_fold();
  }

  const Block& block_;
  const BlockView view_;
  const Document& document_;
  Page& page_;
};

// A case without headline values: what its checks said.
std::string checks_line(const Block& block) {
  std::size_t count = 0, failed = 0;
  for (const Row& row : block.rows) {
    for (const Case* one : row.members) {
      count += one->checks.size();
      failed += static_cast<std::size_t>(std::count_if(one->checks.begin(), one->checks.end(),
                                                       [](const Check& check) { return !check.passed; }));
    }
  }
  if (count == 0) return {};
  return failed > 0 ? std::to_string(failed) + " of " + count_of(count, "check") + " failed"
                    : count_of(count, "check") + " passed";
}

std::string block_outcome(const Block& block) {
  std::size_t total = 0, bad = 0, undecided = 0, without_limit = 0, without_members = 0;
  Outcome worst = Outcome::passed;
  for (const Row& row : block.rows) {
    total += row.members.size();
    bad += row.not_passed().size();
    undecided += row.undecided() ? 1 : 0;
    without_limit += row.no_limit_judged() ? 1 : 0;
    if (row.outcome() > worst) worst = row.outcome();
  }
  for (const Group* group : block.groups) {
    // Nothing to compare is nothing against the cases.
    if (group->outcome == Outcome::skipped) {
      ++without_members;
      continue;
    }
    ++total;
    bad += group->outcome == Outcome::passed ? 0 : 1;
    if (group->outcome > worst) worst = group->outcome;
  }
  const std::string skipped =
      unless_zero(without_members, ", " + count_of(without_members, "group check") + " skipped");
  if (bad == 0)
    return "passed" + unless_zero(undecided, ", " + std::to_string(undecided) + " undecided") +
           unless_zero(without_limit, ", " + std::string(kLimitsNotJudged)) + skipped;
  if (total == 1) return "**" + outcome_text(worst) + "**" + skipped;
  return "**" + outcome_text(worst) + "**, " + std::to_string(total - bad) + " of " + std::to_string(total) +
         " passed" + skipped;
}

}  // namespace

void write_results(const Document& document, Page& page) {
  const std::vector<Block> blocks = pivot(document);
  if (blocks.empty()) return;
  page.heading(2, "Results");
  if (blocks.size() > 1) {
    std::vector<std::vector<std::string>> rows;
    for (const Block& block : blocks) {
      std::size_t cases = 0;
      for (const Row& row : block.rows) cases += row.members.size();
      const std::string checks = checks_line(block);
      rows.push_back({markdown_text(block.title),
                      checks.empty() ? markdown_text(join(block.constants, ", ")) : checks,
                      std::to_string(cases), block_outcome(block)});
    }
    page.table({"case", "what", "points\t", "outcome"}, rows);
  }
  for (const Block& block : blocks) {
    const bool nothing_to_show =
        block.metrics.empty() && block.groups.empty() && indexed_lines(block).empty();
    if (nothing_to_show && blocks.size() > 1) continue;
    BlockWriter(block, document, page).write();
  }
  const std::string unknown = page.keeps(Detail::everything) ? unknown_peaks(document) : std::string();
  if (!unknown.empty()) page.block(markdown_text(unknown) + ".");
}

}  // namespace assay::reporters
