// SPDX-License-Identifier: Apache-2.0
#include "suite/key_table.hpp"

#include "model/measure_options.hpp"

#include <algorithm>
#include <set>

namespace assay::suite {

namespace {

constexpr double kDay = 86400;

Key limited(Key key, double least, double most) {
  key.minimum = least;
  key.maximum = most;
  return key;
}

Form form_of(const model::MeasureKey& option) {
  if (!option.words.empty()) return Form::choice;
  return option.unit == "%" ? Form::percent : option.unit == "s" ? Form::duration : Form::count;
}

std::vector<Key> make_keys() {
  using enum KeyId;
  using P = Place;
  using F = Form;
  constexpr std::string_view v = "0.1";
  std::vector<Key> table;
  const auto add = [&](Key key) -> Key& { return table.emplace_back(std::move(key)); };

  add({suite_schema, P::suite, "$schema", F::url, "Address of the schema, for editors; not read.", "", v,
       "schema/suite.schema.json"});
  add({suite_version, P::suite, "version", F::version, "Version of the suite language: 1.", "", v, "1"})
      .required = true;
  add({suite_name, P::suite, "suite", F::name, "Name of the suite, in results and file names.", "", v,
       "node-acceptance"})
      .required = true;
  add({suite_description, P::suite, "description", F::text, "What the suite finds out, in one sentence.", "",
       v, "Is this node as fast as its datasheet says?"});
  add({suite_requires, P::suite, "requires", F::requirement,
       "What the machine must have. Unmet, nothing runs and the exit code is 6.", "", v,
       "{backend: cuda, devices: 8}"});
  add({suite_policy, P::suite, "policy", F::policy,
       "What holds for a run of the suite, whatever options are given.", "", v, "{strict: true}"});
  add({suite_include, P::suite, "include", F::files,
       "Suites whose cases, derived metrics and findings come first and whose defaults hold here, too. "
       "Relative to this file.",
       "", v, "[common.yaml]"});
  add({suite_defaults, P::suite, "defaults", F::defaults,
       "Keys of a case that hold for all cases of this file. Maps merge key by key; scalars and lists "
       "replace.",
       "", v, "{timeout: 2min}"});
  add({suite_cases, P::suite, "cases", F::cases, "What is measured, in the order of the report.", "", v,
       "[{id: gemm, uses: gemm}]"})
      .required = true;
  add({suite_derive, P::suite, "derive", F::expressions,
       "Metrics computed from others, for each case that has those.", "", v,
       "{efficiency: throughput / power}"});
  add({suite_findings, P::suite, "findings", F::findings,
       "Questions, the claims that answer them, and what to do.", "", v,
       "[{id: f, question: \"Is it fast?\", let: {a: \"gemm[].throughput\"}, claim: a > 1 TFLOP/s}]"});

  add({case_id, P::one_case, "id", F::name, "Name of the case; identifiers, selectors and --set use it.", "",
       v, "gemm"})
      .required = true;
  add({case_uses, P::one_case, "uses", F::benchmark,
       "The benchmark: NAME, NAME@BACKEND or NAME@BACKEND:PLUGIN.", "", v, "gemm"})
      .required = true;
  add({case_backend, P::one_case, "backend", F::backends, "Backends to run on, in order of preference.",
       "what 'requires' says", v, "[cuda, host]"});
  add({case_with, P::one_case, "with", F::parameters, "Values of parameters. They are no axes.",
       "the benchmark's defaults", v, "{m: 8192, dtype: bf16}"});
  add({case_matrix, P::one_case, "matrix", F::matrix,
       "Axes: every combination of their values is measured. An axis is a parameter, env.NAME, a reserved "
       "word such as bind, or a name for maps that set several parameters.",
       "", v, "{dtype: [fp32, bf16], env.NCCL_ALGO: [~, Ring]}"});
  add({case_env, P::one_case, "env", F::environment, "Environment variables of the workers; ~ removes one.",
       "", v, "{NCCL_DEBUG: WARN, NCCL_ALGO: ~}"});
  add({case_devices,
       P::one_case,
       "devices",
       F::devices,
       "each: one case a device. all: all devices in one case. pairs: each ordered pair. N: the first N. "
       "Or a list.",
       "the fewest that the benchmark needs",
       v,
       "each",
       {"each", "all", "pairs"},
       1,
       4096})
      .axis = true;
  add({case_load,
       P::one_case,
       "load",
       F::choice,
       "With devices: each, whether the devices run in turn or all at once.",
       "alone",
       v,
       "together",
       {"alone", "together"}})
      .axis = true;
  add(limited(
          {case_ranks, P::one_case, "ranks", F::count, "Processes in one visit.", "one per device", v, "4"},
          1, 1024))
      .axis = true;
  add({case_bind,
       P::one_case,
       "bind",
       F::bind,
       "CPUs and memory of the workers. none: all that the job may use. inherit: what the caller had. "
       "local: the node of the rank's device. remote: the farthest node with memory. Or nodes by number.",
       "none",
       v,
       "local",
       {"none", "inherit", "local", "remote"}})
      .axis = true;
  add({case_processes,
       P::one_case,
       "processes",
       F::count,
       "Rounds with fresh processes. Claims need three; intervals then cover run-to-run variation.",
       "1",
       v,
       "6",
       {},
       1,
       1000});
  add({case_measure, P::one_case, "measure", F::measure, "How to measure.", "", v,
       "{precision: 1%, max_time: 2s}"});
  add({case_timeout,
       P::one_case,
       "timeout",
       F::duration,
       "Time for one visit, preparation included; then it is ended.",
       "computed from 'measure'",
       v,
       "2min",
       {},
       0,
       7 * kDay});
  add({case_requires, P::one_case, "requires", F::requirement,
       "What the machine must have for this case, beyond what the suite requires. Unmet, nothing runs and the "
       "exit code is 6.",
       "", v, "{devices: 8}"});
  add({case_when, P::one_case, "when", F::requirement,
       "What the machine has to have for this case to be run. Otherwise the case is skipped.", "", v,
       "{devices: \">=2\"}"});
  add({case_reference, P::one_case, "reference", F::point, "The row that deltas refer to: a value for axes.",
       "", v, "{env.NCCL_ALGO: ~}"});
  add({case_expect, P::one_case, "expect", F::expectations,
       "Conditions that must hold. Each is a row of the report.", "", v, "[throughput >= 60% of peak]"});
  add({case_command, P::one_case, "command", F::arguments,
       "With uses: external, the program and its arguments, run without a shell. {NAME} is a parameter's "
       "value as written, {device_count} the number of devices; {{NAME}} is {NAME} itself.",
       "", v, "[all_reduce_perf, -b, 1G, -e, 1G, -g, \"{device_count}\"]"});
  add({case_shell, P::one_case, "shell", F::text,
       "With uses: external, a command line for /bin/sh, instead of 'command'. It has no placeholders; "
       "values reach it as environment variables.",
       "", v, "\"./health.sh | tail -n 1\""});
  add({case_directory, P::one_case, "directory", F::text,
       "With uses: external, the working folder, relative to this file.", "where assay was started", v,
       "scripts"});
  add({case_exit, P::one_case, "exit", F::exit,
       "With uses: external, what exit statuses mean. All others fail the case.",
       "passed: 0, or any if a metric is the exit status", v, "{passed: 0, skipped: 77}"});
  add({case_verify, P::one_case, "verify", F::verify,
       "With uses: external, what shows that the program checked its own results. Without it the case is "
       "flagged not_verified.",
       "", v, "{pattern: \"Out of bounds values : 0 OK\"}"});
  add({case_metrics, P::one_case, "metrics", F::metrics,
       "With uses: external, numbers to be read from the program's output. The first leads the tables.", "",
       v, "{busbw: {pattern: \"Avg bus bandwidth *: ([0-9.]+)\", unit: GB/s}}"});

  add({requires_backend, P::requirement, "backend", F::backends,
       "Backend, or several in order of preference. host is never a fallback unless it is listed.", "", v,
       "cuda"});
  add(limited({requires_devices, P::requirement, "devices", F::device_count,
               "Number of devices: exactly N, or \">=N\".", "", v, "\">=2\""},
              1, 4096));
  add({requires_memory, P::requirement, "memory", F::memory, "Least memory of each device.", "", v, "40GiB"});
  add({requires_driver, P::requirement, "driver", F::version_text,
       "Version of the backend's driver: exactly so, or \">=N\".", "", v, "\">=580\""});
  add({requires_libraries, P::requirement, "libraries", F::libraries,
       "Libraries that plugins need: nccl is libnccl.so. Without this, a case whose library is missing is skipped.",
       "", v, "[nccl, cublasLt]"});

  const auto policy = [&](KeyId id, std::string_view name, std::string_view doc) {
    add({id, P::policy, name, F::flag, doc, "false", v, "true"});
  };
  policy(policy_strict, "strict", "Undecided and skipped are failures, too, as with --strict.");
  policy(policy_complete, "complete",
         "Every device that bus, driver or a library knows is there. Else exit 6.");
  policy(policy_stated, "stated", "'requires', --require or --site says how many devices. Else exit 6.");
  policy(policy_alone, "alone", "No run of assay uses the same processors at the same time. Else exit 5.");

  for (const model::MeasureKey& option : model::kMeasureKeys)
    add({measure_option, P::measure, option.name, form_of(option), option.doc, option.fallback, option.since,
         option.example, model::words_to_choose(option), option.minimum, option.maximum})
        .axis = option.condition;

  add({matrix_exclude, P::matrix, "exclude", F::points,
       "Points to leave out: axis to value or list. A point goes if all its terms match.", "", v,
       "[{dtype: fp32, bytes: [1MiB, 2MiB]}]"});
  add({matrix_include, P::matrix, "include", F::points, "Whole points to append: a value for every axis.", "",
       v, "[{dtype: bf16, bytes: 3MiB}]"});

  add({range_from, P::range, "from", F::scalar, "First value.", "", v, "1KiB"}).required = true;
  add({range_to, P::range, "to", F::scalar, "Last value; the range must hit it exactly.", "", v, "1GiB"})
      .required = true;
  add({range_factor, P::range, "factor", F::factor, "Each value is the last times this.", "", v, "32"});
  add({range_step, P::range, "step", F::scalar, "Each value is the last plus this.", "", v, "256MiB"});

  add({bind_cpu, P::bind, "cpu", F::node, "NUMA node of the CPUs.", "", v, "node:0"}).required = true;
  add({bind_memory, P::bind, "memory", F::node, "NUMA node of the memory.", "", v, "node:1"}).required = true;

  add({expect_that, P::expectation, "that", F::relation, "The condition, an expression with one comparison.",
       "", v, "throughput >= 65% of peak"})
      .required = true;
  add({expect_where, P::expectation, "where", F::match, "Only for points with these values.", "all points", v,
       "{dtype: [fp32, tf32]}"});
  add({expect_say, P::expectation, "say", F::text, "What to do if it doesn't hold. No numbers.", "", v,
       "Check clocks and cooling."});
  add({expect_alone,
       P::expectation,
       "alone",
       F::choice,
       "What becomes of a check that compares rows where there is one only: skip it, and say so.",
       "it is not judged, which fails it",
       v,
       "skip",
       {"skip"}});

  add({exit_passed,
       P::exit,
       "passed",
       F::statuses,
       "Exit statuses of a run that went well.",
       "0",
       v,
       "[0, 3]",
       {},
       0,
       255});
  add({exit_skipped,
       P::exit,
       "skipped",
       F::statuses,
       "Exit statuses by which the program says that it cannot run here.",
       "",
       v,
       "77",
       {},
       0,
       255});

  add({verify_pattern, P::verify, "pattern", F::text,
       "Regular expression that a line of the output must match.", "", v, "\"Out of bounds values : 0 OK\""});
  add({verify_exit,
       P::verify,
       "exit",
       F::count,
       "Exit status by which the program says that its results are right.",
       "",
       v,
       "0",
       {},
       0,
       255});

  add({metric_json, P::metric, "json", F::text,
       "JSON pointer into standard output: one document, or one a line. An array gives values with an index, "
       "an array of arrays with two.",
       "", v, "/nvbandwidth/testcases/0/sum"});
  add({metric_pattern, P::metric, "pattern", F::text,
       "Regular expression (RE2's syntax: no back-references, no look-around) for one line of the output. Its "
       "last group is the value; groups before it, two at most, are indices.",
       "", v, "\"Avg bus bandwidth *: ([0-9.]+)\""});
  add({metric_from,
       P::metric,
       "from",
       F::choice,
       "exit: the value is the exit status.",
       "",
       v,
       "exit",
       {"exit"}});
  add({metric_take,
       P::metric,
       "take",
       F::choice,
       "Of several values of one run: the first, the last, or all as samples.",
       "several are an error",
       v,
       "last",
       {"first", "last", "all"}});
  add({metric_unit, P::metric, "unit", F::text, "Unit of the number as it is printed.", "a plain number", v,
       "GB/s"});
  add({metric_direction,
       P::metric,
       "direction",
       F::choice,
       "Which way is better.",
       "higher for what is per second, lower for a time, else none",
       v,
       "higher",
       {"higher", "lower", "none"}});
  add({metric_as,
       P::metric,
       "as",
       F::choice,
       "How limits face the number: every value one by one (observed), or an interval over rounds (measured).",
       "measured for a time and for what is per second, else observed",
       v,
       "measured",
       {"observed", "measured"}});

  add({finding_id, P::finding, "id", F::name, "Name of the finding.", "", v, "numa-binding"}).required = true;
  add({finding_question, P::finding, "question", F::text, "What you want to know, as a question.", "", v,
       "Does binding to the device's NUMA node speed up host copies?"})
      .required = true;
  add({finding_let, P::finding, "let", F::let,
       "Names for rows of cases: CASE[axis=value].METRIC or best(...).", "", v,
       "{bound: \"h2d[bind=local].bandwidth\"}"})
      .required = true;
  add({finding_claim, P::finding, "claim", F::relation,
       "The answer to be tested, an expression over the names of 'let'.", "", v, "bound >= 1.05 * free"})
      .required = true;
  add({finding_over,
       P::finding,
       "over",
       F::percent,
       "Smaller effects count as none.",
       "2%",
       v,
       "2%",
       {},
       0,
       1});
  add({finding_assert,
       P::finding,
       "assert",
       F::choice,
       "confirmed: the run fails unless the claim is confirmed. Findings never change the exit code "
       "otherwise.",
       "",
       v,
       "confirmed",
       {"confirmed"}});
  add({finding_confirmed, P::finding, "confirmed", F::verdict,
       "What to say and do if the claim is confirmed.", "", v,
       "{say: \"Bind every rank: {effect} faster.\", do: numactl --cpunodebind=N}"});
  add({finding_refuted, P::finding, "refuted", F::verdict, "What to say and do if it is refuted.", "", v,
       "{say: Leave binding to the scheduler.}"});
  add({finding_undecided, P::finding, "undecided", F::verdict, "What to say and do if it stays undecided.",
       "", v, "{say: Measure more rounds.}"});

  add({verdict_say, P::verdict, "say", F::text,
       "One sentence. {effect}, {interval}, {theta}, {rounds}, {left}, {right} and {at} are filled in; "
       "numbers are not allowed.",
       "", v, "\"Bind every rank: {effect} faster.\""});
  add({verdict_do, P::verdict, "do", F::text, "A command or step.", "", v,
       "numactl --cpunodebind=N --membind=N"});
  return table;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

std::vector<const Key*> keys_of(Place place) {
  std::vector<const Key*> found;
  for (const Key& key : keys())
    if (key.place == place) found.push_back(&key);
  return found;
}

const Key* find_key(Place place, std::string_view name) {
  for (const Key& key : keys())
    if (key.place == place && key.name == name) return &key;
  return nullptr;
}

std::vector<std::string> key_names(Place place) {
  std::vector<std::string> names;
  for (const Key* key : keys_of(place)) names.emplace_back(key->name);
  return names;
}

std::vector<std::string> axis_words() {
  std::vector<std::string> words;
  for (const Key& key : keys())
    if (key.axis) words.emplace_back(key.name);
  return words;
}

const std::vector<std::string>& reserved_words() {
  static const std::vector<std::string> words = [] {
    // What identifiers, expressions and results use by themselves.
    std::set<std::string> found = {"device", "rank", "node",     "round", "process", "env", "case", "over",
                                   "of",     "peak", "baseline", "time",  "p50",     "p90", "p95",  "p99",
                                   "min",    "max",  "mean",     "sum",   "spread",  "best"};
    for (const Key& key : keys())
      if (key.place == Place::one_case || key.place == Place::measure || key.place == Place::matrix)
        found.emplace(key.name);
    return std::vector<std::string>(found.begin(), found.end());
  }();
  return words;
}

bool is_reserved(std::string_view word) {
  const auto& words = reserved_words();
  return std::binary_search(words.begin(), words.end(), word);
}

}  // namespace assay::suite
