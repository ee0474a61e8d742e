// SPDX-License-Identifier: Apache-2.0
#include "result/reasons.hpp"

#include <algorithm>

namespace assay::result {
namespace {

using S = ReasonSeverity;

// Rows by subject, for whoever adds one; reason_table() sorts them.
const ReasonRow kRows[] = {
    // ---- The plugin and its process
    {"plugin.load", S::error,
     "The plugin could not be loaded into a worker, or did not open: a library that it needs is missing or too old, a "
     "symbol is not there, it was built for another interface than this program's, or it says itself why it does not "
     "open. The text names the file and what the loader said, or is the plugin's own.",
     "Install or replace what the text names; --library-path adds a folder of libraries. `assay plugin info FILE "
     "--open` tries again and lists what the plugin needs."},
    {"plugin.error", S::error,
     "The plugin itself said that it could not go on and gave a code and a text. The phase tells how far it "
     "came.",
     "Read the text and the log's tail in the result; look the code up in the plugin's documentation."},
    {"plugin.parameter", S::error,
     "The plugin refused a parameter's value that its manifest allows, for instance because of the device's "
     "memory.",
     "Change the value at the position that the message names."},
    {"plugin.exception", S::error, "An exception left the plugin's code and was stopped at the SDK's border.",
     "Report it to the plugin's vendor with the log's tail."},
    {"plugin.protocol", S::error,
     "The plugin broke a rule of the interface: a missing function, a struct of an impossible size, a metric "
     "or fact "
     "that its manifest does not declare, a sample without time.",
     "Report it to the plugin's vendor; `assay plugin info FILE` says who that is."},
    {"plugin.bad-time", S::error, "The plugin gave a time that is not finite and above zero.",
     "Report it to the plugin's vendor with the case's parameters."},
    {"plugin.non-finite", S::error,
     "The plugin reported a value or an amount of work that is infinite, not a number or, for work, not "
     "above zero.",
     "Report it to the plugin's vendor with the case's parameters."},
    {"plugin.undeclared-metric", S::error, "The plugin reported a metric that its manifest does not declare.",
     "Report it to the plugin's vendor; `assay plugin info FILE` says who that is."},
    {"worker.memory", S::error, "The worker ran out of memory.", "Choose a smaller case."},
    {"external.exit", S::failure,
     "The command ended with an exit status that the case does not count as passed.",
     "See the log's tail; `exit` of the case says which statuses pass and which mean skipped."},
    {"external.output", S::error,
     "The command's output does not hold a metric that the case declares, holds it more than once without "
     "'take', or is too long.",
     "See the log's tail and compare it with the metric's 'json' or 'pattern'."},
    {"external.signal", S::error,
     "The command died by a signal: a crash, or the system's out-of-memory killer.",
     "See the log's tail; run the command by hand."},
    {"external.start", S::error, "The command could not be started.",
     "Install the program, give its whole path, or correct 'directory'."},
    {"device.locked", S::error, "Another run holds the device; two at once would measure each other.",
     "Wait for the other run, or choose other devices."},
    {"device.lock-unavailable", S::error,
     "The lock that keeps a second run off the device could not be taken.",
     "Check that the folder which the text names can be written."},
    {"plugin.missing", S::error, "The plugin's shared object is not where its manifest says.",
     "Install the plugin again, or name its folder with --plugin-dir."},
    {"plugin.memory", S::error, "The plugin asked for more memory than the device or host has.",
     "Choose a smaller size, or end what else uses the memory."},
    {"worker.start", S::error, "A worker process could not be started.",
     "The text has the system's reason; check limits of processes and memory."},
    {"worker.signal", S::error,
     "The worker died by a signal while it ran this case: a crash in the plugin or a library, or the "
     "system's out-of-memory killer (signal 9). Other cases went on in a fresh worker.",
     "See the log's tail; repeat the case alone with the command that the result prints."},
    {"worker.exit", S::error, "The worker left by itself, with an exit code, while it ran this case.",
     "See the log's tail: a library may have called exit."},
    {"wire.malformed", S::error,
     "What came from a worker was not a message that the controller knows: the plugin, or a library that it "
     "uses, wrote to a "
     "descriptor that is not its own.",
     "Report it to the plugin's vendor; if the plugin is one of Assay's own, report it with the journal."},
    {"backend.unavailable", S::error,
     "The backend's plugin did not answer, so that it is not known which devices a worker would see. Nothing "
     "is measured "
     "on a guess.",
     "The text says what became of it; `assay system` asks it alone."},
    {"visit.timeout", S::error,
     "The case did not end within its `timeout`. It was asked to stop, then its worker was ended.",
     "Raise `timeout`, make the case smaller, or find out what it waits for with its phase and log."},
    {"benchmark.timeouts", S::error,
     "The benchmark ran into its `timeout` twice in this run, so its remaining visits were left out.",
     "See the two visits that the text names: raise `timeout`, make the cases smaller, or find out what they "
     "wait for."},
    {"visit.cancelled", S::error,
     "The visit was stopped on the way: by a signal, or because another rank ended first.",
     "Run again with --resume to complete the result."},
    {"rank.failed", S::error,
     "One rank of several ended first; the others were cancelled. Rank, device and phase are those of the "
     "first cause.",
     "Look at that rank's device and log first."},
    {"rank.disagree", S::error, "Ranks that must do the same did not agree on work, iterations or laps.",
     "Report it to the plugin's vendor."},
    {"device.error", S::error,
     "The device or its driver reported an error that stays until the process ends; the worker was replaced.",
     "Look at the driver's log (dmesg) and repeat the case alone."},
    {"device.lost", S::error, "The device no longer answers. It was withdrawn from the rest of the run.",
     "Look at the driver's log (dmesg); the device needs a reset or the node a reboot."},
    {"run.not-alone", S::error,
     "One of two runs wants its processors for itself (`policy: {alone: true}`), and both would use some of them.",
     "Wait for the other run to end, or give the runs other processors (`bind`, taskset)."},
    {"device.throttled", S::error,
     "Heat or a power brake slowed a device of the case down, and the suite says `throttle: fail`.",
     "Check cooling and power supply; the figures that are shown are of a throttled device."},
    {"device.fault", S::failure,
     "While the case was measured, the driver logged an error of one of its devices after which the device can't be "
     "trusted. The case fails whatever its figures are; the text has the error's number, the device and its serial "
     "number.",
     "Look at the driver's log (dmesg) and the maker's list of such errors; reset or replace the device before its "
     "figures are used."},
    {"device.errors", S::failure,
     "While the case was measured, one of its devices counted errors that it could not correct. The case fails "
     "whatever its figures are; the text has the count, the device and its serial number.",
     "Reset the device and run again; if it counts more, have it replaced."},
    {"device.shared", S::invalid,
     "While samples were taken, a process that is not this run's used the device, so its figures are of something "
     "else. An idle process is told as a remark only (`device_told`).",
     "End that process, or choose another device with `devices`, and run again."},
    {"device_told", S::note,
     "A device told something that is worth knowing and decides nothing by itself: an error that programs cause, a "
     "corrected error, a repair that waits for a reset, another process that was idle.",
     "See docs/reference/inventory.md for what the backend tells; write an expectation on it if it should decide."},
    {"telemetry_failed", S::warning,
     "Telemetry of the case's devices is missing, or a part of it was refused: the backend's plugin failed, ended, "
     "or gave what its manifest does not declare. What an expectation or `throttle: fail` needs of it is not judged, "
     "which fails it.",
     "The text says what went wrong; `assay system` shows whether the backend answers now, `assay plugin check` what "
     "is wrong with it."},
    {"counter_reset", S::warning,
     "A device's counter went down while the case was measured, as it does when a driver is loaded anew: what was "
     "added is not known.",
     "Find out what reset it (the driver's log) and run again."},
    {"not_available", S::note,
     "The devices do not have what an expectation limits, and their backend says so: it is neither passed nor "
     "failed.",
     "Nothing, if the device is what it should be: a board without links counts no errors of links."},
    {"no_peers", S::warning,
     "There are fewer devices of this model than a comparison with peers takes, and the suite says that the comparison is left out then: "
     "the row is held to its other limits only.",
     "Nothing, if there are no more devices; a baseline of healthy ones (`assay baseline`) compares a single one, too."},
    {"peak_refused", S::warning,
     "The backend gives a peak that can't be one: not a finite number above zero, or in another unit than the metric "
     "that it is for. It was not used.",
     "Report it to the backend's vendor; a peak of your own goes before the cited ones with --peaks."},
    {"device.quarantined", S::error,
     "The device was withdrawn from this run because it was lost or because workers of two benchmarks died "
     "on it. Cases that need it were not run.",
     "See the earlier reasons about the same device; run again when they are settled."},
    {"state.changed", S::error,
     "The plugin changed the state of its process (floating-point mode, locale, working directory, environment, "
     "signals, timers, affinity, priorities, memory policy, limits, filters, umask, standard streams, children, "
     "threads that never rest) and did not restore it. Nobody can say which figures that touched, so they are not shown. As a flag: the plugin "
     "left processes, or many more threads or descriptors. The worker was replaced; later cases are not affected.",
     "Report it to the plugin's vendor; the text says what was changed."},
    {"state.loaded", S::warning,
     "The plugin's library changed the floating-point mode when it was loaded, which was put back: it was "
     "probably linked with -ffast-math.",
     "Report it to the plugin's vendor: link without -ffast-math, or with -mno-daz-ftz where the compiler knows it."},
    {"memory.leaked", S::warning, "The plugin ended the case and still held memory; the worker was replaced.",
     "Report it to the plugin's vendor."},

    // ---- What was not there
    {"requires.unmet", S::unmet, "The suite or case names a requirement that this machine does not meet.",
     "Run on a machine that has it, or change `requires`, `backend` or `devices`."},
    {"devices.missing", S::unmet,
     "The suite wants every device of the machine (`policy: {complete: true}`), and one that the bus, the driver "
     "or a library knows is not among those that can be used. Nobody left it out on purpose.",
     "Look at the kernel's log and at `assay system --json` (`census`); give the device back, or leave it out by "
     "the backend's own variable."},
    {"devices.unknown", S::unmet,
     "The suite wants every device of the machine (`policy: {complete: true}`), and the backend does not say "
     "which there should be.",
     "State the number instead: --require devices=N."},
    {"devices.unstated", S::unmet,
     "The suite wants to be told how many devices there should be (`policy: {stated: true}`), and nobody did.",
     "Give --require devices=N, or --site FILE."},
    {"site.differs", S::unmet, "The machine is not what the site file says.",
     "Mend the machine; if it is right, write the file anew: assay system --write-site FILE."},
    {"when.unmet", S::note, "The case's `when` names something that this machine does not have.",
     "Nothing is wrong. Write `requires` instead if the machine must have it."},
    {"needs.library", S::unmet, "A library that the plugin needs is not installed where it was searched.",
     "Install what the text names, or give its folder with --library-path."},
    {"condition.unsupported", S::unmet,
     "The plugin cannot measure under the condition that the case asks for (cache, launch, data, thermal).",
     "Choose a condition that `assay describe NAME` lists."},
    {"case.skipped", S::unmet, "The case cannot run here, for the reason that is given.",
     "Nothing has to be done if this machine is not meant to run it; otherwise remove the reason."},
    {"case.not-run", S::error,
     "The case was planned and has no finished visit: the run ended before its turn.",
     "Run again with --resume."},
    {"run.interrupted", S::error,
     "The run was stopped by a signal; the result holds what was finished before.",
     "Run again with --resume to complete it."},
    {"run.incomplete", S::error,
     "Visits are missing: the journal ends early because the run was killed, or a part of the journal cannot be "
     "read. The result holds every finished visit that can be read.",
     "Run again with --resume to complete it."},
    {"run.left-out", S::warning,
     "The journal has rounds that no line of it planned, as far as its lines can be read. They were measured, and are not judged.",
     "The verdict is that of the other rounds; measure anew for one of more."},
    {"run.shortened", S::note,
     "The result would be larger than reporters take. The largest cases are shortened: samples, timeline and "
     "log first, then all but the first of many values and checks; what was judged stays. The journal has "
     "everything.",
     "Split the suite, or take fewer values; 'journal.jsonl' beside the result has all of them."},
    {"run.nothing-ran", S::unmet, "Not one case ran: all were skipped, filtered out or never started.",
     "Look at the reasons of single cases, or at --filter."},

    // ---- Results that cannot be used
    {"verify.wrong", S::failure,
     "The benchmark computed a wrong result: too many checked values were outside the tolerance. Nothing "
     "that it "
     "measured is published as a rate.",
     "Suspect a new plugin's own code; of one that has worked, memory, link or clock: repeat on the same "
     "device, then on another."},
    {"verify.missing", S::failure,
     "The benchmark measured a rate but verified no result; without verification no rate is published.",
     "Use a benchmark that verifies; the plugin's author adds `verify`."},
    {"result.missing", S::error, "A value that the benchmark declares was not given, or no sample was taken.",
     "See the log's tail; raise `max_time` if no sample fitted into it."},
    {"result.not-finite", S::error, "A measured value was infinite or not a number.",
     "Report it to the plugin's vendor with the case's parameters."},
    {"result.zero", S::error, "A time or rate was zero or negative, which no measurement can be.",
     "Report it to the plugin's vendor with the case's parameters."},
    {"guard.rate-above-peak", S::invalid,
     "The rate is above what the hardware can do: more than 110 % of a cited peak, or 102 % of a measured one "
     "and, for copies one way, of a link's. "
     "Work is counted twice, not all of it was done, time is missing, or the peak belongs to another device.",
     "Check the counting rule in `assay describe NAME` and the peak's source in the result."},
    {"case.skipped-in-part", S::error,
     "Some rounds or samples of the case were skipped and others were measured, so values are missing. What "
     "was measured was judged; no expectation failed.",
     "Find out why it can run here at one time and not at another; the text has what was said."},
    {"guard.impossible-number", S::invalid,
     "A command reports a time that is zero or negative, or a negative rate. It read something else, or its "
     "own arithmetic is wrong.",
     "Run the command by hand, and look at what the metric's `json` or `pattern` takes; a difference of times "
     "is not a time: leave its `unit` out."},
    {"guard.device-above-host", S::invalid,
     "The time by the device's clock is longer than the time that passed around it by the host's clock. One of the clocks is wrong, "
     "so neither time nor rate can be used.",
     "Report it to the plugin's vendor."},
    {"guard.time-not-proportional", S::invalid,
     "Twice as many iterations did not take about twice as long: the timed region does not contain the work, or "
     "does the work only once.",
     "Measure again on a quiet machine. If the reason stays, the plugin's timed region is wrong: report it to "
     "the plugin's vendor."},
    {"guard.laps-differ", S::invalid,
     "The durations of single iterations that the plugin gave do not add up to what it says that the sample "
     "took. One of the two is wrong, so neither percentiles nor a rate can be used.",
     "Report it to the plugin's vendor."},
    {"guard.moments-impossible", S::invalid,
     "The plugin says that a sample began or ended outside of the call that measured it, ended before it began, "
     "or took more of the host's time than the call did. Its clock is not the host's.",
     "Report it to the plugin's vendor: begin_ns and end_ns are readings of now_ns(), or 0."},
    {"guard.time-missing", S::invalid,
     "In nine of ten samples the times that the plugin gave are less than half of what its calls took. Work "
     "that counts was done outside of the timed regions, or their times are too short.",
     "Report it to the plugin's vendor; a benchmark whose samples are sums of parts of a call says so in its "
     "traits (ASSAY_TRAIT_PARTS)."},
    {"guard.work-left-behind", S::invalid,
     "When its samples had ended, work of the plugin was still under way: settle, the first verification after "
     "the samples or release waited for it. The samples hold the time to queue work, not to do it.",
     "Report it to the plugin's vendor: a region ends when its work is done, not when it is queued."},
    {"guard.slow-when-new", S::invalid,
     "The work on inputs that the plugin had not seen took more than ten times as long as once more on the same "
     "ones: it keeps results, and samples did not compute them.",
     "Report it to the plugin's vendor; each iteration has to do the work that it counts."},
    {"verify.stale", S::failure,
     "After the samples the inputs were changed and one more sample was taken; its result was not that of the "
     "new inputs. The timed region does not do the work, does it once only, or does other work than what "
     "is verified.",
     "Report it to the plugin's vendor; nothing that the benchmark measured is published."},
    {"unlike_ranks", S::note,
     "The ranks do different work in an iteration, as the stages of a pipeline do. Rates add it up.",
     "Nothing: a rank that is slower than others is expected here, and no straggler."},
    {"work_declared", S::note,
     "The plugin declared how much work an iteration is, and Assay could not see it done: its inputs cannot "
     "be changed between samples.",
     "Trust the rate as far as you trust the plugin; its author adds `reseed`."},
    {"time_in_parts", S::note,
     "The plugin says that its samples are sums of parts of a call, and that what lies between them is not work "
     "that counts.",
     "Trust it as far as you trust the plugin."},
    {"guard.part-above-sample", S::invalid,
     "The plugin says that a part of a sample took longer than the sample did, or less than no time.",
     "Report it to the plugin's vendor: a part is given in seconds of one iteration."},
    {"guard.conditions-differ", S::invalid,
     "What the samples say was done (flushed, rotated, graph) is not what the case's conditions ask for.",
     "Report it to the plugin's vendor."},

    // ---- Judged
    {"check.failed", S::failure, "A check that the plugin makes about its subject did not pass.",
     "The check's text names the subject and what is wrong with it."},
    {"expectation.failed", S::failure,
     "The metric, with its interval, lies wholly outside the limit that the suite sets.",
     "Look at the case's flags and telemetry: clocks, throttling and other programs explain most shortfalls."},
    {"expectation.undecided", S::warning,
     "The limit lies inside the interval: the measurement cannot tell on which side the truth is.",
     "Go on with the run (`assay run SUITE --extend RUN`): open verdicts get twice the rounds. `assay plan SUITE --see 1% RESULT` says how many an effect takes."},
    {"expectation.no-reference", S::failure,
     "The limit refers to a peak, a reference, a baseline or peers that are not known, so the expectation could not be "
     "judged.",
     "Give the peak, the reference row or the baseline, or write an absolute limit; where devices may be too few for a comparison with peers, "
     "`{that: …, alone: skip}` leaves it out and says so."},
    {"expectation.not-judged", S::failure, "The expectation names something that this case has no value for.",
     "The text says which value is missing and why."},
    {"group.failed", S::failure, "A group check over several cases lies wholly outside its limit.",
     "Look at the members: one that stands apart points at its device."},
    {"group.undecided", S::warning, "The limit of a group check lies inside the interval.",
     "Go on with the run (`assay run SUITE --extend RUN`): open verdicts get twice the rounds. `assay plan SUITE --see 1% RESULT` says how many an effect takes."},
    {"group.no-reference", S::failure,
     "A group check refers to a peak, reference or baseline that is not known.",
     "Give the peak or the reference row, or write an absolute limit."},
    {"group.not-judged", S::failure,
     "A group check has a member without a result; a spread over fewer members than planned would be green "
     "by accident.",
     "Settle the member that the text names first."},
    {"group.nothing-to-compare", S::failure,
     "A group check compares its members with each other and has one only, a single device for instance: it "
     "could not fail, so nothing was judged, and that fails it; with `alone: skip` it is skipped.",
     "Find out where the others are (`assay system`); if one is all there is, leave the expectation out."},
    {"run.not-judged", S::unmet,
     "The run was made under --wrap, whose tool is in all times: its figures are shown, and no expectation was "
     "judged. Such a run is not passed.",
     "Run without --wrap for a verdict."},
    {"run.slower", S::failure,
     "With --pairs: the second variant is shown to be slower than the first, or failed where the first passed.",
     "The comparison says in which rows: `assay report FOLDER/comparison.json`."},
    {"run.not-compared", S::unmet, "With --pairs: no row of both variants could be compared.",
     "The comparison says why: `assay report FOLDER/comparison.json`."},
    {"run.asks-less", S::warning,
     "The suite that judged the run leaves out what the suite that was run asks for, or asks it in other words.",
     "Put it back for the verdict that was asked for; `assay report RUN` has that of the run."},
    {"finding.not-confirmed", S::failure, "A finding with `assert: confirmed` has another verdict.",
     "Read the finding's rows in the report."},
    {"reporter.failed", S::error, "A report could not be made; the result document itself is whole.",
     "Render again with `assay report RESULT --report NAME`."},

    // ---- Why there is no interval
    {"interval.few-samples", S::note,
     "Fewer than six samples and fewer than three rounds: too few for an interval.",
     "Raise `samples` or `max_time`, or take three rounds (`processes: 3`)."},
    {"interval.no-end", S::note,
     "The samples scatter so much, or depend so much on each other, that an interval around the value would have no "
     "end.",
     "Take three rounds or more (`processes: 5`), or look for what else runs on the machine."},
    {"interval.one-value", S::note,
     "Every value that was given is the same: there is nothing to give an interval of.", "Nothing."},
    {"interval.observed", S::note,
     "The value is what was seen, not an estimate: a limit faces every value of it, and no interval is needed.",
     "Nothing; if it varies from run to run as a measurement does, let its benchmark or `as: measured` say so."},
    {"interval.derived", S::note,
     "A derived quantity has an interval of its own from three rounds on, where it has one value in each round. "
     "Verdicts rely on those of its parts.",
     "Take three rounds or more (`processes: 3`)."},

    // ---- Flags: nothing is removed, but the reader is told
    {"ranks_differ", S::note,
     "Ranks of the case recorded different values or facts. A limit faces what every rank says.",
     "If they should be alike, look at the ranks that the flag names."},
    {"one_run", S::warning,
     "Fewer than three rounds: the interval beside the value shows where its samples lie, and not what the next "
     "run would give.",
     "Take three rounds (`processes: 3`), or leave --quick out."},
    {"unsteady", S::warning,
     "The level moved while it was measured: the halves of visits differ by more than half a percent, and by more than "
     "chance explains (99 %).",
     "Warm up longer (`thermal: sustained`), or see clocks, temperature and what else runs on the machine."},
    {"wide", S::warning,
     "The interval is wider than the precision that the suite asks for, or leaves a limit or a claim open.",
     "Take more rounds (`processes`), or accept the interval that is printed."},
    {"disturbed", S::warning,
     "Other programs, or the hypervisor, had more than 5 % of the processors that the case may use while it was measured.",
     "End what else runs on the machine, give the case processors of its own (`bind`, taskset), and measure again."},
    {"fact_changed", S::note,
     "A fact that the plugin declares (a chosen algorithm, a thread count) differs between rounds.",
     "Fix the choice by a parameter or variable, or judge the values as two cases."},
    {"laps_omitted", S::note, "There were too many iterations to keep the duration of each.",
     "Use fewer samples if percentiles of single iterations are wanted."},
    {"shortened", S::note,
     "The result was too large, and this case took more than its share of the space: the flag says what was left out.",
     "Look into the journal for what is missing, or split the suite."},
    {"max_samples", S::note,
     "The case stopped at the largest number of samples, with an interval wider than the suite asked for.",
     "Accept the interval that is printed, or take several rounds (`processes: 5`)."},
    {"max_time", S::note,
     "The case stopped after its `max_time`, with an interval wider than the suite asked for.",
     "Raise `max_time`, or accept the interval that is printed."},
    {"launch_bound", S::note,
     "The host's time around the timed region is more than 1.2 times the device's: the device waits for "
     "launches.",
     "Choose `launch: graph`, or a larger problem."},
    {"not_verified", S::warning, "The benchmark has no result that could be verified.",
     "Treat the figure as a time without proof that the work was done."},
    {"power_capped", S::note, "The device was at its power limit, which is normal for sustained products.",
     "Nothing, unless the limit is lower than it should be (`assay system`)."},
    {"quick", S::note, "Taken with --quick: one round, few samples, short times. Never a baseline.",
     "Run without --quick for figures to keep."},
    {"slower_together", S::warning,
     "More ranks or devices do less together than fewer did, in items or operations a second of all of them.",
     "Look at what they wait for (`exposed_communication`, `wait`), at shared processors and links, and at whether "
     "both rows do the same work."},
    {"reported", S::note,
     "The figure is what an external command printed. Assay ran it and read the number; it measured only how "
     "long the command took.",
     "Trust it as far as you trust the command; take `samples` or `processes` for an interval between its "
     "runs."},
    {"resolution_limited", S::note, "The clock's tick is coarser than the precision that was asked for.",
     "Let a sample hold more iterations, or accept the tick as precision."},
    {"retried", S::note,
     "There is an earlier attempt: one that did not pass, or (--failed) one that is judged together with "
     "such. The figures are the last attempt's; the text says how the earlier one ended.",
     "See the case's visits for what happened before."},
    {"shared_device", S::warning,
     "Another process used the device while samples were taken (`device.shared`).",
     "End it, or take the device for yourself, and measure again."},
    {"shared_processors", S::note,
     "Another run of assay on this machine measured at the same time, and both may use the same processors.",
     "Let it end and measure again; `policy: {alone: true}` in the suite keeps others away."},
    {"simulated", S::warning, "Times come from a simulated clock: they say nothing of this machine.",
     "Use the result for tests only."},
    {"start_skew", S::note,
     "Ranks began their samples so far apart that waiting for the last one is more than 5 % of a sample.",
     "End what else runs on the machine, give each rank a processor of its own, or let samples last longer."},
    {"straggler", S::warning,
     "One rank was the slowest far more often than its share and than chance explains, and slower in its "
     "median, too.",
     "Look at that rank's device and binding."},
    {"uneven_time", S::note,
     "Time was not seen to grow evenly with iterations (twice as many take 1.6 to 2.4 times as long; a second and a third add "
     "about the same): other programs had the processors, or an iteration takes longer the more of them a sample holds.",
     "End what else runs on the machine, or bind the case to processors of its own, and measure again; what stays is the "
     "benchmark's."},
    {"proportion_untested", S::note,
     "Samples are so long that it was not tested whether twice as many iterations take twice as long: that would have taken more "
     "than a tenth of the visit's time.",
     "Raise `max_time`, or let a sample hold less work, if the benchmark is not known to be sound."},
    {"fixed_cost", S::note,
     "More than 5 % of a sample does not grow with its iterations: a start, a wait, a completion. Rates are then work over the "
     "time that grows (statistic `slope`), unless this may be a whole sample; durations of an iteration hold their share of it.",
     "Let a sample hold more work if the rate of long work is wanted, or read the duration if the start belongs to it."},
    {"mean_differs", S::note,
     "The mean of a duration is more than 5 % from its median: some of the times are much longer than most.",
     "Take the mean where times add up, the median for what is usual, and see p95 and p99 of the case's times."},
    {"wrapped", S::note, "Measured under --wrap: times include the tool around it, so nothing is judged.",
     "Run without --wrap for figures to judge."},
    {"done_differs", S::invalid, "What the samples say was done is not what the conditions ask for.",
     "Report it to the plugin's vendor."},
    {"throttled", S::warning,
     "The device lowered its clock because of heat or a power brake during the samples.",
     "Check cooling and power supply; the figure is of a throttled device."},
};

}  // namespace

const std::vector<ReasonRow>& reason_table() {
  static const std::vector<ReasonRow> table = [] {
    std::vector<ReasonRow> rows(std::begin(kRows), std::end(kRows));
    std::sort(rows.begin(), rows.end(),
              [](const ReasonRow& a, const ReasonRow& b) { return a.code < b.code; });
    return rows;
  }();
  return table;
}

const ReasonRow* find_reason(std::string_view code) {
  const std::vector<ReasonRow>& table = reason_table();
  const auto at = std::lower_bound(table.begin(), table.end(), code,
                                   [](const ReasonRow& row, std::string_view key) { return row.code < key; });
  return at != table.end() && at->code == code ? &*at : nullptr;
}

std::string reasons_markdown() {
  std::string page =
      "<!-- Made from core/result/reasons.cpp; a test compares. -->\n"
      "# Reason codes\n\n"
      "`assay explain CODE` prints one of these. Severities, most severe first: `error` (the case or run "
      "could not be "
      "measured), `failure` (measured and not good enough), `invalid` (cannot be true), `unmet` (not there), "
      "`warning`, `note`.\n";
  for (const ReasonRow& row : reason_table()) {
    page += "\n## `" + std::string(row.code) + "`\n\n";
    page += "*" + std::string(to_text(row.severity)) + ".* " + std::string(row.meaning) + "\n\n";
    page += "**Next:** " + std::string(row.next) + "\n";
  }
  return page;
}

}  // namespace assay::result
