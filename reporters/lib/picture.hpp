// SPDX-License-Identifier: Apache-2.0
//
// A picture: the same bytes for the same numbers, no script, no reference to anything outside, a text alternative. Colours are classes
// (s0 to s5, h0 to h4, axis, asked, halo), so that they follow the reader's theme; values stand in <title>, which browsers show on hover.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

inline constexpr double kPictureWidth = 560;  // of every picture, in its own units
inline constexpr std::size_t kSeriesColours = 6;

struct KeyEntry {
  std::string colour, text;  // a class, "s0"; what has this colour
};

struct Picture {
  std::string title, description;  // in words, for readers who do not see it
  std::vector<KeyEntry> key;       // of the colours; none where there is one
  std::string note;                // what a reader has to know to read it, or ""
  double height = 0;
  std::string body;  // elements of SVG, everything of the document escaped
};

// Palettes of both themes and rules for all classes: the page's, and those of each file.
extern const char* const kPictureStyle;

// As an element of a page that has the style; title, key and note stand in the page's own words beside it.
[[nodiscard]] std::string svg_element(const Picture& picture);

// As a file that stands for itself, on a ground of its own: where the page around it has another theme than its reader, it is read all the same.
[[nodiscard]] std::string svg_file(const Picture& picture);

// "gemm-throughput-1f0c3a9b.svg": from title and bytes, so that reports in one folder share a file only where it is the same picture.
[[nodiscard]] std::string svg_file_name(const Picture& picture, std::string_view file);

// Safe between tags and inside quotes, in one line.
[[nodiscard]] std::string svg_text(std::string_view text);
// An element with a text at x, y; `anchor` is start, middle or end.
[[nodiscard]] std::string svg_label(double x, double y, const char* anchor, std::string_view text);
// <title> of the element that it stands in; "" of no text.
[[nodiscard]] std::string svg_tip(std::string_view text);

// At most that wide in the picture's units, and how wide it then is, from the columns of a terminal: fonts differ by reader.
[[nodiscard]] std::string fitted(std::string_view text, double width);
[[nodiscard]] double text_width(std::string_view text);

}  // namespace assay::reporters
