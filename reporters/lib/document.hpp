// SPDX-License-Identifier: Apache-2.0
//
// The result document (core/model/document.hpp) as reporters show it.
#pragma once

#include "lib/numbers.hpp"
#include "lib/text.hpp"
#include "model/document.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::reporters {

using Json = nlohmann::ordered_json;
using model::Axis;
using model::Backend;
using model::Bounds;
using model::Case;
using model::Check;
using model::Delta;
using model::DeltaVerdict;
using model::Device;
using model::Document;
using model::Expectation;
using model::ExpectationStatus;
using model::Finding;
using model::FindingRow;
using model::FindingVerdict;
using model::Flag;
using model::Group;
using model::Guard;
using model::Host;
using model::Interval;
using model::Member;
using model::Metric;
using model::Operand;
using model::Rank;
using model::Reason;
using model::ReasonSeverity;
using model::Run;
using model::RunOutcome;
using model::Span;
using model::Threshold;
using model::Throttled;
using model::Timeline;
using model::Track;
using model::Unreadable;
using model::VerdictReason;
using model::Visit;

// As model::read_document(), and so that every figure can be shown: intervals have two ends, units one line, spans stand in their order.
[[nodiscard]] Document read_document(std::string_view json);

// "a.yaml:12:7", "a.yaml", or "".
[[nodiscard]] std::string to_text(const Position& position);
[[nodiscard]] std::string outcome_text(Outcome outcome);  // for people: "not run"
template <model::Vocabulary E>
[[nodiscard]] std::string in_words(E word) {
  return in_words(to_text(word));
}

// Tells devices or pairs of them apart: its text is not the same on another machine.
[[nodiscard]] bool is_device_axis(std::string_view name);

// Of what an interval is that says nothing of another run.
inline constexpr const char* kWithinProcess = "within_process";
// A metric's statistic, and the code of the flag that comes with it: a command's own number.
inline constexpr const char* kReported = "reported";
using model::kEnergyPerIteration;
using model::kTime;
// A metric's statistic: the suite computes it from others.
inline constexpr const char* kDerived = "derived";

[[nodiscard]] std::optional<double> half_width(const Metric& metric);
// A limit on this metric itself, not on something that is computed from it; and whether it is known, as that of a baseline may not be.
[[nodiscard]] bool asks_of(const Expectation& expectation, std::string_view metric);
[[nodiscard]] bool is_about(const Expectation& expectation, std::string_view metric);
// Only to be told: nobody has to act on it, or to doubt the figure.
[[nodiscard]] bool is_note(const Flag& flag);
// What a failed case measured all the same, for its log: never shown as a result.
[[nodiscard]] std::string diagnostics_text(const Case& one);

struct Parameter {
  std::string name;
  std::string text;  // for people, with unit
  std::optional<double> number;
  bool is_default = false;  // the suite left it out
};
[[nodiscard]] std::vector<Parameter> parameters_of(const Case& one);

// The members of an object that are texts, numbers or switches, as they are written.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> scalars(const Json& object);
// "" if it is none.
[[nodiscard]] std::string scalar(const Json& object, const char* key);

}  // namespace assay::reporters
