// SPDX-License-Identifier: Apache-2.0
//
// Whether the verdict that a result document states is what its own cases, group checks and findings come to. Where it is not, somebody
// changed the document after it was written.
#pragma once

#include "model/document_fields.hpp"
#include "result/outcome.hpp"

#include <optional>
#include <string>
#include <vector>

namespace assay::result {

// What was made of rounds lies among them.
struct StatedMetric {
  std::string name;
  std::optional<double> value;
  std::vector<double> rounds;
};

constexpr auto fields_of(const StatedMetric*) {
  using model::field;
  return model::object(field("name", &StatedMetric::name), field("value", &StatedMetric::value),
                       field("rounds", &StatedMetric::rounds));
}

// What of a case decides a verdict. The rest, which is most of a large result, is passed over.
struct StatedCase {
  std::string id;
  Outcome outcome = Outcome::other;
  std::optional<model::Reason> reason;
  std::optional<model::Verification> verification;
  std::vector<model::Flag> flags;
  std::vector<model::Check> checks;
  std::vector<model::Expectation> expectations;
  std::vector<StatedMetric> metrics;
};

constexpr auto fields_of(const StatedCase*) {
  using model::field;
  return model::object(field("id", &StatedCase::id), field("outcome", &StatedCase::outcome),
                       field("reason", &StatedCase::reason), field("verification", &StatedCase::verification),
                       field("flags", &StatedCase::flags), field("checks", &StatedCase::checks),
                       field("expectations", &StatedCase::expectations),
                       field("metrics", &StatedCase::metrics));
}

struct StatedResult {
  model::Verdict verdict;
  model::Mode mode;
  std::vector<StatedCase> cases;
  std::vector<model::Group> groups;
  std::vector<model::Finding> findings;
};

// What contradicts what, as the end of a sentence: "its verdict is passed (exit code 0), and …"; "" if nothing does, and where a word of the
// document is of a later version, which may come to a verdict in another way.
[[nodiscard]] std::string contradiction_in(const StatedResult& stated);

}  // namespace assay::result
