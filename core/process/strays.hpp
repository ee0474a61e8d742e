// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay::process {

// Ends what children leave behind. The group of a Process dies with it; what left the group (a daemon that a
// plugin started) would live on as nobody's child. While this lives, such orphans become this process's
// children, and end() kills those that no Process started and that were not there before. One at a time.
class Strays {
 public:
  Strays();
  ~Strays();                       // ends what is there, and waits a moment for it
  Strays(const Strays&) = delete;  // a state of the process
  Strays& operator=(const Strays&) = delete;

  // Kills and reaps. Returns those that had left their group and lived: "1234 (zoo)", each once, however long
  // it takes to die.
  std::vector<std::string> end();

 private:
  std::set<int> theirs_;  // children that somebody else has
  std::set<int> killed_;  // of those that were returned, the ones that have not died yet
  int before_ = 0;        // whether orphans came here already
};

// For Process: what end() must leave alone. An id counts as one of ours until it is forgotten.
void remember_process(int id);
void forget_process(int id);

}  // namespace assay::process
