// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay::worker {

// What the dynamic section and symbol table of a shared object say.
struct ElfFacts {
  std::vector<std::string> exported;   // defined dynamic symbols that others can see
  std::vector<std::string> needed;     // DT_NEEDED
  std::vector<std::string> run_paths;  // DT_RPATH and DT_RUNPATH, split at ':'
  bool text_relocations = false;
};

// Why this machine's loader would refuse the file by its first bytes alone; "" if it would not.
[[nodiscard]] std::string why_not_loadable(const std::filesystem::path& path);

// Runs nothing of the file. Throws Error "plugin.load" for what is not a 64-bit little-endian ELF file with
// section headers, or is damaged.
[[nodiscard]] ElfFacts read_elf(const std::filesystem::path& path);

}  // namespace assay::worker
