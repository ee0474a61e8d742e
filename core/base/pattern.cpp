// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.hpp"

#include "text/text.hpp"

#include <re2/re2.h>

namespace assay {
namespace {

// Longer ones could be legal and still cost the machine's memory.
constexpr std::size_t kLongestExpression = 4096;
constexpr std::size_t kMostMemory = std::size_t{8} << 20;  // of one compiled expression

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

std::string in_words(const re2::RE2& compiled) {
  switch (compiled.error_code()) {
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen:
      return "a parenthesis is open or closed too often";
    case re2::RE2::ErrorMissingBracket:
      return "a bracket '[' is not closed";
    case re2::RE2::ErrorBadEscape:
      return "a '\\' stands before what it cannot stand before; there are no back-references";
    case re2::RE2::ErrorBadCharClass:
    case re2::RE2::ErrorBadCharRange:
      return "a range of characters is wrong";
    case re2::RE2::ErrorRepeatArgument:
    case re2::RE2::ErrorRepeatOp:
    case re2::RE2::ErrorRepeatSize:
      return "a repetition has nothing to repeat, or repeats too often";
    case re2::RE2::ErrorBadPerlOp:
      return "'(?' begins something that is not supported; there is no look-around, and a named group is written "
             "(?P<name>…)";
    case re2::RE2::ErrorBadNamedCapture:
      return "the name of a group is wrong; a named group is written (?P<name>…)";
    case re2::RE2::ErrorPatternTooLarge:
      return "it is too large";
    default:
      return printable(compiled.error());
  }
}

}  // namespace

Pattern::Pattern(const std::string& text) {
  if (text.size() > kLongestExpression) {
    problem_ = "it has more than " + std::to_string(kLongestExpression) + " characters";
    return;
  }
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_max_mem(static_cast<std::int64_t>(kMostMemory));
  auto compiled = std::make_shared<const re2::RE2>(piece(text), options);
  if (!compiled->ok()) {
    problem_ = in_words(*compiled);
    return;
  }
  groups_ = static_cast<std::size_t>(compiled->NumberOfCapturingGroups());
  compiled_ = std::move(compiled);
}

bool Pattern::is_found_in(std::string_view text) const {
  return compiled_ && re2::RE2::PartialMatch(piece(text), *compiled_);
}

bool Pattern::matches(std::string_view text) const {
  return compiled_ && re2::RE2::FullMatch(piece(text), *compiled_);
}

}  // namespace assay
