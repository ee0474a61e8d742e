# SPDX-License-Identifier: Apache-2.0
"""Every fault of the plugin in tests/fixtures/plugins/faulty, what comes of it, and why. test_fault_injection.py holds the program to it; docs/reference/faults.md is made
from it."""

import collections

PHASES = ["create", "probe", "prepare", "traits", "verify", "iterate", "release"]

# phases: where test_fault_injection.py lets it out. outcome, code: of its case; code may be a flag of a case that passed. number: of the signal or exit status.
Fault = collections.namedtuple("Fault", "how phases outcome code number does why", defaults=("",))


def fault(how, phases, outcome, code, does, why, number=0):
    return Fault(how, phases.split() if phases != "all" else PHASES, outcome, code, number, does, why)


SIGNAL = "The controller sees the signal, the segment tells the phase and the number of samples, and the worker's handler left a backtrace in it."
DIRTY = "The worker compares itself with its start after every visit. Which figures the change touched nobody can say, so the visit counts for nothing; the " \
        "worker is replaced, so that the next case does not inherit the change."
GROWN = "The worker compares itself with its start after every visit. It is replaced, so that the next case does not inherit what grew."
HANG = "At `timeout` the visit is cancelled, 2 s later the worker gets SIGTERM, 2 s later SIGKILL. SIGTERM leaves a backtrace of where it hung."

BENCHMARK = [
    fault("abort", "all", "crashed", "worker.signal", "calls abort", SIGNAL, 6),
    fault("segv", "all", "crashed", "worker.signal", "writes to address 0", SIGNAL, 11),
    fault("overflow", "all", "crashed", "worker.signal", "overflows its stack", SIGNAL + " The handler has a stack of its own.", 11),
    fault("kill", "prepare iterate", "crashed", "worker.signal", "dies of SIGKILL, as the out-of-memory killer sends it",
          "No handler runs, so there is no backtrace; phase and samples are known.", 9),
    fault("exit", "all", "crashed", "worker.exit", "leaves by `_exit(0)`", "A worker that is gone has not answered, whatever its status says."),
    fault("exit_politely", "prepare iterate", "crashed", "worker.exit", "leaves by `exit(0)`, as a library may on an error", "The same."),
    fault("throw", "all", "error", "plugin.exception", "throws through the C interface",
          "The call is wrapped; what of the plugin's state is whole nobody knows, so the worker is replaced. An exception of another C++ runtime ends in abort."),
    fault("close_all", "prepare iterate", "crashed", "worker.exit", "closes every descriptor", "A worker that cannot answer any more leaves with status 1."),
    fault("hang_up", "prepare iterate", "crashed", "worker.exit", "shuts the socket to the controller down", "The same."),
    fault("garbage_frame", "prepare iterate", "error", "wire.malformed", "writes rubbish to the socket to the controller",
          "The stream cannot be trusted from there on: the worker is killed."),
    fault("overwrite_segment", "prepare verify iterate", "error", "wire.malformed", "overwrites the memory that ranks share",
          "The controller knows what it wrote there. Which rank did it cannot be told; the set is replaced."),
    fault("undeclared_metric", "prepare", "error", "plugin.undeclared-metric", "reports a metric that its manifest does not declare",
          "Nobody could judge a value without unit and direction."),
    fault("value_not_finite", "prepare", "error", "plugin.non-finite", "reports NaN as a value", "A value that is missing must not look like one."),
    fault("work_not_finite", "prepare", "error", "plugin.non-finite", "declares infinite work", "Rates are made from it."),
    fault("impossible_traits", "traits", "error", "plugin.protocol", "states a quantum of 0", "The loop could take no sample."),
    fault("negative_time", "iterate", "error", "plugin.bad-time", "gives a negative time", "No measurement can be."),
    fault("zero_time", "iterate", "error", "plugin.bad-time", "gives a time of zero", "No measurement can be."),
    fault("time_not_finite", "iterate", "error", "plugin.bad-time", "gives NaN as a time", "No measurement can be."),
    fault("device_above_host", "iterate", "invalid", "guard.device-above-host", "gives more device time than passed on the host",
          "One of the clocks is wrong, so there is no rate."),
    fault("constant_time", "iterate", "invalid", "guard.time-not-proportional", "gives the same time for any number of iterations",
          "The work is not in the timed region, so there is no rate."),
    fault("wrong_before", "verify", "failed", "verify.wrong", "computes a wrong result before it is measured", "No verified result, no rate."),
    fault("wrong_after", "verify", "failed", "verify.wrong", "computes a wrong result after it was measured", "No verified result, no rate."),
    fault("device_error", "prepare iterate", "error", "device.error", "says that the device gave an error that stays", "The worker is replaced."),
    fault("flood", "prepare iterate", "passed", "", "prints 8 MiB", "Pipes are always read, and only the end is kept."),
    fault("crash_child", "prepare", "passed", "", "starts a child that crashes", "The child dies for itself; it leaves no backtrace in the worker's name."),
    fault("leave_child", "prepare", "invalid", "state.changed", "leaves a child process", DIRTY + " The child is killed with its group."),
    fault("leave_orphan", "prepare", "passed", "state.changed", "leaves a daemon with a session of its own",
          "The controller adopts orphans and kills those that it did not start."),
    fault("close_output", "prepare", "invalid", "state.changed", "closes standard output and errors", DIRTY),
    fault("replace_output", "prepare", "invalid", "state.changed", "leads standard output and errors elsewhere", DIRTY),
    fault("leak_memory", "prepare", "passed", "memory.leaked", "does not free memory of `assay.memory/1`",
          "The host counts that memory; the worker is replaced. What a plugin takes from malloc is not counted."),
    fault("locale", "prepare", "invalid", "state.changed", "changes the locale", DIRTY),
    fault("directory", "prepare", "invalid", "state.changed", "changes the working directory", DIRTY),
    fault("environment", "prepare", "invalid", "state.changed", "sets a variable", DIRTY),
    fault("mask", "prepare", "invalid", "state.changed", "blocks a signal", DIRTY),
    fault("handler", "prepare", "invalid", "state.changed", "changes a signal's handler", DIRTY),
    fault("affinity", "prepare", "invalid", "state.changed", "binds its thread to one CPU", DIRTY),
    fault("flush_to_zero", "create prepare iterate release", "invalid", "state.changed", "lets small results be flushed to zero, as `-ffast-math` does",
          "The floating-point mode is looked at after every call and put back. " + DIRTY),
    fault("rounding", "prepare iterate", "invalid", "state.changed", "changes the rounding mode", "The same."),
    fault("thread_locale", "prepare", "invalid", "state.changed", "gives its thread a locale", DIRTY),
    fault("umask", "prepare", "invalid", "state.changed", "changes the umask", DIRTY),
    fault("limit", "prepare", "invalid", "state.changed", "lowers a limit of the process", DIRTY),
    fault("timer", "prepare", "invalid", "state.changed", "leaves an alarm set, which would end a later case", DIRTY),
    fault("nice", "prepare", "invalid", "state.changed", "lowers its thread's priority", DIRTY),
    fault("policy", "prepare", "invalid", "state.changed", "lets its thread run on idle processors only", DIRTY),
    fault("timer_slack", "prepare", "invalid", "state.changed", "lets its thread oversleep by 50 ms", DIRTY),
    fault("huge_pages", "prepare", "invalid", "state.changed", "switches transparent huge pages off", DIRTY),
    fault("memory_policy", "prepare", "invalid", "state.changed", "lets its thread take memory from one NUMA node only", DIRTY),
    fault("lock_memory", "prepare", "invalid", "state.changed", "locks all memory that is mapped from then on", DIRTY),
    fault("io_priority", "prepare", "invalid", "state.changed", "lets its thread read and write only while nobody else does", DIRTY),
    fault("filter_calls", "prepare", "invalid", "state.changed", "puts a filter before its thread's system calls", DIRTY),
    fault("terminate", "prepare", "invalid", "state.changed", "says what an exception that nobody catches calls", DIRTY),
    fault("signal_stack", "prepare", "invalid", "state.changed", "takes the stack away on which a crash is described", DIRTY),
    fault("leave_spinning", "prepare release", "invalid", "state.changed", "leaves two threads that never rest",
          "A pool may spin for half a second after its work; what runs on longer takes processors from the next case. " + DIRTY),
    fault("fork_on", "prepare iterate", "invalid", "state.changed", "forks, and its child comes back into Assay's code",
          "The child ends without a word, so that nobody measures or answers twice. " + DIRTY),
]

LEAKS = [
    fault("leak_descriptors", "prepare", "passed", "state.changed", "leaves 100 descriptors open",
          GROWN + " The first visit of a benchmark on a device may open what lives on; later ones may add up to 64."),
    fault("leak_threads", "prepare", "passed", "state.changed", "leaves 80 threads",
          GROWN + " The first visit of a benchmark on a device may start pools; later ones may add up to 64 threads."),
]

HANGS = [
    fault("spin", "all", "timeout", "visit.timeout", "spins for ever, whatever is cancelled", HANG),
    fault("sleep", "all", "timeout", "visit.timeout", "sleeps for ever, whatever is cancelled", HANG),
    fault("stop", "all", "timeout", "visit.timeout", "stops its process", HANG + " A stopped process is ended by SIGKILL only, which leaves none."),
    fault("deaf", "prepare iterate", "timeout", "visit.timeout", "sleeps with SIGTERM blocked", HANG + " This one is ended by SIGKILL, which leaves none."),
    fault("begin_frame", "prepare iterate", "timeout", "visit.timeout", "writes the length of a frame to the socket and no frame",
          "What follows is taken for the frame, so the answer is never seen whole."),
]

LOAD = [
    fault("null_entry", "", "error", "plugin.load", "returns NULL from its entry", "There is nothing to call."),
    fault("small_entry", "", "error", "plugin.load", "has an entry struct of a wrong size", "Fields that are needed are not in it."),
    fault("missing_open", "", "error", "plugin.load", "leaves `open` out", "It is required."),
    fault("newer", "", "error", "plugin.load", "needs a newer interface than this Assay's", "What it calls is not there. The text says which version it needs."),
    fault("older", "", "error", "plugin.load", "was built for another preview of the interface", "Previews make no promise to each other: it must be built again."),
    fault("other_id", "", "error", "plugin.load", "is another plugin than its manifest says", "The manifest belongs to another file."),
    fault("open_throws", "", "error", "plugin.load", "throws from `open`", "It is not open."),
    fault("open_fails", "", "error", "plugin.load", "gives an error from `open`", "It is not open."),
    fault("no_benchmarks", "", "error", "plugin.protocol", "does not offer the benchmarks that its manifest lists", "The manifest lies."),
    fault("small_facet", "", "error", "plugin.protocol", "has a benchmark struct of a wrong size", "Functions that are needed are not in it."),
    fault("missing_slot", "", "error", "plugin.protocol", "leaves `iterate` out", "It is required."),
    fault("entry_segv", "", "crashed", "worker.signal", "crashes in its entry", SIGNAL, 11),
    fault("open_segv", "", "crashed", "worker.signal", "crashes in `open`", SIGNAL, 11),
    fault("open_overflow", "", "crashed", "worker.signal", "overflows its stack in `open`", SIGNAL, 11),
    fault("open_abort", "", "crashed", "worker.signal", "calls abort in `open`", SIGNAL, 6),
    fault("open_exit", "", "crashed", "worker.exit", "leaves by `_exit(0)` in `open`", "It never said that it was ready."),
    fault("open_garbage_frame", "", "error", "wire.malformed", "writes rubbish to the socket in `open`", "The stream cannot be trusted from there on."),
    fault("open_sleep", "", "timeout", "visit.timeout", "hangs in `open`", "Loading belongs to the first visit, so its `timeout` holds. " + HANG),
    fault("open_flush_to_zero", "", "passed", "state.loaded", "lets small results be flushed to zero when it is loaded, as `-ffast-math` does",
          "The floating-point mode is read before the library is loaded, and put back."),
    fault("close_segv", "", "passed", "", "crashes in `close`", "Every visit has been answered by then."),
    fault("close_exit", "", "passed", "", "leaves by `_exit(0)` in `close`", "Every visit has been answered by then."),
    fault("close_sleep", "", "passed", "", "hangs in `close`", "Every visit has been answered by then; the worker is killed after 2 s."),
]

# One rank of four goes wrong; the reason names rank and device, unless why says otherwise.
RANKS = [
    fault("abort", "prepare iterate release", "crashed", "worker.signal", "calls abort", SIGNAL + " The other ranks are cancelled.", 6),
    fault("segv", "all", "crashed", "worker.signal", "writes to address 0", SIGNAL + " The other ranks are cancelled.", 11),
    fault("overflow", "iterate", "crashed", "worker.signal", "overflows its stack", SIGNAL + " The other ranks are cancelled.", 11),
    fault("exit", "create prepare iterate", "crashed", "worker.exit", "leaves by `_exit(0)`", "The other ranks are cancelled."),
    fault("throw", "probe iterate", "error", "plugin.exception", "throws through the C interface", "The other ranks are cancelled, the set is replaced."),
    fault("close_all", "iterate", "crashed", "worker.exit", "closes every descriptor", "The other ranks are cancelled."),
    fault("garbage_frame", "prepare", "error", "wire.malformed", "writes rubbish to the socket to the controller", "The other ranks are cancelled."),
    fault("zero_time", "iterate", "error", "plugin.bad-time", "gives a time of zero", "The other ranks are cancelled."),
    fault("wrong_after", "verify", "failed", "verify.wrong", "computes a wrong result", "The other ranks' results are not published either."),
    fault("overwrite_segment", "verify", "error", "wire.malformed", "overwrites the memory that ranks share", "Which rank did it cannot be told."),
    fault("directory", "prepare", "invalid", "state.changed", "changes the working directory", DIRTY),
]

RANK_HANGS = [
    fault("spin", "iterate", "timeout", "visit.timeout", "spins for ever", "The rank that came least far is the one that the others wait for. " + HANG),
    fault("stop", "prepare", "timeout", "visit.timeout", "stops its process", "The rank that came least far is the one that the others wait for. " + HANG),
]

# A backend's faults: number is the exit code of a run that needs it, code what its text says.
BACKEND = {
    "inventory": [
        fault("segv", "", "not_run", "signal 11 (SIGSEGV)", "crashes", "The backend is listed as unavailable with signal and backtrace; what needs it is not run.", 6),
        fault("overflow", "", "not_run", "signal 11 (SIGSEGV)", "overflows its stack", "The same.", 6),
        fault("abort", "", "not_run", "signal 6 (SIGABRT)", "calls abort", "The same.", 6),
        fault("exit", "", "not_run", "exit status 0", "leaves by `_exit(0)`", "The same, without a backtrace.", 6),
        fault("throw", "", "not_run", "an exception left its code", "throws through the C interface", "The same.", 6),
        fault("error", "", "not_run", "the management library has no answer", "gives an error", "Its reason is passed on.", 6),
        fault("no_json", "", "not_run", "not a JSON object", "writes an inventory that is not JSON", "Nothing can be taken from it.", 6),
        fault("garbage_frame", "", "not_run", "broke the protocol", "writes rubbish to the socket", "Nothing can be taken from it.", 6),
        fault("close_all", "", "not_run", "exit status 1", "closes every descriptor", "A worker that cannot answer any more leaves.", 6),
        fault("sleep", "", "not_run", "did not answer within 10 s", "hangs", "All backends are asked at once, and each gets 10 s.", 6),
        fault("leave_orphan", "", "passed", "", "leaves a daemon", "The controller adopts orphans and kills them.", 0),
    ],
    "read": [
        fault("segv", "", "passed", "", "crashes", "Telemetry ends, each case says so (`telemetry_failed`), and nothing else: what crashed over a read would do so again.", 0),
        fault("exit", "", "passed", "", "leaves by `_exit(0)`", "The same.", 0),
        fault("throw", "", "passed", "", "throws through the C interface", "The same.", 0),
        fault("garbage_frame", "", "passed", "", "writes rubbish to the socket", "The same.", 0),
        fault("sleep", "", "passed", "", "hangs", "The same, after 10 s.", 0),
        fault("faulty:0", "", "error", "device.lost", "says that the device is lost",
              "The case's figures are not to be trusted, and the device is withdrawn: its other cases are `not_run` with `device.quarantined`.", 5),
    ],
    "visibility": [
        fault("segv", "", "error", "backend.unavailable", "crashes", "Nothing is measured on a guess of what a worker would see.", 5),
        fault("throw", "", "error", "backend.unavailable", "throws through the C interface", "The same.", 5),
        fault("sleep", "", "error", "backend.unavailable", "hangs", "The same, after 10 s.", 5),
    ],
}

# code: what the message says. Exit 7; the result and the other reports are whole.
REPORTER = [
    fault("segv", "", "failed", "signal 11 (SIGSEGV)", "crashes", "A report that was not finished is not written. The message holds the backtrace.", 7),
    fault("overflow", "", "failed", "signal 11 (SIGSEGV)", "overflows its stack", "The same.", 7),
    fault("abort", "", "failed", "signal 6 (SIGABRT)", "calls abort", "The same.", 7),
    fault("exit", "", "failed", "is gone", "leaves by `_exit(0)`", "The same, without a backtrace.", 7),
    fault("throw", "", "failed", "an exception left its code", "throws through the C interface", "The same.", 7),
    fault("error", "", "failed", "not to its taste", "gives an error", "Its reason is passed on.", 7),
    fault("garbage_frame", "", "failed", "limit is", "writes rubbish to the socket", "Nothing that it said can be trusted.", 7),
    fault("close_all", "", "failed", "exit status 1", "closes every descriptor", "It cannot answer any more.", 7),
    fault("outside", "", "failed", "not a plain relative name", "opens a file outside of its folder", "It is not written.", 7),
    fault("sleep", "", "failed", "60 s", "hangs", "It is killed after 60 s.", 7),
    fault("flood", "", "passed", "", "prints 8 MiB", "Only the end is kept.", 0),
    fault("leave_orphan", "", "passed", "", "leaves a daemon", "The daemon is killed.", 0),
]

MANIFESTS = [
    fault("absent", "", "refused", "no manifest is beside it", "a library without a manifest beside it, named by `--plugin`",
          "It was named, so nothing is run without it. In a folder it is passed over: only manifests are read there.", 4),
    fault("broken", "", "refused", "not valid JSON", "a manifest that is not JSON, named by `--plugin`",
          "It was named, so nothing is run without it. In a folder it is a warning.", 4),
    fault("lying", "", "error", "plugin.load", "a manifest with another id than its library's", "The library says who it is when it is loaded.", 5),
    fault("gone", "", "error", "plugin.load", "a manifest whose library is not there", "The case says which file is missing.", 5),
]

DEVICES = [
    fault("device_lost", "prepare", "error", "device.lost", "gives `ASSAY_E_LOST`",
          "The device is withdrawn at once: its other cases are `not_run` with `device.quarantined`, and later workers do not see it."),
]


def rows(faults, end=None):
    lines = []
    for each in faults:
        where = "every phase" if each.phases == PHASES else ", ".join(f"`{p}`" for p in each.phases)
        first = f"`{each.how}`" + (f" in {where}" if where else "")
        lines.append(f"| {first} | {each.does} | {end(each) if end else outcome(each)} | {each.why} |")
    return "\n".join(lines) + "\n"


def outcome(each):
    text = f"{each.outcome}" + (f", `{each.code}`" if each.code else "")
    return text + (f" {each.number}" if each.code == "worker.signal" else "")


def said(each):
    word = f"`{each.code}`" if "." in each.code else f"“{each.code}”"
    return each.outcome + (f", {word}" if each.code else "") + f", exit {each.number}"


OF_TIMES = """
## A clock that lies

`test_each_lie_is_found_every_time` of `tests/integration/test_liar.py` runs a benchmark with each of these, `./dev campaign lies` a hundred times;
`AreFoundByTheirOwnGuardAlone` of `core/worker/lies_test.cpp` takes each one's own guard out, and it is published. [A decision](../decisions/0018-a-plugins-clock-is-not-believed-downwards.md)
says what is compared with what.

| what the plugin does | what comes of it | shown by `test_each_lie_is_found_every_time` with `fault` |
|---|---|---|
| returns when the work is queued | invalid, `guard.work-left-behind` | `queued` |
| the same, and its `settle` does not wait either | invalid, `guard.work-left-behind`: the first verification after the samples waits | `queued_silent` |
| the same, and verification looks at nothing that was queued | invalid, `guard.work-left-behind`: release waits, from a second on | `queued_unlooked` |
| gives laps that do not add up to the sample | invalid, `guard.laps-differ` | `short_laps` |
| gives a tenth of its times | invalid, `guard.time-missing` | `tenth` |
| begins or ends outside of the call, or ends before it began | invalid, `guard.moments-impossible` | `other_clock`, `reversed` |
| gives more of the device's time than passed on the host | invalid, `guard.device-above-host` | `longer` |
| does one iteration, however many were asked for | invalid, `guard.time-not-proportional` | `constant` |
| does half of the iterations | invalid, `guard.time-not-proportional`; where a quantum is shorter than 100 ticks or 2 µs and its result tells, failed, `verify.stale` | `half`, `half_up` |
| does the work once and keeps the result | failed, `verify.stale` | `cached` |
| keeps a result for each input | invalid, `guard.slow-when-new`, where a quantum takes 0.1 ms or more | `recomputed` |
| takes time and does nothing, or other work than the one that is verified | failed, `verify.stale` | `spin`, `wrong_work` |

What cannot be seen:

| what | and what is said instead | shown by |
|---|---|---|
| work that is declared too large where no peak is known | `guard.rate-above-peak` where one is; else reports say once, of which benchmarks no peak is known (*No peak is known for: membw@host; its work is as the plugin declares it*) | `test_work_that_is_too_large_is_seen_where_a_peak_is_known` |
| all of the above that `reseed` finds, of a plugin that does not offer it | `work_declared` in its row | `test_without_new_inputs_the_row_says_whose_word_the_work_is` |
| times that are too short, and still more than half of what their calls took | nothing | `test_times_of_more_than_half_of_their_calls_are_believed` |
| times that leave out parts of the call, of a plugin that says so (`ASSAY_TRAIT_PARTS`), that flushes caches, or that queues operations of less than 20 µs | `time_in_parts`; the condition `cache: cold`; nothing | `test_a_benchmark_of_parts_says_so`, `test_flushed_caches_are_a_condition_of_the_case` |
| half of the iterations, of a quantum that is too short for the clock (100 ticks, 2 µs) or too long for the visit (a three-hundredth of `max_time`), where `reseed` is not offered | `work_declared` | `test_half_of_a_short_quantum_is_caught_or_declared` |
| a queue that is a few times as fast as its work, in a visit of milliseconds beside other programs: of 100 visits 95 are found beside four programs that spin on two processors, 7 beside a dozen (simulated), and all where nothing else runs | nothing | `Lies, EachIsFoundEveryTime` |
| a device's time that is shorter than the host's around it | `launch_bound` from 1.2 times on | `Flags, SayFrom12TimesOnThatTheHostTookLongerThanTheDevice` |
| a `verify` that computes anew what it is asked to look at, or agrees with everything | `plugin check` tries to make it fail | `test_each_flaw_is_found_by_its_check` |
"""

OF_LEAKS = """
## What is seen of leaks

| what is not given back | by a run | by `assay plugin check` | shown by |
|---|---|---|---|
| memory of `assay.memory/1` | to the byte, after the first visit, too | the same | `FakeVisit, LeakedMemoryCostsTheWorkerAndIsNamed`, `test_each_flaw_is_found_by_its_check` |
| descriptors, threads, child processes | after every visit | over many cases in one process | `test_a_second_visit_that_leaves_much_behind_costs_the_worker`, `test_each_flaw_is_found_by_its_check` |
| memory of `malloc`, `new` and `mmap` | not | over many cases in one process (`memory-returned`) | `test_a_run_says_nothing_of_what_malloc_gave`, `test_each_flaw_is_found_by_its_check` |

A run says nothing of `malloc`, because it could not say it honestly. In its first visits a sound plugin's heap grows as well: libraries start, pools and caches
reach their size, the allocator keeps arenas of its own for every thread. Cases of a suite differ, so that later visits do not repeat them either. Growth after
one visit accuses nobody, and a run must not call a sound plugin leaking.

`plugin check` repeats one small case up to 52 times in one process and looks at the heap after every eighth. Only if each of these stretches ends with at
least 16 bytes a case more than it began is it a leak; one stretch without growth acquits. What is lost once, with the first visit or in `open`, cannot be told
from what is kept on purpose: a plugin's own tests under AddressSanitizer or Valgrind can.
"""


def page():
    head = "| fault | what the plugin does | what comes of it | why |\n|---|---|---|---|\n"
    text = "# What faults of plugins come to\n\nMade from tests/integration/fault_table.py by `./dev docs`; a test runs every line of it, in both modes of `--isolation`, " \
           "with sound cases around it, and sees\nthat those are measured and that no process, descriptor, shared memory, lock or temporary file is left. " \
           "`assay explain CODE` says more of a code.\n\n" \
           "A flag of a case that passed stands where its reason would. Two timeouts of one benchmark end its remaining visits (`benchmark.timeouts`).\n"
    for title, faults, end in [
        ("A benchmark", BENCHMARK + LEAKS, None), ("A benchmark that hangs", HANGS, None), ("A library", LOAD, None), ("A manifest", MANIFESTS, said),
        ("One rank of four", RANKS + RANK_HANGS, None), ("A device that vanishes", DEVICES, None),
        ("A backend's inventory", BACKEND["inventory"], said), ("A backend's telemetry", BACKEND["read"], said),
        ("A backend's visibility", BACKEND["visibility"], said), ("A reporter", REPORTER, said),
    ]:
        text += f"\n## {title}\n\n{head}{rows(faults, end)}"
    return text + OF_TIMES + OF_LEAKS
