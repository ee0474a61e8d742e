// SPDX-License-Identifier: Apache-2.0
#include "lib/group_lines.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>

namespace assay::reporters {
namespace {

// "spread(throughput over device": what is checked, without its limit.
std::string_view subject(const Group& group) {
  const std::string_view text = group.text;
  return text.substr(0, text.find(')'));
}

bool are_one(const Group& a, const Group& b) {
  return a.outcome == Outcome::skipped && b.outcome == a.outcome && a.status == b.status && a.why == b.why &&
         a.over == b.over && subject(a) == subject(b);
}

}  // namespace

std::vector<GroupLine> group_lines(const std::vector<const Group*>& groups) {
  std::vector<GroupLine> lines;
  for (const Group* group : groups) {
    const bool can_be_one = group->outcome == Outcome::skipped;  // of many that were judged each has its line
    const auto known = std::find_if(can_be_one ? lines.begin() : lines.end(), lines.end(),
                                    [&](const GroupLine& line) { return are_one(*line.group, *group); });
    if (known == lines.end()) {
      lines.push_back({group, 1});
    } else {
      ++known->count;
    }
  }
  return lines;
}

std::string group_label(const GroupLine& line) {
  if (line.count == 1) return group_label(*line.group);
  const std::size_t end = line.group->text.find('(');
  const std::string name = end == std::string::npos ? "check" : one_line(line.group->text.substr(0, end));
  return name + ", " + count_of(line.count, "check");
}

std::vector<Member> members_to_show(const GroupLine& line) {
  if (line.count > 1 || line.group->members.size() < 2) return {};
  return line.group->members;
}

}  // namespace assay::reporters
