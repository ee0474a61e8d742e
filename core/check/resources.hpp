// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace assay::check {

// What a case takes and gives back; the rest of a process's state is in worker/process_state.hpp.
struct Resources {
  std::size_t threads = 0;
  std::map<int, std::string> descriptors;  // number → what it is
  std::size_t heap_bytes = 0;              // in use, by the C library's allocator
  std::size_t mapped_bytes = 0;            // private writable memory of the process
};
[[nodiscard]] Resources resources();

}  // namespace assay::check
