// SPDX-License-Identifier: Apache-2.0
#include "suite/rule.hpp"

#include "base/file.hpp"
#include "text/testing/folders.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace assay::suite {
namespace {

std::string problems_of(const std::string& text) {
  Diagnostics diagnostics;
  (void)parse_rules("r.yaml", text, diagnostics);
  std::string all;
  for (const Diagnostic& problem : diagnostics.sorted()) all += to_text(problem);
  return all;
}

TEST(Rules, AreRead) {
  Diagnostics diagnostics;
  const std::vector<Rule> rules = parse_rules("r.yaml",
                                              "version: 1\n"
                                              "rules:\n"
                                              "  - id: starves\n"
                                              "    uses: dataloader\n"
                                              "    env: {NCCL_ALGO: [Ring, Tree], NCCL_PROTO: '*'}\n"
                                              "    evidence: [starved >= 20%]\n"
                                              "    symptom: It waits.\n"
                                              "    cause: Few workers.\n"
                                              "    remedy: More of them.\n"
                                              "    source: a study\n",
                                              diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].evidence, std::vector<std::string>{"starved >= 20%"});
  EXPECT_EQ(rules[0].env.at("NCCL_ALGO"), (std::vector<std::string>{"Ring", "Tree"}));
  EXPECT_TRUE(rules[0].env.at("NCCL_PROTO").empty()) << "any value";
}

TEST(Rules, ReportEveryMistakeAtItsPlace) {
  EXPECT_EQ(problems_of("version: 2\n"),
            "r.yaml:1:10: error: this program reads rules of version 1 (begin the file with 'version: 1')\n");
  EXPECT_EQ(
      problems_of("version: 1\n"
                  "rules:\n"
                  "  - {id: a, symptom: s, cause: c, remedy: r}\n"
                  "  - {id: b, symptom: s, cause: c, remedy: r, evidence: [starved, starved >= ], uses: []}\n"
                  "  - {id: b, symptom: s, cause: c, evidnce: [x > 1], env: 3}\n"),
      "r.yaml:3:5: error: a rule needs evidence (give it 'evidence' with comparisons that must all hold, or 'env')\n"
      "r.yaml:4:57: error: 'starved' is not a comparison (write for example starved >= 20%)\n"
      "r.yaml:4:76: error: a number, a name or '(' must follow (the expression ends too early)\n"
      "r.yaml:4:86: error: a rule needs 'uses', a text\n"
      "r.yaml:5:5: error: a rule needs 'remedy', a text\n"
      "r.yaml:5:5: error: a rule needs evidence (give it 'evidence' with comparisons that must all hold, or 'env')\n"
      "r.yaml:5:5: error: there are two rules 'b'\n"
      "r.yaml:5:35: error: unknown key 'evidnce' in a rule (did you mean 'evidence'?)\n"
      "r.yaml:5:58: error: 'env' is not a map of variables and their values\n");
}

TEST(Rules, ThatAreShippedAreWhole) {
  std::size_t rules = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() / "suites/rules")) {
    Diagnostics diagnostics;
    rules +=
        parse_rules(entry.path().string(), read_file(entry.path().string(), 1u << 20), diagnostics).size();
    for (const Diagnostic& problem : diagnostics.sorted()) ADD_FAILURE() << to_text(problem);
  }
  EXPECT_GE(rules, 19u);
}

}  // namespace
}  // namespace assay::suite
