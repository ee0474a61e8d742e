// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "result/outcome.hpp"
#include "result/visit.hpp"
#include "worker/interruption.hpp"
#include "worker/plugin_messages.hpp"
#include "worker/recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::worker {

// How a visit ended before its end.
struct VisitEnding {
  result::Outcome outcome = result::Outcome::error;
  result::Reason reason;
  std::string dirty;  // why the worker must not be used again, or empty
};

// One call into the plugin, as it came back.
struct Call {
  const char* phase = "";
  std::int32_t status = 0;  // as the plugin gave it, in range or not
  bool threw = false;       // an exception crossed the border
  std::string thrown;       // what it says of itself, or empty
  std::optional<PluginReason> reason;
  std::optional<Violation> violation;
  std::vector<std::string> lost;  // devices that the plugin named as lost
  std::size_t device_count = 1;   // of the rank
  Interruption::Cause cause = Interruption::Cause::none;
};

// What the call means for the visit; nullopt: go on. docs/reference/outcomes.md.
[[nodiscard]] std::optional<VisitEnding> ending_of(const Call& call);

// The visit was interrupted while no call was under way, or by a call that gave ASSAY_CANCELLED.
[[nodiscard]] VisitEnding interrupted_ending(Interruption::Cause cause, const char* phase);

}  // namespace assay::worker
