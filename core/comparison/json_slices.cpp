// SPDX-License-Identifier: Apache-2.0
#include "comparison/json_slices.hpp"

#include <array>
#include <cstring>

namespace assay::comparison {

namespace {

// What walking over a container has to look at.
constexpr std::array<bool, 256> kStops = [] {
  std::array<bool, 256> stops{};
  for (const char c : {'"', '[', ']', '{', '}'}) stops[static_cast<unsigned char>(c)] = true;
  return stops;
}();

class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  [[nodiscard]] char next() {
    while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr && text_[at_] != '\0') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void take(char wanted) {
    if (next() != wanted || at_ == text_.size()) throw BadJson{at_};
    ++at_;
  }
  void expect_end() {
    if (next() != '\0' || at_ < text_.size()) throw BadJson{at_};
  }

  std::string_view string() {
    take('"');
    const std::size_t begin = at_;
    pass_string();
    return text_.substr(begin, at_ - 1 - begin);
  }

  std::string_view value() {
    const char first = next();
    const std::size_t begin = at_;
    if (first == '"') {
      ++at_;
      pass_string();
    } else if (first == '[' || first == '{') {
      pass_container();
    } else {
      while (at_ < text_.size() && std::strchr(",]} \t\r\n", text_[at_]) == nullptr) ++at_;
      if (at_ == begin) throw BadJson{at_};
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  // From behind the first quote to behind the last.
  void pass_string() {
    for (;;) {
      const auto* const found =
          static_cast<const char*>(std::memchr(text_.data() + at_, '"', text_.size() - at_));
      if (found == nullptr) throw BadJson{text_.size()};
      const auto quote = static_cast<std::size_t>(found - text_.data());
      std::size_t slashes = 0;
      while (quote - slashes > at_ && text_[quote - slashes - 1] == '\\') ++slashes;
      at_ = quote + 1;
      if (slashes % 2 == 0) return;
    }
  }

  void pass_container() {
    std::string open;
    do {
      while (at_ < text_.size() && !kStops[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ == text_.size()) throw BadJson{at_};
      const char c = text_[at_++];
      if (c == '"') {
        pass_string();
      } else if (c == '[' || c == '{') {
        open.push_back(c == '[' ? ']' : '}');
      } else if (open.back() == c) {
        open.pop_back();
      } else {
        throw BadJson{at_ - 1};
      }
    } while (!open.empty());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void for_each(std::string_view text, char open, char close, const std::function<void(Walker&)>& take) {
  Walker walker(text);
  walker.take(open);
  if (walker.next() != close) {
    take(walker);
    while (walker.next() == ',') {
      walker.take(',');
      take(walker);
    }
  }
  walker.take(close);
  walker.expect_end();
}

}  // namespace

void for_each_member(std::string_view object,
                     const std::function<void(std::string_view key, std::string_view value)>& call) {
  for_each(object, '{', '}', [&](Walker& walker) {
    const std::string_view key = walker.string();
    walker.take(':');
    call(key, walker.value());
  });
}

void for_each_element(std::string_view array, const std::function<void(std::string_view value)>& call) {
  for_each(array, '[', ']', [&](Walker& walker) { call(walker.value()); });
}

}  // namespace assay::comparison
