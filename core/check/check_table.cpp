// SPDX-License-Identifier: Apache-2.0
#include "check/check_table.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "check/checks.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

namespace assay::check {

const std::vector<CheckDefinition>& check_table() {
  using N = Needs;
  static const std::vector<CheckDefinition> table = {
      {"elf-one-export", "file", N::file,
       "The shared object exports `assay_plugin_entry_v1` and no other symbol. What else it exports can be "
       "taken for a "
       "symbol of another library in the same process, or take one's place, and then a plugin works alone "
       "and fails in "
       "company. The SDK's version script hides everything else.",
       check_one_export},
      {"elf-no-text-relocations", "file", N::file,
       "The loader need not write into the plugin's code. Hardened systems forbid that, and the plugin does "
       "not load "
       "there. All objects in it must be compiled as position-independent code.",
       check_text_relocations},
      {"elf-no-absolute-rpath", "file", N::file,
       "The shared object names no folder of the machine that built it as a place of libraries. Elsewhere "
       "such a folder "
       "does not exist, or belongs to somebody else who can then put code into the process. `$ORIGIN` is the "
       "plugin's own "
       "folder and is fine.",
       check_run_path},
      {"elf-needed-known", "file", N::file,
       "Every library that the shared object is linked to is part of the C or C++ runtime, lies beside it, "
       "or is named in "
       "the manifest's `needs` with a hint. Assay looks for these before it starts anything, so that a case "
       "is skipped "
       "with `needs libacme.so.3 (apt-get install acme-runtime)` instead of ending in the loader's error.",
       check_needed_libraries},
      {"manifest-valid", "manifest", N::file,
       "The manifest is beside the shared object, is JSON, and says what docs/reference/manifest.md asks "
       "for: identity, "
       "names, types, units, defaults within limits. It is what `list`, `validate` and `--dry-run` read; no "
       "code of the "
       "plugin runs for that. A key that is nearly one of these is a misspelling: readers ignore what they do not "
       "know.",
       check_manifest_valid},
      {"manifest-complete", "manifest", N::manifest,
       "Vendor, license, summary and a semantic version are there; every parameter has a help line, every "
       "rate says what "
       "counts as work and what does it, every other metric, fact and benchmark has a summary, and units fit "
       "their kind. "
       "A number that nobody can explain is not worth measuring.",
       check_manifest_complete},
      {"contract-followed", "manifest", N::manifest,
       "A benchmark that says `implements: gemm/1` has that contract's parameters and metrics with the same "
       "type, unit, "
       "kind, direction and counting. It may narrow them and add its own. Otherwise suites that were written "
       "for the "
       "contract would not run unchanged, or compare different things.",
       check_contract},
      {"loads", "library", N::library,
       "The shared object can be loaded with all its symbols resolved at once, as a worker does it. A symbol "
       "that is only "
       "looked for when it is called would end a run in its middle.",
       check_loads},
      {"abi-agrees", "library", N::library,
       "The entry speaks an interface that this program speaks, its struct is large enough, and its id, "
       "version and "
       "interface numbers are those of the manifest. The manifest decides what is planned, the entry what "
       "runs.",
       check_abi},
      {"manifest-agrees", "library", N::library,
       "What the library says of itself when it is asked to describe itself is what the manifest says, "
       "member for member. "
       "A manifest of another build promises parameters and metrics that are not there.",
       check_manifest_agrees},
      {"facets-complete", "library", N::library,
       "For what the manifest offers (benchmarks, a backend, reporters) the library gives the facet, with a "
       "struct of full "
       "size and every function that is not optional.",
       check_facets},
      {"open-fast", "library", N::library,
       "`open` takes at most 50 ms, the best of five. Every worker opens the plugin, also those of cases "
       "that are skipped "
       "a moment later; work belongs into `prepare`.",
       check_open_fast},
      {"open-is-cheap", "library", N::library,
       "`open` starts no thread that lives on and opens no device. A context on a device costs seconds and "
       "memory, and "
       "the case may be for another one.",
       check_open_cheap},
      {"open-close-twice", "library", N::library,
       "The plugin can be opened again after it was closed, in the same process. What is left over from the "
       "first time "
       "must not disturb.",
       check_open_twice},
      {"query-unknown-is-null", "library", N::library,
       "`query` gives NULL for an id that the plugin does not know, also for a later revision of one that it "
       "knows (rule ABI-5). A newer Assay asks for things that did not exist when the plugin was built.",
       check_unknown_facet},
      {"smallest-host", "library", N::library,
       "The plugin can be described and opened by an Assay of the lowest minor that it says it needs, whose "
       "structs end "
       "before the newest members (rules ABI-4 and ABI-6). It must look with ASSAY_HAS before it uses one.",
       check_smallest_host},
      {"create-unknown-benchmark", "benchmark", N::benchmarks,
       "`create` answers a name that is not in the manifest with ASSAY_E_UNSUPPORTED, and makes nothing.",
       check_unknown_benchmark},
      {"unknown-mode-unsupported", "benchmark", N::benchmarks,
       "`iterate` answers a mode and `verify` a phase that it does not know with ASSAY_E_UNSUPPORTED (rule ABI-15). "
       "A newer Assay may ask for one that did not exist when the plugin was built, and must not take what it "
       "then gets for an answer.",
       check_unknown_modes},
      {"defaults-accepted", "benchmark", N::benchmarks,
       "A whole visit with every parameter at its default passes: created, probed, prepared, verified, "
       "measured, released. Required parameters get a small value, or the one that `--with` gives. Defaults "
       "are what people try first.",
       check_defaults},
      {"limits-accepted", "benchmark", N::benchmarks,
       "Every value that the manifest allows at its edge (the minimum, the maximum, each text, true and "
       "false), one at a "
       "time beside small values of the others, is not refused as invalid, or goes with a limit of one or two other parameters. The maximum is created and "
       "probed, the rest "
       "prepared as well. What the plugin cannot do belongs into the manifest, where a suite's author sees "
       "it before "
       "anything runs.",
       check_limits},
      {"bad-parameter-contained", "benchmark", N::benchmarks,
       "Values outside of the manifest's limits, which a careful host never sends, lead to a status with a "
       "reason or are "
       "taken; no crash, no exception, no refusal without a word.",
       check_bad_parameters},
      {"exception-contained", "benchmark", N::benchmarks,
       "A host that knows none of the parameters and one that has no memory left are answered with a status. "
       "No exception crosses the border (rule ABI-8), and what `get_integer` and its sisters give back is "
       "looked at.",
       check_contained},
      {"release-at-any-time", "benchmark", N::benchmarks,
       "`release` is fine after `create` alone, after `probe`, after `prepare`, after a `prepare` that found "
       "no memory, "
       "and after one that was cancelled. A case may end anywhere.",
       check_release},
      {"probe-has-no-side-effects", "benchmark", N::benchmarks,
       "`probe` takes no memory to speak of, starts no thread, leaves no descriptor open and changes nothing "
       "of the process, but for what the first in a process sets up once, such as a device's context; if it "
       "says that the case cannot run, it says why.",
       check_probe},
      {"declared-metrics-only", "benchmark", N::benchmarks,
       "A visit records metrics, facts and checks that the manifest declares, with the number of indices "
       "that it "
       "declares, and a benchmark with rates declares the work of an iteration. A number that is recorded for a rate or a "
       "duration is in no result: those come from work and time.",
       check_declared},
      {"finite-values", "benchmark", N::benchmarks,
       "Times and recorded values are finite, times are above zero, and a sample does not take longer by the "
       "device's clock than by the host's.",
       check_finite},
      {"time-grows-with-n", "benchmark", N::benchmarks,
       "2n iterations take about twice as long as n. If they do not, the work is not done n times, or the "
       "region holds "
       "something besides it, and every rate is wrong.",
       check_proportional},
      {"conditions-supported", "benchmark", N::benchmarks,
       "For each value of `cache`, `launch` and `data` that the manifest says it supports a visit passes, and "
       "its samples "
       "say that it was done. A condition that is only promised makes numbers that mean something else.",
       check_conditions},
      {"repeatable", "benchmark", N::benchmarks,
       "Three visits in one process pass and declare the same work; their spread is printed. What the first "
       "leaves behind "
       "must not change the second.",
       check_repeatable},
      {"verify-present", "benchmark", N::benchmarks,
       "A benchmark with a rate compares results, before and after the samples. Without that a run ends as failed "
       "(`verify.missing`) and publishes no rate: nobody knows whether the work was done.",
       check_verified},
      {"verify-can-fail", "benchmark", N::benchmarks,
       "Results are spoiled before the benchmark compares them, and it notices. A verification that accepts "
       "anything proves nothing. Every byte of the memory that it holds through `assay.memory/1` the check changes "
       "itself, and lets an idempotent benchmark work on it once more if that alone is not noticed; memory that the plugin gets elsewhere, on a device for example, the plugin spoils by its function "
       "`damage`, after which `verify` has to give ASSAY_E_VERIFY, once. The C++ layer has that function for every "
       "benchmark whose `restore()` or `destroy_results()` destroys old results. Where neither reaches the "
       "results the answer is not_checked, which is not green; a benchmark that verifies nothing is skipped here, "
       "and failed by verify-present.",
       check_can_fail},
      {"cancel-obeyed", "benchmark", N::benchmarks,
       "A visit that is cancelled while it samples ends within 2 s, as cancelled. After that a run sends "
       "signals, and "
       "what the plugin had open stays as it is.",
       check_cancel},
      {"state-preserved", "benchmark", N::benchmarks,
       "After a visit the process has the working directory, environment, locale, signals and timers, "
       "floating-point mode, CPU affinity, priorities, memory policy, limits, umask and standard streams that it "
       "had before, and no child (rule ABI-8). The next case runs in the same process.",
       check_state},
      {"no-output", "benchmark", N::benchmarks,
       "A visit writes nothing to stdout or stderr. Both are captured and shown as the case's log, where "
       "nobody expects "
       "progress bars; `log` is for what people should read.",
       check_output},
      {"threads-joined", "benchmark", N::benchmarks,
       "Case after case in one process, the number of threads does not grow. A pool that is made once is "
       "fine.",
       check_threads},
      {"descriptors-closed", "benchmark", N::benchmarks,
       "Case after case in one process, the number of open descriptors does not grow.", check_descriptors},
      {"memory-returned", "benchmark", N::benchmarks,
       "Case after case in one process, neither the heap in use nor the mapped memory grows. Memory of a "
       "device is not "
       "seen by this check.",
       check_memory},
      {"backend-answers", "backend", N::library,
       "A backend's inventory is a JSON object whose devices are named `backend:number`, have a model and no "
       "uuid twice; its peaks are finite numbers above zero, in the unit of what they limit as far as the plugin's "
       "own benchmarks and the contracts say; readings and reasons are of these devices and declared in the "
       "manifest, and so is what devices lack; the question which environment makes one device visible has an "
       "answer.",
       check_backend},
      {"reporter-repeatable", "reporter", N::library,
       "A reporter renders a small result to the same bytes again, also in another time zone, with its defaults and "
       "with each value of an option that has a list of them; a name that it does not have is an error. A reporter that "
       "renders no such result is not_checked, which is not green.",
       check_reporter},
  };
  return table;
}

const CheckDefinition* find_check(std::string_view id) {
  return find_in(check_table(), [&](const CheckDefinition& row) { return row.id == id; });
}

const CheckDefinition& check_named(const std::string& id) {
  if (const CheckDefinition* const known = find_check(id)) return *known;
  std::vector<std::string> ids;
  for (const CheckDefinition& row : check_table()) ids.emplace_back(row.id);
  throw Error("usage.check", "there is no check '" + printable(id) + "' (" +
                                 suggestion(id, ids, "'assay plugin check --explain' lists them") + ")");
}

std::string checks_markdown() {
  std::string page =
      "<!-- Made from core/check/check_table.cpp; a test compares. -->\n"
      "# What `assay plugin check` checks\n\n"
      "`assay plugin check FILE` runs each of these in a process of its own, which has 45 s; for a benchmark "
      "that needs several ranks in as many, on the least number that it takes, and with two devices where it takes any number. "
      "`assay plugin check --explain "
      "ID` prints one.\n\n"
      "| result | meaning | exit code | JUnit |\n|---|---|---:|---|\n"
      "| `passed` | nothing is wrong | 0 | passes |\n"
      "| `failed` | something is; a crash, a hang and an end by itself are failures of the check that was "
      "running | 1 | `failure` |\n"
      "| `skipped` | does not apply to this plugin | 0 | `skipped` |\n"
      "| `not_checked` | applies, and could not be checked here: no device, a library is missing. Not green "
      "| 6 | `error` |\n\n"
      "The exit code is that of the first row that applies of failed, not_checked, passed. A file that is not a "
      "shared object ends in 4. After two checks that hang the rest is not checked. `--without-device` leaves out what "
      "needs a device, for machines that build and have none.\n\n"
      "`tests/integration/test_plugin_check.py` holds each row of this page to a plugin that breaks it "
      "(`test_each_flaw_is_found_by_its_check`, `test_every_check_of_the_table_has_a_flaw_that_it_finds`), also on "
      "several ranks and by one rank alone, and to one that keeps it (`test_a_plugin_that_keeps_the_rules_is_green`).\n";
  std::string_view group;
  for (const CheckDefinition& row : check_table()) {
    if (row.group != group) page += "\n## " + std::string(group = row.group) + "\n";
    page += "\n### `" + std::string(row.id) + "`\n\n" + std::string(row.paragraph) + "\n";
  }
  return page;
}

}  // namespace assay::check
