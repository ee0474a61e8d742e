// SPDX-License-Identifier: Apache-2.0
//
// The checks themselves, one function each, in the order of the table. Each runs in a process of its own,
// where it may load the plugin and change whatever the process has. Internal to this room.
#pragma once

#include "check/subject.hpp"
#include "check/verdict.hpp"

namespace assay::check {

// file_checks.cpp: the shared object, without running any of it.
Verdict check_one_export(const Subject& subject);
Verdict check_text_relocations(const Subject& subject);
Verdict check_run_path(const Subject& subject);
Verdict check_needed_libraries(const Subject& subject);

// manifest_checks.cpp
Verdict check_manifest_valid(const Subject& subject);
Verdict check_manifest_complete(const Subject& subject);
Verdict check_contract(const Subject& subject);

// load_checks.cpp: the entry, open and close.
Verdict check_loads(const Subject& subject);
Verdict check_abi(const Subject& subject);
Verdict check_manifest_agrees(const Subject& subject);
Verdict check_facets(const Subject& subject);
Verdict check_open_fast(const Subject& subject);
Verdict check_open_cheap(const Subject& subject);
Verdict check_open_twice(const Subject& subject);
Verdict check_unknown_facet(const Subject& subject);
Verdict check_smallest_host(const Subject& subject);

// call_checks.cpp: single calls of a benchmark.
Verdict check_unknown_benchmark(const Subject& subject);
Verdict check_limits(const Subject& subject);
Verdict check_bad_parameters(const Subject& subject);
Verdict check_contained(const Subject& subject);
Verdict check_release(const Subject& subject);
Verdict check_probe(const Subject& subject);
Verdict check_unknown_modes(const Subject& subject);

// damage_checks.cpp
Verdict check_can_fail(const Subject& subject);

// visit_checks.cpp: whole visits, as a run makes them.
Verdict check_defaults(const Subject& subject);
Verdict check_declared(const Subject& subject);
Verdict check_finite(const Subject& subject);
Verdict check_conditions(const Subject& subject);
Verdict check_proportional(const Subject& subject);
Verdict check_repeatable(const Subject& subject);
Verdict check_verified(const Subject& subject);
Verdict check_cancel(const Subject& subject);

// state_checks.cpp: what a case leaves behind.
Verdict check_state(const Subject& subject);
Verdict check_output(const Subject& subject);
Verdict check_threads(const Subject& subject);
Verdict check_descriptors(const Subject& subject);
Verdict check_memory(const Subject& subject);

// other_checks.cpp: backends and reporters.
Verdict check_backend(const Subject& subject);
Verdict check_reporter(const Subject& subject);

}  // namespace assay::check
