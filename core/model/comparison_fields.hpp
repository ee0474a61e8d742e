// SPDX-License-Identifier: Apache-2.0
//
// Of the comparison document: the tables of its fields, from which come its reader, its writer, its JSON Schema and its reference page.
#pragma once

#include "model/comparison.hpp"
#include "model/document_case_fields.hpp"
#include "model/field.hpp"

namespace assay::model {

constexpr auto fields_of(const ComparedRun*) {
  return object(field("source", &ComparedRun::source).note("the file or folder, as it was named"),
                field("id", &ComparedRun::id), field("suite", &ComparedRun::suite),
                field("started_at", &ComparedRun::started_at).with(kNullIfEmpty),
                field("host", &ComparedRun::host).note("a label: another host is not a difference"),
                field("simulated", &ComparedRun::simulated), field("rounds", &ComparedRun::rounds),
                field("devices", &ComparedRun::devices).note("name, model and UUID; the UUID is a label"),
                field("variant", &ComparedRun::variant)
                    .if_any()
                    .note("both sides are variants of one run, which took them in turn"));
}

constexpr auto fields_of(const Difference*) {
  return object(
      field("what", &Difference::what).note("such as 'cuda driver', 'kernel', 'environment NCCL_ALGO'"),
      field("old", &Difference::before), field("new", &Difference::after));
}

constexpr auto fields_of(const CommonShift*) {
  return object(field("resource", &CommonShift::resource).note("backend and unit"),
                field("rows", &CommonShift::rows),
                field("ratio", &CommonShift::ratio).note("new / old, Hodges-Lehmann over the rows"),
                field("low", &CommonShift::low).note("95 %, as wide as a single row's"),
                field("high", &CommonShift::high));
}

constexpr auto fields_of(const SpreadOfRuns*) {
  return object(
      field("resource", &SpreadOfRuns::resource),
      field("source", &SpreadOfRuns::source)
          .note(
              "history: several results a side; prior: assumed; rows: the rows scatter more than assumed; "
              "given: --between-runs; rounds: the sides were measured in turn, and the share is that of a round's ratio"),
      field("share", &SpreadOfRuns::share).note("standard deviation between runs"));
}

constexpr auto fields_of(const SecondLook*) {
  return object(field("old", &SecondLook::before), field("new", &SecondLook::after),
                field("ratio", &SecondLook::ratio), field("low", &SecondLook::low).with(kOrNull),
                field("high", &SecondLook::high).with(kOrNull), field("verdict", &SecondLook::verdict),
                field("old_rounds", &SecondLook::before_rounds),
                field("new_rounds", &SecondLook::after_rounds));
}

constexpr auto fields_of(const Confirmation*) {
  return object(
      field("how", &Confirmation::how)
          .note("in_turn: both sides, in each round of one run; new_side: it alone, against the old results"),
      field("why", &Confirmation::why).note("it could not be done, or only with the new side"),
      field("source", &Confirmation::source).note("the folder of that run"),
      field("taken", &Confirmation::taken).note("rows that were taken once more"),
      field("confirmed", &Confirmation::confirmed).note("of these, the ones that were slower again"));
}

constexpr auto fields_of(const ComparedRow*) {
  return object(
      field("id", &ComparedRow::id).note("of the case, on the old side where it is there"),
      field("metric", &ComparedRow::metric), field("resource", &ComparedRow::resource),
      field("direction", &ComparedRow::direction).one_of(kDirections).note("which is better"),
      field("unit", &ComparedRow::unit, &UnitText::base),
      field("written", &ComparedRow::unit, &UnitText::as_written)
          .if_any()
          .note("the unit that the suite wrote"),
      field("old", &ComparedRow::before), field("new", &ComparedRow::after),
      field("ratio", &ComparedRow::ratio).note("new / old; null where no interval belongs to it"),
      field("low", &ComparedRow::low).with(kOrNull).note("95 %"),
      field("high", &ComparedRow::high).with(kOrNull),
      field("beside_shift", &ComparedRow::beside_shift).note("the ratio without the resource's common shift"),
      field("smallest_change", &ComparedRow::smallest_change)
          .note("that these runs show in 80 of 100 cases, as a share"),
      field("verdict", &ComparedRow::verdict),
      field("no_worse", &ComparedRow::no_worse)
          .if_any()
          .note("only with --no-worse-than: it is shown to be no worse"),
      field("second_look", &ComparedRow::second_look)
          .if_any()
          .note("only with --confirm, of rows that were found slower; the verdict is that after both looks"),
      field("old_rounds", &ComparedRow::before_rounds), field("new_rounds", &ComparedRow::after_rounds),
      field("why", &ComparedRow::why)
          .note("where it is not comparable or undecided, or what the second look came to"),
      field("more_rounds", &ComparedRow::more_rounds)
          .if_any()
          .note("of pairs: rounds that should decide an open row; left out where 1000 would not"),
      field("disturbed", &ComparedRow::disturbed)
          .if_any()
          .note(
              "of sides that were measured apart: those on which other programs or throttling held the row up, which "
              "may be all that changed"));
}

constexpr const char* definition_of(const ComparedRow*) { return "row"; }

constexpr auto fields_of(const ChangeCounts*) {
  return object(
      field("slower", &ChangeCounts::slower), field("faster", &ChangeCounts::faster),
      field("same", &ChangeCounts::same), field("small", &ChangeCounts::small),
      field("undecided", &ChangeCounts::undecided), field("not_comparable", &ChangeCounts::not_comparable),
      field("different", &ChangeCounts::different).note("of metrics without a direction"),
      field("failed", &ChangeCounts::failed).or_default().note("on the new side, and not on the old one"),
      field("not_shown_no_worse", &ChangeCounts::not_shown_no_worse)
          .note("only with --no-worse-than: rows that fail by it"));
}

constexpr auto fields_of(const ComparisonVerdict*) {
  return object(
      field("outcome", &ComparisonVerdict::outcome), field("exit_code", &ComparisonVerdict::exit_code),
      field("text", &ComparisonVerdict::text).note("one sentence"),
      field("counts", &ComparisonVerdict::counts).note("of rows"),
      field("attribution", &ComparisonVerdict::attribution).note("what a change can be put down to"));
}

constexpr auto fields_of(const Sensitivity*) {
  return object(
      field("middle", &Sensitivity::middle).note("the smallest change that the median row shows, as a share"),
      field("worst", &Sensitivity::worst),
      field("runs_for_one_percent", &Sensitivity::runs_for_one_percent)
          .note("runs a side with which the median row tells 1 % from no change; null where 1000 would not"));
}

constexpr auto fields_of(const Comparison*) {
  return object(
      field("schema_version", &Comparison::schema_version),
      field("kind", &Comparison::kind).one_of(kComparisonKinds), field("verdict", &Comparison::verdict),
      field("theta", &Comparison::theta).note("the change that matters, as a share"),
      field("no_worse_than", &Comparison::no_worse_than).note("what --no-worse-than allows, as a share"),
      field("filter", &Comparison::filters)
          .if_any()
          .note("only with --filter: ids of cases match one of these"),
      field("old", &Comparison::before), field("new", &Comparison::after),
      field("differences", &Comparison::differences).note("besides the results themselves"),
      field("between_runs", &Comparison::spreads), field("shifts", &Comparison::shifts),
      field("reach", &Comparison::reach),
      field("confirmation", &Comparison::confirmation).if_any().note("only with --confirm"),
      field("rows", &Comparison::rows));
}

}  // namespace assay::model
