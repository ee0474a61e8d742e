// SPDX-License-Identifier: Apache-2.0
#include "console/blocks.hpp"

#include "console/matrices.hpp"
#include "console/notes.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace assay::reporters {
namespace {

// Longer constants than this have a line of their own, in a narrow table soon.
constexpr std::size_t kConstantsWidth = 44, kNarrowConstantsWidth = 16, kNarrow = 110;
// Of a larger block only rows that did not pass are printed in full; the others are counted.
constexpr std::size_t kMostRows = 60;

enum ColumnIndex { kLabel, kNote, kValue, kSpread, kPeak, kDelta, kLimit, kExtra };

// The last metrics of a row give way first.
std::vector<Column> columns(std::size_t extras) {
  const auto keep = [extras](std::size_t more) { return static_cast<int>(extras + more); };
  std::vector<Column> all = {{Align::left},
                             {Align::left},
                             {Align::right},
                             {Align::left, keep(4), "intervals"},
                             {Align::right, keep(2), "of peak"},
                             {Align::right, keep(3), "to reference"},
                             {Align::right, keep(1), "limits"}};
  for (std::size_t i = 0; i < extras; ++i)
    all.push_back({Align::right, static_cast<int>(extras - i), "further metrics"});
  return all;
}

// The metric that stands in a row's first column: the block's first, or what the row has instead.
std::string lead_of(const Block& block, const Row& row) {
  const auto found = std::find_if(block.metrics.begin(), block.metrics.end(),
                                  [&](const std::string& name) { return reading(row, name).has_value(); });
  return found == block.metrics.end() ? "" : *found;
}

// Those that some row has beside its first.
std::vector<std::string> extra_metrics(const Block& block) {
  std::vector<std::string> extras;
  for (const std::string& name : block.metrics) {
    const bool shown = std::any_of(block.rows.begin(), block.rows.end(), [&](const Row& row) {
      return lead_of(block, row) != name && reading(row, name);
    });
    if (shown) extras.push_back(name);
  }
  return extras;
}

std::optional<Scale> column_scale(const Block& block, const std::string& metric) {
  std::vector<double> values;
  Unit unit;
  for (const Row& row : block.rows) {
    if (const auto read = reading(row, metric)) {
      values.push_back(*read->metric->value);
      unit = read->metric->unit;
    }
  }
  return common_scale(unit, values);
}

Cell delta_cell(const Row& row, const Metric& metric) {
  if (row.reference) return {"reference", Tone::dim};
  if (!metric.delta || !metric.delta->ratio) return {};
  const Delta& delta = *metric.delta;
  if (delta.verdict == "same") return {"same", Tone::dim};
  const std::optional<double> width =
      known(delta.bounds) ? std::optional(delta.bounds.half_width()) : std::nullopt;
  const std::string text = change(*delta.ratio - 1, width);
  if (delta.verdict == "worse") return {text, Tone::bad};
  if (delta.verdict == "better") return {text, Tone::good};
  return {delta.verdict == "small" ? text : text + "?", Tone::dim};
}

std::string spread_heading(const Block& block, const std::string& metric) {
  if (block.over_devices) return "range";
  for (const Row& row : block.rows) {
    const auto read = reading(row, metric);
    if (read && bounds_beside(*read->metric)) return bounds_heading(*read->metric);
  }
  for (const Row& row : block.rows) {
    const auto read = reading(row, metric);
    if (read && !no_interval_words(*read->metric).empty()) return "interval";
  }
  return {};
}

// What is said of a block, and what a row measured beside its first metric, goes on lines of its own where the
// terminal has too few columns.
struct Room {
  bool captions_apart = false, extras_apart = false;
};

class BlockPrinter {
 public:
  BlockPrinter(const Block& block, const Style& style, bool name_backend, const Room& room, Table& table)
      : block_(block),
        style_(style),
        name_backend_(name_backend),
        room_(room),
        extras_(extra_metrics(block)),
        table_(table) {}

  void print() {
    if (!block_.metrics.empty()) {
      metric_ = block_.metrics.front();
      scale_ = column_scale(block_, metric_);
    }
    for (std::size_t i = 0; i < block_.axes.size(); ++i) {
      std::size_t width = display_width(block_.axes[i]);
      for (const Row& row : block_.rows) width = std::max(width, display_width(row.labels[i]));
      label_widths_.push_back(width);
    }
    if (const auto all = all_unmeasured(block_)) {
      const std::size_t count = block_.rows.size();
      table_.add(
          {title(),
           {"– " + outcome_text(*all) + (count > 1 ? ", " + count_of(count, "row") : ""), Tone::warning}});
      for (const Group* group : block_.groups) {
        if (group->outcome != *all) print_group(*group);
      }
      return;
    }
    if (block_.rows.size() == 1 && block_.axes.empty() && block_.metrics.empty()) {
      const Note note = note_of(block_.rows.front());
      table_.add({title(), {note.text, note.tone}});
      for (const Group* group : block_.groups) print_group(*group);
      return;
    }
    heading();
    const bool fold = block_.rows.size() > kMostRows;
    std::size_t left_out = 0;
    for (const Row& row : block_.rows) {
      if (fold && row.outcome() == Outcome::passed && !row.undecided()) {
        ++left_out;
      } else {
        print_row(row);
      }
    }
    if (left_out > 0)
      table_.text("  … " + count_of(left_out, "row") + " passed, see the other reports", Tone::dim);
    for (const Group* group : block_.groups) print_group(*group);
    for (std::string& line : matrix_lines(block_, style_)) table_.text(std::move(line), Tone::dim);
  }

 private:
  [[nodiscard]] Cell title() const {
    return {block_.name + (name_backend_ ? " (" + block_.backend + ")" : ""), Tone::strong};
  }

  void heading() {
    std::vector<std::string> words = block_.constants;
    if (block_.reported) words.emplace_back("reported by the command");
    if (block_.verified) words.emplace_back(*block_.verified ? "verified" : "not verified");
    const std::string constants = join(words, ", ");
    std::vector<Cell> cells = column_headings();
    const bool apart = room_.captions_apart && !constants.empty();
    if (apart || block_.axes.size() > 1 ||
        display_width(constants) > (style_.width < kNarrow ? kNarrowConstantsWidth : kConstantsWidth)) {
      table_.add({title(), {constants, Tone::dim, table_.columns() - kNote}});
      cells[kLabel] = {label(block_.axes), Tone::dim};
    } else {
      cells[kLabel] = title();
      cells[kNote] = {constants, Tone::dim};
    }
    const bool says_something =
        std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return !cell.text.empty(); });
    if (says_something) table_.add(std::move(cells));
  }

  [[nodiscard]] std::vector<Cell> column_headings() const {
    std::vector<Cell> cells(kExtra);
    if (!metric_.empty()) {
      const std::string worst = shown_of_members(block_, metric_);
      cells[kValue].text = !block_.over_devices        ? metric_
                           : block_.metrics.size() > 1 ? metric_ + ", " + worst
                                                       : worst;
      cells[kSpread].text = spread_heading(block_, metric_);
      for (const Row& row : block_.rows) {
        const auto read = reading(row, metric_);
        if (read && read->metric->peak && read->metric->peak->share) cells[kPeak].text = "of peak";
        if (read && (row.reference || read->metric->delta)) cells[kDelta].text = "to reference";
        if (!limit_text(row, metric_).empty()) cells[kLimit].text = "limit";
      }
    }
    if (!room_.extras_apart)
      for (const std::string& extra : extras_) cells.push_back({extra});
    for (Cell& cell : cells) cell.tone = Tone::dim;
    return cells;
  }

  [[nodiscard]] std::string label(const std::vector<std::string>& words) const {
    std::string out = " ";
    for (std::size_t i = 0; i < words.size(); ++i) out += " " + pad(words[i], label_widths_[i]) + " ";
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  [[nodiscard]] std::string row_label(const Row& row) const {
    if (row.labels.size() != 1) return label(row.labels);
    const std::string& text = row.labels.front();
    const bool bare_number = text.find_first_not_of("0123456789.-") == std::string::npos;
    return "  " +
           (bare_number || text == "true" || text == "false" ? block_.axes.front() + "=" + text : text);
  }

  void print_row(const Row& row) {
    std::vector<Cell> cells(kExtra);
    cells[kLabel].text = row_label(row);
    Note note = note_of(row);
    cells[kNote] = {std::move(note.text), note.tone, 1, std::move(note.brief)};
    const std::string lead = lead_of(block_, row);
    if (const auto read = reading(row, lead); read && !lead.empty()) {
      const Metric& metric = *read->metric;
      const bool own = lead != metric_;  // another metric than the heading says
      const Scale scale = scale_ && !own ? *scale_ : scale_for(metric.unit, *metric.value);
      cells[kValue].text = (own ? lead + " " : "") + quantity(*metric.value, scale, half_width(metric));
      if (read->count < row.members.size()) {
        cells[kSpread].text =
            std::to_string(read->count) + " of " + std::to_string(row.members.size()) + " measured";
      } else if (read->count > 1) {
        cells[kSpread].text = range(read->low, read->high, scale, half_width(metric));
      } else if (const auto beside = bounds_beside(metric); beside && !block_.over_devices) {
        cells[kSpread].text = interval(*metric.value, beside->low, beside->high, scale);
      } else if (const std::string why = no_interval_words(metric); !why.empty() && !block_.over_devices) {
        cells[kSpread] = {"(" + why + ")", Tone::dim};
      }
      if (metric.peak && metric.peak->share) cells[kPeak].text = percent(*metric.peak->share);
      cells[kDelta] = delta_cell(row, metric);
      cells[kLimit].text = limit_text(row, lead, scale);
      cells[kLimit].tone = Tone::dim;
    }
    std::vector<std::string> apart;
    for (const std::string& extra : extras_) {
      const std::string text = extra == lead ? "" : extra_text(row, extra);
      if (!room_.extras_apart)
        cells.push_back({text});
      else if (!text.empty())
        apart.push_back(extra + " " + text);
    }
    table_.add(std::move(cells));
    add_lines(apart);
  }

  [[nodiscard]] std::string extra_text(const Row& row, const std::string& name) const {
    const auto read = reading(row, name);
    if (!read) return {};
    const Metric& extra = *read->metric;
    const std::string limit = limit_text(row, name, scale_for(extra.unit, *extra.value));
    const bool one = extra.interval && extra.interval->kind != kWithinProcess && !block_.over_devices;
    return (one ? quantity_with_interval(*extra.value, extra.unit, extra.interval->low, extra.interval->high)
                : quantity(*extra.value, extra.unit)) +
           (limit.empty() ? "" : " " + limit);
  }

  void print_group(const Group& group) {
    if (group.outcome == Outcome::passed && group.status != "undecided") return;
    std::vector<Cell> cells(kExtra);
    const bool skipped = group.outcome == Outcome::skipped || group.outcome == Outcome::not_run;
    const bool failed = group.outcome != Outcome::passed && !skipped;
    cells[kLabel].text = "  " + group_label(group);
    std::string note = failed ? "✗" : skipped ? "–" : "? undecided";
    if ((failed || skipped) && group.status != "failed") {
      std::string status = one_line(group.status);
      std::replace(status.begin(), status.end(), '_', ' ');
      note += " " + status;
    }
    if (!group.over.empty()) note += " over " + one_line(group.over);
    cells[kNote] = {note, failed ? Tone::bad : Tone::warning};
    cells[kValue].text = group_value(group);
    cells[kLimit] = {group_limit(group), Tone::dim};
    table_.add(std::move(cells));
    std::vector<double> values;
    for (const Member& member : group.members) {
      if (member.value) values.push_back(*member.value);
    }
    const auto scale = common_scale(group.members.empty() ? "1" : group.members.front().unit, values);
    std::vector<std::string> words;
    for (const Member& member : group.members) {
      const std::string value = !member.value ? "–"
                                : scale       ? quantity(*member.value, Scale{scale->factor, ""})
                                              : quantity(*member.value, member.unit);
      words.push_back(one_line(member.label) + " " + value);
    }
    if (scale && !words.empty() && !scale->unit.empty()) words.back() += " " + scale->unit;
    add_lines(words);
  }

  // Indented, as many words a line as fit.
  void add_lines(const std::vector<std::string>& words) {
    std::string line;
    for (const std::string& word : words) {
      if (!line.empty() && display_width(line) + display_width(word) + 7 > style_.width) {
        members_line(line);
        line.clear();
      }
      line += (line.empty() ? "" : "   ") + word;
    }
    if (!line.empty()) members_line(line);
  }

  void members_line(const std::string& line) {
    table_.text("    " + (style_.ascii ? to_ascii(line) : line), Tone::dim);
  }

  const Block& block_;
  const Style& style_;
  bool name_backend_;
  Room room_;
  std::vector<std::string> extras_;
  Table& table_;
  std::string metric_;
  std::optional<Scale> scale_;
  std::vector<std::size_t> label_widths_;
};

}  // namespace

Table case_table(const std::vector<Block>& blocks, const Style& style) {
  std::set<std::string> names, twice;
  for (const Block& block : blocks) {
    if (!names.insert(block.name).second) twice.insert(block.name);
  }
  std::size_t extras = 0;
  for (const Block& block : blocks) extras = std::max(extras, extra_metrics(block).size());
  const auto table_with = [&](const Room& room) {
    Table table(columns(room.extras_apart ? 0 : extras));
    for (const Block& block : blocks)
      BlockPrinter(block, style, twice.count(block.name) > 0, room, table).print();
    return table;
  };
  // What is said of one block is worth no column of another: captions get lines of their own first, then the
  // metrics behind the first.
  Table table = table_with({});
  if (table.drops_columns(style)) table = table_with({true, false});
  return table.drops_columns(style) && extras > 0 ? table_with({true, true}) : table;
}

}  // namespace assay::reporters
