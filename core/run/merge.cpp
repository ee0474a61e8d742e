// SPDX-License-Identifier: Apache-2.0
#include "run/merge.hpp"

#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <map>

namespace assay::run {
namespace {

using result::Outcome;

// How near an end is to the root of the trouble; smaller is nearer.
int remoteness(const RankPart& part) {
  if (part.outcome == Outcome::passed) return 3;
  if (part.outcome == Outcome::cancelled) return 2;
  return part.reason.code == "rank.failed" ? 1 : 0;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

result::RankRecord take_record(RankPart& part, int rank, const std::string& output) {
  result::RankRecord record;
  if (part.visited) {
    record = std::move(part.visited->visit.ranks.front());
    record.log = printable(record.log);
  } else {
    record.series = std::move(part.interim);
    record.log = part.log.empty() ? std::string() : part.log.text();
  }
  record.rank = rank;
  record.devices = part.devices;
  if (!output.empty()) {
    if (!record.log.empty() && record.log.back() != '\n') record.log += '\n';
    record.log = tail(record.log + output, wire::kOutputLimit);
  }
  return record;
}

const std::map<std::string, double>& work_of(const RankPart& part) { return part.visited->visit.work; }

std::string work_text(const RankPart& part, const std::string& metric) {
  const auto found = work_of(part).find(metric);
  return found == work_of(part).end() ? "none" : shortest(found->second);
}

bool says_unlike(const RankPart& part) {
  const std::vector<std::string>& flags = part.visited->visit.measurement.flags;
  return contains(flags, result::kUnlikeRanks);
}

bool have_all_ended(const std::vector<RankPart>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const RankPart& part) { return part.visited.has_value(); });
}

// What ranks that all ended say of their work: a disagreement, or "". Rates count the visit's work once for each rank.
std::string disagreement(const std::vector<RankPart>& parts) {
  const auto unlike = std::count_if(parts.begin(), parts.end(), says_unlike);
  if (unlike == static_cast<std::ptrdiff_t>(parts.size())) return {};
  if (unlike != 0)
    return "some ranks say that ranks do different work (ASSAY_TRAIT_UNLIKE_RANKS), and others do not";
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    for (const RankPart* one : {&parts.front(), &parts[rank]}) {
      for (const auto& [metric, work] : work_of(*one)) {
        const std::string first = work_text(parts.front(), metric), other = work_text(parts[rank], metric);
        if (first == other) continue;
        return "ranks 0 and " + std::to_string(rank) + " declare different work of an iteration for '" +
               metric + "', " + first + " and " + other +
               "; it must be equal, that of one rank, unless the traits say ASSAY_TRAIT_UNLIKE_RANKS";
      }
    }
  }
  return {};
}

std::map<std::string, double> mean_work(const std::vector<RankPart>& parts) {
  std::map<std::string, double> mean;
  for (const RankPart& part : parts)
    for (const auto& [metric, work] : work_of(part)) mean[metric] += work / static_cast<double>(parts.size());
  return mean;
}

}  // namespace

void keep_interim(result::Series& kept, const result::Series& later) {
  kept.iterations = later.iterations;
  append(kept.device_s, later.device_s);
  append(kept.host_s, later.host_s);
  append(kept.begin_s, later.begin_s);
  append(kept.laps_s, later.laps_s);
}

int first_cause(const std::vector<RankPart>& parts, const std::vector<int>& order) {
  int cause = -1;
  int least = 3;
  for (const int rank : order) {
    if (const int distance = remoteness(parts[static_cast<std::size_t>(rank)]); distance < least) {
      cause = rank;
      least = distance;
    }
  }
  return cause;
}

result::Visit merge(std::vector<RankPart>& parts, const std::vector<std::string>& outputs, int cause) {
  const bool all_ended = have_all_ended(parts);
  const bool unlike = all_ended && std::all_of(parts.begin(), parts.end(), says_unlike);
  const std::string differ = all_ended ? disagreement(parts) : "";
  result::Visit visit;
  if (parts.front().visited) {
    result::Visit& first = parts.front().visited->visit;
    visit.measurement = std::move(first.measurement);
    visit.work = first.work;
    visit.notes = std::move(first.notes);
  } else {
    visit.measurement.stop = "error";
  }
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    if (!parts[rank].visited) continue;
    const result::Visit& other = parts[rank].visited->visit;
    visit.measurement.done &= other.measurement.done;
    std::vector<std::string>& flags = visit.measurement.flags;
    for (const std::string& flag : other.measurement.flags) add_once(flags, flag);
    visit.measurement.told.insert(other.measurement.told.begin(), other.measurement.told.end());
    visit.notes.insert(visit.notes.end(), other.notes.begin(), other.notes.end());
    if (visit.work.empty()) visit.work = other.work;
  }
  if (unlike) visit.work = mean_work(parts);
  if (cause < 0) {
    visit.outcome = Outcome::passed;
    if (!differ.empty()) {
      visit.outcome = Outcome::error;
      visit.reason.code = kDisagree;
      visit.reason.text = differ;
    }
  } else {
    visit.outcome = parts[static_cast<std::size_t>(cause)].outcome;
    visit.reason = parts[static_cast<std::size_t>(cause)].reason;
  }
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    visit.ranks.push_back(take_record(parts[rank], static_cast<int>(rank), outputs[rank]));
  }
  return visit;
}

}  // namespace assay::run
