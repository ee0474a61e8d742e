// SPDX-License-Identifier: Apache-2.0
//
// A plugin's manifest, and a contract of the same text.
#include "catalog/contract.hpp"
#include "catalog/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  assay::Diagnostics diagnostics;
  const auto manifest = assay::catalog::parse_manifest("/x/y.assay.json", text, diagnostics);
  const auto contract = assay::catalog::parse_contract("/x/y-1.json", text, diagnostics);
  if (manifest && contract) {
    for (const assay::catalog::Benchmark& benchmark : manifest->benchmarks)
      check_contract(manifest->path, benchmark, *contract, diagnostics);
  }
  for (const assay::Diagnostic& one : diagnostics.sorted()) static_cast<void>(to_text(one, text));
  return 0;
}
