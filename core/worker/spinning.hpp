// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace assay::worker {

// What thread pools spin after their work before they sleep: OpenBLAS and OpenMP up to 0.2 s.
inline constexpr std::chrono::milliseconds kPoolsMaySpin{500};

// Threads of this process, besides the caller's, that never stopped running for this long. Returns at once if
// none of them runs, and as soon as each of them has rested; so only a process that spins is waited for.
[[nodiscard]] std::size_t spinning_threads(std::chrono::milliseconds limit = kPoolsMaySpin);

}  // namespace assay::worker
