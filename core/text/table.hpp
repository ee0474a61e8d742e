// SPDX-License-Identifier: Apache-2.0
//
// Text in columns, aligned by display width. Columns that are empty throughout are left out.
#pragma once

#include "text/fit.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// How a cell stands out where colour is on.
enum class Tone { plain, strong, dim, good, bad, warning };

struct Cell {
  std::string text;
  Tone tone = Tone::plain;
  std::size_t span = 1;    // columns that it may use, those between being empty
  std::string brief = {};  // stands for the text where the table is too wide, before a column is dropped
};

struct Column {
  Align align = Align::left;
  // Columns with lower numbers are dropped first when the table is too wide; 0 is never dropped.
  int keep = 0;
  std::string name = {};  // what the line below the table calls it if it was dropped
};

// How text is put out.
struct Style {
  bool color = false;
  bool ascii = false;
  std::size_t width = 100;
  std::string indent = {};  // before every line of cells
};

// Puts a tone's escape sequences around text, if colour is on.
[[nodiscard]] std::string toned(const std::string& text, Tone tone, const Style& style);

class AlignedTable {
 public:
  // What it does to keep the width: it takes brief texts, then drops columns, which a last line names, then cuts the
  // widest left one; or it breaks columns of words into lines, the widest first, and cuts nothing.
  enum class Fitting { drops, breaks };

  explicit AlignedTable(std::vector<Column> columns, Fitting fitting = Fitting::drops)
      : columns_(std::move(columns)), fitting_(fitting) {}

  // Left-aligned columns of texts, as many as the longest row has: for the command's own lists.
  AlignedTable() : fitting_(Fitting::breaks) {}

  // Fewer cells than columns leave the rest empty.
  void add(const std::vector<std::string>& row);
  void add_cells(std::vector<Cell> cells) { lines_.push_back({std::move(cells), {}}); }
  // A line on its own, indented by the caller.
  void add_line(std::string line, Tone tone = Tone::plain) {
    lines_.push_back({{}, {std::move(line), tone, 1}});
  }
  // What brief texts mean, said below the table where it takes them; a line breaks between two of these.
  void explain(std::vector<std::string> briefs) { briefs_ = std::move(briefs); }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }

  // Whether it has to take brief texts, or to leave out columns, too, to keep the width.
  [[nodiscard]] bool is_brief(const Style& style) const { return fit(style).brief; }
  [[nodiscard]] bool drops_columns(const Style& style) const;

  // Lines without trailing blanks, each ended by a newline.
  [[nodiscard]] std::string render(const Style& style) const;
  // The same, plain; of any length where `width` is 0.
  [[nodiscard]] std::string text(const std::string& indent, int width = 0) const;

 private:
  struct TableLine {
    std::vector<Cell> cells;
    Cell text;
  };

  // What is shown of a table that keeps the width.
  struct Fit {
    std::vector<TableLine> lines;
    std::vector<bool> shown;
    std::vector<std::size_t> width;
    std::size_t gap;
    std::vector<std::string> dropped;
    bool brief = false;
  };

  [[nodiscard]] Fit fit(const Style& style) const;
  [[nodiscard]] std::string row_text(const std::vector<Cell>& cells, const Fit& fitted,
                                     const Style& style) const;
  void narrow(Fit& out, std::size_t room) const;
  [[nodiscard]] std::vector<std::size_t> widths(const std::vector<TableLine>& lines,
                                                const std::vector<bool>& shown) const;

  std::vector<Column> columns_;
  Fitting fitting_;
  std::vector<TableLine> lines_;
  std::vector<std::string> briefs_;
};

}  // namespace assay
