// SPDX-License-Identifier: Apache-2.0
//
// A metric's regular expression: its search takes time in proportion to the text, whatever both are.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace assay::plugins::external {

class Pattern {
 public:
  // As a suite is validated (core/base/pattern.hpp), so that what is accepted there runs here. Throws Failure.
  explicit Pattern(const std::string& text);

  // What its groups took of the first match in the text from `begin` on, which is where the next one may begin
  // afterwards; a group that took no part has nothing. No list if nothing matches.
  using Groups = std::vector<std::optional<std::string_view>>;
  [[nodiscard]] std::optional<Groups> search(std::string_view text, std::size_t& begin) const;

 private:
  std::shared_ptr<const re2::RE2> compiled_;
};

}  // namespace assay::plugins::external
