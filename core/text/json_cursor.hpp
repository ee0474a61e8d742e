// SPDX-License-Identifier: Apache-2.0
//
// JSON read from front to back without a tree: the caller takes the values that it wants and passes over the others, which are held to the
// same grammar (RFC 8259, texts in UTF-8).
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

// Values are written and copied by recursion, so depth ends somewhere, of any JSON from outside.
inline constexpr int kMaximumJsonDepth = 64;

enum class JsonKind { null, boolean, number, text, array, object };

// The text is cut off, is not JSON or goes beyond a limit.
struct BadJson {
  std::size_t at = 0;    // the byte
  bool is_deep = false;  // it is nested deeper than kMaximumJsonDepth
};

// A number as it is written.
struct JsonNumber {
  std::string_view digits;
  bool is_integer = false;  // has neither a point nor an exponent

  [[nodiscard]] double value() const;
  template <class T>
  [[nodiscard]] std::optional<T> integer() const {
    return digits.front() == '-' ? in_range<T, std::int64_t>() : in_range<T, std::uint64_t>();
  }

 private:
  template <class T, class Wide>
  [[nodiscard]] std::optional<T> in_range() const {
    Wide wide = 0;
    const char* const end = digits.data() + digits.size();
    if (!is_integer || std::from_chars(digits.data(), end, wide).ec != std::errc() || !std::in_range<T>(wide))
      return std::nullopt;
    return static_cast<T>(wide);
  }
};

// Everything but the constructor throws BadJson.
class JsonCursor {
 public:
  // The text outlives it. An object of more keys than `most_keys` is refused.
  explicit JsonCursor(std::string_view text, std::size_t most_keys = std::numeric_limits<std::size_t>::max());

  // Of the value that comes next; the functions below take it, and it must be of their kind.
  [[nodiscard]] JsonKind kind();
  [[nodiscard]] bool boolean();
  [[nodiscard]] JsonNumber number();
  // As printable() makes it.
  void text(std::string& out);
  // Calls with this cursor before each element, which the call takes.
  template <class Take>
  void elements(Take&& take) {
    open('[');
    if (closes(']')) return;
    do {
      take(*this);
    } while (goes_on(']'));
  }
  // Calls with this cursor before each value, which the call takes, and with its key as printable() makes it.
  template <class Take>
  void members(Take&& take) {
    open('{');
    if (closes('}')) return;
    std::string space;
    std::size_t keys = 0;
    do {
      if (++keys > most_keys_) fail();
      const std::string_view name = key(space);
      take(*this, name);
    } while (goes_on('}'));
  }
  // Any value; its text.
  std::string_view pass();
  // Nothing but spaces follows.
  void end();

 private:
  [[noreturn]] void fail(bool is_deep = false) const;
  void skip_spaces();
  void open(char bracket);
  bool closes(char bracket);
  bool goes_on(char bracket);
  std::string_view key(std::string& space);
  void pass_word(std::string_view word);
  void pass_one(char sign) {
    if (at_ == end_ || *at_ != sign) fail();
    ++at_;
  }
  void pass_escape();
  unsigned hexadecimal();
  // From the opening quote to behind the closing one: what stands between them, and whether it is shown as it is written.
  struct Quoted {
    std::string_view raw;
    bool is_as_written = true;
  };
  Quoted quoted();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::size_t most_keys_;
  int depth_ = 0;
};

}  // namespace assay
