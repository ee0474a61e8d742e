// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::cli {

// Catches SIGINT, SIGTERM and SIGHUP for as long as it lives, and once one came until the process ends: the
// first asks the run to end after its visit, the second kills it. One at a time.
class SignalCatcher {
 public:
  SignalCatcher();
  ~SignalCatcher();
  SignalCatcher(const SignalCatcher&) = delete;  // owns the process' handlers
  SignalCatcher& operator=(const SignalCatcher&) = delete;

  // What came so far: the first signal's number (0: none) and how many there were.
  struct Received {
    int signal = 0;
    int count = 0;
  };
  [[nodiscard]] static Received received();
};

}  // namespace assay::cli
