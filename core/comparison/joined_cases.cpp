// SPDX-License-Identifier: Apache-2.0
#include "comparison/joined_cases.hpp"

#include <string_view>
#include <unordered_map>

namespace assay::comparison {

namespace {

using Index = std::unordered_map<std::string_view, std::size_t>;
constexpr std::size_t kSeveral = static_cast<std::size_t>(-1);

class Joiner {
 public:
  void add(const LoadedResult& reading, std::vector<CaseInResult> JoinedCase::*side) {
    std::vector<const model::Case*> left_over;
    std::vector<bool> is_taken(all_.size(), false);
    for (const model::Case& one : reading.cases) {
      const auto found = by_id_.find(one.id);
      if (found == by_id_.end()) {
        left_over.push_back(&one);
      } else if (!is_taken[found->second]) {
        is_taken[found->second] = true;
        (all_[found->second].*side).push_back({&reading, &one});
      }
    }
    // Of each kind, the only row that this result lacks; or several.
    Index lacking, others;
    for (std::size_t i = 0; i < is_taken.size(); ++i)
      if (!is_taken[i]) note(lacking, key_of(i), i);
    for (std::size_t i = 0; i < left_over.size(); ++i) note(others, left_over[i]->comparison_key, i);
    for (const model::Case* one : left_over) {
      const auto found = lacking.find(one->comparison_key);
      const bool is_only =
          found != lacking.end() && found->second != kSeveral && others.at(one->comparison_key) != kSeveral;
      const std::size_t at = is_only ? found->second : all_.size();
      if (!is_only) {
        if (by_id_.contains(one->id)) continue;  // twice in one result: the first counts
        all_.emplace_back();
      }
      by_id_.emplace(one->id, at);
      (all_[at].*side).push_back({&reading, one});
    }
  }

  std::vector<JoinedCase> take() { return std::move(all_); }

 private:
  static void note(Index& index, std::string_view key, std::size_t at) {
    const auto [found, is_new] = index.emplace(key, at);
    if (!is_new) found->second = kSeveral;
  }
  [[nodiscard]] std::string_view key_of(std::size_t row) const {
    const JoinedCase& joined = all_[row];
    return (joined.before.empty() ? joined.after : joined.before).front().one->comparison_key;
  }

  std::vector<JoinedCase> all_;
  Index by_id_;
};

}  // namespace

std::vector<JoinedCase> join_cases(std::span<const LoadedResult> before,
                                   std::span<const LoadedResult> after) {
  Joiner joiner;
  for (const LoadedResult& reading : before) joiner.add(reading, &JoinedCase::before);
  for (const LoadedResult& reading : after) joiner.add(reading, &JoinedCase::after);
  return joiner.take();
}

}  // namespace assay::comparison
