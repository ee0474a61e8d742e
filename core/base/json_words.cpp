// SPDX-License-Identifier: Apache-2.0
#include "base/json_words.hpp"

#include "text/text.hpp"

#include <algorithm>
#include <cctype>

namespace assay {
namespace {

constexpr std::size_t kShownOfAWord = 24;
constexpr int kNumberOverflow = 406;

// Takes everything until the first fault, and keeps that.
class FaultFinder final : public nlohmann::json_sax<Json> {
 public:
  explicit FaultFinder(std::string_view text) : text_(text) {}

  [[nodiscard]] const std::optional<JsonFault>& fault() const { return fault_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool end_array() override { return true; }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const Json::exception& exception) override {
    fault_ = fault_of(position, exception);
    return false;
  }

 private:
  // `position` counts what was read, to the character that cannot be.
  [[nodiscard]] JsonFault fault_of(std::size_t position, const Json::exception& exception) const {
    if (text_.find_first_not_of(" \t\r\n") == std::string_view::npos) return {0, "it is empty"};
    if (position > text_.size() || position == 0) return {text_.size(), "it ends where more should follow"};
    const std::size_t at = position - 1;
    if (std::string_view(exception.what()).find("invalid string") != std::string_view::npos)
      return {quote_before(at), "a text is not closed, or holds what must be escaped in it or is not UTF-8"};
    if (text_[at] == '"') return {quote_before(at), "a text cannot stand there"};
    std::size_t begin = at, end = at + 1;
    while (begin > 0 && is_word(text_[at]) && is_word(text_[begin - 1])) --begin;
    while (end < text_.size() && is_word(text_[at]) && is_word(text_[end])) ++end;
    if (exception.id == kNumberOverflow) return {begin, "a number is larger than numbers can be"};
    const std::string_view found = text_.substr(begin, std::min(end - begin, kShownOfAWord));
    return {begin, "'" + printable(found) + (found.size() < end - begin ? "…" : "") + "' cannot stand there"};
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '+' || c == '-';
  }

  // Where the text begins that goes on, or ends, at `at`.
  [[nodiscard]] std::size_t quote_before(std::size_t at) const {
    while (at > 0) {
      --at;
      std::size_t slashes = 0;
      while (slashes < at && text_[at - 1 - slashes] == '\\') ++slashes;
      if (text_[at] == '"' && slashes % 2 == 0) return at;
    }
    return at;
  }

  std::string_view text_;
  std::optional<JsonFault> fault_;
};

// The part of a library's text between two marks, or "".
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.rfind(end);
  const std::size_t start = from + begin.size();
  return to == std::string_view::npos || to < start ? std::string_view() : text.substr(start, to - start);
}

std::string with_article(std::string_view type) {
  if (type == "null") return "null";
  return (type == "object" || type == "array" ? "an " : "a ") + std::string(type);
}

}  // namespace

std::optional<JsonFault> json_fault(std::string_view text) {
  FaultFinder finder(text);
  if (Json::sax_parse(text, &finder)) return std::nullopt;
  return finder.fault() ? finder.fault() : JsonFault{0, "it cannot be read"};
}

std::string place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string in_words(const Json::exception& exception) {
  // "[json.exception.out_of_range.403] key 'x' not found"
  std::string_view text = exception.what();
  if (const std::size_t end = text.find("] "); end != std::string_view::npos) text.remove_prefix(end + 2);
  if (const auto key = between(text, "key '", "' not found"); !key.empty())
    return "'" + printable(key) + "' is missing";
  if (const std::size_t but = text.find(", but is ");
      text.starts_with("type must be ") && but != std::string_view::npos)
    return with_article(text.substr(but + 9)) + " stands where " + with_article(text.substr(13, but - 13)) +
           " is expected";
  if (text.starts_with("cannot use at() with "))
    return with_article(text.substr(21)) + " stands where an object is expected";
  if (text.starts_with("'")) return printable(text);  // ours: value_at(), integer_at()
  return exception.id == 401 ? "a list is too short" : "a value is not what is expected there";
}

}  // namespace assay
