// SPDX-License-Identifier: Apache-2.0
#include "lib/replicate.hpp"

#include <gtest/gtest.h>

namespace assay::reporters {
namespace {

Document of(std::vector<std::string> command) {
  Document document;
  document.run.command = std::move(command);
  document.run.suite = "node";
  document.run.suite_file = "/opt/assay/share/assay/suites/node.yaml";
  document.run.suite_text = "version: 1\n";
  document.run.suite_includes = {{"/opt/assay/share/assay/suites/gpu.yaml", "a"},
                                 {"/opt/assay/share/assay/suites/more/pairs.yaml", "b"}};
  document.run.seed = 7;
  return document;
}

TEST(Replicate, RunsTheSuiteThatTheResultKeeps) {
  const Replication again = replication(of({"/opt/assay/bin/assay", "run", "node", "-q", "-o", "/tmp/node",
                                            "--set", "a.bytes=1 MiB", "--report=junit"}));
  EXPECT_EQ(again.command, "assay run node.yaml --set 'a.bytes=1 MiB' --seed 7");
  EXPECT_TRUE(again.runs_files);
  ASSERT_EQ(again.files.size(), 3u);
  EXPECT_EQ(again.files[0].first, "node.yaml");
  EXPECT_EQ(again.files[0].second, "version: 1\n");
  EXPECT_EQ(again.files[1].first, "gpu.yaml");
  EXPECT_EQ(again.files[2].first, "more/pairs.yaml");
  EXPECT_EQ(replication(of({"assay", "run", "--seed", "7", "suites/node.yaml"})).command,
            "assay run --seed 7 node.yaml");
  EXPECT_EQ(
      replication(of({"assay", "run", "node", "--report", "trace=/tmp/t.json", "--report=trace", "--report"}))
          .command,
      "assay run node.yaml --report trace --report trace --seed 7");
  // Of two words that may be the suite nobody knows which is.
  const Replication unsure = replication(of({"assay", "run", "node", "--filter", "node"}));
  EXPECT_EQ(unsure.command, "assay run node --filter node --seed 7");
  EXPECT_FALSE(unsure.runs_files);
}

TEST(Replicate, SaysItsOptionsBeforeCommandsOfTheUsersOwn) {
  Document document = of({"/opt/assay/bin/assay", "bench", "-o", "two", "--runs", "4", "--", "node", "-o",
                          "x", "--seed", "3", "--", "node", "-q"});
  document.run.suite_file = "(from the command line)";
  const Replication again = replication(document);
  EXPECT_EQ(again.command, "assay bench --runs 4 --seed 7 -- node -o x --seed 3 -- node -q");
  EXPECT_FALSE(again.runs_files);
}

// A benchmark's name is its suite's, too.
TEST(Replicate, LeavesTheNameOfABenchmark) {
  Document document = of({"assay", "bench", "node", "bytes=1MiB"});
  document.run.suite_file = "node (from the command line)";
  EXPECT_EQ(replication(document).command, "assay bench node bytes=1MiB --seed 7");
}

TEST(Replicate, WithoutTheTextIsTheCommandThatWasTyped) {
  Document document = of({"/opt/assay/bin/assay", "run", "node", "-o", "x"});
  document.run.suite_text.clear();
  const Replication again = replication(document);
  EXPECT_EQ(again.command, "assay run node --seed 7");
  EXPECT_TRUE(again.files.empty());
  EXPECT_FALSE(again.runs_files);
  EXPECT_EQ(replication(of({})).command, "");
}

TEST(Replicate, SaysOfHowManyCasesAShareIsKept) {
  Document document;
  document.cases.resize(3);
  EXPECT_EQ(kept_samples(document), "all samples");
  document.cases[1].samples = model::Samples{1, {}, true};
  EXPECT_EQ(kept_samples(document),
            "the samples (of 1 of 3 cases a share, evenly chosen; journal.jsonl has all)");
}

}  // namespace
}  // namespace assay::reporters
