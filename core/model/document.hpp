// SPDX-License-Identifier: Apache-2.0
//
// The result document: one JSON object that is the truth about a run. Described once, here and in the headers beside it: judge writes it,
// reporters and the engine read it, and its JSON Schema and the fields of docs/reference/result.md are made from these tables.
#pragma once

#include "model/diagnosis.hpp"
#include "model/document_case.hpp"
#include "model/document_finding.hpp"
#include "model/document_table.hpp"

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::model {

struct VerdictReason {
  std::string code;
  ReasonSeverity severity = ReasonSeverity::error;
  std::string subject, text, next;
  Position position;
};
constexpr auto fields_of(const VerdictReason*) {
  return object(field("code", &VerdictReason::code).note("what `assay explain` takes"),
                field("severity", &VerdictReason::severity).one_of(kSeverities),
                field("subject", &VerdictReason::subject), field("text", &VerdictReason::text),
                field("next", &VerdictReason::next), field("position", &VerdictReason::position));
}

// How many cases and group checks ended so.
struct Counts {
  std::uint64_t passed = 0, failed = 0, error = 0, crashed = 0, timeout = 0, invalid = 0, skipped = 0,
                not_run = 0, cancelled = 0;
};
constexpr auto fields_of(const Counts*) {
  return object(field("passed", &Counts::passed), field("failed", &Counts::failed),
                field("error", &Counts::error), field("crashed", &Counts::crashed),
                field("timeout", &Counts::timeout), field("invalid", &Counts::invalid),
                field("skipped", &Counts::skipped), field("not_run", &Counts::not_run),
                field("cancelled", &Counts::cancelled));
}

// Of an acceptance: how many devices a backend has, and who knows so many.
struct CountedDevices {
  std::string backend;
  std::uint64_t count = 0;
  std::string text;
};
constexpr auto fields_of(const CountedDevices*) {
  return object(field("backend", &CountedDevices::backend), field("count", &CountedDevices::count),
                field("text", &CountedDevices::text));
}

struct Verdict {
  std::string outcome;
  int exit_code = 0;
  Counts counts;
  std::uint64_t undecided = 0;
  std::vector<VerdictReason> reasons;
  std::vector<CountedDevices> devices;
};
constexpr auto fields_of(const Verdict*) {
  return object(field("outcome", &Verdict::outcome).one_of(kRunOutcomes),
                field("exit_code", &Verdict::exit_code),
                field("counts", &Verdict::counts).note("of cases and group checks"),
                field("undecided", &Verdict::undecided).note("expectations and group checks"),
                field("reasons", &Verdict::reasons).note("most severe first; one a subject"),
                field("devices", &Verdict::devices)
                    .if_any()
                    .note("under `policy: {complete: true}`: how many there are, and who knows so many"));
}

struct IncludedFile {
  std::string file, text;
};
constexpr auto fields_of(const IncludedFile*) {
  return object(field("file", &IncludedFile::file), field("text", &IncludedFile::text));
}

struct FailedOf {
  std::string run;
  std::uint64_t cases = 0;
};
constexpr auto fields_of(const FailedOf*) {
  return object(field("run", &FailedOf::run), field("cases", &FailedOf::cases));
}

// Rounds that were added after verdicts had been seen to be open.
struct Extended {
  std::string at;
  std::uint64_t cases = 0;
  std::vector<std::string> command;
};
constexpr auto fields_of(const Extended*) {
  return object(field("at", &Extended::at), field("cases", &Extended::cases),
                field("command", &Extended::command));
}

struct Mode {
  bool quick = false, strict = false;
  std::optional<std::string> wrap;
  bool resumed = false;
  std::string interrupted_by;
  bool simulated = false;
  std::optional<FailedOf> failed_of;
  std::optional<double> budget_s;
  std::vector<Extended> extended;
};
constexpr auto fields_of(const Mode*) {
  return object(
      field("quick", &Mode::quick), field("strict", &Mode::strict), field("wrap", &Mode::wrap),
      field("resumed", &Mode::resumed),
      field("interrupted_by", &Mode::interrupted_by)
          .with(kNullIfEmpty)
          .note("the signal's name; null for a run that was killed"),
      field("simulated", &Mode::simulated),
      field("failed_of", &Mode::failed_of)
          .if_any()
          .note("only with --failed: the run whose cases that did not pass were measured again, and how many "
                "cases that had"),
      field("budget_s", &Mode::budget_s)
          .if_any()
          .note("only with --budget: the time by which the rounds of each case were chosen"),
      field("extended", &Mode::extended)
          .if_any()
          .note(
              "only with --extend: when, how many cases had open verdicts and got more rounds, and by which command"));
}

// A suite that the run was judged by afterwards.
struct JudgedBy {
  std::string file, sha256, text;
  std::uint64_t post_hoc = 0;
};
constexpr auto fields_of(const JudgedBy*) {
  return object(field("file", &JudgedBy::file), field("sha256", &JudgedBy::sha256),
                field("text", &JudgedBy::text),
                field("post_hoc", &JudgedBy::post_hoc)
                    .note("expectations, group checks and findings that are new or changed"));
}

struct SiteFile {
  std::string file, sha256, text;
};
constexpr auto fields_of(const SiteFile*) {
  return object(field("file", &SiteFile::file), field("sha256", &SiteFile::sha256),
                field("text", &SiteFile::text));
}

struct OtherRun {
  std::int64_t pid = 0;
  std::string suite, since;
  std::uint64_t visits = 0;
  std::string text;
};
constexpr auto fields_of(const OtherRun*) {
  return object(field("pid", &OtherRun::pid), field("suite", &OtherRun::suite),
                field("since", &OtherRun::since).with(kNullIfEmpty),
                field("visits", &OtherRun::visits).note("of this run, beside it"),
                field("text", &OtherRun::text));
}

struct RunToRun {
  std::string run;
  Pairs<double> shares;
};
constexpr auto fields_of(const RunToRun*) {
  return object(field("run", &RunToRun::run), field("shares", &RunToRun::shares));
}

struct NumaNode {
  int node = 0;
  std::string cpus;
  double memory_bytes = 0;
};
constexpr auto fields_of(const NumaNode*) {
  return object(field("node", &NumaNode::node), field("cpus", &NumaNode::cpus),
                field("memory_bytes", &NumaNode::memory_bytes));
}

// Of a run's `host`, which may say more.
struct Host {
  std::string hostname, os, kernel, cpu;
  std::uint64_t cores = 0, threads = 0, sockets = 0;
  double memory_bytes = 0;
  std::vector<NumaNode> numa_nodes;
  std::string container, governor, virtualization;
};
constexpr auto fields_of(const Host*) {
  return object(field("hostname", &Host::hostname).with(kNullIfEmpty),
                field("os", &Host::os).with(kNullIfEmpty), field("kernel", &Host::kernel).with(kNullIfEmpty),
                field("cpu", &Host::cpu).with(kNullIfEmpty), field("cores", &Host::cores),
                field("threads", &Host::threads), field("sockets", &Host::sockets),
                field("memory_bytes", &Host::memory_bytes), field("numa_nodes", &Host::numa_nodes),
                field("container", &Host::container).with(kNullIfEmpty),
                field("governor", &Host::governor).with(kNullIfEmpty),
                field("virtualization", &Host::virtualization).with(kNullIfEmpty));
}

struct Device {
  std::string name, uuid, model;
  int numa_node = -1;
  Json facts = Json::object();
};
constexpr auto fields_of(const Device*) {
  return object(field("name", &Device::name), field("uuid", &Device::uuid), field("model", &Device::model),
                field("numa_node", &Device::numa_node), field("facts", &Device::facts));
}

struct Backend {
  std::string name, plugin;
  Json facts = Json::object();
  std::string unavailable;
  std::vector<Device> devices;
};
constexpr auto fields_of(const Backend*) {
  return object(
      field("name", &Backend::name), field("plugin", &Backend::plugin), field("facts", &Backend::facts),
      field("unavailable", &Backend::unavailable).with(kNullIfEmpty), field("devices", &Backend::devices));
}

struct Plugin {
  std::string id, version, sha256, manifest_sha256;
};
constexpr auto fields_of(const Plugin*) {
  return object(field("id", &Plugin::id), field("version", &Plugin::version),
                field("sha256", &Plugin::sha256).if_any().note("of the library that was loaded"),
                field("manifest_sha256", &Plugin::manifest_sha256)
                    .if_any()
                    .note("of the manifest that it was read by"));
}

struct Run {
  std::string id, suite, description, suite_file, suite_sha256, suite_text;
  std::vector<IncludedFile> suite_includes;
  std::string started_at, finished_at;
  std::optional<double> duration_s;
  Json tool = Json::object();
  std::vector<std::string> command;
  std::optional<std::uint64_t> seed;
  std::uint64_t rounds = 1;
  Mode mode;
  std::optional<SiteFile> site, baseline;
  std::optional<JudgedBy> judged_by;
  std::string others_unseen;
  std::vector<OtherRun> beside;
  std::optional<RunToRun> run_to_run;
  Json host = Json::object();
  std::vector<Backend> backends;
  std::vector<Plugin> plugins;
  Json environment = Json::object();
  Json resolved_suite =
      Json::object();  // as long as the cases are many: written by itself, and no report reads it
};
constexpr auto fields_of(const Run*) {
  return object(
      field("id", &Run::id), field("suite", &Run::suite), field("description", &Run::description),
      field("suite_file", &Run::suite_file),
      field("suite_sha256", &Run::suite_sha256).note("of the suite's text followed by those of its includes"),
      field("suite_text", &Run::suite_text).or_default().note("the suite's file, as it was run"),
      field("suite_includes", &Run::suite_includes).if_any().note("the files that it includes"),
      field("started_at", &Run::started_at).with(kNullIfEmpty),
      field("finished_at", &Run::finished_at).with(kNullIfEmpty), field("duration_s", &Run::duration_s),
      field("tool", &Run::tool).note("name, version, commit"), field("command", &Run::command),
      field("seed", &Run::seed).with(kNeverNull), field("rounds", &Run::rounds), field("mode", &Run::mode),
      field("site", &Run::site).if_any().note("only with --site: what the machine was held to"),
      field("baseline", &Run::baseline).if_any().note("only with --baseline: what rows were held to"),
      field("judged_by", &Run::judged_by)
          .if_any()
          .note("only by `assay judge`: the suite that it was judged by, which is not the one that was run"),
      field("others_unseen", &Run::others_unseen)
          .if_any()
          .note("why other runs on these processors could not be seen"),
      field("beside", &Run::beside)
          .if_any()
          .note("other runs of assay that measured at the same time and may use the same processors"),
      field("run_to_run", &Run::run_to_run)
          .if_any()
          .note(
              "only with --doctor: its run, and for each backend and kind of work on it by what share of its value a single run's "
              "interval is widened to be judged"),
      field("host", &Run::host).note("names, processors, memory, NUMA nodes"),
      field("backends", &Run::backends), field("plugins", &Run::plugins),
      field("environment", &Run::environment).note("the variables that may change a result"),
      field("resolved_suite", &Run::resolved_suite)
          .with(kLarge)
          .note("the plan as --dry-run shows it: cases with parameters, conditions, measure, placement"));
}

struct Member {
  std::string id, label;
  std::optional<double> value;
  UnitText unit = "";
};
constexpr auto fields_of(const Member*) {
  return object(field("id", &Member::id), field("label", &Member::label), field("value", &Member::value),
                field("unit", &Member::unit, &UnitText::base),
                field("written", &Member::unit, &UnitText::as_written).if_any().note(kWrittenNote));
}

// A group check: a row of its own.
struct Group {
  std::string id, case_name, text, status;
  Outcome outcome = Outcome::other;
  Pairs<std::string> where;
  std::optional<double> value;
  UnitText unit = "";
  std::optional<double> limit;
  std::string op, over, say, why;
  std::vector<Member> members;
  Position position;
  std::optional<bool> post_hoc;
};
constexpr auto fields_of(const Group*) {
  return object(field("id", &Group::id), field("case", &Group::case_name), field("text", &Group::text),
                field("status", &Group::status).one_of(kStatuses),
                field("outcome", &Group::outcome).one_of(kOutcomes), field("where", &Group::where),
                field("value", &Group::value), field("unit", &Group::unit, &UnitText::base),
                field("limit", &Group::limit), field("operator", &Group::op).one_of(kComparisons),
                field("over", &Group::over), field("say", &Group::say), field("why", &Group::why),
                field("members", &Group::members), field("position", &Group::position),
                field("written", &Group::unit, &UnitText::as_written).if_any().note(kWrittenNote),
                field("post_hoc", &Group::post_hoc).if_any().note(kPostHocNote));
}

// A rule that holds for every benchmark and was broken.
struct Guard {
  std::string code, severity, subject, text;
};
constexpr auto fields_of(const Guard*) {
  return object(field("code", &Guard::code), field("severity", &Guard::severity).one_of(kGuardSeverities),
                field("subject", &Guard::subject), field("text", &Guard::text));
}

struct Document {
  std::string schema_version;
  Verdict verdict;
  Run run;
  std::vector<Case> cases;
  std::vector<Group> groups;
  std::vector<Finding> findings;
  std::vector<Guard> guards;
  std::vector<Diagnosis> diagnoses;
  std::vector<Table> tables;

  [[nodiscard]] const Case* find(std::string_view id) const;
};
constexpr auto fields_of(const Document*) {
  return object(
      field("schema_version", &Document::schema_version), field("verdict", &Document::verdict),
      field("run", &Document::run), field("cases", &Document::cases),
      field("groups", &Document::groups).note("group checks: rows of their own"),
      field("findings", &Document::findings), field("guards", &Document::guards),
      field("tables", &Document::tables).if_any().note("rows of cases side by side, as the suite asks"),
      field("diagnoses", &Document::diagnoses).if_any().note("what rules say, with their evidence"));
}

// The text is no result document; what() says why.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Every text clean, what is missing or of another type at its default; keys that are not known are ignored, so that documents of later
// minor versions can be read. Without the resolved suite. Throws Unreadable: not JSON, not an object, or of another major version than 1.
[[nodiscard]] Document read_document(std::string_view json);

// Every string and key in it as printable() makes it.
void make_printable(Json& json);

}  // namespace assay::model
