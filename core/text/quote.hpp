// SPDX-License-Identifier: Apache-2.0
//
// Text inside what a shell or an XML parser reads. All take printable text and never change what a reader sees.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// A word for sh and zsh: as it is if it needs no quotes, else in single quotes.
[[nodiscard]] std::string shell_word(std::string_view word);

// Element content. "]]>" cannot arise because ">" is escaped.
[[nodiscard]] std::string xml_text(std::string_view text);
// Attribute value, for double quotes; newlines and tabs become character references, so that parsers keep
// them.
[[nodiscard]] std::string xml_attribute(std::string_view text);

}  // namespace assay
