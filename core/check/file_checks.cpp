// SPDX-License-Identifier: Apache-2.0
#include "check/checks.hpp"
#include "text/text.hpp"
#include "worker/elf.hpp"

#include <assay/abi/v1.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::check {
namespace {

// What every machine has that can run a C++ program.
constexpr std::array<std::string_view, 12> kRuntime = {
    "libc.so.",      "libm.so.",    "libdl.so.",    "librt.so.",   "libpthread.so.", "ld-linux",
    "libstdc++.so.", "libgcc_s.so", "libatomic.so", "libgomp.so.", "libresolv.so.",  "libutil.so."};

bool is_runtime(const std::string& name) {
  return std::any_of(kRuntime.begin(), kRuntime.end(),
                     [&](std::string_view known) { return name.starts_with(known); });
}

std::string listed(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  const std::size_t count = names.size();
  if (count > kMost) names.resize(kMost);
  return join(names, ", ") + (count > kMost ? " and " + std::to_string(count - kMost) + " more" : "");
}

}  // namespace

CheckVerdict check_one_export(const Subject& subject) {
  std::vector<std::string> others = worker::read_elf(subject.library()).exported;
  const auto entry = std::find(others.begin(), others.end(), ASSAY_ENTRY_SYMBOL);
  if (entry == others.end()) return failed("it does not export " ASSAY_ENTRY_SYMBOL);
  others.erase(entry);
  if (others.empty()) return passed();
  return failed("besides " ASSAY_ENTRY_SYMBOL " it exports " + listed(others) +
                "; link with the SDK's version script, as assay_add_plugin() does");
}

CheckVerdict check_text_relocations(const Subject& subject) {
  if (!worker::read_elf(subject.library()).text_relocations) return passed();
  return failed("the loader must write into its code; compile everything in it with -fPIC");
}

CheckVerdict check_run_path(const Subject& subject) {
  std::vector<std::string> absolute;
  for (const std::string& path : worker::read_elf(subject.library()).run_paths) {
    if (path != "$ORIGIN" && !path.starts_with("$ORIGIN/"))
      absolute.push_back(path.empty() ? "an empty entry (the current folder)" : "'" + path + "'");
  }
  if (absolute.empty()) return passed();
  return failed("it looks for libraries in " + listed(absolute) + "; use $ORIGIN or nothing");
}

CheckVerdict check_needed_libraries(const Subject& subject) {
  std::vector<std::string> unknown;
  for (const std::string& name : worker::read_elf(subject.library()).needed) {
    std::error_code ignored;
    if (is_runtime(name) || std::filesystem::exists(subject.library().parent_path() / name, ignored))
      continue;
    const auto& manifest = subject.manifest();
    if (manifest && std::any_of(manifest->needs.begin(), manifest->needs.end(),
                                [&](const auto& need) { return need.soname == name; })) {
      continue;
    }
    unknown.push_back(name);
  }
  if (unknown.empty()) return passed();
  return failed(
      "it needs " + listed(unknown) +
      ", which the manifest's 'needs' does not name; where it is missing nobody is told what to install");
}

}  // namespace assay::check
