// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace assay::worker {

// What thread pools spin after their work before they sleep: OpenBLAS and OpenMP up to 0.2 s.
inline constexpr std::chrono::milliseconds kPoolsMaySpin{500};

// Threads of this process, besides the caller's, that never rested for this long; naps shorter than the turns
// between them are no rest. Returns at once if there are no others, after 1 ms if each of them rests, and else
// as soon as each has rested; so only a process that spins is waited for.
[[nodiscard]] std::size_t spinning_threads(std::chrono::milliseconds limit = kPoolsMaySpin);

}  // namespace assay::worker
