// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "check/check_frames.hpp"
#include "check/check_table.hpp"
#include "check/checker.hpp"
#include "check/example_document.hpp"
#include "check/render.hpp"
#include "check/resources.hpp"
#include "result/schema.hpp"
#include "result/schema_test_validator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

namespace assay::check {
namespace {

using testing::HasSubstr;
using testing::Not;

CompletedCheck finding(const char* id, CheckVerdict verdict) {
  return {find_check(id), std::move(verdict), 0.5};
}

CheckReport report_of(std::vector<CompletedCheck> findings) {
  CheckReport report;
  report.library = "/plugins/x.so";
  report.plugin = "com.acme.x";
  report.version = "1.0.0";
  report.findings = std::move(findings);
  return report;
}

TEST(CheckTable, HasKebabIdsOnceEachWithAParagraph) {
  std::set<std::string_view> ids;
  for (const CheckDefinition& row : check_table()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_EQ(row.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos) << row.id;
    EXPECT_GT(row.paragraph.size(), 60U) << row.id;
    EXPECT_TRUE(row.paragraph.ends_with(".")) << row.id;
    EXPECT_NE(row.run, nullptr) << row.id;
  }
  EXPECT_EQ(find_check("no-such-check"), nullptr);
}

TEST(ExampleDocument, IsAResultAsReportersGetIt) {
  const Json document = Json::parse(example_document());
  EXPECT_THAT(result::SchemaValidator(result::document_schema()).problems(document), testing::IsEmpty());
  EXPECT_EQ(document.at("schema_version"), "1.0");
  EXPECT_EQ(document.at("cases").size(), 2U);
}

TEST(CheckReport, IsGreenOnlyIfNothingFailedAndEverythingWasChecked) {
  EXPECT_EQ(report_of({}).exit_code(), 6);
  EXPECT_EQ(report_of({finding("loads", passed())}).exit_code(), 0);
  EXPECT_EQ(
      report_of({finding("loads", passed()), finding("no-output", skipped("no benchmark"))}).exit_code(), 0);
  EXPECT_EQ(
      report_of({finding("loads", passed()), finding("no-output", not_checked("no device"))}).exit_code(), 6);
  EXPECT_EQ(
      report_of({finding("loads", failed("x")), finding("no-output", not_checked("no device"))}).exit_code(),
      1);
}

TEST(CheckReport, EscapesWhatPluginsSayInJunit) {
  const std::string junit = report_junit(
      report_of({finding("loads", failed("a < b & \"c\" >")), finding("no-output", not_checked("none"))}));

  EXPECT_THAT(junit, HasSubstr("a &lt; b &amp; &quot;c&quot; &gt;"));
  EXPECT_THAT(junit, Not(HasSubstr("a < b")));
  EXPECT_THAT(junit, HasSubstr(R"(tests="2" failures="1" errors="1")"));
  EXPECT_THAT(junit, HasSubstr("<error type=\"not_checked\""));
}

TEST(CheckReport, NamesTheFirstFailureInItsText) {
  const CheckReport report =
      report_of({finding("loads", passed()), finding("no-output", failed("it talks"))});

  EXPECT_THAT(summary_text(report), HasSubstr("1 passed, 1 failed, 0 skipped, 0 not checked"));
  EXPECT_THAT(summary_text(report), HasSubstr("--explain no-output"));
  EXPECT_EQ(finding_text(report.findings.back(), false),
            "FAILED       no-output                   it talks\n");
}

TEST(CheckReport, OfALibraryWithoutAManifestNamesItsFile) {
  CheckReport report = report_of({finding("manifest-valid", failed("it has none"))});
  report.plugin.clear();
  report.version.clear();
  report.library = "/where/x.so";

  EXPECT_THAT(summary_text(report), HasSubstr("\nx.so: 0 passed, 1 failed"));
}

TEST(CheckMessages, SurviveTheWire) {
  CheckRequest request;
  request.check = "loads";
  request.library = "/a/b.so";
  request.devices.list = {{"acme:1", "uuid", 3, 1}};
  request.devices.lacking = "nothing";
  const CheckRequest back = request_from_json(to_json(request));
  EXPECT_EQ(back.check, "loads");
  EXPECT_EQ(back.library, "/a/b.so");
  ASSERT_EQ(back.devices.list.size(), 1U);
  EXPECT_EQ(back.devices.list.front().ordinal, 3);
  EXPECT_EQ(verdict_from_json(to_json(not_checked("why"))).result, CheckStatus::not_checked);
  EXPECT_THROW((void)verdict_from_json({{"result", "splendid"}, {"text", ""}}), Error);
  EXPECT_THROW((void)request_from_json(Json::object()), Error);
}

TEST(Resources, CountDescriptors) {
  const std::size_t before = resources().descriptors.size();
  const int descriptor = ::dup(0);
  EXPECT_EQ(resources().descriptors.size(), before + 1);
  ::close(descriptor);
  EXPECT_EQ(resources().descriptors.size(), before);
}

TEST(Parameters, AreSmallWhereLimitsAllow) {
  catalog::Benchmark benchmark;
  catalog::Parameter large, required, floor, text;
  large.name = "large";
  large.default_value = std::int64_t{1} << 40;
  required.name = "required";
  required.maximum = 100;
  floor.name = "floor";
  floor.default_value = std::int64_t{1} << 30;
  floor.minimum = 0x1p29;
  text.name = "text";
  text.type = catalog::ParameterType::text;
  text.values = {"one", "two"};
  benchmark.parameters = {large, required, floor, text};

  EXPECT_EQ(default_parameters(benchmark)["large"], std::int64_t{1} << 40);
  const Json small = small_parameters(benchmark);
  EXPECT_EQ(small["large"], 65536);
  EXPECT_EQ(small["required"], 100);
  EXPECT_EQ(small["floor"], std::int64_t{1} << 29);
  EXPECT_EQ(small["text"], "one");
}

}  // namespace
}  // namespace assay::check
