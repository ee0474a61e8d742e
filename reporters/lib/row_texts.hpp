// SPDX-License-Identifier: Apache-2.0
//
// What rows of a pivot and the checks of groups say, in few words.
#pragma once

#include "lib/pivot.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace assay::reporters {

// "1 crashed, 2 not run" if the members that did not pass ended in several ways, else "".
[[nodiscard]] std::string mixed_outcomes(const Row& row);

// What stands beside a value, and its heading: the interval over rounds, "95 % over 5 rounds"; of fewer rounds, whose
// interval knows nothing of what the next one would be, where the samples lie, "p5–p95 of samples".
[[nodiscard]] std::optional<Bounds> bounds_beside(const Metric& metric);
[[nodiscard]] std::string bounds_heading(const Metric& metric);
// "few samples": why a metric has no interval, where it would stand; "" where the document does not say.
[[nodiscard]] std::string no_interval_words(const Metric& metric);
// "21.0 µs": the mean of a duration whose median is another number; or "".
[[nodiscard]] std::string mean_beside(const Metric& metric, const Scale& scale);
// "fixed cost 2.1 µs [1.9, 2.3], 12 % of a sample"; "" where it is not known.
[[nodiscard]] std::string fixed_cost_text(const Case& one);
// "p99 21.00 ± 0.95 ms, p99.9 > 25 ms, n too small", or "".
[[nodiscard]] std::string tail_text(const Case& one);
// A flag that says no more than the run's own notes do.
[[nodiscard]] bool is_run_wide(const Flag& flag);

// The limit that the suite puts on a metric of the row, the failed one first; null if there is none.
[[nodiscard]] const Expectation* limit_on(const Row& row, std::string_view metric);
// As "≥ 60 %" (of peak), "≤ 25 µs"; or "", which it also is of one that holds where the row misses one that is of no metric.
// `beside` is the scale in which the metric's value stands beside it.
[[nodiscard]] std::string limit_text(const Row& row, std::string_view metric,
                                     const std::optional<Scale>& beside = std::nullopt);

// "59 % of peak, limit 58 %", "23.0 µs, limit 25 µs", "5, limit ≠ 5", "570, asked for 580", with the digits that tell both apart; "" where
// one of both is not known.
[[nodiscard]] std::string value_beside_limit(const Expectation& expectation);
// The same with what it is of: "59 % of peak, limit 58 %", "latency 23.0 µs, limit 25 µs", "driver 570, asked for 580".
[[nodiscard]] std::string value_and_limit(const Expectation& expectation);

// How far a value is inside its limit, relative to the limit; below 0 outside. Nothing where a limit has no size.
[[nodiscard]] std::optional<double> margin_of(double value, double limit, std::string_view op);
// What failed at a limit without a size has missed it by all of it.
inline constexpr double kMissedByAll = -1;
// The margin of an expectation; of one that failed there always is one.
[[nodiscard]] std::optional<double> margin_of(const Expectation& expectation);
// What was asked and what it came to, of an expectation that is not passed: "bandwidth 97 % of peers, limit 98 %".
[[nodiscard]] std::string missed_text(const Expectation& expectation);

// The command that the case ran, as a shell takes it: "./sort 'a b'"; "" of other cases.
[[nodiscard]] std::string command_text(const Case& one);

// The label of a member inside its row: its device, or its place if it has none.
[[nodiscard]] std::string member_label(const Case& one);

// "fp32, spread": what a group check looks at, without its case's name.
[[nodiscard]] std::string group_label(const Group& group);
// Value and limit of a group check, "16.2 %" and "≤ 5 %".
[[nodiscard]] std::string group_value(const Group& group);
[[nodiscard]] std::string group_limit(const Group& group);

// ">=" as "≥".
[[nodiscard]] std::string sign_of(std::string_view op);

}  // namespace assay::reporters
