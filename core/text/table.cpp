// SPDX-License-Identifier: Apache-2.0
#include "text/table.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kGap = 3, kNarrowGap = 2;  // between columns, with and without room to spare
constexpr std::size_t kLeastCut = 12;            // a column is never cut to less
constexpr std::size_t kLeastWrapped = 12;        // in less room a text is cut, and not broken into lines
constexpr std::size_t kLeastOfWords = 20;  // a narrower column of words is harder to read than a long line

std::size_t total(const std::vector<std::size_t>& widths, const std::vector<bool>& shown, std::size_t gap) {
  std::size_t sum = 0, count = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (!shown[i] || widths[i] == 0) continue;
    sum += widths[i];
    ++count;
  }
  return sum + (count > 1 ? (count - 1) * gap : 0);
}

// A list is broken behind its commas, so that a value stays beside its unit; what has none, or is longer than a line, between words.
std::vector<std::string> lines_of(const std::string& text, std::size_t room) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t comma = text.find(", ", begin);
    const std::size_t end = comma == std::string::npos ? text.size() : comma + 1;
    const std::string part = text.substr(begin, end - begin);
    begin = comma == std::string::npos ? end : end + 1;
    if (!line.empty() && display_width(line) + 1 + display_width(part) <= room) {
      line += " " + part;
      continue;
    }
    if (!line.empty()) lines.push_back(std::move(line));
    std::vector<std::string> words = wrap(part, room);
    line = std::move(words.back());
    words.pop_back();
    lines.insert(lines.end(), words.begin(), words.end());
  }
  lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string toned(const std::string& text, Tone tone, const Style& style) {
  if (!style.color || tone == Tone::plain || text.empty()) return text;
  const char* code = "";
  switch (tone) {
    case Tone::plain:
      break;
    case Tone::strong:
      code = "1";
      break;
    case Tone::dim:
      code = "2";
      break;
    case Tone::good:
      code = "32";
      break;
    case Tone::bad:
      code = "1;31";
      break;
    case Tone::warning:
      code = "33";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

// Spanning cells do not widen columns: they use what the columns they cover have.
std::vector<std::size_t> AlignedTable::widths(const std::vector<TableLine>& lines,
                                              const std::vector<bool>& shown) const {
  std::vector<std::size_t> out(columns_.size(), 0);
  for (const TableLine& line : lines) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (shown[i] && line.cells[i].span == 1) out[i] = std::max(out[i], display_width(line.cells[i].text));
    }
  }
  return out;
}

// Takes from the columns of words, always from the widest, until the line has room.
void AlignedTable::narrow(Fit& out, std::size_t room) const {
  std::vector<std::size_t> of_words;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (std::any_of(out.lines.begin(), out.lines.end(), [&](const TableLine& line) {
          return i < line.cells.size() && line.cells[i].text.find(' ') != std::string::npos;
        }))
      of_words.push_back(i);
  for (std::size_t used = total(out.width, out.shown, out.gap); used > room && !of_words.empty(); --used) {
    const std::size_t widest =
        *std::max_element(of_words.begin(), of_words.end(),
                          [&](std::size_t a, std::size_t b) { return out.width[a] < out.width[b]; });
    if (out.width[widest] <= kLeastOfWords) return;
    --out.width[widest];
  }
}

AlignedTable::Fit AlignedTable::fit(const Style& style) const {
  Fit out{lines_, std::vector<bool>(columns_.size(), true), {}, kGap, {}, false};
  if (style.ascii) {
    for (TableLine& line : out.lines) {
      line.text.text = to_ascii(line.text.text);
      for (Cell& cell : line.cells) {
        cell.text = to_ascii(cell.text);
        cell.brief = to_ascii(cell.brief);
      }
    }
  }
  out.width = widths(out.lines, out.shown);
  if (fitting_ == Fitting::breaks) {
    out.gap = kNarrowGap;
    narrow(out, style.width);
    return out;
  }
  out.gap = total(out.width, out.shown, kGap) > style.width ? kNarrowGap : kGap;
  if (total(out.width, out.shown, out.gap) > style.width) {
    out.brief = true;
    for (TableLine& line : out.lines) {
      for (Cell& cell : line.cells)
        if (!cell.brief.empty()) cell.text = cell.brief;
    }
    out.width = widths(out.lines, out.shown);
  }
  while (total(out.width, out.shown, out.gap) > style.width) {
    std::size_t victim = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!out.shown[i] || columns_[i].keep == 0 || out.width[i] == 0) continue;
      if (victim == columns_.size() || columns_[i].keep < columns_[victim].keep) victim = i;
    }
    if (victim == columns_.size()) break;
    out.shown[victim] = false;
    out.width[victim] = 0;
    const std::string& name = columns_[victim].name;
    if (!name.empty() && !contains(out.dropped, name)) out.dropped.insert(out.dropped.begin(), name);
  }
  if (const std::size_t used = total(out.width, out.shown, out.gap); used > style.width) {
    std::size_t widest = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].align == Align::left && out.width[i] > out.width[widest]) widest = i;
    }
    std::size_t& cut = out.width[widest];
    const std::size_t excess = used - style.width;
    cut = cut > excess + kLeastCut ? cut - excess : std::min(cut, kLeastCut);
  }
  return out;
}

bool AlignedTable::drops_columns(const Style& style) const {
  const Fit fitted = fit(style);
  return contains(fitted.shown, false);
}

std::string AlignedTable::row_text(const std::vector<Cell>& cells, const Fit& fitted,
                                   const Style& style) const {
  struct Placed {
    const Cell* cell;
    std::size_t room;
    bool right;
    std::vector<std::string> parts;  // a line each
  };
  const std::vector<std::size_t>& width = fitted.width;
  const bool breaks = fitting_ == Fitting::breaks;
  std::vector<Placed> row;
  std::size_t at = 0, height = 1;  // at: the column, which escape sequences do not move
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    std::size_t room = 0;
    for (std::size_t j = i; j < std::min(i + cell.span, columns_.size()); ++j) {
      if (width[j] > 0) room += width[j] + (room > 0 ? fitted.gap : 0);
    }
    std::vector<std::string> parts{cell.text};
    if (breaks && display_width(cell.text) > room) parts = wrap(cell.text, room);
    if (cell.span > 1 &&
        i + cell.span >= columns_.size()) {  // to the end of the line: all that is left of it
      const std::size_t used = at + (at == 0 ? 0 : fitted.gap);
      room = style.width > used ? style.width - used : 0;
      if (room >= kLeastWrapped) parts = lines_of(cell.text, room);
    }
    i += cell.span - 1;
    if (room == 0) continue;
    at += room + (at > 0 ? fitted.gap : 0);
    height = std::max(height, parts.size());
    const bool right = columns_[std::min(i, columns_.size() - 1)].align == Align::right && cell.span == 1;
    row.push_back({&cell, room, right, std::move(parts)});
  }
  std::string out;
  for (std::size_t k = 0; k < height; ++k) {
    std::string text = style.indent;
    for (const Placed& each : row) {
      const std::string part = k < each.parts.size() ? each.parts[k] : "";
      const std::string cut = breaks ? part : shorten(part, each.room, style.ascii ? "..." : "…");
      const std::string fill(each.room - std::min(each.room, display_width(cut)), ' ');
      const std::string shown = toned(cut, each.cell->tone, style);
      if (&each != &row.front()) text += std::string(fitted.gap, ' ');
      text += each.right ? fill + shown : shown + fill;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string AlignedTable::render(const Style& style) const {
  const Fit fitted = fit(style);
  std::string out;
  for (const TableLine& line : fitted.lines)
    out += line.cells.empty() ? toned(line.text.text, line.text.tone, style) + "\n"
                              : row_text(line.cells, fitted, style);
  std::string explained;
  for (std::size_t i = 0; fitted.brief && i < briefs_.size(); ++i) {
    const std::string next = style.ascii ? to_ascii(briefs_[i]) : briefs_[i];
    if (!explained.empty() && display_width(explained) + display_width(next) + kGap > style.width) {
      out += toned(explained, Tone::dim, style) + "\n";
      explained.clear();
    }
    explained += (explained.empty() ? "" : std::string(kGap, ' ')) + next;
  }
  if (!explained.empty()) out += toned(explained, Tone::dim, style) + "\n";
  if (!fitted.dropped.empty()) {
    for (const std::string& part :
         wrap("left out in " + std::to_string(style.width) + " columns: " + join(fitted.dropped, ", "),
              style.width))
      out += toned(part, Tone::dim, style) + "\n";
  }
  return out;
}

void AlignedTable::add(const std::vector<std::string>& row) {
  columns_.resize(std::max(columns_.size(), row.size()));
  std::vector<Cell>& cells = lines_.emplace_back().cells;
  for (const std::string& text : row) cells.push_back({text});
}

std::string AlignedTable::text(const std::string& indent, int width) const {
  const std::size_t room =
      width > 0 ? static_cast<std::size_t>(width) : std::numeric_limits<std::size_t>::max();
  return render({false, false, room - std::min(indent.size(), room), indent});
}

}  // namespace assay
