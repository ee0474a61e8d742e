// SPDX-License-Identifier: Apache-2.0
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace assay {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string count_of(std::size_t count, std::string_view one, std::string_view many) {
  std::string out = std::to_string(count) + " ";
  if (count == 1) return out + std::string(one);
  return out + (many.empty() ? std::string(one) + "s" : std::string(many));
}

std::vector<unsigned long> version_parts(std::string_view version) {
  std::vector<unsigned long> parts;
  for (const std::string& part : split(version, '.'))
    parts.push_back(std::strtoul(part.c_str(), nullptr, 10));
  return parts;
}

std::string tail(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::string_view kept = text.substr(text.size() - limit);
  const std::size_t newline = kept.find('\n');
  if (newline != std::string_view::npos && newline + 1 < kept.size()) kept.remove_prefix(newline + 1);
  return "[… " + std::to_string(text.size() - kept.size()) + " bytes left out]\n" + std::string(kept);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    if (text.substr(end).starts_with(" %")) end = std::min(text.find_first_of(" \n", end + 1), text.size());
    const std::string_view word = text.substr(0, end);
    if (!lines.back().empty() && display_width(lines.back()) + 1 + display_width(word) > width)
      lines.emplace_back();
    if (!word.empty()) lines.back().append(lines.back().empty() ? "" : " ").append(word);
    if (end < text.size() && text[end] == '\n') lines.emplace_back();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace assay
