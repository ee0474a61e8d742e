// SPDX-License-Identifier: Apache-2.0
//
// What plugins said of the cases of a block (the library, the algorithm that was chosen), in few words.
#pragma once

#include "lib/pivot.hpp"

#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {

// A fact that follows one axis: its values in order of appearance, each with the axis's labels that have it.
struct FactByAxis {
  std::string name, axis;
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
};

struct BlockFacts {
  std::vector<std::pair<std::string, std::string>> shared;  // the same in all cases that tell any
  std::vector<FactByAxis> by_axis;
  // Of others: a name each, and of every row of the block a text each, empty where it tells none.
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> by_row;
};

// Without those that only repeat an axis or a parameter.
[[nodiscard]] BlockFacts facts_of(const Block& block);

}  // namespace assay::reporters
