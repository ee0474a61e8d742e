// SPDX-License-Identifier: Apache-2.0
//
// Cases as tables: one block a case of the suite and backend, one row a point of its matrix. Cases that
// differ in the device only share a row, which then shows the worst of them. Pointers live as long as the
// document.
#pragma once

#include "lib/document.hpp"
#include "model/vocabulary.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {

// How many limits of a case that passed were left out, because its devices have no such thing or it has too few peers.
[[nodiscard]] std::size_t limits_left_out(const Case& one);
// It has limits, and none of them was judged.
[[nodiscard]] bool no_limit_judged(const Case& one);
inline constexpr const char* kLimitsNotJudged = "limits not judged";

struct Row {
  std::vector<std::string> labels;    // one per axis of the block
  std::vector<const Case*> members;   // at least one, in the document's order
  const model::Mark* mark = nullptr;  // the worst of its members' that is not said for the run
  bool reference = false;             // all others' deltas refer to it

  [[nodiscard]] Outcome outcome() const;       // the worst member's
  [[nodiscard]] bool undecided() const;        // of any member
  [[nodiscard]] bool no_limit_judged() const;  // of any member
  [[nodiscard]] std::vector<const Case*> not_passed() const;
};

struct Block {
  std::string name;  // of the case in the suite
  std::string backend;
  std::string title;              // the name, with the backend where several blocks have that name
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
  // Headline ones, in order, or in the place of one what the suite has a limit for; then what it derives.
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

// What a block's rows show of that metric where their members are several: "worst of 4", or "lowest of 4"
// where nothing says which is better.
[[nodiscard]] std::string shown_of_members(const Block& block, std::string_view metric);

}  // namespace assay::reporters
