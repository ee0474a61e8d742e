// SPDX-License-Identifier: Apache-2.0
#include "lib/picture.hpp"

#include "lib/escape.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace assay::reporters {
namespace {

constexpr double kColumn = 7.7;  // of the font of 12, where that is a wide one
constexpr double kWider = 4;     // what the widest signs take more, such as "m" and "%"
constexpr double kEdge = 12;     // around a file's picture
constexpr double kLineOfWords = 17;
constexpr double kBold = 1.1;  // how much wider a title is

std::string title_and_description(const Picture& picture) {
  return "<title>" + svg_text(picture.title) + "</title>" +
         (picture.description.empty() ? std::string() : "<desc>" + svg_text(picture.description) + "</desc>");
}

// Lines of the title, the key and the note above the picture; `down` grows by what they take.
std::string words_above(const Picture& picture, double& down) {
  std::string out;
  const auto columns = static_cast<std::size_t>(kPictureWidth / (kColumn * kBold));
  for (const std::string& line : wrap(one_line(picture.title), columns)) {
    down += kLineOfWords;
    out += fmt::format("<text class=\"title\" x=\"0\" y=\"{:.0f}\">{}</text>", down, svg_text(line));
  }
  double right = 0;
  if (!picture.key.empty()) down += kLineOfWords;
  for (const KeyEntry& entry : picture.key) {
    const std::string text = fitted(one_line(entry.text), kPictureWidth - 20);
    if (right > 0 && right + 18 + text_width(text) > kPictureWidth) {
      right = 0;
      down += kLineOfWords;
    }
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" rx=\"2\"/>",
                       entry.colour, right, down - 9);
    out += svg_label(right + 14, down, "start", text);
    right += 14 + text_width(text) + 14;
  }
  if (picture.note.empty()) return out;
  for (const std::string& line :
       wrap(one_line(picture.note), static_cast<std::size_t>(kPictureWidth / kColumn))) {
    down += kLineOfWords;
    out += svg_label(0, down, "start", line);
  }
  return out;
}

}  // namespace

const char* const kPictureStyle = R"css(
:root{color-scheme:light dark;--text:#1d2330;--dim:#59616f;--line:#d9dde3;--back:#fff;--warn:#7a4a00;--s0:#0b5cad;--s1:#b34700;--s2:#1a7f37;--s3:#8250df;--s4:#9a6700;--s5:#bf3989;--h0:#e3eefa;--h1:#b9d5f2;--h2:#86b6e6;--h3:#2f72b5;--h4:#0b4f96}
@media(prefers-color-scheme:dark){:root{--text:#e4e8ee;--dim:#a2abb8;--line:#363d48;--back:#14181d;--warn:#e3b341;--s0:#6cb2ff;--s1:#ff9f5a;--s2:#6bd08a;--s3:#c4a1ff;--s4:#e3b341;--s5:#ff8ac4;--h0:#16283d;--h1:#1d3f63;--h2:#2a5f96;--h3:#4f97dd;--h4:#9cccff}}
.plot{font:12px system-ui,sans-serif;fill:var(--dim);font-variant-numeric:tabular-nums}.plot .title{font-weight:600;font-size:13px;fill:var(--text)}.plot .ground{fill:var(--back)}
.plot .axis{stroke:var(--line);fill:none}.plot .asked{stroke:var(--warn);stroke-dasharray:6 4;stroke-width:1.5;fill:none}.plot .halo{stroke:var(--back);stroke-width:4.5;fill:none}.plot .roof{fill:none;stroke-width:1.25;stroke-dasharray:2 3}
.plot .line{fill:none;stroke-width:1.75}.plot .again{stroke-dasharray:7 4}.plot .bounds{stroke-width:1.5;opacity:.65}.plot .over{stroke:var(--text);opacity:1}.plot circle,.plot rect{stroke:none}
.s0{fill:var(--s0);stroke:var(--s0)}.s1{fill:var(--s1);stroke:var(--s1)}.s2{fill:var(--s2);stroke:var(--s2)}.s3{fill:var(--s3);stroke:var(--s3)}.s4{fill:var(--s4);stroke:var(--s4)}.s5{fill:var(--s5);stroke:var(--s5)}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.plot .on{fill:var(--text)}.plot .on-deep{fill:var(--back)}
)css";

std::string svg_element(const Picture& picture) {
  return fmt::format(
             "<svg class=\"plot\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\">",
             kPictureWidth, picture.height) +
         title_and_description(picture) + picture.body + "</svg>\n";
}

std::string svg_file(const Picture& picture) {
  double down = 0;
  const std::string words = words_above(picture, down);
  down += 8;
  const double wide = kPictureWidth + 2 * kEdge, high = down + picture.height + 2 * kEdge;
  return fmt::format(
             "<svg class=\"plot\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
             "xmlns=\"http://www.w3.org/2000/svg\">",
             wide, high) +
         title_and_description(picture) + "<style>" + kPictureStyle +
         fmt::format(
             "</style>\n<rect class=\"ground\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n<g "
             "transform=\"translate({:.0f} {:.0f})\">",
             wide, high, kEdge, kEdge) +
         words + fmt::format("\n<g transform=\"translate(0 {:.0f})\">", down) + picture.body +
         "</g></g></svg>\n";
}

std::string svg_file_name(const Picture& picture, std::string_view file) {
  constexpr std::size_t kMostLetters = 40;
  std::string name;
  for (const char low : lower_case(picture.title)) {
    const bool plain = (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9');
    if (plain) name += low;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
    if (name.size() == kMostLetters) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  std::uint64_t sum =
      0xcbf29ce484222325;  // FNV-1a: who could want two pictures to share a name has written both
  for (const char c : file) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{}{}{:08x}.svg", name, name.empty() ? "" : "-",
                     static_cast<std::uint32_t>(sum ^ (sum >> 32)));
}

std::string svg_text(std::string_view text) { return xml_attribute(one_line(text)); }

std::string svg_label(double x, double y, const char* anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     svg_text(text));
}

std::string svg_tip(std::string_view text) {
  return text.empty() ? std::string() : "<title>" + svg_text(text) + "</title>";
}

std::string fitted(std::string_view text, double width) {
  return shorten(text,
                 std::max<std::size_t>(1, static_cast<std::size_t>(std::max(0.0, width) / kColumn + 0.01)));
}

double text_width(std::string_view text) {
  constexpr std::string_view kWide = "mwMW%@=+<>";
  const auto wide =
      std::count_if(text.begin(), text.end(), [&](char c) { return kWide.find(c) != kWide.npos; });
  return kColumn * static_cast<double>(display_width(text)) + kWider * static_cast<double>(wide);
}

}  // namespace assay::reporters
