// SPDX-License-Identifier: Apache-2.0
//
// The comparison document: what `assay compare` found of two sides, one or more results each. Described once, as the result document is
// (document.hpp): its JSON Schema and the fields of docs/reference/comparison.md are made from these tables.
#pragma once

#include "model/field.hpp"
#include "model/vocabulary.hpp"
#include "text/quantity_text.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::model {

// Readers of results refuse it by its version, which is none of theirs.
inline constexpr const char* kComparisonVersion = "comparison-1.0";
inline constexpr std::array<std::string_view, 1> kComparisonKinds{"comparison"};
// "different" is of a metric without a direction. "small": changed, and not shown to be by more than theta. "failed": it has a value
// on the old side, and on the new one it did not pass, or came to nothing.
inline constexpr std::array<std::string_view, 8> kChanges{
    "slower", "faster", "same", "small", "undecided", "not_comparable", "different", "failed"};
inline constexpr std::array<std::string_view, 3> kComparisonOutcomes{"passed", "failed", "nothing_compared"};
inline constexpr std::array<std::string_view, 5> kSpreadSources{"history", "prior", "rows", "given",
                                                                "rounds"};
inline constexpr std::array<std::string_view, 3> kConfirmations{"in_turn", "new_side", "not_possible"};
inline constexpr std::array<std::string_view, 3> kAttributions{"nothing_else", "one_difference",
                                                               "confounded"};

// One result.
struct ComparedRun {
  std::string source, id, suite, started_at, host;
  bool simulated = false;
  std::uint64_t rounds = 0;
  std::vector<std::string> devices;
  std::string variant;
};
constexpr auto fields_of(const ComparedRun*) {
  return object(field("source", &ComparedRun::source).note("the file or folder, as it was named"),
                field("id", &ComparedRun::id), field("suite", &ComparedRun::suite),
                field("started_at", &ComparedRun::started_at).with(kNullIfEmpty),
                field("host", &ComparedRun::host).note("a label: another host is no difference"),
                field("simulated", &ComparedRun::simulated), field("rounds", &ComparedRun::rounds),
                field("devices", &ComparedRun::devices).note("name, model and UUID; the UUID is a label"),
                field("variant", &ComparedRun::variant)
                    .if_any()
                    .note("both sides are variants of one run, which took them in turn"));
}

struct Difference {
  std::string what, before, after;
};
constexpr auto fields_of(const Difference*) {
  return object(
      field("what", &Difference::what).note("such as 'cuda driver', 'kernel', 'environment NCCL_ALGO'"),
      field("old", &Difference::before), field("new", &Difference::after));
}

// Rows of one resource that moved together.
struct CommonShift {
  std::string resource;
  std::uint64_t rows = 0;
  double ratio = 1, low = 1, high = 1;
};
constexpr auto fields_of(const CommonShift*) {
  return object(field("resource", &CommonShift::resource).note("backend and unit"),
                field("rows", &CommonShift::rows),
                field("ratio", &CommonShift::ratio).note("new / old, Hodges-Lehmann over the rows"),
                field("low", &CommonShift::low).note("95 %, as wide as a single row's"),
                field("high", &CommonShift::high));
}

// By how much runs of the same thing differ, as a share.
struct SpreadOfRuns {
  std::string resource, source;
  double share = 0;
};
constexpr auto fields_of(const SpreadOfRuns*) {
  return object(
      field("resource", &SpreadOfRuns::resource),
      field("source", &SpreadOfRuns::source)
          .one_of(kSpreadSources)
          .note(
              "history: several results a side; prior: assumed; rows: the rows scatter more than assumed; "
              "given: --between-runs; rounds: the sides were measured in turn, and the share is that of a round's ratio"),
      field("share", &SpreadOfRuns::share).note("standard deviation between runs"));
}

// Of a row that was found slower, and was taken once more.
struct SecondLook {
  std::optional<double> before, after, ratio;
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
  std::string verdict;
  std::uint64_t before_rounds = 0, after_rounds = 0;
};
constexpr auto fields_of(const SecondLook*) {
  return object(
      field("old", &SecondLook::before), field("new", &SecondLook::after), field("ratio", &SecondLook::ratio),
      field("low", &SecondLook::low).with(kOrNull), field("high", &SecondLook::high).with(kOrNull),
      field("verdict", &SecondLook::verdict).one_of(kChanges),
      field("old_rounds", &SecondLook::before_rounds), field("new_rounds", &SecondLook::after_rounds));
}

// How rows that were found slower were taken once more.
struct Confirmation {
  std::string how, why, source;
  std::uint64_t taken = 0, confirmed = 0;
};
constexpr auto fields_of(const Confirmation*) {
  return object(
      field("how", &Confirmation::how)
          .one_of(kConfirmations)
          .note("in_turn: both sides, in each round of one run; new_side: it alone, against the old results"),
      field("why", &Confirmation::why).note("it could not be done, or only with the new side"),
      field("source", &Confirmation::source).note("the folder of that run"),
      field("taken", &Confirmation::taken).note("rows that were taken once more"),
      field("confirmed", &Confirmation::confirmed).note("of these, the ones that were slower again"));
}

struct ComparedRow {
  std::string id, metric, resource, direction;
  UnitText unit = "";
  std::optional<double> before, after, ratio;
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> beside_shift, smallest_change;
  std::string verdict = "not_comparable";
  std::optional<bool> no_worse;
  std::optional<SecondLook> second_look;
  std::uint64_t before_rounds = 0, after_rounds = 0;
  std::string why;
};
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
      field("verdict", &ComparedRow::verdict).one_of(kChanges),
      field("no_worse", &ComparedRow::no_worse)
          .if_any()
          .note("only with --no-worse-than: it is shown to be no worse"),
      field("second_look", &ComparedRow::second_look)
          .if_any()
          .note("only with --confirm, of rows that were found slower; the verdict is that after both looks"),
      field("old_rounds", &ComparedRow::before_rounds), field("new_rounds", &ComparedRow::after_rounds),
      field("why", &ComparedRow::why)
          .note("where it is not comparable or undecided, or what the second look came to"));
}
constexpr const char* definition_of(const ComparedRow*) { return "row"; }

struct ChangeCounts {
  std::uint64_t slower = 0, faster = 0, same = 0, small = 0, undecided = 0, not_comparable = 0, different = 0,
                failed = 0, not_shown_no_worse = 0;
};
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

struct ComparisonVerdict {
  std::string outcome;
  int exit_code = 0;
  std::string text;
  ChangeCounts counts;
  std::string attribution;
};
constexpr auto fields_of(const ComparisonVerdict*) {
  return object(field("outcome", &ComparisonVerdict::outcome).one_of(kComparisonOutcomes),
                field("exit_code", &ComparisonVerdict::exit_code),
                field("text", &ComparisonVerdict::text).note("one sentence"),
                field("counts", &ComparisonVerdict::counts).note("of rows"),
                field("attribution", &ComparisonVerdict::attribution)
                    .one_of(kAttributions)
                    .note("what a change can be put down to"));
}

// What the runs could have shown.
struct Reach {
  std::optional<double> middle, worst;
  std::optional<std::uint64_t> runs_for_one_percent;
};
constexpr auto fields_of(const Reach*) {
  return object(
      field("middle", &Reach::middle).note("the smallest change that the middle row shows, as a share"),
      field("worst", &Reach::worst),
      field("runs_for_one_percent", &Reach::runs_for_one_percent)
          .note("runs a side with which the middle row tells 1 % from no change; null where 1000 would not"));
}

struct Comparison {
  std::string schema_version = kComparisonVersion, kind = "comparison";
  ComparisonVerdict verdict;
  double theta = 0;
  std::optional<double> no_worse_than;
  std::vector<ComparedRun> before, after;
  std::vector<Difference> differences;
  std::vector<SpreadOfRuns> spreads;
  std::vector<CommonShift> shifts;
  Reach reach;
  std::optional<Confirmation> confirmation;
  std::vector<ComparedRow> rows;
};
constexpr auto fields_of(const Comparison*) {
  return object(
      field("schema_version", &Comparison::schema_version),
      field("kind", &Comparison::kind).one_of(kComparisonKinds), field("verdict", &Comparison::verdict),
      field("theta", &Comparison::theta).note("the change that matters, as a share"),
      field("no_worse_than", &Comparison::no_worse_than).note("what --no-worse-than allows, as a share"),
      field("old", &Comparison::before), field("new", &Comparison::after),
      field("differences", &Comparison::differences).note("besides the results themselves"),
      field("between_runs", &Comparison::spreads), field("shifts", &Comparison::shifts),
      field("reach", &Comparison::reach),
      field("confirmation", &Comparison::confirmation).if_any().note("only with --confirm"),
      field("rows", &Comparison::rows));
}

// The text is a comparison, and no result.
[[nodiscard]] bool is_comparison(std::string_view json);
// Every text clean, what is missing at its default. Throws Unreadable (document.hpp).
[[nodiscard]] Comparison read_comparison(std::string_view json);

}  // namespace assay::model
