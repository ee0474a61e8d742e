// SPDX-License-Identifier: Apache-2.0
#include "text/json_cursor.hpp"

#include "text/utf8.hpp"

#include <array>
#include <cmath>
#include <cstdlib>

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// No number of fewer characters without an exponent is too large for a double.
constexpr std::size_t kAlwaysFinite = 300;

// Classes of bytes in a text, for the search for the end of the text.
enum class InText : unsigned char { plain, quote, escape, bad, other };
constexpr std::array<InText, 256> kInText = [] {
  std::array<InText, 256> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    kinds[i] = i < 0x20 ? InText::bad : i < 0x7F ? InText::plain : InText::other;
  kinds['"'] = InText::quote;
  kinds['\\'] = InText::escape;
  return kinds;
}();

InText in_text(char c) { return kInText[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_high_surrogate(unsigned unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(unsigned unit) { return unit >= 0xDC00 && unit < 0xE000; }

int hexadecimal_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

unsigned four_digits(const char* at) {
  unsigned unit = 0;
  for (int i = 0; i < 4; ++i) unit = unit * 16 + static_cast<unsigned>(hexadecimal_digit(at[i]));
  return unit;
}

void append_utf8(std::string& out, unsigned code) {
  const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
  const auto follow = [&](unsigned shift) { add(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    follow(0);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    follow(6);
    follow(0);
  } else {
    add(0xF0 | code >> 18);
    follow(12);
    follow(6);
    follow(0);
  }
}

// Of a text whose escapes are good.
std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '\\') {
      out += raw[at];
      continue;
    }
    const char c = raw[++at];
    if (c == 'u') {
      unsigned code = four_digits(&raw[at + 1]);
      at += 4;
      if (is_high_surrogate(code)) {
        code = 0x10000 + ((code - 0xD800) << 10) + (four_digits(&raw[at + 3]) - 0xDC00);
        at += 6;
      }
      append_utf8(out, code);
    } else {
      constexpr std::string_view kLetters = "bfnrt", kControls = "\b\f\n\r\t";
      const std::size_t letter = kLetters.find(c);
      out += letter == std::string_view::npos ? c : kControls[letter];
    }
  }
  return out;
}

}  // namespace

double JsonNumber::value() const {
  double out = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  // Of what is too small there is no value from it.
  return result.ec == std::errc() ? out : std::strtod(std::string(digits).c_str(), nullptr);
}

JsonCursor::JsonCursor(std::string_view text, std::size_t most_keys)
    : begin_(text.data()), at_(begin_), end_(begin_ + text.size()), most_keys_(most_keys) {
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

void JsonCursor::fail(bool is_deep) const { throw BadJson{static_cast<std::size_t>(at_ - begin_), is_deep}; }

void JsonCursor::skip_spaces() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
}

JsonKind JsonCursor::kind() {
  skip_spaces();
  if (at_ == end_) fail();
  switch (*at_) {
    case '"':
      return JsonKind::text;
    case '{':
      return JsonKind::object;
    case '[':
      return JsonKind::array;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case 'n':
      return JsonKind::null;
    default:
      if (*at_ != '-' && !is_digit(*at_)) fail();
      return JsonKind::number;
  }
}

void JsonCursor::pass_word(std::string_view word) {
  if (static_cast<std::size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word)
    fail();
  at_ += word.size();
}

bool JsonCursor::boolean() {
  const bool is_true = kind() == JsonKind::boolean && *at_ == 't';
  pass_word(is_true ? "true" : "false");
  return is_true;
}

JsonNumber JsonCursor::number() {
  skip_spaces();
  const char* const first = at_;
  const auto digits = [&] {
    if (at_ == end_ || !is_digit(*at_)) fail();
    while (at_ != end_ && is_digit(*at_)) ++at_;
  };
  const auto comes = [&](char c) {
    const bool does = at_ != end_ && *at_ == c;
    if (does) ++at_;
    return does;
  };
  (void)comes('-');
  if (!comes('0')) digits();
  const char* const end_of_integer = at_;
  if (comes('.')) digits();
  const char* const end_of_fraction = at_;
  if (comes('e') || comes('E')) {
    if (!comes('+')) (void)comes('-');
    digits();
  }
  const JsonNumber number{{first, static_cast<std::size_t>(at_ - first)}, at_ == end_of_integer};
  if ((at_ != end_of_fraction || number.digits.size() > kAlwaysFinite) && !std::isfinite(number.value()))
    fail();
  return number;
}

unsigned JsonCursor::hexadecimal() {
  for (int i = 0; i < 4; ++i)
    if (at_ + i >= end_ || hexadecimal_digit(at_[i]) < 0) fail();
  at_ += 4;
  return four_digits(at_ - 4);
}

void JsonCursor::pass_escape() {
  if (++at_ == end_) fail();
  const char c = *at_++;
  if (std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos) return;
  if (c != 'u') fail();
  const unsigned unit = hexadecimal();
  if (is_low_surrogate(unit)) fail();
  if (!is_high_surrogate(unit)) return;
  pass_word("\\u");
  if (!is_low_surrogate(hexadecimal())) fail();
}

JsonCursor::Quoted JsonCursor::quoted() {
  skip_spaces();
  pass_one('"');
  const char* const first = at_;
  bool is_as_written = true;
  for (;;) {
    while (at_ != end_ && in_text(*at_) == InText::plain) ++at_;
    if (at_ == end_) fail();
    switch (in_text(*at_)) {
      case InText::quote:
        ++at_;
        return {{first, static_cast<std::size_t>(at_ - 1 - first)}, is_as_written};
      case InText::escape:
        is_as_written = false;
        pass_escape();
        break;
      case InText::other: {
        const Character character = decode({at_, static_cast<std::size_t>(end_ - at_)}, 0);
        if (!character.valid()) fail();
        is_as_written = is_as_written && !harmful(character.code);
        at_ += character.length;
        break;
      }
      default:
        fail();
    }
  }
}

void JsonCursor::text(std::string& out) {
  const Quoted found = quoted();
  if (found.is_as_written) {
    out.assign(found.raw);
  } else {
    out = printable(unescaped(found.raw));
  }
}

std::string_view JsonCursor::key(std::string& space) {
  const Quoted found = quoted();
  skip_spaces();
  pass_one(':');
  if (found.is_as_written) return found.raw;
  space = printable(unescaped(found.raw));
  return space;
}

void JsonCursor::open(char bracket) {
  skip_spaces();
  pass_one(bracket);
  if (++depth_ > kMaximumJsonDepth) fail(true);
}

bool JsonCursor::closes(char bracket) {
  skip_spaces();
  if (at_ == end_ || *at_ != bracket) return false;
  ++at_;
  --depth_;
  return true;
}

bool JsonCursor::goes_on(char bracket) {
  if (closes(bracket)) return false;
  pass_one(',');
  return true;
}

std::string_view JsonCursor::pass() {
  const JsonKind next = kind();
  const char* const first = at_;
  switch (next) {
    case JsonKind::null:
      pass_word("null");
      break;
    case JsonKind::boolean:
      (void)boolean();
      break;
    case JsonKind::number:
      (void)number();
      break;
    case JsonKind::text:
      (void)quoted();
      break;
    case JsonKind::array:
      elements([](JsonCursor& each) { (void)each.pass(); });
      break;
    case JsonKind::object:
      members([](JsonCursor& each, std::string_view) { (void)each.pass(); });
      break;
  }
  return {first, static_cast<std::size_t>(at_ - first)};
}

void JsonCursor::end() {
  skip_spaces();
  if (at_ != end_) fail();
}

}  // namespace assay
