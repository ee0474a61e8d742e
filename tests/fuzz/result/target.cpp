// SPDX-License-Identifier: Apache-2.0
//
// A result document through every reporter that is shipped.
#include "console/console.hpp"
#include "junit/junit.hpp"
#include "lib/document.hpp"
#include "markdown/markdown.hpp"
#include "trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

// No terminal may be told to do anything by a text, and no XML parser meet what XML forbids.
void expect_harmless(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay::reporters;
  try {
    const Document document = read_document({reinterpret_cast<const char*>(data), size});
    expect_harmless(render_console(document, {}));
    expect_harmless(render_markdown(document, {}));
    expect_harmless(render_junit(document, {}));
    render_trace(document, expect_harmless);
  } catch (const Unreadable&) {
    return 0;
  }
  return 0;
}
