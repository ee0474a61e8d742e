// SPDX-License-Identifier: Apache-2.0
//
// How rows ended, in the few words that the terminal has room for.
#pragma once

#include "lib/pivot.hpp"
#include "text/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::reporters {

// "!" and "drifting"; either may be empty.
struct NotePart {
  std::string sign, words;
};

struct Note {
  Note(std::vector<NotePart> all, Tone how);

  std::vector<NotePart> parts;
  Tone tone;
  std::string text;  // all parts: "? undecided ! drifting"
};

// "✓", "! drifting", "✗ 2 of 4", "– not run".
[[nodiscard]] Note note_of(const Row& row);
// "✗", "– not judged", "? undecided" of a check over several cases.
[[nodiscard]] Note note_of(const Group& group);

// Signs that stand for notes where a table has no room for words, and what each of them means: "!", or "!1" and "!2"
// where one sign has several meanings.
class Legend {
 public:
  void learn(const Note& note);
  [[nodiscard]] std::string brief(const Note& note) const;
  // "! drifting", "– not run", in the order in which they were learned.
  [[nodiscard]] std::vector<std::string> meanings() const;

 private:
  [[nodiscard]] std::string sign_for(const NotePart& part) const;

  std::vector<NotePart> parts_;  // each once
};

// How all cases ended if none of them was to have a result: what the rows would say is one word.
[[nodiscard]] std::optional<Outcome> all_unmeasured(const Block& block);

}  // namespace assay::reporters
