// SPDX-License-Identifier: Apache-2.0
//
// Visits as a run makes them, and the walk over a plugin's benchmarks.
#pragma once

#include "check/subject.hpp"
#include "worker/interruption.hpp"
#include "worker/plugin.hpp"

#include <functional>

namespace assay::check {

// Loads and opens the plugin. Throws Error "plugin.load".
[[nodiscard]] worker::LoadedPlugin open_plugin(const Subject& subject);

// By the worker's own loop, on this thread. Of several ranks every one calls it, and gets the same outcome.
[[nodiscard]] wire::Visited visit(const CheckedBenchmark& checked, const wire::StartVisit& start,
                                  worker::Interruption& interruption);
[[nodiscard]] wire::Visited visit(const CheckedBenchmark& checked, const wire::StartVisit& start);

// The same for the benchmark with quick parameters.
[[nodiscard]] wire::Visited quick_visit(const CheckedBenchmark& checked);

// What to say of a visit that did not pass where another check's subject needs one that did.
[[nodiscard]] CheckVerdict did_not_run(const result::Visit& visit);
// "error plugin.memory in prepare: there is not enough memory".
[[nodiscard]] std::string text_of(const result::Visit& visit);

// The check of every benchmark that can run here, joined: a failure counts before what was not checked, that
// before what passed, that before what does not apply. Benchmarks for which there are too few devices are not
// checked; those that need several ranks are, in as many processes (rank.hpp). Once in a check: a rank's process
// runs the whole of it.
using BenchmarkCheck = std::function<CheckVerdict(const CheckedBenchmark&)>;
[[nodiscard]] CheckVerdict each_benchmark(const Subject& subject, const BenchmarkCheck& check);

}  // namespace assay::check
