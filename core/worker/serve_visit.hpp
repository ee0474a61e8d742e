// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.hpp"
#include "measure/visit_settings.hpp"
#include "wire/messages.hpp"
#include "worker/interruption.hpp"
#include "worker/plugin.hpp"
#include "worker/plugin_messages.hpp"
#include "worker/rank_position.hpp"

#include <cstdint>
#include <functional>

namespace assay::worker {

// What a visit tells while it runs.
struct VisitReports {
  Messages::Listener log;             // any thread
  std::function<void(Json)> samples;  // a frame "samples"; case thread, between samples
};

// Runs one visit on the case thread: create, probe, prepare, traits, verify, the loop, verify, release.
// Whatever the plugin does short of taking the process along, it comes back with an outcome. On several
// ranks, a rank whose part ends early cancels the others through the segment.
[[nodiscard]] wire::Visited serve_visit(const LoadedPlugin& plugin, const wire::StartVisit& start,
                                        std::int64_t deadline_ns, const RankPosition& place,
                                        const Interruption& interruption, const VisitReports& reports,
                                        const measure::GuardSet& guards = {});

}  // namespace assay::worker
