// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

namespace assay::process {

// Ends the processes that children leave behind. The group of a Process dies with it; a process that left the group
// (a daemon that a plugin started) would become an orphan and live on. While an OrphanReaper exists, orphans become
// children of this process, and end() kills those that descend from a Process. If this process had no other
// children when the reaper was made, every orphan does. If it had some (a shell started a daemon and then exec'ed
// this program), their orphans arrive here, too, and only processes that carry the mark of a Process or are in its
// session are killed. There may be one reaper at a time.
class OrphanReaper {
 public:
  OrphanReaper();
  ~OrphanReaper();                             // ends what is there, and waits a moment for it
  OrphanReaper(const OrphanReaper&) = delete;  // a state of the process
  OrphanReaper& operator=(const OrphanReaper&) = delete;

  // Kills and reaps orphans. Returns those that were alive, "1234 (faulty)"; each is returned once, however long it
  // takes to die.
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

// For Process: ids that end() must not kill. An id counts as ours until it is forgotten.
void remember_process(int id);
void forget_process(int id);
// The environment with the variable that marks the descendants of a process. Marks that are there already stay, for
// the processes that set them.
[[nodiscard]] std::vector<std::string> marked(std::vector<std::string> environment);

}  // namespace assay::process
