// SPDX-License-Identifier: Apache-2.0
//
// Of the result document: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/diagnosis_fields.hpp"
#include "model/document.hpp"
#include "model/document_case_fields.hpp"
#include "model/document_finding_fields.hpp"
#include "model/document_table_fields.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const VerdictReason*) {
  return object(field("code", &VerdictReason::code).note("code for `assay explain`"),
                field("severity", &VerdictReason::severity), field("subject", &VerdictReason::subject),
                field("text", &VerdictReason::text), field("next", &VerdictReason::next),
                field("position", &VerdictReason::position));
}

constexpr auto fields_of(const Counts*) {
  return object(field("passed", &Counts::passed), field("failed", &Counts::failed),
                field("error", &Counts::error), field("crashed", &Counts::crashed),
                field("timeout", &Counts::timeout), field("invalid", &Counts::invalid),
                field("skipped", &Counts::skipped), field("not_run", &Counts::not_run),
                field("cancelled", &Counts::cancelled));
}

constexpr auto fields_of(const CountedDevices*) {
  return object(field("backend", &CountedDevices::backend), field("count", &CountedDevices::count),
                field("text", &CountedDevices::text));
}

constexpr auto fields_of(const Verdict*) {
  return object(
      field("outcome", &Verdict::outcome), field("exit_code", &Verdict::exit_code),
      field("counts", &Verdict::counts).note("of cases and group checks"),
      field("undecided", &Verdict::undecided).note("expectations and group checks"),
      field("reasons", &Verdict::reasons).note("most severe first; one for each subject"),
      field("devices", &Verdict::devices)
          .if_any()
          .note(
              "under `policy: {complete: true}`: the number of devices of each backend, and the sources that list so many"));
}

constexpr auto fields_of(const IncludedFile*) {
  return object(field("file", &IncludedFile::file), field("text", &IncludedFile::text));
}

constexpr auto fields_of(const FailedOf*) {
  return object(field("run", &FailedOf::run), field("cases", &FailedOf::cases));
}

constexpr auto fields_of(const Extended*) {
  return object(field("at", &Extended::at), field("cases", &Extended::cases),
                field("command", &Extended::command));
}

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
          .note(
              "only with --failed: the earlier run whose cases that did not pass were measured again, and the number of all "
              "cases of that run"),
      field("budget_s", &Mode::budget_s)
          .if_any()
          .note("only with --budget: the time for which the rounds of each case were chosen"),
      field("extended", &Mode::extended)
          .if_any()
          .note(
              "only with --extend: for each extension its time, the number of cases that got more rounds because verdicts "
              "were open, and the command"));
}

constexpr auto fields_of(const JudgedBy*) {
  return object(field("file", &JudgedBy::file), field("sha256", &JudgedBy::sha256),
                field("text", &JudgedBy::text),
                field("post_hoc", &JudgedBy::post_hoc)
                    .note("expectations, group checks and findings that are new or changed"));
}

constexpr auto fields_of(const SiteFile*) {
  return object(field("file", &SiteFile::file), field("sha256", &SiteFile::sha256),
                field("text", &SiteFile::text));
}

constexpr auto fields_of(const OtherRun*) {
  return object(
      field("pid", &OtherRun::pid), field("suite", &OtherRun::suite),
      field("since", &OtherRun::since).with(kNullIfEmpty),
      field("visits", &OtherRun::visits).note("number of this run's visits that ran at the same time"),
      field("text", &OtherRun::text));
}

constexpr auto fields_of(const RunToRun*) {
  return object(field("run", &RunToRun::run), field("shares", &RunToRun::shares));
}

constexpr auto fields_of(const RoundTrend*) {
  return object(field("rows", &RoundTrend::rows).note("number of rows with two rounds or more"),
                field("change", &RoundTrend::change)
                    .note("change of the median row's time from its first round to its last, as a share"),
                field("p", &RoundTrend::p)
                    .note("probability of rounds at least as much in order if their order were random"));
}

constexpr auto fields_of(const NumaNode*) {
  return object(field("node", &NumaNode::node), field("cpus", &NumaNode::cpus),
                field("memory_bytes", &NumaNode::memory_bytes));
}

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

constexpr auto fields_of(const Device*) {
  return object(field("name", &Device::name), field("uuid", &Device::uuid), field("model", &Device::model),
                field("numa_node", &Device::numa_node), field("facts", &Device::facts));
}

constexpr auto fields_of(const Backend*) {
  return object(
      field("name", &Backend::name), field("plugin", &Backend::plugin), field("facts", &Backend::facts),
      field("unavailable", &Backend::unavailable).with(kNullIfEmpty), field("devices", &Backend::devices));
}

constexpr auto fields_of(const Plugin*) {
  return object(
      field("id", &Plugin::id), field("version", &Plugin::version),
      field("sha256", &Plugin::sha256).if_any().note("of the library that was loaded"),
      field("manifest_sha256", &Plugin::manifest_sha256).if_any().note("of the manifest that describes it"));
}

constexpr auto fields_of(const Run*) {
  return object(
      field("id", &Run::id), field("suite", &Run::suite), field("description", &Run::description),
      field("suite_file", &Run::suite_file),
      field("suite_sha256", &Run::suite_sha256)
          .note("of the suite's text, followed by the texts of the files that it includes"),
      field("suite_text", &Run::suite_text).or_default().note("the suite's file, as it was run"),
      field("suite_includes", &Run::suite_includes)
          .if_any()
          .note("the files that the suite includes, with their texts"),
      field("started_at", &Run::started_at).with(kNullIfEmpty),
      field("finished_at", &Run::finished_at).with(kNullIfEmpty), field("duration_s", &Run::duration_s),
      field("tool", &Run::tool).note("name, version, commit"), field("command", &Run::command),
      field("seed", &Run::seed).with(kNeverNull), field("rounds", &Run::rounds), field("mode", &Run::mode),
      field("site", &Run::site).if_any().note("only with --site: the file with what the machine should have"),
      field("baseline", &Run::baseline)
          .if_any()
          .note("only with --baseline: the file with the values that rows were compared with"),
      field("judged_by", &Run::judged_by)
          .if_any()
          .note(
              "only from `assay judge`: the suite by which the run was judged, in place of the suite that was run"),
      field("others_unseen", &Run::others_unseen)
          .if_any()
          .note("why other runs on these processors could not be seen"),
      field("beside", &Run::beside)
          .if_any()
          .note("other runs of assay that measured at the same time and may use the same processors"),
      field("trend", &Run::trend)
          .if_any()
          .note(
              "only if rows became slower, or faster, from round to round by more than chance explains (99 %) and by more "
              "than half a percent"),
      field("run_to_run", &Run::run_to_run)
          .if_any()
          .note(
              "only with --doctor: the doctor's run; and for each backend and kind of work the share of the value by which "
              "the interval of a single run is widened before it is judged"),
      field("host", &Run::host).note("names, processors, memory, NUMA nodes"),
      field("backends", &Run::backends), field("plugins", &Run::plugins),
      field("environment", &Run::environment).note("the variables that may change a result"),
      field("resolved_suite", &Run::resolved_suite)
          .with(kLarge)
          .note("the plan as --dry-run shows it: cases with parameters, conditions, measure, placement"));
}

constexpr auto fields_of(const Member*) {
  return object(field("id", &Member::id), field("label", &Member::label), field("value", &Member::value),
                field("unit", &Member::unit, &UnitText::base),
                field("written", &Member::unit, &UnitText::as_written).if_any().note(kWrittenNote));
}

constexpr auto fields_of(const Group*) {
  return object(field("id", &Group::id), field("case", &Group::case_name), field("text", &Group::text),
                field("status", &Group::status), field("outcome", &Group::outcome).one_of(kOutcomes),
                field("where", &Group::where), field("value", &Group::value),
                field("unit", &Group::unit, &UnitText::base), field("limit", &Group::limit),
                field("operator", &Group::op).one_of(kComparisons), field("over", &Group::over),
                field("say", &Group::say), field("why", &Group::why), field("members", &Group::members),
                field("position", &Group::position),
                field("written", &Group::unit, &UnitText::as_written).if_any().note(kWrittenNote),
                field("post_hoc", &Group::post_hoc).if_any().note(kPostHocNote));
}

constexpr auto fields_of(const Guard*) {
  return object(field("code", &Guard::code), field("severity", &Guard::severity).one_of(kGuardSeverities),
                field("subject", &Guard::subject), field("text", &Guard::text));
}

constexpr auto fields_of(const Document*) {
  return object(field("schema_version", &Document::schema_version), field("verdict", &Document::verdict),
                field("run", &Document::run), field("cases", &Document::cases),
                field("groups", &Document::groups).note("group checks, each a row of its own"),
                field("findings", &Document::findings), field("guards", &Document::guards).detail(),
                field("tables", &Document::tables)
                    .detail()
                    .if_any()
                    .note("rows of cases side by side, as the suite asks for them"),
                field("diagnoses", &Document::diagnoses)
                    .detail()
                    .if_any()
                    .note("conclusions of bottleneck rules, with their evidence"));
}

}  // namespace assay::model
