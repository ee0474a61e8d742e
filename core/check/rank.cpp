// SPDX-License-Identifier: Apache-2.0
#include "check/rank.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace assay::check {

Rank::Rank(int number, wire::Segment& group, wire::Segment& talk)
    : place_{number, group.rank_count(), number, 0, 1, &group}, talk_(&talk) {}

void Rank::gather(const void* mine, void* all, std::size_t bytes) const {
  if (talk_->allgather(place_.rank, mine, all, bytes) != wire::Segment::Wait::done) throw RankLost();
}

void Rank::begin_case() const {
  if (alone()) return;
  (void)any(false);
  if (place_.rank == 0 && place_.segment->cancelled()) place_.segment->clear_cancelled();
  (void)any(false);
}

bool Rank::any(bool mine) const {
  if (alone()) return mine;
  const char part = mine ? 1 : 0;
  std::vector<char> all(static_cast<std::size_t>(place_.rank_count));
  gather(&part, all.data(), sizeof part);
  return std::find(all.begin(), all.end(), 1) != all.end();
}

int Rank::first(int mine) const {
  if (alone()) return mine;
  std::vector<int> all(static_cast<std::size_t>(place_.rank_count));
  gather(&mine, all.data(), sizeof mine);
  return all.front();
}

std::string Rank::decisive(bool decides, const std::string& mine, int& deciding) const {
  struct Part {
    std::size_t length;
    bool decides;
    std::array<char, 4096> text;
  };
  deciding = decides ? 0 : -1;
  if (alone()) return mine;
  Part part{std::min(mine.size(), sizeof(Part::text)), decides, {}};
  std::copy_n(mine.begin(), part.length, part.text.begin());
  std::vector<Part> all(static_cast<std::size_t>(place_.rank_count));
  gather(&part, all.data(), sizeof part);
  const auto found = std::find_if(all.begin(), all.end(), [](const Part& each) { return each.decides; });
  deciding = found == all.end() ? -1 : static_cast<int>(found - all.begin());
  return found == all.end() ? mine : std::string(found->text.data(), found->length);
}

void Rank::may_die(bool may) const {
  if (!alone()) talk_->set_progress(place_.rank, may ? 1 : 0, 0);
}

void Rank::end_group() const {
  if (!alone()) place_.segment->declare_cancelled();
}

}  // namespace assay::check
