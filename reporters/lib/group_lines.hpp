// SPDX-License-Identifier: Apache-2.0
//
// Group checks as tables show them: checks that nothing was judged of, for one and the same reason, are one line.
#pragma once

#include "lib/document.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace assay::reporters {

struct GroupLine {
  const Group* group = nullptr;  // the first one; it lives as long as the document
  std::size_t count = 1;
};

[[nodiscard]] std::vector<GroupLine> group_lines(const std::vector<const Group*>& groups);

// "fp32, spread"; of several "spread, 4 checks".
[[nodiscard]] std::string group_label(const GroupLine& line);

// Its members, where there is something to compare; one by itself has its own row already.
[[nodiscard]] std::vector<Member> members_to_show(const GroupLine& line);

}  // namespace assay::reporters
