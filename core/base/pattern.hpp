// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace assay {

// A regular expression from outside. Its search takes time in proportion to the text, whatever the expression
// and the text, and no stack: there are no back-references and no look-around. Bytes are characters.
class Pattern {
 public:
  // One that is wrong has a problem() and matches nothing.
  explicit Pattern(const std::string& text);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::size_t groups() const { return groups_; }
  // Whether a part of the text, or all of it, is as the expression says.
  [[nodiscard]] bool is_found_in(std::string_view text) const;
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
  std::string problem_;
  std::size_t groups_ = 0;
};

}  // namespace assay
