// SPDX-License-Identifier: Apache-2.0
//
// A result document through every reporter that is shipped, and held against itself.
#include "base/error.hpp"
#include "comparison/compare.hpp"
#include "console/comparison.hpp"
#include "console/console.hpp"
#include "junit/comparison.hpp"
#include "junit/junit.hpp"
#include "lib/document.hpp"
#include "markdown/comparison.hpp"
#include "markdown/markdown.hpp"
#include "trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// No terminal may be told to do anything by a text, and no XML parser meet what XML forbids.
void expect_harmless(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) std::abort();
  }
}

void compare_with_itself(std::string_view text) {
  using namespace assay;
  const std::vector<comparison::LoadedResult> side{comparison::read_result(text, "x")};
  const std::string found = model::to_json(comparison::compare(side, side, {})).dump();
  const model::Comparison read = model::read_comparison(found);
  expect_harmless(reporters::render_console(read, {}));
  expect_harmless(reporters::render_markdown(read, {}));
  expect_harmless(reporters::render_junit(read));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::reporters;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    compare_with_itself(text);
  } catch (const assay::Error&) {  // no whole result
  }
  try {
    const Document document = read_document(text);
    expect_harmless(render_console(document, {}));
    expect_harmless(render_markdown(document, {}));
    expect_harmless(render_junit(document, {}));
    render_trace(document, expect_harmless);
  } catch (const Unreadable&) {
    return 0;
  }
  return 0;
}
