// SPDX-License-Identifier: Apache-2.0
#include "lib/table.hpp"

#include <algorithm>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kGap = 3, kNarrowGap = 2;  // between columns, with and without room to spare
constexpr std::size_t kLeastCut = 12;            // a column is never cut to less
constexpr std::size_t kLeastWrapped = 12;        // in less room a text is cut, and not broken into lines

std::size_t total(const std::vector<std::size_t>& widths, const std::vector<bool>& shown, std::size_t gap) {
  std::size_t sum = 0, count = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (!shown[i] || widths[i] == 0) continue;
    sum += widths[i];
    ++count;
  }
  return sum + (count > 1 ? (count - 1) * gap : 0);
}

void trim(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
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
std::vector<std::size_t> Table::widths(const std::vector<Line>& lines, const std::vector<bool>& shown) const {
  std::vector<std::size_t> out(columns_.size(), 0);
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      if (shown[i] && line.cells[i].span == 1) out[i] = std::max(out[i], display_width(line.cells[i].text));
    }
  }
  return out;
}

Table::Fit Table::fit(const Style& style) const {
  Fit out{lines_, std::vector<bool>(columns_.size(), true), {}, kGap, {}, false};
  if (style.ascii) {
    for (Line& line : out.lines) {
      line.text.text = to_ascii(line.text.text);
      for (Cell& cell : line.cells) {
        cell.text = to_ascii(cell.text);
        cell.brief = to_ascii(cell.brief);
      }
    }
  }
  out.width = widths(out.lines, out.shown);
  out.gap = total(out.width, out.shown, kGap) > style.width ? kNarrowGap : kGap;
  if (total(out.width, out.shown, out.gap) > style.width) {
    out.brief = true;
    for (Line& line : out.lines) {
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
    if (!name.empty() && std::find(out.dropped.begin(), out.dropped.end(), name) == out.dropped.end())
      out.dropped.insert(out.dropped.begin(), name);
  }
  return out;
}

bool Table::drops_columns(const Style& style) const {
  const Fit fitted = fit(style);
  return std::find(fitted.shown.begin(), fitted.shown.end(), false) != fitted.shown.end();
}

std::string Table::render(const Style& style) const {
  auto [lines, shown, width, gap, dropped, brief] = fit(style);
  if (const std::size_t used = total(width, shown, gap); used > style.width) {
    std::size_t widest = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].align == Align::left && width[i] > width[widest]) widest = i;
    }
    const std::size_t excess = used - style.width;
    width[widest] =
        width[widest] > excess + kLeastCut ? width[widest] - excess : std::min(width[widest], kLeastCut);
  }

  const char* const dots = style.ascii ? "..." : "…";
  std::string out;
  for (const Line& line : lines) {
    if (line.cells.empty()) {
      out += toned(line.text.text, line.text.tone, style) + "\n";
      continue;
    }
    std::string text, more;  // more: lines below, of a text that goes to the end
    std::size_t at = 0;      // the column, which escape sequences do not move
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      const Cell& cell = line.cells[i];
      std::size_t room = 0;
      for (std::size_t j = i; j < std::min(i + cell.span, columns_.size()); ++j) {
        if (width[j] > 0) room += width[j] + (room > 0 ? gap : 0);
      }
      std::vector<std::string> parts{cell.text};
      if (cell.span > 1 &&
          i + cell.span >= columns_.size()) {  // to the end of the line: all that is left of it
        const std::size_t used = at + (at == 0 ? 0 : gap);
        room = style.width > used ? style.width - used : 0;
        if (room >= kLeastWrapped) parts = lines_of(cell.text, room);
        for (std::size_t part = 1; part < parts.size(); ++part)
          more += std::string(used, ' ') + toned(shorten(parts[part], room, dots), cell.tone, style) + "\n";
      }
      i += cell.span - 1;
      if (room == 0) continue;
      if (at > 0) text += std::string(gap, ' ');
      at += room + (at > 0 ? gap : 0);
      const std::string cut = shorten(parts.front(), room, dots);
      const std::string fill(room - std::min(room, display_width(cut)), ' ');
      const bool right = columns_[std::min(i, columns_.size() - 1)].align == Align::right && cell.span == 1;
      text += right ? fill + toned(cut, cell.tone, style) : toned(cut, cell.tone, style) + fill;
    }
    trim(text);
    out += text + "\n" + more;
  }
  std::string explained;
  for (std::size_t i = 0; brief && i < briefs_.size(); ++i) {
    const std::string next = style.ascii ? to_ascii(briefs_[i]) : briefs_[i];
    if (!explained.empty() && display_width(explained) + display_width(next) + kGap > style.width) {
      out += toned(explained, Tone::dim, style) + "\n";
      explained.clear();
    }
    explained += (explained.empty() ? "" : std::string(kGap, ' ')) + next;
  }
  if (!explained.empty()) out += toned(explained, Tone::dim, style) + "\n";
  if (!dropped.empty()) {
    for (const std::string& part :
         wrap("left out in " + std::to_string(style.width) + " columns: " + join(dropped, ", "), style.width))
      out += toned(part, Tone::dim, style) + "\n";
  }
  return out;
}

}  // namespace assay::reporters
