// SPDX-License-Identifier: Apache-2.0
//
// A journal, whole or cut off anywhere. What is tried is also tried with the sums that belong to it: else
// nearly nothing would come past them.
#include "base/error.hpp"
#include "result/journal.hpp"
#include "result/journal_format.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace {

std::string with_sums(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) {
    // The sum that a line has becomes one key among others.
    all += (line.empty() ? line : assay::result::sealed(line)) + "\n";
  }
  return all;
}

void read(const std::string& text) {
  std::istringstream stream(text);
  try {
    const assay::result::Journal journal = assay::result::parse_journal(stream, "journal.jsonl");
    for (const assay::result::Visit& visit : journal.visits)
      static_cast<void>(assay::result::visit_from_json(assay::result::to_json(visit)));
  } catch (const assay::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  read(with_sums(text));
  return 0;
}
