// SPDX-License-Identifier: Apache-2.0
//
// A journal, whole or cut off anywhere.
#include "base/error.hpp"
#include "result/journal.hpp"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const assay::result::Journal journal = assay::result::parse_journal(stream, "journal.jsonl");
    for (const assay::result::Visit& visit : journal.visits)
      static_cast<void>(assay::result::visit_from_json(assay::result::to_json(visit)));
  } catch (const assay::Error&) {
    return 0;
  }
  return 0;
}
