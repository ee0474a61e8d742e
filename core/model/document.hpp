// SPDX-License-Identifier: Apache-2.0
//
// The result document: one JSON object that is the truth about a run. Judge fills it, reporters and the engine read it. How it stands in
// JSON is described once, in the tables of document_fields.hpp and of the headers beside it.
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

// How many cases and group checks ended so.
struct Counts {
  std::uint64_t passed = 0, failed = 0, error = 0, crashed = 0, timeout = 0, invalid = 0, skipped = 0,
                not_run = 0, cancelled = 0;
};

// Of an acceptance: how many devices a backend has, and which sources count as many.
struct CountedDevices {
  std::string backend;
  std::uint64_t count = 0;
  std::string text;
};

struct Verdict {
  RunOutcome outcome = RunOutcome::other;
  int exit_code = 0;
  Counts counts;
  std::uint64_t undecided = 0;
  std::vector<VerdictReason> reasons;
  std::vector<CountedDevices> devices;
};

struct IncludedFile {
  std::string file, text;
};

struct FailedOf {
  std::string run;
  std::uint64_t cases = 0;
};

// Rounds that were added after verdicts had been seen to be open.
struct Extended {
  std::string at;
  std::uint64_t cases = 0;
  std::vector<std::string> command;
};

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

// A suite that the run was judged by afterwards.
struct JudgedBy {
  std::string file, sha256, text;
  std::uint64_t post_hoc = 0;
};

struct SiteFile {
  std::string file, sha256, text;
};

struct OtherRun {
  std::int64_t pid = 0;
  std::string suite, since;
  std::uint64_t visits = 0;
  std::string text;
};

struct RunToRun {
  std::string run;
  Pairs<double> shares;
};

// Rates and times that moved from round to round, all rows taken together.
struct RoundTrend {
  std::uint64_t rows = 0;
  double change = 0, p = 0;
};

struct NumaNode {
  int node = 0;
  std::string cpus;
  double memory_bytes = 0;
};

// Of a run's `host`, which may say more.
struct Host {
  std::string hostname, os, kernel, cpu;
  std::uint64_t cores = 0, threads = 0, sockets = 0;
  double memory_bytes = 0;
  std::vector<NumaNode> numa_nodes;
  std::string container, governor, virtualization;
};

struct Device {
  std::string name, uuid, model;
  int numa_node = -1;
  Json facts = Json::object();
};

struct Backend {
  std::string name, plugin;
  Json facts = Json::object();
  std::string unavailable;
  std::vector<Device> devices;
};

struct Plugin {
  std::string id, version, sha256, manifest_sha256;
};

struct Run {
  Run();
  Run(const Run&);
  Run(Run&&) noexcept;
  Run& operator=(const Run&);
  Run& operator=(Run&&) noexcept;
  ~Run();

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
  std::optional<RoundTrend> trend;
  std::optional<RunToRun> run_to_run;
  Json host = Json::object();
  std::vector<Backend> backends;
  std::vector<Plugin> plugins;
  Json environment = Json::object();
  Json resolved_suite =
      Json::object();  // as long as the cases are many: written by itself, and no report reads it
};

struct Member {
  std::string id, label;
  std::optional<double> value;
  UnitText unit = "";
};

// A group check: a row of its own.
struct Group {
  std::string id, case_name, text;
  ExpectationStatus status = ExpectationStatus::other;
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

// A rule that holds for every benchmark and was broken.
struct Guard {
  std::string code, severity, subject, text;
};

struct Document {
  Document();
  Document(const Document&);
  Document(Document&&) noexcept;
  Document& operator=(const Document&);
  Document& operator=(Document&&) noexcept;
  ~Document();

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

// The text is not a result document; what() says why.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Every text clean, what is missing or of another type at its default; keys that are not known are ignored, so that documents of later
// minor versions can be read. Without the resolved suite. Throws Unreadable: not JSON, not an object, or of another major version than 1.
[[nodiscard]] Document read_document(std::string_view json);
[[nodiscard]] Json to_json(const Document& document);

// What is known of a run's host; the rest at its default.
[[nodiscard]] Host host_of(const Run& run);

// Every string and key in it as printable() makes it.
void make_printable(Json& json);

}  // namespace assay::model
