// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/suggest.hpp"
#include "base/testing/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace assay {
namespace {

TEST(Diagnostics, AreSortedByPlaceAndSaidOnce) {
  Diagnostics diagnostics;
  diagnostics.error("b", {"a.yaml", 7, 2}, "later");
  diagnostics.error("a", {"a.yaml", 3, 9}, "earlier");
  diagnostics.error("a", {"a.yaml", 3, 9}, "earlier");
  diagnostics.warning("c", {}, "nowhere");

  const auto sorted = diagnostics.sorted();

  ASSERT_EQ(sorted.size(), 3U);
  EXPECT_EQ(sorted[0].text, "earlier");
  EXPECT_EQ(sorted[1].text, "later");
  EXPECT_EQ(sorted[2].text, "nowhere");
  EXPECT_TRUE(diagnostics.has_errors());
}

TEST(Diagnostics, PointAtTheColumnBelowTheLine) {
  const Diagnostic diagnostic{Severity::error, "x", "unknown key 'c'", "did you mean 'd'?", {"a.yaml", 2, 4}};

  EXPECT_EQ(to_text(diagnostic, "a: 1\nµ: c\n"),
            "a.yaml:2:4: error: unknown key 'c' (did you mean 'd'?)\n  µ: c\n    ^\n");
}

TEST(Suggest, FindsTheSlipAndNothingFarAway) {
  const std::vector<std::string> keys = {"matrix", "measure", "expect"};

  EXPECT_EQ(nearest("matirx", keys), "matrix");
  EXPECT_EQ(nearest("EXPECT", keys), "expect");
  EXPECT_EQ(nearest("zebra", keys), "");
  EXPECT_EQ(suggestion("zebra", keys), "one of: matrix, measure, expect");
  EXPECT_EQ(nearest("", keys), "");
}

TEST(Hash, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

class File : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = make_temporary_folder("base"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(File, IsWholeOrAbsent) {
  write_file(folder_ / "a", "one");
  write_file(folder_ / "a", "two");

  EXPECT_EQ(read_file(folder_ / "a"), "two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(File, RefusesPipesAndFoldersWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);

  EXPECT_THROW((void)read_file(folder_ / "fifo"), Error);
  EXPECT_THROW((void)read_file(folder_), Error);
  EXPECT_THROW((void)read_file(folder_ / "missing"), Error);
  EXPECT_THROW(write_file(folder_ / "no" / "such", "x"), Error);
}

TEST_F(File, RefusesMoreThanTheLimit) {
  write_file(folder_ / "a", std::string(100, 'x'));

  EXPECT_THROW((void)read_file(folder_ / "a", 99), Error);
  EXPECT_EQ(read_file(folder_ / "a", 100).size(), 100U);
}

}  // namespace
}  // namespace assay
