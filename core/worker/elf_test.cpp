// SPDX-License-Identifier: Apache-2.0
#include "worker/elf.hpp"

#include "base/error.hpp"
#include "base/file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

namespace assay::worker {
namespace {

namespace fs = std::filesystem;

TEST(Elf, ReadsWhatAPluginExportsAndNeeds) {
  const ElfFacts facts = read_elf("/proc/self/exe");
  EXPECT_THAT(facts.needed, testing::Contains(testing::StartsWith("libc.so")));
  EXPECT_FALSE(facts.text_relocations);
}

TEST(Elf, RefusesDamagedFilesWithoutReadingBeyondThem) {
  std::string whole = read_file(fs::read_symlink("/proc/self/exe"));
  whole.resize(std::min<std::size_t>(whole.size(), std::size_t{1} << 20));
  std::mt19937_64 random(20250131);
  const fs::path path = fs::path(testing::TempDir()) / "assay_elf_test.so";
  for (int i = 0; i < 300; ++i) {
    std::string text = whole.substr(0, random() % 3 == 0 ? random() % 4096 : whole.size());
    // The header is what offsets come from.
    for (int flips = static_cast<int>(random() % 8); flips > 0 && !text.empty(); --flips)
      text[random() % std::min<std::size_t>(text.size(), 64)] = static_cast<char>(random());
    std::ofstream(path, std::ios::binary) << text;
    try {
      (void)read_elf(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "plugin.load");
    }
  }
  fs::remove(path);
}

}  // namespace
}  // namespace assay::worker
