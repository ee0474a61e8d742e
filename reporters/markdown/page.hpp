// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lib/picture.hpp"
#include "lib/text.hpp"
#include "markdown/markdown.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// How much is left out to keep the budget. Each level includes those before it.
enum class Detail { everything, no_details, not_passing_only, no_system, short_lists, verdict };

// Collects Markdown blocks, separated by single empty lines. Texts that come in are Markdown already.
class Page {
 public:
  // Without `pictures` there are none: nothing stands beside the page.
  Page(const MarkdownOptions& options, Detail detail, PictureFiles* pictures)
      : flavor_(options.flavor),
        base_(options.heading_base),
        budget_(options.budget),
        detail_(detail),
        pictures_(pictures) {}

  void heading(int level, const std::string& text);
  void block(const std::string& text);
  // Columns whose heading ends in "\t" are right-aligned.
  void table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
  // What begin and end enclose can be folded away where the flavor has folds; elsewhere the summary leads it.
  // The summary is plain text: Markdown does not hold inside the HTML that folds are made of.
  void begin_fold(const std::string& summary);
  void end_fold();
  // A remark that a reader must not miss.
  void remark(const std::string& text);
  // A link to a file of its own, with the picture in words; of more than a report should have nothing.
  void picture(const Picture& picture);

  // Nothing that can be left out, once it is too long: it will be written anew with less, and the shortest is cut.
  [[nodiscard]] bool keeps(Detail upto) const { return detail_ <= upto && text_.size() <= budget_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Flavor flavor_;
  int base_;
  std::size_t budget_;
  Detail detail_;
  PictureFiles* pictures_;
  std::string text_;
};

}  // namespace assay::reporters
