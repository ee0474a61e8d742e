// SPDX-License-Identifier: Apache-2.0
#include "judge/least_size.hpp"

#include <string>
#include <vector>

namespace assay::judge {
namespace {

// Bytes of the members that every case, and every expectation, has: names, punctuation, empty values.
constexpr std::size_t kCaseFrame = 1500;
constexpr std::size_t kExpectationFrame = 200;

std::size_t bytes_of(const suite::SuiteCase& one, const plan::PlannedCase& planned) {
  // The resolved suite has the whole case, and the document's case has the parameters again.
  std::size_t bytes = plan::to_json(planned).dump().size() + kCaseFrame;
  bytes += 4 * planned.id.size() + planned.comparison_key.size();
  if (!planned.parameters.is_null()) bytes += planned.parameters.dump().size();
  for (const std::size_t i : planned.expectations) {
    const suite::SuiteExpectation& expectation = one.expect[i];
    bytes += expectation.text.size() + expectation.say.size() + expectation.position.file.size() +
             kExpectationFrame;
  }
  return bytes;
}

std::vector<std::size_t> bytes_by_case(const suite::Suite& suite, const plan::Plan& plan) {
  std::vector<std::size_t> bytes(suite.cases.size(), 0);
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.suite_case < bytes.size())
      bytes[planned.suite_case] += bytes_of(suite.cases[planned.suite_case], planned);
  }
  return bytes;
}

}  // namespace

std::size_t least_result_bytes(const suite::Suite& suite, const plan::Plan& plan) {
  std::size_t sum = suite.source.size();
  for (const auto& [file, text] : suite.includes) sum += text.size();
  for (const std::size_t bytes : bytes_by_case(suite, plan)) sum += bytes;
  return sum;
}

void refuse_too_large(const suite::Suite& suite, const plan::Plan& plan, std::size_t most_bytes,
                      Diagnostics& diagnostics) {
  const std::size_t bytes = least_result_bytes(suite, plan);
  if (bytes <= most_bytes) return;
  const std::vector<std::size_t> by_case = bytes_by_case(suite, plan);
  std::size_t largest = 0;
  for (std::size_t i = 1; i < by_case.size(); ++i) {
    if (by_case[i] > by_case[largest]) largest = i;
  }
  diagnostics.error("suite.limit", suite.cases[largest].id.position,
                    "the result of these " + std::to_string(plan.cases.size()) +
                        " cases would have at least " + std::to_string(bytes) +
                        " bytes, but a result holds at most " + std::to_string(most_bytes) + "; case '" +
                        suite.cases[largest].id.value + "' alone needs " + std::to_string(by_case[largest]) +
                        " bytes",
                    "shorten an axis, expect less of each row, or split the suite");
}

}  // namespace assay::judge
