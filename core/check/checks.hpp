// SPDX-License-Identifier: Apache-2.0
//
// The checks themselves, one function each, in the order of the table. Each runs in a process of its own,
// where it may load the plugin and change whatever the process has. Internal to this component.
#pragma once

#include "check/check_verdict.hpp"
#include "check/subject.hpp"

namespace assay::check {

// file_checks.cpp: the shared object, without running any of it.
CheckVerdict check_one_export(const Subject& subject);
CheckVerdict check_text_relocations(const Subject& subject);
CheckVerdict check_run_path(const Subject& subject);
CheckVerdict check_needed_libraries(const Subject& subject);

// manifest_checks.cpp
CheckVerdict check_manifest_valid(const Subject& subject);
CheckVerdict check_manifest_complete(const Subject& subject);
CheckVerdict check_contract(const Subject& subject);

// load_checks.cpp: the entry, open and close.
CheckVerdict check_loads(const Subject& subject);
CheckVerdict check_abi(const Subject& subject);
CheckVerdict check_manifest_agrees(const Subject& subject);
CheckVerdict check_facets(const Subject& subject);
CheckVerdict check_open_fast(const Subject& subject);
CheckVerdict check_open_cheap(const Subject& subject);
CheckVerdict check_open_twice(const Subject& subject);
CheckVerdict check_unknown_facet(const Subject& subject);
CheckVerdict check_smallest_host(const Subject& subject);

// call_checks.cpp: single calls of a benchmark.
CheckVerdict check_unknown_benchmark(const Subject& subject);
CheckVerdict check_limits(const Subject& subject);
CheckVerdict check_bad_parameters(const Subject& subject);
CheckVerdict check_contained(const Subject& subject);
CheckVerdict check_release(const Subject& subject);
CheckVerdict check_probe(const Subject& subject);
CheckVerdict check_unknown_modes(const Subject& subject);

// damage_checks.cpp
CheckVerdict check_can_fail(const Subject& subject);

// visit_checks.cpp: whole visits, as a run makes them.
CheckVerdict check_defaults(const Subject& subject);
CheckVerdict check_declared(const Subject& subject);
CheckVerdict check_finite(const Subject& subject);
CheckVerdict check_conditions(const Subject& subject);
CheckVerdict check_proportional(const Subject& subject);
CheckVerdict check_repeatable(const Subject& subject);
CheckVerdict check_verified(const Subject& subject);
CheckVerdict check_cancel(const Subject& subject);

// state_checks.cpp: what a case leaves behind.
CheckVerdict check_state(const Subject& subject);
CheckVerdict check_output(const Subject& subject);
CheckVerdict check_threads(const Subject& subject);
CheckVerdict check_descriptors(const Subject& subject);
CheckVerdict check_memory(const Subject& subject);

// other_checks.cpp: backends and reporters.
CheckVerdict check_backend(const Subject& subject);
CheckVerdict check_reporter(const Subject& subject);

}  // namespace assay::check
