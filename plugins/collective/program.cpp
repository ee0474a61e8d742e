// SPDX-License-Identifier: Apache-2.0
#include "collective/program.hpp"

#include "collective/dependencies.hpp"

namespace assay::plugins::collective {

// The operation is gone through twice, since the next one must not overwrite what is still read in this one.
Schedule Program::with_waits() const {
  Schedule schedule(call_.ranks);
  std::vector<MemoryHistory> memory(call_.ranks);
  std::vector<std::uint64_t> steps(call_.ranks);
  for (const Entry& entry : steps_) ++steps[entry.rank];
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<std::uint64_t> next(call_.ranks);
    for (std::uint32_t rank = 0; rank < call_.ranks; ++rank) next[rank] = pass == 0 ? 0 : steps[rank];
    for (const Entry& entry : steps_) {
      const StepOf self{entry.rank, next[entry.rank]++};
      std::vector<std::uint64_t> until(call_.ranks);  // how many steps of each rank must be done
      const auto found = [&](const StepOf& other) {
        if (other.rank != self.rank) until[other.rank] = std::max(until[other.rank], other.step + 1);
      };
      const Step& step = entry.step;
      if (entry.owns) {
        const Layout& mine = call_.layouts[self.rank];
        memory[self.rank].write(mine.send, mine.send_count, self, found);
        memory[self.rank].write(mine.receive, mine.receive_count, self, found);
      }
      memory[step.from.rank].read(step.from.at, step.count, self, found);
      if (step.combines) memory[step.with.rank].read(step.with.at, step.count, self, found);
      memory[self.rank].write(step.to, step.count, self, found);
      if (pass == 0) continue;
      Step known = step;
      for (std::uint32_t rank = 0; rank < call_.ranks; ++rank) {
        if (until[rank] == 0) continue;
        const std::uint64_t last = until[rank] - 1;
        const bool before = last < steps[rank];
        known.waits.push_back({rank, static_cast<std::uint32_t>(before ? last : last - steps[rank]), before});
      }
      schedule[self.rank].push_back(std::move(known));
    }
  }
  return schedule;
}

}  // namespace assay::plugins::collective
