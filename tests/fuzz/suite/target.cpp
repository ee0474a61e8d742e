// SPDX-License-Identifier: Apache-2.0
//
// A suite, and the same text once more wherever it includes a file: in three files, because a text that
// includes another file of its own folder would otherwise be read as often as the limit on files allows,
// which tests the reader no better and takes twenty times as long.
#include "base/error.hpp"
#include "suite/suite.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  assay::Diagnostics diagnostics;
  int files = 0;
  const auto read = [&](const std::string& path) -> std::string {
    if (path.size() % 2 == 0 || ++files > 3) throw assay::Error("file.unreadable", "there is no such file");
    return text;
  };
  assay::suite::Suite suite = assay::suite::parse_suite("s.yaml", text, read, diagnostics);
  for (const assay::Diagnostic& one : diagnostics.sorted()) static_cast<void>(to_text(one, text));
  if (!suite.cases.empty()) {
    assay::Diagnostics overriding;
    assay::suite::apply_override(suite, text.substr(0, text.find('\n')), overriding);
  }
  return 0;
}
