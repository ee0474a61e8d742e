// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/testing/temporary_folder.hpp"
#include "report/renderer.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace assay::report {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Report : public testing::Test {
 protected:
  Report() {
    folder_ = make_temporary_folder("report");
    for (const char* how : {"echo", "several", "crash", "exit", "hang", "chatter", "error", "large",
                            "outside", "absolute", "twice", "unloadable", "endless", "countless"}) {
      catalog::Manifest manifest;
      manifest.id = std::string("org.test.") + how;
      manifest.library = how;  // the test's worker does what the name says
      catalog::Reporter reporter;
      reporter.name = how;
      reporter.file = std::string(how) + ".out";
      manifest.reporters = {reporter};
      catalog_.add(std::move(manifest));
    }
  }
  ~Report() override { fs::remove_all(folder_); }

  std::vector<WrittenReport> render_all(const std::vector<ReportRequest>& requests,
                                        const std::string& document = "{}") {
    return render(document, requests, catalog_, folder_,
                  {build_folder() / "bin/assay_report_test_reporter", {}});
  }
  WrittenReport one(const std::string& how, const std::string& path = "") {
    return render_all({{how, {}, path}}).at(0);
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(folder_), fs::recursive_directory_iterator()));
  }

  fs::path folder_;
  catalog::Catalog catalog_;
};

TEST_F(Report, HandsOverDocumentAndOptionsByteForByte) {
  const std::string document = "{\"µ\": \"\\u0000 日本\"}\n";
  const WrittenReport written = render_all({{"echo", {{"key", "va=l,ue"}}, ""}}, document).at(0);
  EXPECT_EQ(written.error, "");
  EXPECT_EQ(read_file(folder_ / "echo.out"), document + "\nkey=va=l,ue");
  EXPECT_EQ(written.files, std::vector<fs::path>{folder_ / "echo.out"});
}

TEST_F(Report, PassesLargeDocuments) {
  const std::string document(std::size_t{4} << 20, 'x');
  EXPECT_EQ(render_all({{"echo", {}, "-"}}, document).at(0).output, document);
}

TEST_F(Report, PutsFilesWhereTheRequestSays) {
  EXPECT_EQ(one("echo", "-").output, "{}");
  EXPECT_EQ(files(), 0u);
  EXPECT_EQ(one("echo", (folder_ / "own.txt").string()).error, "");
  EXPECT_EQ(read_file(folder_ / "own.txt"), "{}");
  EXPECT_EQ(one("echo", (folder_ / "sub/").string()).error, "");
  EXPECT_EQ(read_file(folder_ / "sub/echo.out"), "{}");
  const WrittenReport several = one("several");
  EXPECT_EQ(several.error, "");
  EXPECT_EQ(read_file(folder_ / "several.out"), "first second");
  EXPECT_EQ(read_file(folder_ / "parts/one.svg"), "<svg/>");
}

TEST_F(Report, AFailureOfOneLeavesTheOthersWhole) {
  const std::vector<WrittenReport> all =
      render_all({{"crash", {}, ""}, {"exit", {}, ""}, {"nobody", {}, ""}, {"echo", {}, ""}});
  EXPECT_THAT(all[0].error,
              HasSubstr("the reporter 'crash' of 'org.test.crash' ended with signal 11 (SIGSEGV)"));
  EXPECT_THAT(all[0].error, HasSubstr("about to fail\uFFFD[31m"));
  EXPECT_THAT(all[1].error, HasSubstr("exit status 3"));
  EXPECT_THAT(all[2].error, HasSubstr("there is no reporter 'nobody'"));
  EXPECT_EQ(all[3].error, "");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Report, ARefusalWritesNothing) {
  EXPECT_THAT(one("error").error, HasSubstr("said: cannot draw \uFFFD[31m this"));
  EXPECT_THAT(one("error").error, HasSubstr("'assay report RESULT' renders it again"));
  EXPECT_THAT(one("large").error,
              AllOf(HasSubstr("reporter 'large' of 'org.test.large' said: its files are large"),
                    HasSubstr("other formats take less room, such as csv"), HasSubstr("--filter"),
                    Not(HasSubstr("renders it again"))));
  EXPECT_THAT(one("unloadable").error, HasSubstr("libgone.so is missing"));
  EXPECT_THAT(one("outside").error, HasSubstr("'../outside.txt', which is not a plain relative name"));
  EXPECT_THAT(one("absolute").error, HasSubstr("'/tmp/outside.txt'"));
  EXPECT_THAT(one("twice").error, HasSubstr("already written"));
  EXPECT_EQ(files(), 0u);
  EXPECT_FALSE(fs::exists(folder_.parent_path() / "outside.txt"));
}

TEST_F(Report, AHangingReporterIsStopped) {
  const catalog::Manifest* manifest = nullptr;
  const catalog::Reporter* reporter = catalog_.reporter("hang", &manifest);
  try {
    static_cast<void>(render_in_child("{}", {"hang", {}, ""}, *reporter, *manifest,
                                      {build_folder() / "bin/assay_report_test_reporter", {}},
                                      std::chrono::milliseconds(200)));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "reporter.failed");
    EXPECT_THAT(error.what(), HasSubstr("was not done after 0.2 s and was stopped"));
  }
}

TEST_F(Report, FilesEndAtTheirLimits) {
  EXPECT_THAT(one("endless").error, HasSubstr("wrote more than 256 MiB"));
  EXPECT_THAT(one("countless").error, HasSubstr("opened more than 10000 files"));
  EXPECT_EQ(files(), 0u);
}

TEST_F(Report, MuchOutputOfAReporterBlocksNothing) { EXPECT_EQ(one("chatter").error, ""); }

TEST_F(Report, TwoReportsDoNotShareAFile) {
  const std::vector<WrittenReport> all = render_all({{"echo", {}, ""}, {"echo", {}, ""}});
  EXPECT_EQ(all[0].error, "");
  EXPECT_THAT(all[1].error, HasSubstr("give this one a path of its own: --report echo=PATH"));
}

TEST_F(Report, TwoReportsShareWhatStandsBesideThemIfItIsTheSame) {
  const std::vector<WrittenReport> all = render_all(
      {{"several", {}, (folder_ / "a.md").string()}, {"several", {}, (folder_ / "b.md").string()}});
  EXPECT_EQ(all[1].error, "");
  EXPECT_EQ(read_file(folder_ / "parts/one.svg"), "<svg/>");
  // Another report's main output is no such thing, whatever is in it.
  EXPECT_THAT(render_all({{"several", {}, (folder_ / "a.md").string()},
                          {"several", {}, (folder_ / "a.md").string()}})[1]
                  .error,
              HasSubstr("already written"));
}

TEST_F(Report, WhatHasNoPlaceBesideItHasNoCharts) {
  catalog::Manifest manifest;
  manifest.id = "org.test.drawn";
  manifest.library = "echo";
  catalog::Reporter reporter;
  reporter.name = "drawn";
  reporter.file = "drawn.out";
  reporter.options = {{"charts", "boolean", "", true, {}}};
  manifest.reporters = {reporter};
  catalog_.add(std::move(manifest));
  EXPECT_EQ(one("drawn", "-").output, "{}\ncharts=false");
  EXPECT_EQ(render_all({{"drawn", {{"charts", "true"}}, "-"}}).at(0).output, "{}\ncharts=false");
  EXPECT_EQ(one("drawn").error, "");
  EXPECT_EQ(read_file(folder_ / "drawn.out"), "{}");
  EXPECT_EQ(one("echo", "-").output, "{}");
}

TEST_F(Report, DevicesAndLinksAreWrittenThrough) {
  EXPECT_EQ(one("echo", "/dev/null").error, "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  write_file(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  EXPECT_EQ(one("echo", (folder_ / "link").string()).error, "");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target"), "{}");
}

TEST_F(Report, APipeThatNobodyReadsIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(one("echo", (folder_ / "pipe").string()).error, HasSubstr("nobody reads from it"));
}

TEST_F(Report, ALinkInItsOwnFolderIsReplacedAndNotFollowed) {
  write_file(folder_ / "precious", "old");
  fs::create_symlink(folder_ / "precious", folder_ / "echo.out");
  EXPECT_EQ(one("echo").error, "");
  EXPECT_EQ(read_file(folder_ / "precious"), "old");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder_ / "echo.out")));
}

TEST_F(Report, SaysWhereItCannotWrite) {
  write_file(folder_ / "file", "x");
  EXPECT_THAT(one("echo", (folder_ / "file/below.txt").string()).error, HasSubstr("file/below.txt"));
}

TEST_F(Report, AMissingProgramIsAnErrorOfTheReport) {
  const WrittenReport written =
      render("{}", {{"echo", {}, ""}}, catalog_, folder_, {folder_ / "no-such-program", {}}).at(0);
  EXPECT_THAT(written.error, HasSubstr("no-such-program' cannot be executed"));
}

}  // namespace
}  // namespace assay::report
