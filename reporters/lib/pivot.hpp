// SPDX-License-Identifier: Apache-2.0
//
// Cases as tables: one block a case of the suite and backend, one row a point of its matrix. Cases that
// differ in the device only share a row, which then shows the worst of them. Pointers live as long as the
// document.
#pragma once

#include "lib/document.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

struct Row {
  std::vector<std::string> labels;   // one per axis of the block
  std::vector<const Case*> members;  // at least one, in the document's order
  bool reference = false;            // all others' deltas refer to it

  [[nodiscard]] Outcome outcome() const;  // the worst member's
  [[nodiscard]] bool undecided() const;   // of any member
  [[nodiscard]] std::vector<const Case*> not_passed() const;
};

struct Block {
  std::string name;  // of the case in the suite
  std::string backend;
  std::vector<std::string> axes;  // that vary, but the device's; "env." is left off
  std::vector<bool> numbers;      // of the axes: all its values are numbers
  bool over_devices = false;      // some row has several members
  std::size_t most_members = 1;
  std::vector<std::string> constants;  // what all cases share: parameters, conditions, placement
  std::optional<bool>
      verified;           // all that passed or failed were (true), some were not (false), none said (nothing)
  bool reported = false;  // some headline is a command's own number, not a measurement
  std::vector<Row> rows;
  std::vector<const Group*> groups;
  // Headline ones, in order, or in the place of one what the suite has a limit for.
  std::vector<std::string> metrics;
};

[[nodiscard]] std::vector<Block> pivot(const Document& document);

// What the members of a row measured.
struct Reading {
  const Case* source = nullptr;  // the worst member, and its metric
  const Metric* metric = nullptr;
  double low = 0, high = 0;  // over the members
  std::size_t count = 0;     // members that have a value
};
[[nodiscard]] std::optional<Reading> reading(const Row& row, std::string_view metric);

// "1 crashed, 2 not run" if the members that did not pass ended in several ways, else "".
[[nodiscard]] std::string mixed_outcomes(const Row& row);

// What the members were flagged for, in few words: "drifting, throttled, +1". Without what holds for the
// whole run, or is said of the block (reported).
[[nodiscard]] std::string flags_text(const Row& row, std::size_t named = 2);
// A flag that says no more than the run's own notes do.
[[nodiscard]] bool is_run_wide(const Flag& flag);

// The limit that the suite puts on a metric of the row, as "≥ 60 %" (of peak), "≤ 25 µs"; the failed one
// first. Or "".
[[nodiscard]] std::string limit_text(const Row& row, std::string_view metric);

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
