// SPDX-License-Identifier: Apache-2.0
#include "markdown/page.hpp"

#include "lib/escape.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostPictures = 40;  // files beside a report
constexpr std::size_t kMostWords = 400;    // columns of a text alternative; the table has all

}  // namespace

void Page::heading(int level, const std::string& text) {
  block(std::string(static_cast<std::size_t>(std::min(6, base_ + level - 1)), '#') + " " + text);
}

void Page::block(const std::string& text) {
  if (text.empty()) return;
  if (!text_.empty()) text_ += "\n";
  text_ += text;
  if (text_.back() != '\n') text_ += "\n";
}

void Page::table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return;
  std::string out = "|", rule = "|";
  for (std::string cell : head) {
    const bool right = !cell.empty() && cell.back() == '\t';
    if (right) cell.pop_back();
    out += " " + cell + " |";
    rule += right ? "---:|" : "---|";
  }
  out += "\n" + rule + "\n";
  for (const auto& row : rows) {
    out += "|";
    for (const std::string& cell : row) out += " " + cell + " |";
    out += "\n";
  }
  block(out);
}

void Page::begin_fold(const std::string& summary) {
  block(flavor_ == Flavor::plain ? markdown_text(summary) + ":"
                                 : "<details><summary>" + xml_text(one_line(summary)) + "</summary>");
}

void Page::end_fold() {
  if (flavor_ != Flavor::plain) block("</details>");
}

void Page::remark(const std::string& text) {
  block(flavor_ == Flavor::github ? "> [!NOTE]\n> " + text : "> **Note:** " + text);
}

void Page::picture(const Picture& picture) {
  if (pictures_ == nullptr) return;
  std::string file = svg_file(picture), name = svg_file_name(picture, file);
  if (find_value(*pictures_, name) == nullptr) {
    if (pictures_->size() == kMostPictures) return;
    pictures_->emplace_back(name, std::move(file));
  }
  const std::string words =
      one_line(picture.title + (picture.description.empty() ? "" : ": ") + picture.description);
  block("![" + markdown_text(shorten(words, kMostWords)) + "](" + name + ")");
}

}  // namespace assay::reporters
