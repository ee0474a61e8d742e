// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace assay::plugins::loader {

// What a loader cannot exceed, in items per second: whichever is slowest of the workers, the processors, which
// workers and a busy consumer share, and the consumer. Starting workers and filling the first batches come on
// top, once an epoch.
struct LoaderBound {
  double items = 1;        // of an epoch
  double item_cost_s = 0;  // of one worker
  double workers = 0;      // 0: the consumer makes the items itself
  double processors = 1;   // that the process may use
  double consumer_s = 0;   // of an epoch: its batches, one after another
  bool is_busy = false;    // the consumer needs a processor for that time

  double items_per_second() const {
    const double making_s = items * item_cost_s;
    const double epoch_s = workers == 0
                               ? making_s + consumer_s
                               : std::max({making_s / workers,
                                           (making_s + (is_busy ? consumer_s : 0)) / processors, consumer_s});
    return epoch_s > 0 ? items / epoch_s : 0;
  }
};

}  // namespace assay::plugins::loader
