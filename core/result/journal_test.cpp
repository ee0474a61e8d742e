// SPDX-License-Identifier: Apache-2.0
#include "result/journal.hpp"

#include "base/error.hpp"
#include "base/testing/temporary_folder.hpp"
#include "result/journal_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace assay::result {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JournalFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = make_temporary_folder("journal");
    path_ = folder_ / "journal.jsonl";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static JournalHeader header() {
    JournalHeader header;
    header.run_id = "20260101T000000Z-abcd";
    header.started_at_s = 1.5;
    header.tool = Json{{"name", "assay"}};
    header.command = {"assay", "run", "quick"};
    header.suite_file = "a.yaml";
    header.suite_text = "version: 1\nsuite: a\n";
    header.includes = {{"b.yaml", "x: 1\n"}};
    header.overrides = {"a.b=1"};
    header.options.seed = 7;
    header.plan_hash = "f00";
    return header;
  }
  static Visit visit(const std::string& id, int round = 1, Outcome outcome = Outcome::passed) {
    Visit visit;
    visit.case_id = id;
    visit.round = round;
    visit.outcome = outcome;
    if (outcome != Outcome::passed) visit.reason.code = "worker.signal";
    return visit;
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }
  void append(const std::string& bytes) const {
    std::ofstream(path_, std::ios::app | std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string problem() const {
    try {
      static_cast<void>(read_journal(path_));
    } catch (const Error& error) {
      return error.code() + ": " + error.what();
    }
    return "none";
  }

  std::filesystem::path folder_, path_;
};

TEST_F(JournalFile, ReadsBackHeaderVisitsAndEnd) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
    writer.visit(visit("b", 2, Outcome::crashed));
    writer.end({9.5, 2});
  }
  const Journal journal = read_journal(path_);
  EXPECT_EQ(journal.header.run_id, header().run_id);
  EXPECT_EQ(journal.header.command, header().command);
  EXPECT_EQ(journal.header.includes, header().includes);
  EXPECT_EQ(journal.header.options.seed, 7u);
  EXPECT_EQ(journal.header.plan_hash, "f00");
  ASSERT_EQ(journal.visits.size(), 2u);
  EXPECT_EQ(journal.visits[1].case_id, "b");
  EXPECT_EQ(journal.visits[1].round, 2);
  EXPECT_EQ(journal.visits[1].outcome, Outcome::crashed);
  EXPECT_TRUE(journal.has_end);
  EXPECT_EQ(journal.end.interrupted_by, 2);
  EXPECT_EQ(journal.torn_bytes, 0u);
}

TEST_F(JournalFile, IsNeverWrittenOver) {
  { JournalWriter writer(path_, header()); }
  EXPECT_THROW(JournalWriter(path_, header()), Error);
}

// A killed run may leave any prefix of the file: visits in front of the cut are kept, and a resumed run goes
// on there.
TEST_F(JournalFile, SurvivesACutAtAnyByte) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
    writer.visit(visit("b"));
  }
  const std::string whole = text();
  const std::size_t header_end = whole.find('\n') + 1;
  const std::size_t first_end = whole.find('\n', header_end) + 1;
  for (std::size_t cut = header_end; cut < whole.size(); cut += 7) {
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << whole.substr(0, cut);
    const std::size_t expected = cut >= first_end ? 1 : 0;
    EXPECT_EQ(read_journal(path_).visits.size(), expected);
    EXPECT_EQ(read_journal(path_).torn_bytes, cut - (expected == 1 ? first_end : header_end));
    {
      JournalWriter writer = JournalWriter::resume(path_);
      writer.visit(visit("c"));
    }
    const Journal journal = read_journal(path_);
    ASSERT_EQ(journal.visits.size(), expected + 1);
    EXPECT_EQ(journal.visits.back().case_id, "c");
    EXPECT_EQ(journal.torn_bytes, 0u);
  }
}

TEST_F(JournalFile, TakesALastLineOfRubbishForATornOne) {
  { JournalWriter writer(path_, header()); }
  append(std::string(100, '\0') + "\n");
  EXPECT_EQ(read_journal(path_).torn_bytes, 101u);
  { JournalWriter::resume(path_).visit(visit("a")); }
  EXPECT_EQ(read_journal(path_).visits.size(), 1u);
  EXPECT_EQ(read_journal(path_).torn_bytes, 0u);
}

// A machine that dies may have written later blocks of the file and not earlier ones.
TEST_F(JournalFile, LeavesOutDamagedLinesInTheMiddleAndNumbersThem) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
  }
  append("{\"type\":\"vis\n" + std::string(50, '\0') + "\n");
  {
    JournalWriter writer = JournalWriter::resume(path_);  // cuts the last one only
    writer.visit(visit("b"));
  }
  const Journal journal = read_journal(path_);
  EXPECT_THAT(journal.unreadable_lines, ElementsAre(3u));
  EXPECT_EQ(journal.torn_bytes, 0u);
  ASSERT_EQ(journal.visits.size(), 2u);
  EXPECT_EQ(journal.visits[1].case_id, "b");
}

TEST_F(JournalFile, AddsUpTheDurationsOfItsPartsWithoutThePauses) {
  Visit timed = visit("a");
  timed.started_at_s = 1e9;
  timed.duration_s = 2;
  {
    JournalWriter writer(path_, header());
    writer.visit(timed);
    writer.end({1000, 15, 3});
  }
  EXPECT_EQ(read_journal(path_).end.duration_s, 3);
  {
    JournalWriter writer = JournalWriter::resume(path_);
    writer.resumed(5000, {"assay"});
    timed.case_id = "b";
    timed.started_at_s = 10;  // the wall's clock went back
    writer.visit(timed);
  }
  EXPECT_EQ(read_journal(path_).end.duration_s, 5) << "of a part that was killed its visits are known";
  {
    JournalWriter writer = JournalWriter::resume(path_);
    writer.resumed(6000, {"assay"});
    writer.end({900, 0, 0.5});
  }
  const Journal journal = read_journal(path_);
  EXPECT_EQ(journal.end.duration_s, 5.5);
  EXPECT_TRUE(journal.header.resumed);
}

TEST_F(JournalFile, KeepsWhichCasesGotMoreRoundsAndWhen) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
    writer.end({900, 0, 0.5});
  }
  {
    JournalWriter writer = JournalWriter::resume(path_);
    writer.extended({5000, {"assay", "run"}, {{"a", 6}}}, "digest");
  }
  Journal journal = read_journal(path_);
  ASSERT_EQ(journal.header.options.extensions.size(), 1U);
  const Extension& extension = journal.header.options.extensions.front();
  EXPECT_EQ(extension.at_s, 5000);
  EXPECT_EQ(extension.command, (std::vector<std::string>{"assay", "run"}));
  EXPECT_EQ(extension.rounds, (std::map<std::string, int>{{"a", 6}}));
  EXPECT_EQ(journal.header.plan_hash, "digest");
  EXPECT_FALSE(journal.has_end) << "its rounds are still to come";
  EXPECT_FALSE(journal.header.resumed);
}

TEST_F(JournalFile, LeavesOutAnExtensionOfRoundsThatNoCaseCanHave) {
  for (const int rounds : {0, kMostRoundsOfACase + 1}) {
    std::filesystem::remove(path_);
    JournalWriter writer(path_, header());
    writer.extended({5000, {}, {{"a", rounds}}}, "digest");
    const Journal journal = read_journal(path_);
    EXPECT_TRUE(journal.header.options.extensions.empty());
    EXPECT_NE(journal.header.plan_hash, "digest");
  }
}

TEST_F(JournalFile, IsMadeAgainWholeWhereItWasRemoved) {
  JournalWriter writer(path_, header());
  writer.visit(visit("a"));
  EXPECT_EQ(writer.restored(), 0);
  std::filesystem::remove_all(folder_);
  writer.visit(visit("b"));
  EXPECT_EQ(writer.restored(), 1);
  writer.visit(visit("c"));
  EXPECT_EQ(writer.restored(), 1);
  EXPECT_EQ(read_journal(path_).visits.size(), 3u);
  EXPECT_THROW(static_cast<void>(JournalWriter::resume(path_)), Error) << "it is still locked";
  // Another file in its place is somebody else's.
  std::filesystem::remove(path_);
  append("mine");
  EXPECT_THROW(writer.visit(visit("d")), Error);
  EXPECT_EQ(text(), "mine");
}

TEST_F(JournalFile, BeginsAgainWhereNoHeaderWasWhole) {
  EXPECT_FALSE(has_header(path_));
  append("{\"type\":\"header\"");
  EXPECT_FALSE(has_header(path_));
  { JournalWriter::begin_again(path_, header()).visit(visit("a")); }
  EXPECT_TRUE(has_header(path_));
  EXPECT_EQ(read_journal(path_).visits.size(), 1u);
  EXPECT_THROW(static_cast<void>(JournalWriter::begin_again(path_, header())), Error);
  EXPECT_EQ(read_journal(path_).visits.size(), 1u);
}

TEST_F(JournalFile, KeepsWhatIsKnownOfEarlierAttempts) {
  JournalHeader again = header();
  again.earlier = Json{{"run", "x"}, {"of", 2}, {"cases", Json::object()}};
  { JournalWriter(path_, again); }
  EXPECT_EQ(read_journal(path_).header.earlier, again.earlier);
}

TEST_F(JournalFile, LeavesOutAndCountsVisitsThatCannotBeRead) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
    writer.visit(visit("b"));
  }
  // A digit that flipped on a disk is JSON as before.
  std::string flipped = text();
  flipped.replace(flipped.find("\"round\":1"), 9, "\"round\":3");
  std::ofstream(path_, std::ios::trunc) << flipped;
  append(sealed(R"({"type":"visit","visit":{"case":"c"}})") + "\n");
  append(sealed(R"({"type":5})") + "\n");
  append(R"({"type":"end","finished_at_s":1,"interrupted_by":0})"
         "\n");
  { JournalWriter::resume(path_).visit(visit("d")); }
  const Journal journal = read_journal(path_);
  EXPECT_THAT(journal.unreadable_lines, ElementsAre(2u, 4u, 5u)) << "the last line was cut off";
  ASSERT_EQ(journal.visits.size(), 2u);
  EXPECT_EQ(journal.visits[0].case_id, "b");
  EXPECT_FALSE(journal.has_end);
}

TEST_F(JournalFile, LeavesOutALineOverTheLimit) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
  }
  std::filesystem::resize_file(path_, kLongestJournalLine + 4096);  // zeros that take no room
  append("\n");
  append(sealed(Json{{"type", "visit"}, {"visit", to_json(visit("b"))}}.dump()) + "\n");
  const Journal journal = read_journal(path_);
  EXPECT_THAT(journal.unreadable_lines, ElementsAre(3u));
  ASSERT_EQ(journal.visits.size(), 2u);
  EXPECT_EQ(journal.visits[1].case_id, "b");
}

TEST_F(JournalFile, RefusesTwoRunsInOneFile) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
  }
  append(text());
  try {
    (void)read_journal(path_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), "journal.malformed");
    EXPECT_THAT(error.what(), testing::HasSubstr(":3: another run begins here"));
  }
}

// Whatever bit of it flips: without the header nothing can be gone on with, and the visits must not go.
TEST_F(JournalFile, KeepsTheVisitsBehindADamagedHeader) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a"));
  }
  const std::string whole = text();
  for (std::size_t at = 0; at <= whole.find('\n'); at += at < 40 ? 1 : 9) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    std::ofstream(path_, std::ios::trunc | std::ios::binary) << damaged;
    EXPECT_THROW(static_cast<void>(has_header(path_)), Error) << at;
    EXPECT_THROW(static_cast<void>(JournalWriter::begin_again(path_, header())), Error) << at;
    EXPECT_THROW(static_cast<void>(JournalWriter::resume(path_)), Error) << at;
    EXPECT_THROW(static_cast<void>(read_journal(path_)), Error) << at;
    EXPECT_EQ(text(), damaged) << at;
  }
}

TEST_F(JournalFile, WritesToNothingButAPlainFileOfTheCaller) {
  const std::filesystem::path other = folder_ / "other";
  const auto problem_of = [&](auto function) -> std::string {
    try {
      function();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const auto expect = [&](const std::string& why) {
    const auto begin = [&] { static_cast<void>(JournalWriter::begin_again(path_, header())); };
    const auto resume = [&] { static_cast<void>(JournalWriter::resume(path_)); };
    const auto look = [&] { static_cast<void>(has_header(path_)); };
    EXPECT_THAT(problem_of(begin), HasSubstr(why));
    EXPECT_THAT(problem_of(resume), HasSubstr(why));
    EXPECT_THAT(problem_of(look), HasSubstr(why));
    std::filesystem::remove(path_);
  };
  std::ofstream(other) << "dear diary\n";
  std::filesystem::create_symlink(other, path_);
  expect("it is a link");
  std::filesystem::create_symlink(folder_ / "nowhere", path_);
  expect("it is a link");
  std::filesystem::create_directory(path_);
  expect("not a regular file");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  expect("not a regular file");
  append("dear diary\n");
  expect("begins like no journal");
  append("dear diary, without a newline");
  expect("begins like no journal");
  if (geteuid() == 0) {
    { JournalWriter writer(path_, header()); }
    ASSERT_EQ(chown(path_.c_str(), 65534, 65534), 0);
    expect("another user");
  }
  EXPECT_EQ(std::filesystem::file_size(other), 11u);
}

TEST_F(JournalFile, SaysWhichFormatItCannotGoOnWith) {
  append("{\"type\":\"header\",\"journal\":1,\"run_id\":\"x\"}\n{\"type\":\"visit\"}\n");
  EXPECT_THAT(problem(), HasSubstr("has format 1, this program reads format 2"));
  const std::string before = text();
  try {
    static_cast<void>(JournalWriter::resume(path_));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("has format 1, this program reads format 2"));
  }
  EXPECT_EQ(text(), before);
}

TEST_F(JournalFile, RefusesWhatIsNoJournal) {
  append("{\"schema_version\":\"1.0\"}\n{}\n");
  EXPECT_THAT(problem(), HasSubstr("not a journal of a run"));
  std::ofstream(path_, std::ios::trunc) << "";
  EXPECT_THAT(problem(), HasSubstr("no whole header"));
  std::ofstream(path_, std::ios::trunc) << "{\"type\":\"hea";
  EXPECT_THAT(problem(), HasSubstr("no whole header"));
  EXPECT_THROW(static_cast<void>(read_journal(folder_ / "none")), Error);
}

TEST_F(JournalFile, KeepsBothAttemptsAtAVisitThatWasNotCancelled) {
  {
    JournalWriter writer(path_, header());
    for (int attempt = 1; attempt <= 3; ++attempt) {
      Visit one = visit("a", 1, attempt == 2 ? Outcome::cancelled : Outcome::passed);
      one.attempt = attempt;
      writer.visit(one);
    }
  }
  const Journal journal = read_journal(path_);
  ASSERT_EQ(journal.visits.size(), 2u);
  EXPECT_EQ(journal.visits[0].attempt, 1);
  EXPECT_EQ(journal.visits[1].attempt, 3);
}

TEST_F(JournalFile, KeepsTheLastRecordOfAVisitThatWasRunAgain) {
  {
    JournalWriter writer(path_, header());
    writer.visit(visit("a", 1, Outcome::cancelled));
    writer.end({1, 2});
  }
  {
    JournalWriter writer = JournalWriter::resume(path_);
    EXPECT_TRUE(read_journal(path_).has_end);
    writer.visit(visit("a"));
    EXPECT_FALSE(read_journal(path_).has_end);
    writer.end({2, 0});
  }
  const Journal journal = read_journal(path_);
  ASSERT_EQ(journal.visits.size(), 1u);
  EXPECT_EQ(journal.visits[0].outcome, Outcome::passed);
  EXPECT_EQ(journal.end.interrupted_by, 0);
}

TEST_F(JournalFile, HasOneWriterAtATime) {
  JournalWriter writer(path_, header());
  try {
    static_cast<void>(JournalWriter::resume(path_));
    FAIL() << "a second writer was let in";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("another run, process " + std::to_string(getpid())));
  }
}

TEST_F(JournalFile, WritesATextThatIsNoUtf8) {
  Visit bad = visit("a");
  bad.notes = {"\xff\xfe"};
  { JournalWriter(path_, header()).visit(bad); }
  EXPECT_EQ(read_journal(path_).visits.size(), 1u);
}

}  // namespace
}  // namespace assay::result
