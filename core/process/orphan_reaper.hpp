// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay::process {

// Ends what children leave behind. The group of a Process dies with it; what left the group (a daemon that a
// plugin started) would live on as nobody's child. While this lives, such orphans become this process's
// children, and end() kills those that descend from a Process. So does every orphan if this process had no
// other children when this began. If it had (it was exec'ed by a shell that had started a daemon), theirs come
// here as well, and only what carries the mark of a Process or is in its session is killed. One at a time.
class OrphanReaper {
 public:
  OrphanReaper();
  ~OrphanReaper();                             // ends what is there, and waits a moment for it
  OrphanReaper(const OrphanReaper&) = delete;  // a state of the process
  OrphanReaper& operator=(const OrphanReaper&) = delete;

  // Kills and reaps. Returns those that had left their group and lived: "1234 (faulty)", each once, however long
  // it takes to die.
  std::vector<std::string> end();

 private:
  enum class Origin { here, elsewhere, unknown };
  enum class Looked { all, unsure };
  [[nodiscard]] Origin origin_of(int id) const;
  Looked look(std::vector<std::string>& ended);

  std::set<int> theirs_;  // children that somebody else has, and orphans of theirs
  bool alone_ = true;     // there were none of them when this began
  std::set<int> killed_;  // of those that were returned, the ones that have not died yet
  int before_ = 0;        // whether orphans came here already
};

// For Process: what end() must leave alone. An id counts as one of ours until it is forgotten.
void remember_process(int id);
void forget_process(int id);
// The environment with the variable by which a process's descendants are known; earlier marks in it stay, for
// those who made them.
[[nodiscard]] std::vector<std::string> marked(std::vector<std::string> environment);

}  // namespace assay::process
