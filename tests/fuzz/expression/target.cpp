// SPDX-License-Identifier: Apache-2.0
//
// An expression; one that is accepted must read back from its canonical text as itself.
#include "suite/expression.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::suite;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  assay::Diagnostics diagnostics;
  const ExpressionPtr parsed = parse_expression(text, {"s.yaml", 1, 1}, diagnostics);
  if (!parsed) {
    if (!diagnostics.has_errors()) std::abort();  // refused without a word
    return 0;
  }
  static_cast<void>(names(*parsed));
  static_cast<void>(is_relation(*parsed));
  const std::string canonical = to_text(*parsed);
  if (canonical.size() > kMaximumExpressionLength) return 0;  // spaces around operators may make it too long
  assay::Diagnostics again;
  const ExpressionPtr same = parse_expression(canonical, {"s.yaml", 1, 1}, again);
  if (!same || to_text(*same) != canonical) std::abort();
  return 0;
}
