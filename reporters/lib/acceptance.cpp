// SPDX-License-Identifier: Apache-2.0
#include "lib/acceptance.hpp"

#include "lib/answer.hpp"
#include "lib/axis_text.hpp"
#include "lib/row_texts.hpp"
#include "lib/text.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace assay::reporters {
namespace {

struct Nearest {
  double margin = 0;
  std::string text;
};

class Checks {
 public:
  explicit Checks(const Document& document) {
    for (const Case& one : document.cases) {
      if (one.backend == "host") continue;
      for (const std::string& device : one.placement.devices) {
        if (device.ends_with('*')) continue;  // a pattern that no device fitted
        devices_.insert(device);
        only_gpus_ = only_gpus_ && (device.starts_with("cuda:") || device.starts_with("hip:"));
      }
    }
    for (const Case& one : document.cases) add(one);
    for (const Group& group : document.groups) add(group);
  }

  [[nodiscard]] std::string sentence() const {
    const std::string devices =
        devices_.empty() ? "" : count_of(devices_.size(), only_gpus_ ? "GPU" : "device") + ": ";
    if (!judged_) return left_out_ == 0 ? std::string() : capitalised(devices + none_judged()) + ".";
    std::string out = broken_ > 0 ? with_broken() : of_judged();
    if (undecided_ > 0 && broken_ + kept_ + failed_ > 0)
      out += ", " + std::to_string(undecided_) + (undecided_ == 1 ? " is" : " are") + " undecided";
    if (not_judged_ + left_out_ > 0)
      out += ", " + not_judged_text() + (not_judged_ + left_out_ == 1 ? " was" : " were") + " not judged";
    const std::optional<Nearest>& named = failed_ > 0 ? worst_ : closest_;
    const bool alone = failed_ == 1 && broken_ + undecided_ + not_judged_ + left_out_ == 0;
    if (named) out += (alone ? ": " : failed_ > 0 ? "; worst: " : "; closest: ") + named->text;
    return capitalised(devices + out) + ".";
  }

 private:
  // "2 checks and 36 limits".
  [[nodiscard]] std::string not_judged_text() const {
    if (left_out_ == 0) return std::to_string(not_judged_);
    return (not_judged_ > 0 ? count_of(not_judged_, "check") + " and " : "") + count_of(left_out_, "limit");
  }

  [[nodiscard]] std::string none_judged() const {
    return left_out_ == 1 ? "the one limit was not judged"
                          : "none of " + count_of(left_out_, "limit") + " was judged";
  }

  // What has no result kept no limit, and comes first.
  [[nodiscard]] std::string with_broken() const {
    std::string out = std::to_string(broken_) + " of " +
                      count_of(broken_ + kept_ + failed_ + undecided_, "check") +
                      (broken_ == 1 ? " has" : " have") + " no result";
    if (failed_ > 0) out += ", " + std::to_string(failed_) + " failed";
    if (kept_ > 0) out += ", " + std::to_string(kept_) + (kept_ == 1 ? " is" : " are") + " within limits";
    return out;
  }

  [[nodiscard]] std::string of_judged() const {
    const std::size_t all = kept_ + failed_ + undecided_;
    const std::string checks = count_of(all, "check");
    if (failed_ > 0)
      return (all == 1 ? std::string("the one check") : std::to_string(failed_) + " of " + checks) +
             " failed";
    if (all > 0 && undecided_ == all)
      return all == 1 ? "the one check is undecided" : "all " + checks + " are undecided";
    if (kept_ < all)
      return std::to_string(kept_) + " of " + checks +
             (kept_ == 1 ? " is within its limit" : " are within their limits");
    if (all == 1) return "the one check is within its limit";
    return (all == 2 ? std::string("both checks") : "all " + checks) + " are within their limits";
  }

  // Each limit of a case is a check. A case that ended otherwise than by its limits is one, too.
  void add(const Case& one) {
    bool judged = false;  // of this one
    std::size_t missed = 0, kept = 0, undecided = 0;
    left_out_ += limits_left_out(one);
    for (const Expectation& each : one.expectations) {
      const bool failed = each.status == ExpectationStatus::failed;
      kept += each.status == ExpectationStatus::passed ? 1 : 0;
      undecided += each.status == ExpectationStatus::undecided ? 1 : 0;
      missed += failed || each.status == ExpectationStatus::no_reference ||
                        each.status == ExpectationStatus::not_judged
                    ? 1
                    : 0;
      if (!failed && each.status != ExpectationStatus::passed && each.status != ExpectationStatus::undecided)
        continue;
      judged = judged_ = true;
      name(margin_of(each), failed, [&] { return name_of(one) + ", " + value_and_limit(each); });
    }
    const std::size_t all = std::max<std::size_t>(1, one.expectations.size());
    if (one.outcome == Outcome::failed) {
      // Where no limit was missed, a check of its plugin was, or under a strict policy one is undecided.
      const std::size_t failed = missed > 0 ? missed : std::max<std::size_t>(1, undecided);
      failed_ += failed;
      kept_ += kept;
      undecided_ += missed > 0 ? undecided : 0;
    } else if (one.outcome == Outcome::crashed || one.outcome == Outcome::error ||
               one.outcome == Outcome::timeout || one.outcome == Outcome::invalid) {
      broken_ += all;
    } else if (one.outcome != Outcome::passed) {
      not_judged_ += all;
    } else if (judged) {
      kept_ += kept;
      undecided_ += undecided;
    }
  }

  void add(const Group& group) {
    const bool failed = group.status == ExpectationStatus::failed;
    judged_ = judged_ || failed || group.status == ExpectationStatus::passed ||
              group.status == ExpectationStatus::undecided;
    if (failed)
      ++failed_;
    else if (group.status == ExpectationStatus::passed)
      ++kept_;
    else if (group.status == ExpectationStatus::undecided)
      ++undecided_;
    else if (group.status == ExpectationStatus::not_available)
      ++left_out_;
    else
      ++not_judged_;
    if (!group.value || !group.limit) return;
    const auto margin = margin_of(*group.value, *group.limit, group.op);
    name(failed ? margin.value_or(kMissedByAll) : margin, failed, [&] {
      const std::string limit = group_limit(group);
      return one_line(group.case_name) + " " + group_label(group) + " " + group_value(group) + ", limit " +
             limit.substr(std::min(limit.size(), limit.find(' ') + 1));
    });
  }

  template <typename Text>
  void name(std::optional<double> margin, bool failed, const Text& text) {
    if (!margin) return;
    std::optional<Nearest>& nearest = failed ? worst_ : closest_;
    if (!nearest || *margin < nearest->margin) nearest = Nearest{*margin, text()};
  }

  // "gemm fp8_e4m3 on cuda:2".
  [[nodiscard]] std::string name_of(const Case& one) const {
    std::string out = one_line(one.name);
    for (const Axis& axis : one.axes) {
      if (is_device_axis(axis.name)) continue;
      const std::string text = axis.value.is_null() ? "unset" : axis_text(axis.text);
      const bool bare = axis.value.is_number() || axis.value.is_boolean() || axis.value.is_null();
      out += " " + (bare ? one_line(axis.name) + "=" + text : text);
    }
    const std::vector<std::string>& devices = one.placement.devices;
    if (devices_.size() < 2 || devices.empty() || devices.size() > 2) return out;
    return out + " on " + one_line(join(devices, " and "));
  }

  std::set<std::string> devices_;
  bool only_gpus_ = true, judged_ = false;
  std::size_t kept_ = 0, failed_ = 0, undecided_ = 0, broken_ = 0, not_judged_ = 0, left_out_ = 0;
  std::optional<Nearest> closest_, worst_;
};

}  // namespace

std::string what_was_found(const Document& document) {
  return document.findings.empty() ? Checks(document).sentence() : bottom_line(document);
}

}  // namespace assay::reporters
