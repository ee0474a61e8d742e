// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <gtest/gtest.h>

#include <random>

namespace assay::report {
namespace {

catalog::Catalog reporters() {
  catalog::Manifest manifest;
  manifest.id = "org.assay.reporter.test";
  catalog::Reporter markdown;
  markdown.name = "markdown";
  markdown.file = "report.md";
  markdown.options = {{"flavor", "text", "", "github", {"github", "gitlab", "plain"}},
                      {"heading_base", "integer", "", 1, {}},
                      {"emoji", "boolean", "", false, {}}};
  catalog::Reporter json;
  json.name = "json";
  manifest.reporters = {markdown, json};
  catalog::Catalog catalog;
  catalog.add(std::move(manifest));
  return catalog;
}

std::string problems(const std::string& text) {
  Diagnostics diagnostics;
  static_cast<void>(parse_request(text, reporters(), diagnostics));
  std::string out;
  for (const Diagnostic& one : diagnostics.sorted()) {
    EXPECT_EQ(one.code, "usage.report");
    out += to_text(one);
  }
  return out;
}

TEST(Request, ReadsNameOptionsAndPath) {
  Diagnostics diagnostics;
  const ReportRequest plain = parse_request("json", reporters(), diagnostics);
  EXPECT_EQ(plain.reporter, "json");
  EXPECT_EQ(plain.path, "");
  const ReportRequest full =
      parse_request("markdown:flavor=gitlab,heading_base=3=out/a=b.md", reporters(), diagnostics);
  EXPECT_EQ(full.options,
            (std::vector<std::pair<std::string, std::string>>{{"flavor", "gitlab"}, {"heading_base", "3"}}));
  EXPECT_EQ(full.path, "out/a=b.md");
  EXPECT_EQ(parse_request("json=-", reporters(), diagnostics).path, "-");
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST(Request, SuggestsTheReporterThatWasMeant) {
  EXPECT_EQ(problems("markdwn"),
            "--report:1:1: error: there is no reporter 'markdwn' (did you mean 'markdown'?)\n");
}

TEST(Request, NamesEveryWrongOptionAtItsColumn) {
  EXPECT_EQ(problems("markdown:flavour=github,heading_base=two,emoji=yes"),
            "--report:1:10: error: the reporter 'markdown' has no option 'flavour' (did you mean 'flavor'?)\n"
            "--report:1:38: error: the option 'heading_base' is 'two', and must be a whole number\n"
            "--report:1:48: error: the option 'emoji' is 'yes', and must be true or false\n");
  EXPECT_NE(problems("markdown:flavor=githib").find("did you mean 'github'?"), std::string::npos);
  EXPECT_NE(problems("json:a=b").find("it has none"), std::string::npos);
}

TEST(Request, RefusesHalfForms) {
  for (const char* text : {"", ":", "=", "=out.md", "json=", "markdown:", "markdown:flavor",
                           "markdown:flavor=github,", "markdown:flavor=github,flavor=plain"}) {
    EXPECT_NE(problems(text), "") << text;
  }
}

TEST(Request, SurvivesAnyText) {
  std::mt19937 random(5);
  const std::string letters = "markdownflavor:=,:=,-/\x1b\xff ";
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 20, ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    static_cast<void>(problems(text));
  }
}

}  // namespace
}  // namespace assay::report
