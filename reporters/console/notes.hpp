// SPDX-License-Identifier: Apache-2.0
//
// How rows ended, in the few words that the terminal has room for.
#pragma once

#include "lib/pivot.hpp"
#include "lib/table.hpp"

#include <optional>
#include <string>

namespace assay::reporters {

struct Note {
  std::string text;
  Tone tone = Tone::plain;
  std::string brief = {};
};

// "✓", "! drifting", "✗ 2 of 4", "– not run".
[[nodiscard]] Note note_of(const Row& row);

// How all cases ended if none of them was to have a result: what the rows would say is one word.
[[nodiscard]] std::optional<Outcome> all_unmeasured(const Block& block);

}  // namespace assay::reporters
