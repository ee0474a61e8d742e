// SPDX-License-Identifier: Apache-2.0
#include "markdown/markdown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::reporters {
namespace {

Case flagged(const std::string& name, const std::string& point, const std::string& text) {
  Case one;
  one.name = name;
  one.id = name + "[n=" + point + "]";
  one.axes = {{"n", point}};
  one.outcome = Outcome::passed;
  Metric metric;
  metric.name = "time";
  metric.unit = "s";
  metric.headline = true;
  metric.value = 0.01;
  one.metrics = {metric};
  if (!text.empty()) one.flags = {Flag{"max_time", text}};
  return one;
}

TEST(MarkdownFlags, NameTheCasesOfATextInOneRow) {
  Document document;
  const std::string stopped = "stopped after 2 s (max_time)";
  for (const char* point : {"1", "2", "3"}) document.cases.push_back(flagged("copy", point, stopped));
  document.cases.push_back(flagged("read", "1", stopped));
  document.cases.push_back(flagged("read", "2", ""));
  document.cases.push_back(flagged("write", "1", "stopped after 5 s (max_time)"));
  const std::string text = render_markdown(document, {});
  EXPECT_NE(text.find("The cases of 5 flags"), std::string::npos) << text;
  EXPECT_NE(text.find("| max_time | all of `copy`, `read[n=1]` | stopped after 2 s"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| max_time | `write[n=1]` | stopped after 5 s"), std::string::npos) << text;
  EXPECT_EQ(text.find("copy[n=2]"), std::string::npos) << text;
}

}  // namespace
}  // namespace assay::reporters
