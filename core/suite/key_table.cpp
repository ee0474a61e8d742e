// SPDX-License-Identifier: Apache-2.0
#include "suite/key_table.hpp"

#include "model/measure_keys.hpp"
#include "suite/case_reader.hpp"
#include "suite/external.hpp"
#include "suite/finding_reader.hpp"
#include "suite/table_reader.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <set>
#include <type_traits>

namespace assay::suite {

void Measure::state(const model::MeasureKey& key, const Json& value, const Position& position) {
  model::set_value(values, key, value);
  std::erase_if(stated, [&](const auto& one) { return one.value == key.member; });
  stated.push_back({key.member, position});
}

namespace {

constexpr double kDay = 86400;

// What a row is bound to: a member of the structure that its place is read into, or a function that reads into
// that structure.
struct KeyBinding {
  KeyScope place;
  decltype(Key::read) read;

  KeyBinding(KeyScope of, decltype(Key::read) reader) : place(of), read(std::move(reader)) {}
  template <typename Struct, typename Member>
  KeyBinding(Member Struct::*member)
      : KeyBinding(kPlaceOf<Struct>,
                   [member](const MapFields& fields, const Key& key, const Node& node, void* out) {
                     fields.read(key, node, static_cast<Struct*>(out)->*member);
                   }) {}
  template <typename Struct>
  KeyBinding(void (*reader)(const MapFields&, const Key&, const Node&, Struct&))
      : KeyBinding(kPlaceOf<Struct>,
                   [reader](const MapFields& fields, const Key& key, const Node& node, void* out) {
                     reader(fields, key, node, *static_cast<Struct*>(out));
                   }) {}
};

// Keys of a case that are for commands only: it is kept which were used.
template <typename Bound>
KeyBinding external(Bound bound) {
  return {KeyScope::one_case, [bound](const MapFields& fields, const Key& key, const Node& node, void* out) {
            External& command = static_cast<SuiteCase*>(out)->external;
            if constexpr (std::is_member_pointer_v<Bound>) {
              fields.read(key, node, command.*bound);
            } else {
              bound(fields, key, node, command);
            }
            command.keys_used.push_back({std::string(key.name), node.position});
          }};
}

KeyBinding measure_option(const model::MeasureKey& option) {
  return {KeyScope::measure, [&option](const MapFields& fields, const Key& key, const Node& node, void* out) {
            const auto state = [&](const auto& found) {
              if (found) static_cast<Measure*>(out)->state(option, found->value, found->position);
            };
            if (key.form == Form::percent) state(fields.percent(key, node));
            if (key.form == Form::duration) state(fields.duration(key, node));
            if (key.form == Form::choice) state(fields.choice(key, node));
            if (key.form == Form::count) state(fields.count(key, node));
          }};
}

Form form_of(const model::MeasureKey& option) {
  if (!option.words.empty()) return Form::choice;
  return option.unit == "%" ? Form::percent : option.unit == "s" ? Form::duration : Form::count;
}

void read_schema_address(const MapFields& fields, const Key& key, const Node& node, Suite&) {
  if (node.kind != Node::Kind::scalar) fields.wrong(key, node);
}

void read_version(const MapFields& fields, const Key&, const Node& node, Suite&) {
  if (node.kind != Node::Kind::scalar || node.quoted || node.text != "1")
    fields.error("suite.version", node.position,
                 "the version of the suite language must be 1, not " + describe(node), "write version: 1");
}

// By the parser itself, as they need the other files and what has been read.
void read_elsewhere(const MapFields&, const Key&, const Node&, Suite&) {}

std::vector<Key> make_keys() {
  using F = Form;
  std::vector<Key> table;
  const auto add = [&](KeyBinding bound, std::string_view name, Form form, std::string_view doc,
                       std::string_view example, std::string_view fallback = {}) -> Key& {
    Key& row = table.emplace_back(Key{bound.place, name, form, doc, example, fallback});
    row.read = std::move(bound.read);
    return row;
  };

  add(read_schema_address, "$schema", F::url, "Address of the schema, for editors; not read.",
      "schema/suite.schema.json");
  add(read_version, "version", F::version, "Version of the suite language: 1.", "1").needed();
  add(&Suite::name, "suite", F::name, "Name of the suite, in results and file names.", "node-acceptance")
      .needed();
  add(&Suite::description, "description", F::text, "What the suite finds out, in one sentence.",
      "Is this node as fast as its datasheet says?");
  add(&Suite::requires_, "requires", F::requirement,
      "What the machine must have. Unmet, nothing runs and the exit code is 6.",
      "{backend: cuda, devices: 8}");
  add(&Suite::policy, "policy", F::policy, "What holds for a run of the suite, whatever options are given.",
      "{strict: true}");
  add(read_elsewhere, "include", F::files,
      "Suites whose cases, derived metrics and findings come first and whose defaults hold here, too. "
      "Relative to this file.",
      "[common.yaml]");
  add(read_elsewhere, "defaults", F::defaults,
      "Keys of a case that hold for all cases of this file. Maps merge key by key; scalars and lists "
      "replace.",
      "{timeout: 2min}");
  add(read_elsewhere, "cases", F::cases, "What is measured, in the order of the report.",
      "[{id: gemm, uses: gemm}]")
      .needed();
  add(read_derive, "derive", F::expressions, "Metrics computed from others, for each case that has those.",
      "{efficiency: throughput / power}");
  add(read_elsewhere, "findings", F::findings, "Questions, the claims that answer them, and what to do.",
      "[{id: f, question: \"Is it fast?\", let: {a: \"gemm[].throughput\"}, claim: a > 1 TFLOP/s}]");

  add(read_elsewhere, "tables", F::tables, "Rows of cases side by side, under columns of the suite's own.",
      "[{id: t, rows: gemm, columns: {rate: throughput}}]");

  add(&SuiteCase::id, "id", F::name, "Name of the case; identifiers, selectors and --set use it.", "gemm")
      .needed();
  add(&SuiteCase::uses, "uses", F::benchmark, "The benchmark: NAME, NAME@BACKEND or NAME@BACKEND:PLUGIN.",
      "gemm")
      .needed();
  add(&SuiteCase::backends, "backend", F::backends, "Backends to run on, in order of preference.",
      "[cuda, host]", "what 'requires' says");
  add(&SuiteCase::with, "with", F::parameters, "Fixed values of parameters, which are not swept.",
      "{m: 8192, dtype: bf16}", "the benchmark's defaults");
  add(read_matrix, "matrix", F::matrix,
      "Axes: every combination of their values is measured. An axis is a parameter, env.NAME, a reserved "
      "word such as bind, or a name for maps that set several parameters.",
      "{dtype: [fp32, bf16], env.NCCL_ALGO: [~, Ring]}");
  add(read_variants, "variants", F::variants,
      "Two or more named sets of settings to be compared with each other, as the axis 'variant'. Each replaces what the "
      "case says, and every combination with the other axes is measured, in turn.",
      "{before: {env: {OMP_NUM_THREADS: 1}}, after: {env: {OMP_NUM_THREADS: 2}}}");
  add(&SuiteCase::env, "env", F::environment, "Environment variables of the workers; ~ removes one.",
      "{NCCL_DEBUG: WARN, NCCL_ALGO: ~}");
  add(&SuiteCase::devices, "devices", F::devices,
      "each: one case a device. all: all devices in one case. pairs: each ordered pair. N: the first N. Or "
      "a list.",
      "each", "the fewest that the benchmark needs")
      .one_of({"each", "all", "pairs"})
      .between(1, 4096)
      .may_be_axis();
  add(&SuiteCase::load, "load", F::choice,
      "With devices: each, whether the devices run in turn or all at once. One device is alone.", "together",
      "alone")
      .one_of({"alone", "together"})
      .may_be_axis();
  add(&SuiteCase::ranks, "ranks", F::count, "Processes in one visit.", "4", "one per device")
      .between(1, 1024)
      .may_be_axis();
  add(&SuiteCase::bind, "bind", F::bind,
      "CPUs and memory of the workers. none: all that the job may use. inherit: what the caller had. "
      "local: the node of the rank's device. remote: the farthest node with memory. Or nodes by number.",
      "local", "none")
      .one_of({"none", "inherit", "local", "remote"})
      .may_be_axis();
  add(&SuiteCase::processes, "processes", F::count,
      "Rounds with fresh processes, which share 'max_time'. Intervals are over rounds, from three on; claims need three.",
      "6",
      "3; 5 where findings or '% of reference' tell rows apart; 6 with 'variants'; else 1 with 'samples' and with 'for', and of a command as many as its 'samples'")
      .between(1, 1000);
  add(&SuiteCase::measure, "measure", F::measure, "How to measure.", "{precision: 1%, max_time: 2s}");
  add(&SuiteCase::timeout_s, "timeout", F::duration,
      "Time for one visit, preparation included; then it is ended.", "2min", "computed from 'measure'")
      .between(0, 7 * kDay);
  add(&SuiteCase::requires_, "requires", F::requirement,
      "What the machine must have for this case, beyond what the suite requires. Unmet, nothing runs and "
      "the exit code is 6.",
      "{devices: 8}");
  add(&SuiteCase::when, "when", F::requirement,
      "What the machine has to have for this case to be run. Otherwise the case is skipped.",
      "{devices: \">=2\"}");
  add(&SuiteCase::reference, "reference", F::point, "The row that deltas refer to: a value for axes.",
      "{env.NCCL_ALGO: ~}");
  add(read_expectations, "expect", F::expectations,
      "Expectations that must hold. Each is a row of the report.", "[throughput >= 60% of peak]");
  add(external(read_command), "command", F::arguments,
      "With uses: external, the program and its arguments, run without a shell. {NAME} is a parameter's "
      "value as written, {device_count} the number of devices; {{NAME}} is {NAME} itself.",
      "[all_reduce_perf, -b, 1G, -e, 1G, -g, \"{device_count}\"]");
  add(external(read_shell), "shell", F::text,
      "With uses: external, a command line for /bin/sh, instead of 'command'. It has no placeholders; "
      "pass values as environment variables (env).",
      "\"./health.sh | tail -n 1\"");
  add(external(&External::directory), "directory", F::text,
      "With uses: external, the working folder, relative to this file.", "scripts",
      "where assay was started");
  add(external(&External::exit), "exit", F::exit,
      "With uses: external, what exit statuses mean. All others fail the case.", "{passed: 0, skipped: 77}",
      "passed: 0, or any if a metric is the exit status");
  add(external(&External::verify), "verify", F::verify,
      "With uses: external, what shows that the program checked its own results. Without it the case is "
      "flagged not_verified.",
      "{pattern: \"Out of bounds values : 0 OK\"}");
  add(external(read_metrics), "metrics", F::metrics,
      "With uses: external, numbers to be read from the program's output. The first leads the tables.",
      "{busbw: {pattern: \"Avg bus bandwidth *: ([0-9.]+)\", unit: GB/s}}");

  add(&Requires::backends, "backend", F::backends,
      "Backend, or several in order of preference. host is never a fallback unless it is listed.", "cuda");
  add(&Requires::devices, "devices", F::device_count, "Number of devices: exactly N, or \">=N\".", "\">=2\"")
      .between(1, 4096);
  add(&Requires::memory, "memory", F::memory, "Least memory of each device.", "40GiB");
  add(&Requires::driver, "driver", F::version_text,
      "Version of the backend's driver: exactly so, or \">=N\".", "\">=580\"");
  add(&Requires::libraries, "libraries", F::libraries,
      "Libraries that plugins need: nccl is libnccl.so. Without this, a case whose library is missing is "
      "skipped.",
      "[nccl, cublasLt]");

  add(&Policy::strict, "strict", F::flag, "Undecided and skipped are failures, too, as with --strict.",
      "true", "false");
  add(&Policy::decided, "decided", F::flag,
      "A limit that stays undecided fails. What is skipped does not, unlike under 'strict'.", "true",
      "false");
  add(&Policy::complete, "complete", F::flag,
      "Every device that bus, driver or a library knows is there. Else exit 6.", "true", "false");
  add(&Policy::stated, "stated", F::flag,
      "'requires', --require or --site says how many devices. Else exit 6.", "true", "false");
  add(&Policy::alone, "alone", F::flag,
      "No run of assay uses the same processors at the same time. Else exit 5.", "true", "false");

  for (const model::MeasureKey& option : model::kMeasureKeys) {
    Key& row = add(measure_option(option), option.name, form_of(option), option.doc, option.example,
                   option.fallback);
    row.one_of(model::words_to_choose(option)).between(option.minimum, option.maximum);
    row.axis = option.condition;
    row.since = option.since;
  }

  add(read_points, "exclude", F::points,
      "Points to leave out: axis to value or list. A point goes if all its terms match.",
      "[{dtype: fp32, bytes: [1MiB, 2MiB]}]");
  add(read_points, "include", F::points, "Whole points to append: a value for every axis.",
      "[{dtype: bf16, bytes: 3MiB}]");

  add(&Variant::with, "with", F::parameters, "Values of parameters.", "{m: 4096}");
  add(&Variant::env, "env", F::environment, "Environment variables of the workers; ~ removes one.",
      "{OMP_NUM_THREADS: 1}");
  add(&Variant::bind, "bind", F::bind, "CPUs and memory of the workers.", "local")
      .one_of({"none", "inherit", "local", "remote"});
  add(&Variant::devices, "devices", F::devices, "Devices that it runs on.", "all")
      .one_of({"each", "all", "pairs"})
      .between(1, 4096);

  add(&Variant::plugin, "plugin", F::text,
      "The plugin that provides the benchmark: its identifier, or the file that --plugin names, too.",
      "com.acme.fastgemm");

  add(&Range::from, "from", F::scalar, "First value.", "1KiB").needed();
  add(&Range::to, "to", F::scalar, "Last value; the range must hit it exactly.", "1GiB").needed();
  add(&Range::factor, "factor", F::factor, "Each value is the last times this.", "32");
  add(&Range::step, "step", F::scalar, "Each value is the last plus this.", "256MiB");

  add(&Bind::cpu, "cpu", F::node, "NUMA node of the CPUs.", "node:0").needed();
  add(&Bind::memory, "memory", F::node, "NUMA node of the memory.", "node:1").needed();

  add(read_relation, "that", F::relation, "The expectation, an expression with one comparison.",
      "throughput >= 65% of peak")
      .needed();
  add(&SuiteExpectation::where, "where", F::match, "Only for points with these values.",
      "{dtype: [fp32, tf32]}", "all points");
  add(&SuiteExpectation::say, "say", F::advice, "What to do if it doesn't hold. No numbers.",
      "Check clocks and cooling.");
  add(&SuiteExpectation::skipped_alone, "alone", F::choice,
      "What becomes of a check that compares rows where there is one only: skip it, and say so.", "skip",
      "it is not judged, which fails it")
      .one_of({"skip"});

  add(&ExternalExit::passed, "passed", F::statuses, "Exit statuses of a run that went well.", "[0, 3]", "0")
      .between(0, 255);
  add(&ExternalExit::skipped, "skipped", F::statuses,
      "Exit statuses by which the program says that it cannot run here.", "77")
      .between(0, 255);

  add(&ExternalVerify::pattern, "pattern", F::text,
      "Regular expression that a line of the output must match.", "\"Out of bounds values : 0 OK\"");
  add(&ExternalVerify::exit, "exit", F::count,
      "Exit status by which the program says that its results are right.", "0")
      .between(0, 255);

  add(&ExternalMetric::json, "json", F::text,
      "JSON pointer into standard output: one document, or one a line. An array gives values with an "
      "index, an array of arrays with two.",
      "/nvbandwidth/testcases/0/sum");
  add(&ExternalMetric::pattern, "pattern", F::text,
      "Regular expression (RE2's syntax: no back-references, no look-around) for one line of the output. "
      "Its last group is the value; groups before it, two at most, are indices.",
      "\"Avg bus bandwidth *: ([0-9.]+)\"");
  add(&ExternalMetric::exit_status, "from", F::choice, "exit: the value is the exit status.", "exit")
      .one_of({"exit"});
  add(&ExternalMetric::take, "take", F::choice,
      "Of several values of one run: the first, the last, or all as samples.", "last", "several are an error")
      .one_of({"first", "last", "all"});
  add(&ExternalMetric::unit, "unit", F::text, "Unit of the number as it is printed.", "GB/s",
      "a plain number");
  add(&ExternalMetric::direction, "direction", F::choice, "Which way is better.", "higher",
      "higher for what is per second, lower for a time, else none")
      .one_of({"higher", "lower", "none"});
  add(&ExternalMetric::as, "as", F::choice,
      "How limits face the number: every value one by one (observed), or an interval over rounds (measured).",
      "measured", "measured for a time and for what is per second, else observed")
      .one_of({"observed", "measured"});

  add(&SuiteFinding::id, "id", F::name, "Name of the finding.", "numa-binding").needed();
  add(&SuiteFinding::question, "question", F::text, "What you want to know, as a question.",
      "Does binding to the device's NUMA node speed up host copies?")
      .needed();
  add(&SuiteFinding::background, "background", F::text,
      "What a reader should know to understand the question.", "Guides promise this of large products.");
  add(&SuiteFinding::expected, "expected", F::expected, "What somebody says that would come out, and who.",
      "{value: \"1.8×\", source: \"a vendor's guide\"}");
  add(read_let, "let", F::let, "Names for rows of cases: CASE[axis=value].METRIC or best(...).",
      "{bound: \"h2d[bind=local].bandwidth\"}")
      .needed();
  add(read_claim, "claim", F::relation, "The answer to be tested, an expression over the names of 'let'.",
      "bound >= 1.05 * free")
      .needed();
  add(read_labels, "labels", F::labels, "What reports call the names of 'let'.", "{bound: bound to its node}",
      "the names themselves");
  add(&SuiteFinding::over, "over", F::percent,
      "The smallest effect that counts. Smaller ones are not a difference.", "2%", "2%")
      .between(0, 1);
  add(&SuiteFinding::decided_by, "for", F::choice,
      "Which rows decide the verdict of the whole. all: the claim must hold in every row. any: one row is enough. "
      "worst: the row farthest on the wrong side decides.",
      "all", "each row is told for itself, and rows that differ are mixed")
      .one_of({"all", "any", "worst"});
  add(&SuiteFinding::assert_confirmed, "assert", F::choice,
      "confirmed: the run fails unless the claim is confirmed. Findings never change the exit code "
      "otherwise.",
      "confirmed")
      .one_of({"confirmed"});
  add(&SuiteFinding::confirmed, "confirmed", F::verdict, "What to say and do if the claim is confirmed.",
      "{say: \"Bind every rank: {effect} faster.\", do: numactl --cpunodebind=N}");
  add(&SuiteFinding::refuted, "refuted", F::verdict, "What to say and do if it is refuted.",
      "{say: Leave binding to the scheduler.}");
  add(&SuiteFinding::mixed, "mixed", F::verdict,
      "What to say and do if every row is decided, and not all alike: it depends on the row.",
      "{say: Bind where copies are large.}", "what 'undecided' says");
  add(&SuiteFinding::undecided, "undecided", F::verdict, "What to say and do if it stays undecided.",
      "{say: Measure more rounds.}");
  add(&SuiteFinding::notes, "notes", F::texts,
      "What else a reader should know; below the rows of the finding.", "[Quantising is not in it.]");

  add(&Expected::value, "value", F::scalar, "The figure, as it is to be shown.", "\"1.8×\"").needed();
  add(&Expected::source, "source", F::text, "Who says so.", "a vendor's guide");

  add(&VerdictWords::say, "say", F::advice,
      "One sentence. {effect}, {interval}, {measured}, {asked}, {theta}, {rounds}, {left}, {right} and {at} are "
      "filled in; numbers are not allowed.",
      "\"Bind every rank: {effect} faster.\"");
  add(&VerdictWords::because, "because", F::advice, "The reason, in a sentence; filled in as 'say' is.",
      "\"Copies then stay on one node.\"");
  add(&VerdictWords::act, "do", F::text, "A command or step.", "numactl --cpunodebind=N --membind=N");

  add(&SuiteTable::id, "id", F::name, "Name of the table.", "formats").needed();
  add(&SuiteTable::title, "title", F::text, "What stands above it.", "Which format pays?", "its id");
  add(&SuiteTable::rows, "rows", F::rows_of_table, "Whose rows it has, in this order.",
      "[{case: gemm, where: {dtype: [fp32, bf16]}}, fused]")
      .needed();
  add(read_columns, "columns", F::expressions,
      "Its columns: a name, and an expression over the metrics of the row's case.",
      "{rate: throughput, per_watt: throughput / power}")
      .needed();
  add(&SuiteTable::reference, "reference", F::row_of_table,
      "The row that the others are compared with, each column as a ratio. Of several, the one that is like the row on "
      "all axes that 'where' does not name.",
      "{case: gemm, where: {dtype: fp32}}");

  add(&TableRows::case_id, "case", F::name, "The case.", "gemm").needed();
  add(&TableRows::where, "where", F::match, "Only rows with these values.", "{dtype: [fp32, bf16]}",
      "all rows");
  return table;
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> table = make_keys();
  return table;
}

std::vector<const Key*> keys_of(KeyScope place) {
  std::vector<const Key*> found;
  for (const Key& key : keys())
    if (key.place == place) found.push_back(&key);
  return found;
}

const Key* find_key(KeyScope place, std::string_view name) {
  return find_in(keys(), [&](const Key& key) { return key.place == place && key.name == name; });
}

std::vector<std::string> key_names(KeyScope place) {
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
    std::set<std::string> found = {
        "device",   "rank",   "node", "round", "process", "env",  "case",   "over",   "of",    "peak",
        "baseline", "time",   "p50",  "p90",   "p95",     "p99",  "p999",   "min",    "max",   "mean",
        "sum",      "spread", "cv",   "best",  "peers",   "band", "within", "argmax", "argmin"};
    for (const Key& key : keys())
      if (key.place == KeyScope::one_case || key.place == KeyScope::measure || key.place == KeyScope::matrix)
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
