// SPDX-License-Identifier: Apache-2.0
#include "check/rank.hpp"

#include "text/lookup.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace assay::check {

CheckedRank::CheckedRank(int number, wire::Segment& group, wire::Segment& check_segment)
    : place_{number, group.rank_count(), number, 0, 1, &group}, check_segment_(&check_segment) {}

void CheckedRank::gather(const void* mine, void* all, std::size_t bytes) const {
  if (check_segment_->allgather(place_.rank, mine, all, bytes) != wire::Segment::Wait::done) throw RankLost();
}

void CheckedRank::begin_case() const {
  if (alone()) return;
  (void)any(false);
  if (place_.rank == 0 && place_.segment->cancelled()) place_.segment->clear_cancelled();
  (void)any(false);
}

bool CheckedRank::any(bool mine) const {
  if (alone()) return mine;
  const char part = mine ? 1 : 0;
  std::vector<char> all(static_cast<std::size_t>(place_.rank_count));
  gather(&part, all.data(), sizeof part);
  return contains(all, 1);
}

int CheckedRank::first(int mine) const {
  if (alone()) return mine;
  std::vector<int> all(static_cast<std::size_t>(place_.rank_count));
  gather(&mine, all.data(), sizeof mine);
  return all.front();
}

std::optional<CheckedRank::RemoteFailure> CheckedRank::share_failure(CallFailure failure,
                                                                     const Json& mine) const {
  if (alone()) return std::nullopt;
  const auto ranks = static_cast<std::size_t>(place_.rank_count);
  std::vector<CallFailure> failures(ranks);
  gather(&failure, failures.data(), sizeof failure);
  const auto worst = std::max_element(failures.begin(), failures.end());
  if (*worst == CallFailure::none) return std::nullopt;
  const auto told = static_cast<int>(worst - failures.begin());

  std::string text = mine.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::size_t length = text.size();
  const auto from_told = [&](void* data, std::size_t bytes) {
    if (check_segment_->broadcast(place_.rank, data, bytes, told) != wire::Segment::Wait::done)
      throw RankLost();
  };
  from_told(&length, sizeof length);
  text.resize(length);
  from_told(text.data(), length);
  if (told == place_.rank) return std::nullopt;
  return RemoteFailure{told, Json::parse(text)};
}

void CheckedRank::may_die(bool may) const {
  if (!alone()) check_segment_->set_progress(place_.rank, may ? 1 : 0, 0);
}

void CheckedRank::end_group() const {
  if (!alone()) place_.segment->declare_cancelled();
}

}  // namespace assay::check
