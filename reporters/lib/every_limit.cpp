// SPDX-License-Identifier: Apache-2.0
#include "lib/every_limit.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace assay::reporters {
namespace {

using Limits = std::vector<const Expectation*>;

constexpr std::string_view kUndecided = "expectation.undecided";

std::string code_of_limit(const Expectation& each) {
  std::string code = "expectation." + std::string(to_text(each.status));
  std::replace(code.begin(), code.end(), '_', '-');
  return code;
}

bool is_about_limits(std::string_view code) { return code.starts_with("expectation."); }

bool stays_unjudged(const Expectation& each) {
  return each.status == ExpectationStatus::not_available || each.status == ExpectationStatus::no_reference ||
         each.status == ExpectationStatus::not_judged;
}

// A reason that cases share stands under the first of them, "a and 3 more".
bool tells_of_left_out(const VerdictReason& reason) {
  return reason.severity == ReasonSeverity::unmet &&
         (reason.code == "not_available" || reason.code == "no_peers");
}

// What such a reason about this case has to tell.
Limits limits_of(const Case& one, const VerdictReason& reason) {
  Limits out;
  // A finding or the suite may have the name of a case.
  if (one.outcome != Outcome::passed && (!one.reason || one.reason->code != reason.code)) return out;
  for (const Expectation& each : one.expectations) {
    bool tells = false;
    if (one.outcome == Outcome::passed) {
      tells = (reason.code == kUndecided && each.status == ExpectationStatus::undecided) ||
              (tells_of_left_out(reason) && stays_unjudged(each));
    } else if (each.status == ExpectationStatus::failed || each.status == ExpectationStatus::undecided) {
      tells = true;
    } else {
      // Of a case that ended otherwise there is nothing to judge, which is no news.
      tells = is_about_limits(reason.code) && (each.status == ExpectationStatus::no_reference ||
                                               each.status == ExpectationStatus::not_judged);
    }
    if (tells) out.push_back(&each);
  }
  return out;
}

// The one that the reason tells; none where it tells something else.
const Expectation* told_by(const VerdictReason& reason, const Case& one, const Limits& limits) {
  if (one.outcome == Outcome::passed) return limits.empty() ? nullptr : limits.front();
  const auto has_code = [&](const Expectation* each) { return code_of_limit(*each) == reason.code; };
  const auto is_there = [&](const Expectation* each) {
    return has_code(each) && to_text(each->position) == to_text(reason.position);
  };
  auto found = std::find_if(limits.begin(), limits.end(), is_there);
  // Of heat, which is no limit, the suite asks at another place.
  if (found == limits.end() && reason.code != "expectation.not-judged")
    found = std::find_if(limits.begin(), limits.end(), has_code);
  return found == limits.end() ? nullptr : *found;
}

double place_among(const Expectation* each) {
  constexpr double kBehindAll = 1e300;
  if (each == nullptr) return -kBehindAll;
  return each->status == ExpectationStatus::failed ? margin_of(*each).value_or(kMissedByAll) : kBehindAll;
}

// What to do about a limit that the verdict does not tell: what the suite says of it, else what goes for all of its code.
std::string next_of(const Expectation& each, const VerdictReason& reason, const Expectation* told) {
  if (each.status == ExpectationStatus::failed && !each.say.empty()) return each.say;
  const bool is_of_the_suite = told != nullptr && !told->say.empty() && reason.next == told->say;
  return code_of_limit(each) == reason.code && !is_of_the_suite ? reason.next : std::string();
}

VerdictReason reason_of(const Expectation& each, const Case& one, const VerdictReason& reason,
                        const Expectation* told) {
  VerdictReason out = reason;
  out.subject = one.id;
  const bool left_out = one.outcome == Outcome::passed && stays_unjudged(each);
  out.text = left_out ? one_line(each.text) + " was not judged: " + one_line(each.why) : missed_text(each);
  out.position = each.position;
  if (one.outcome == Outcome::passed) return out;
  out.code = code_of_limit(each);
  out.next = next_of(each, reason, told);
  return out;
}

// "(and 2 more)", which have lines of their own.
std::string without_count(const std::string& text) {
  const std::size_t at = text.rfind(" (and ");
  return at != std::string::npos && text.ends_with(" more)") ? text.substr(0, at) : text;
}

// The reason itself and those of the case's other limits, the worst first.
std::vector<VerdictReason> of_case(const VerdictReason& reason, const Case& one) {
  const Limits limits = limits_of(one, reason);
  const Expectation* const told = told_by(reason, one, limits);
  std::vector<std::pair<double, VerdictReason>> all{{place_among(told), reason}};
  if (limits.size() > 1 && tells_of_left_out(reason)) all.front().second.text = without_count(reason.text);
  for (const Expectation* each : limits)
    if (each != told) all.emplace_back(place_among(each), reason_of(*each, one, reason, told));
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<VerdictReason> out;
  for (auto& [order, each] : all) out.push_back(std::move(each));
  return out;
}

// Cases that share a reason have their further limits in one line each.
class SharedReasons {
 public:
  void add(VerdictReason reason) {
    const auto [known, is_new] = places_.emplace(reason.code + "\n" + reason.text, all_.size());
    if (is_new)
      all_.emplace_back(std::move(reason), 0);
    else
      ++all_[known->second].second;
  }
  void move_to(std::vector<VerdictReason>& out) {
    for (auto& [reason, more] : all_) {
      if (more > 0) reason.subject += " and " + std::to_string(more) + " more";
      out.push_back(std::move(reason));
    }
  }

 private:
  std::vector<std::pair<VerdictReason, std::size_t>> all_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::vector<VerdictReason> with_every_limit(const Document& document) {
  std::map<std::string_view, const Case*> cases;
  for (const Case& one : document.cases) cases.emplace(one.id, &one);
  std::vector<VerdictReason> out;
  std::set<std::pair<std::string_view, std::string_view>> named;  // code, case
  std::map<std::string_view, const VerdictReason*> shared;        // by code
  for (const VerdictReason& reason : document.verdict.reasons) {
    const auto found = cases.find(reason.subject);
    if (found == cases.end()) {
      out.push_back(reason);
      if (reason.code == kUndecided || tells_of_left_out(reason)) {
        shared.emplace(reason.code, &reason);
        if (tells_of_left_out(reason)) out.back().text = without_count(reason.text);
      }
      continue;
    }
    named.emplace(reason.code, found->first);
    for (VerdictReason& each : of_case(reason, *found->second)) out.push_back(std::move(each));
  }
  // The cases that "and 3 more" stands for.
  SharedReasons more;
  for (const auto& [code, reason] : shared) {
    for (const Case& one : document.cases) {
      if (one.outcome != Outcome::passed || named.contains({code, one.id})) continue;
      const Limits limits = limits_of(one, *reason);
      for (std::size_t i = 1; i < limits.size(); ++i)
        more.add(reason_of(*limits[i], one, *reason, limits.front()));
    }
  }
  more.move_to(out);
  return out;
}

}  // namespace assay::reporters
