// SPDX-License-Identifier: Apache-2.0
#include "console/blocks.hpp"

#include "console/matrices.hpp"
#include "console/notes.hpp"
#include "lib/axis_text.hpp"
#include "lib/group_lines.hpp"
#include "lib/indexed_lines.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "lib/view.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace assay::reporters {
namespace {

// Longer constants than this have a line of their own: beside them, values would stand far from the names of their rows.
constexpr std::size_t kConstantsWidth = 10;
// Of a larger block only these rows that passed are printed in full, and what did not pass; the others are counted.
constexpr std::size_t kMostRows = 60, kFirstPassed = 20;
constexpr std::size_t kMostIndexed = 10;  // lines of metrics with indices

enum ColumnIndex { kLabel, kNote, kValue, kSpread, kPeak, kDelta, kLimit, kExtra };

// The last metrics of a row give way first, then what a figure is of its peak; what answers a question of the suite gives
// way last.
std::vector<Column> columns(std::size_t extras) {
  const auto keep = [extras](std::size_t more) { return static_cast<int>(extras + more); };
  std::vector<Column> all = {{Align::left},
                             {Align::left},
                             {Align::right},
                             {Align::left, keep(4), "intervals"},
                             {Align::right, keep(1), "of peak"},
                             {Align::right, keep(3), "to reference"},
                             {Align::right, keep(2), "limits"}};
  for (std::size_t i = 0; i < extras; ++i)
    all.push_back({Align::right, static_cast<int>(extras - i), "further metrics"});
  return all;
}

// The metric that stands in a row's first column: the block's first, or what the row has instead; behind all, if it has none.
std::size_t lead_of(const std::vector<ValueCell>& cells) {
  const auto found =
      std::find_if(cells.begin(), cells.end(), [](const ValueCell& cell) { return cell.metric != nullptr; });
  return static_cast<std::size_t>(found - cells.begin());
}

// Those that some row has beside its first.
std::vector<std::size_t> extra_metrics(const BlockView& view) {
  std::vector<std::size_t> extras;
  for (std::size_t i = 0; i < view.columns.size(); ++i) {
    const bool shown =
        std::any_of(view.rows.begin(), view.rows.end(), [i](const std::vector<ValueCell>& cells) {
          return lead_of(cells) != i && cells[i].metric != nullptr;
        });
    if (shown) extras.push_back(i);
  }
  return extras;
}

Cell delta_cell(const ChangeCell& change) {
  if (change.verdict == DeltaVerdict::worse) return {change.text, Tone::bad};
  if (change.verdict == DeltaVerdict::better) return {change.text, Tone::good};
  return {change.verdict == DeltaVerdict::undecided ? change.text + "?" : change.text, Tone::dim};
}

// "95 %, 3 rounds" for "95 % over 3 rounds", "p5–p95" for "p5–p95 of samples".
std::string brief_heading(std::string text) {
  constexpr std::string_view kOver = " over ", kOfSamples = " of samples";
  if (const std::size_t over = text.find(kOver); over != std::string::npos)
    text.replace(over, kOver.size(), ", ");
  else if (text.ends_with(kOfSamples))
    text.resize(text.size() - kOfSamples.size());
  return text;
}

// What is said of a block, and what a row measured beside its first metric, goes on lines of its own where the
// terminal has too few columns. Notes have signs where all of them are known to the legend.
struct Room {
  bool captions_apart = false, extras_apart = false, has_signs = false;
};

class BlockPrinter {
 public:
  BlockPrinter(const Block& block, const BlockView& view, const Style& style, const Room& room,
               Legend& legend, AlignedTable& table)
      : block_(block),
        view_(view),
        style_(style),
        room_(room),
        extras_(extra_metrics(view)),
        legend_(legend),
        table_(table) {}

  void print() {
    for (std::size_t i = 0; i < block_.axes.size(); ++i) {
      std::size_t width = display_width(block_.axes[i]);
      for (const Row& row : block_.rows) width = std::max(width, display_width(row.labels[i]));
      label_widths_.push_back(width);
    }
    if (const auto all = all_unmeasured(block_)) {
      const std::size_t count = block_.rows.size();
      table_.add_cells(
          {title(), to_the_end("– " + outcome_text(*all) + (count > 1 ? ", " + count_of(count, "row") : ""),
                               Tone::warning)});
      for (const GroupLine& line : group_lines(block_.groups)) {
        if (line.group->outcome != *all) print_group(line);
      }
      return;
    }
    if (block_.rows.size() == 1 && block_.axes.empty() && block_.metrics.empty()) {
      const Note note = note_of(block_.rows.front());
      table_.add_cells({title(), to_the_end(note.text, note.tone)});
      for (const GroupLine& line : group_lines(block_.groups)) print_group(line);
      print_indexed();
      return;
    }
    heading();
    const bool fold = block_.rows.size() > kMostRows;
    std::size_t passed = 0;
    for (std::size_t i = 0; i < block_.rows.size(); ++i) {
      const Row& row = block_.rows[i];
      const bool is_folded =
          fold && row.outcome() == Outcome::passed && !row.undecided() && !row.no_limit_judged();
      if (!is_folded || ++passed <= kFirstPassed) print_row(row, view_.rows[i]);
    }
    if (passed > kFirstPassed)
      table_.add_line(
          "  … " + count_of(passed - kFirstPassed, "more row") + " passed; --report csv or html shows all",
          Tone::dim);
    for (const GroupLine& line : group_lines(block_.groups)) print_group(line);
    for (std::string& line : matrix_lines(block_, style_)) table_.add_line(std::move(line), Tone::dim);
    print_indexed();
  }

 private:
  [[nodiscard]] Cell title() const { return {block_.title, Tone::strong}; }

  // Over all columns behind the label, none of which it widens.
  [[nodiscard]] Cell to_the_end(std::string text, Tone tone) const {
    return {std::move(text), tone, table_.columns() - kNote};
  }

  Cell note_cell(const Note& note, std::string text) {
    if (!room_.has_signs) legend_.learn(note);
    return {std::move(text), note.tone, 1, room_.has_signs ? legend_.brief(note) : std::string()};
  }

  void heading() {
    const std::string& constants = view_.caption;
    std::vector<Cell> cells = column_headings();
    const bool apart = room_.captions_apart && !constants.empty();
    if (apart || block_.axes.size() > 1 || display_width(constants) > kConstantsWidth) {
      table_.add_cells({title(), to_the_end(constants, Tone::dim)});
      cells[kLabel] = {label(block_.axes), Tone::dim};
      axes_are_named_ = true;
    } else {
      cells[kLabel] = title();
      cells[kNote] = {constants, Tone::dim};
    }
    const bool says_something =
        std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return !cell.text.empty(); });
    if (says_something) table_.add_cells(std::move(cells));
  }

  [[nodiscard]] std::vector<Cell> column_headings() const {
    std::vector<Cell> cells(kExtra);
    if (!view_.columns.empty()) {
      const MetricColumn& first = view_.columns.front();
      cells[kValue].text = first.of_members.empty()   ? first.metric
                           : view_.columns.size() > 1 ? first.metric + ", " + first.of_members
                                                      : first.of_members;
      cells[kSpread].text = first.beside;
      cells[kSpread].brief = brief_heading(first.beside);
      for (std::size_t i = 0; i < block_.rows.size(); ++i) {
        const ValueCell& cell = view_.rows[i].front();
        const bool is_compared = cell.metric != nullptr && (block_.rows[i].reference || cell.metric->delta);
        if (!cell.share.empty()) cells[kPeak].text = "of peak";
        if (is_compared) {
          cells[kDelta].text = "to reference";
          cells[kDelta].brief = "change";
        }
        if (!cell.limit.empty()) cells[kLimit].text = "limit";
      }
    }
    if (!room_.extras_apart)
      for (const std::size_t extra : extras_) cells.push_back({view_.columns[extra].metric});
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
    if (row.labels.size() != 1 || axes_are_named_) return label(row.labels);
    return "  " + with_axis(block_.axes.front(), row.labels.front());
  }

  void print_row(const Row& row, const std::vector<ValueCell>& values) {
    std::vector<Cell> cells(kExtra);
    cells[kLabel].text = row_label(row);
    const Note note = note_of(row);
    cells[kNote] = note_cell(note, note.text);
    const std::size_t lead = lead_of(values);
    if (lead < values.size()) {
      const ValueCell& value = values[lead];
      cells[kValue].text = (lead > 0 ? value.metric->name + " " : "") +
                           quantity(*value.metric->value, value.scale, half_width(*value.metric));
      cells[kSpread].text = value.beside;
      if (!value.no_interval.empty()) cells[kSpread] = {"(" + value.no_interval + ")", Tone::dim};
      cells[kPeak].text = value.share;
      cells[kDelta] = delta_cell(value.change);
      cells[kLimit] = {value.limit, Tone::dim};
    }
    std::vector<std::string> apart;
    for (const std::size_t extra : extras_) {
      const std::string text = extra == lead ? "" : extra_text(row, values[extra]);
      if (!room_.extras_apart)
        cells.push_back({text});
      else if (!text.empty())
        apart.push_back(view_.columns[extra].metric + " " + text);
    }
    table_.add_cells(std::move(cells));
    add_lines(apart);
  }

  // In a unit of its own: no heading says one.
  [[nodiscard]] std::string extra_text(const Row& row, const ValueCell& cell) const {
    if (cell.metric == nullptr) return {};
    const Metric& extra = *cell.metric;
    const std::string limit = limit_text(row, extra.name, scale_for(extra.unit, *extra.value));
    const bool one = extra.interval && extra.interval->kind != kWithinProcess && !block_.over_devices;
    return (one ? quantity_with_interval(*extra.value, extra.unit, extra.interval->low, extra.interval->high)
                : quantity(*extra.value, extra.unit)) +
           (limit.empty() ? "" : " " + limit);
  }

  void print_group(const GroupLine& line) {
    const Group& group = *line.group;
    if (group.outcome == Outcome::passed && group.status != ExpectationStatus::undecided) return;
    std::vector<Cell> cells(kExtra);
    cells[kLabel].text = "  " + group_label(line);
    const Note note = note_of(group);
    cells[kNote] = note_cell(note, note.text + (group.over.empty() ? "" : " over " + one_line(group.over)));
    cells[kValue].text = group_value(group);
    cells[kLimit] = {group_limit(group), Tone::dim};
    table_.add_cells(std::move(cells));
    print_members(members_to_show(line));
  }

  void print_members(const std::vector<Member>& members) {
    std::vector<double> values;
    for (const Member& member : members) {
      if (member.value) values.push_back(*member.value);
    }
    const auto scale = common_scale(members.empty() ? "1" : members.front().unit, values);
    std::vector<std::string> words;
    for (const Member& member : members) {
      const std::string value = !member.value ? "–"
                                : scale       ? quantity(*member.value, Scale{scale->factor, ""})
                                              : quantity(*member.value, member.unit);
      words.push_back(as_written(member.label) + " " + value);
    }
    if (scale && !words.empty() && !scale->unit.empty()) words.back() += " " + scale->unit;
    add_lines(words);
  }

  void print_indexed() {
    const std::vector<std::string> lines = indexed_lines_of_commands(block_);
    const std::size_t room = style_.width > 24 ? style_.width - 4 : 20;
    for (std::size_t i = 0; i < lines.size() && i < kMostIndexed; ++i)
      for (const std::string& part : wrap(lines[i], room)) members_line(part);
    if (lines.size() > kMostIndexed)
      members_line("… " + std::to_string(lines.size() - kMostIndexed) + " more, see report.md");
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
    table_.add_line("    " + (style_.ascii ? to_ascii(line) : line), Tone::dim);
  }

  const Block& block_;
  const BlockView& view_;
  const Style& style_;
  Room room_;
  std::vector<std::size_t> extras_;
  Legend& legend_;
  AlignedTable& table_;
  std::vector<std::size_t> label_widths_;
  bool axes_are_named_ = false;  // in the heading
};

}  // namespace

AlignedTable case_table(const std::vector<Block>& blocks, const Style& style) {
  std::vector<BlockView> views;
  std::size_t extras = 0;
  for (const Block& block : blocks) {
    views.push_back(view_of(block));
    extras = std::max(extras, extra_metrics(views.back()).size());
  }
  Legend legend;
  const auto table_with = [&](const Room& room) {
    AlignedTable table(columns(room.extras_apart ? 0 : extras));
    for (std::size_t i = 0; i < blocks.size(); ++i)
      BlockPrinter(blocks[i], views[i], style, room, legend, table).print();
    table.explain(legend.meanings());
    return table;
  };
  // What is said of one block is worth no column of another: captions get lines of their own first, then notes become
  // signs, then the metrics behind the first get lines of their own.
  AlignedTable table = table_with({});
  if (table.is_brief(style)) table = table_with({true, false, true});
  return table.drops_columns(style) && extras > 0 ? table_with({true, true, true}) : table;
}

}  // namespace assay::reporters
