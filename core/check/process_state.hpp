// SPDX-License-Identifier: Apache-2.0
//
// What this process has and is: compared before and after a plugin's code ran in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace assay::check {

// What a case must leave as it found it (rule ABI-8).
struct ProcessState {
  std::string folder, locale, umask;
  std::vector<std::string> environment;  // sorted
  std::vector<int> cpus;
  std::string signal_mask;                        // of this thread
  std::map<int, std::uintptr_t> signal_handlers;  // signal → handler
  int rounding = 0;
  unsigned floating_point = 0;  // control bits, where they can be read
};
[[nodiscard]] ProcessState process_state();
// "the working directory was changed", … or "".
[[nodiscard]] std::string difference(const ProcessState& before, const ProcessState& after);

// What a case takes and gives back.
struct Resources {
  std::size_t threads = 0;
  std::map<int, std::string> descriptors;  // number → what it is
  std::size_t heap_bytes = 0;              // in use, by the C library's allocator
  std::size_t mapped_bytes = 0;            // private writable memory of the process
};
[[nodiscard]] Resources resources();

}  // namespace assay::check
