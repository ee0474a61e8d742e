// SPDX-License-Identifier: Apache-2.0
//
// A file of bottleneck rules.
#include "model/field_json.hpp"
#include "suite/rule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  assay::Diagnostics diagnostics;
  for (const assay::suite::Rule& rule : assay::suite::parse_rules("rules.yaml", text, diagnostics))
    static_cast<void>(assay::model::to_json(rule));
  for (const assay::Diagnostic& one : diagnostics.sorted()) static_cast<void>(to_text(one, text));
  return 0;
}
