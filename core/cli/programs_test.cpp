// SPDX-License-Identifier: Apache-2.0
#include "cli/programs.hpp"

#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::cli {
namespace {

using testing::HasSubstr;

TEST(Programs, SayWhyTheyCannotBeRun) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "programs";
  std::filesystem::create_directories(folder);
  const std::string script = (folder / "script").string();
  std::ofstream(script) << "true\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_read);
  EXPECT_EQ(program_problem("/bin/sh", ""), "");
  EXPECT_EQ(program_problem("sh", "/nowhere:/bin"), "");
  EXPECT_EQ(program_problem("sh", ""), "");
  EXPECT_EQ(program_problem(script + "s", "/bin"), "there is no such file");
  EXPECT_EQ(program_problem(folder.string(), "/bin"), "it is a folder");
  EXPECT_THAT(program_problem(script, "/bin"), HasSubstr("it is not executable; chmod +x /"));
  EXPECT_THAT(
      program_problem("./a | cat", "/bin"),
      HasSubstr("there is no such file; for a line with arguments or a pipe, write: -- sh -c './a | cat'"));
  EXPECT_THAT(program_problem("sort a", "/bin"), HasSubstr("write: -- sh -c 'sort a'"));
  EXPECT_THAT(program_problem("no-such-program", "/bin"),
              HasSubstr("it is in no folder of PATH; install it"));
}

TEST(Programs, AreLeftToTheRunWhereItKnowsMore) {
  engine::Surroundings surroundings;
  surroundings.environment["PATH"] = "/bin";
  EXPECT_NO_THROW(require_programs({{"./{name}"}, {"sh"}}, {}, surroundings));
  EXPECT_NO_THROW(require_programs({{"no-such-program"}}, {{"env.PATH", "/opt/bin"}}, surroundings));
  EXPECT_THROW(require_programs({{"sh"}, {"no-such-program"}}, {}, surroundings), Error);
}

}  // namespace
}  // namespace assay::cli
