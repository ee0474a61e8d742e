// SPDX-License-Identifier: Apache-2.0
#include "measure/clock.hpp"

#include "text/clock.hpp"

#include <chrono>
#include <thread>

namespace assay::measure {

double SteadyClock::now_s() { return monotonic_s(); }

void SteadyClock::idle(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

}  // namespace assay::measure
