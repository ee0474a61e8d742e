// SPDX-License-Identifier: Apache-2.0
//
// The comparison document: what `assay compare` found of two sides, one or more results each. How it stands in JSON:
// comparison_fields.hpp.
#pragma once

#include "base/json_fwd.hpp"
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

// Readers of results refuse a comparison, because this version is not a version of results.
inline constexpr const char* kComparisonVersion = "comparison-1.0";
inline constexpr std::array<std::string_view, 1> kComparisonKinds{"comparison"};

// Of a row. "different" is of a metric without a direction. "small": changed, and not shown to be by more than theta. "failed": it has a
// value on the old side, and on the new one it did not pass, or came to nothing.
enum class ComparedVerdict {
  slower,
  faster,
  same,
  small,
  undecided,
  not_comparable,
  different,
  failed,
  other
};
inline constexpr std::array<std::string_view, 8> kChanges{
    "slower", "faster", "same", "small", "undecided", "not_comparable", "different", "failed"};
constexpr const auto& words_of(ComparedVerdict /*type*/) { return kChanges; }

enum class ComparisonOutcome { passed, failed, nothing_compared, other };
inline constexpr std::array<std::string_view, 3> kComparisonOutcomes{"passed", "failed", "nothing_compared"};
constexpr const auto& words_of(ComparisonOutcome /*type*/) { return kComparisonOutcomes; }

// Where it is known from by how much runs differ.
enum class SpreadSource { history, prior, rows, given, rounds, other };
inline constexpr std::array<std::string_view, 5> kSpreadSources{"history", "prior", "rows", "given",
                                                                "rounds"};
constexpr const auto& words_of(SpreadSource /*type*/) { return kSpreadSources; }

// How rows that were found slower were taken once more.
enum class SecondRun { in_turn, new_side, not_possible, other };
inline constexpr std::array<std::string_view, 3> kConfirmations{"in_turn", "new_side", "not_possible"};
constexpr const auto& words_of(SecondRun /*type*/) { return kConfirmations; }

// What a change can be put down to.
enum class Attribution { nothing_else, one_difference, confounded, other };
inline constexpr std::array<std::string_view, 3> kAttributions{"nothing_else", "one_difference",
                                                               "confounded"};
constexpr const auto& words_of(Attribution /*type*/) { return kAttributions; }

// One result.
struct ComparedRun {
  std::string source, id, suite, started_at, host;
  bool simulated = false;
  std::uint64_t rounds = 0;
  std::vector<std::string> devices;
  std::string variant;
};

struct Difference {
  std::string what, before, after;
};

// Rows of one resource that moved together.
struct CommonShift {
  std::string resource;
  std::uint64_t rows = 0;
  double ratio = 1, low = 1, high = 1;
};

// By how much runs of the same thing differ, as a share.
struct SpreadOfRuns {
  std::string resource;
  SpreadSource source = SpreadSource::other;
  double share = 0;
};

// Of a row that was found slower, and was taken once more.
struct SecondLook {
  std::optional<double> before, after, ratio;
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
  ComparedVerdict verdict = ComparedVerdict::other;
  std::uint64_t before_rounds = 0, after_rounds = 0;
};

struct Confirmation {
  SecondRun how = SecondRun::other;
  std::string why, source;
  std::uint64_t taken = 0, confirmed = 0;
};

struct ComparedRow {
  std::string id, metric, resource, direction;
  UnitText unit = "";
  std::optional<double> before, after, ratio;
  double low = std::numeric_limits<double>::quiet_NaN(), high = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> beside_shift, smallest_change;
  ComparedVerdict verdict = ComparedVerdict::not_comparable;
  std::optional<bool> no_worse;
  std::optional<SecondLook> second_look;
  std::uint64_t before_rounds = 0, after_rounds = 0;
  std::string why;
  std::optional<std::uint64_t> more_rounds;
  std::vector<std::string> disturbed;  // "old", "new"
};

struct ChangeCounts {
  std::uint64_t slower = 0, faster = 0, same = 0, small = 0, undecided = 0, not_comparable = 0, different = 0,
                failed = 0, not_shown_no_worse = 0;
};

struct ComparisonVerdict {
  ComparisonOutcome outcome = ComparisonOutcome::other;
  int exit_code = 0;
  std::string text;
  ChangeCounts counts;
  Attribution attribution = Attribution::other;
};

// What the runs could have shown.
struct Sensitivity {
  std::optional<double> middle, worst;
  std::optional<std::uint64_t> runs_for_one_percent;
};

struct Comparison {
  std::string schema_version = kComparisonVersion, kind = "comparison";
  ComparisonVerdict verdict;
  double theta = 0;
  std::optional<double> no_worse_than;
  std::vector<std::string> filters;
  std::vector<ComparedRun> before, after;
  std::vector<Difference> differences;
  std::vector<SpreadOfRuns> spreads;
  std::vector<CommonShift> shifts;
  Sensitivity reach;
  std::optional<Confirmation> confirmation;
  std::vector<ComparedRow> rows;
};

// The text is a comparison, and no result.
[[nodiscard]] bool is_comparison(std::string_view json);
// Every text clean, what is missing at its default. Throws Unreadable (document.hpp).
[[nodiscard]] Comparison read_comparison(std::string_view json);
[[nodiscard]] Json to_json(const Comparison& comparison);

}  // namespace assay::model
