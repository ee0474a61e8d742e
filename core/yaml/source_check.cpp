// SPDX-License-Identifier: Apache-2.0
#include "yaml/source_check.hpp"

#include "text/utf8.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace assay::yaml {

namespace {

constexpr std::size_t kReportedPlaces = 5;  // a binary file has thousands

std::string hexadecimal(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

Position position_at(const Source& source, std::size_t offset) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  const auto line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  return {source.file, line,
          static_cast<int>(before.size() - begin) + 1 + (line == 1 ? source.column_offset : 0)};
}

bool check_source(const Source& source, Diagnostics& diagnostics) {
  const std::string_view text = source.text;
  if (text.size() > source.most_bytes) {
    diagnostics.error(source.code("limit"), {source.file, 1, 1},
                      "the file has " + std::to_string(text.size()) + " bytes, more than the limit of " +
                          std::to_string(source.most_bytes),
                      source.of_suites("split it and use 'include'"));
    return false;
  }
  std::size_t bad = 0;
  Position first_untold;
  const auto report = [&](std::size_t offset, const char* code, std::string problem, const char* hint) {
    ++bad;
    if (bad <= kReportedPlaces) {
      diagnostics.error(source.code(code), position_at(source, offset), std::move(problem), hint);
    } else if (bad == kReportedPlaces + 1) {
      first_untold = position_at(source, offset);
    }
  };
  bool indentation = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const Character character = decode(text, i);
    if (!character.valid()) {
      report(i, "encoding", "byte " + hexadecimal(byte) + " is not valid UTF-8", "save the file as UTF-8");
    } else if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
      report(i, "encoding", "a control character (" + hexadecimal(byte) + ")",
             "remove it, or write it as an escape in double quotes");
    } else if (byte == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
      report(i, "encoding", "a carriage return that ends no line", "end lines with a newline");
    } else if (byte == '\t' && indentation) {
      report(i, "tab", "a tab in the indentation", "indent with spaces");
    }
    // One tab a line is enough to say it.
    indentation = byte == '\n' || (indentation && byte == ' ');
    i += character.length;
  }
  if (bad > kReportedPlaces) {
    diagnostics.error(source.code("encoding"), first_untold,
                      "here and in " + std::to_string(bad - kReportedPlaces - 1) + " more places the same",
                      source.of_suites("a suite is a text file"));
  }
  return bad == 0;
}

}  // namespace assay::yaml
