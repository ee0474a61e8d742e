// SPDX-License-Identifier: Apache-2.0
#include "lib/epoch.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>

namespace assay::reporters {
namespace {

// Of exactly this many digits; −1 if other characters stand there.
int digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  const char* end = text.data() + at + count;
  const auto [stop, error] = std::from_chars(text.data() + at, end, value);
  return error == std::errc() && stop == end && value >= 0 && text[at] != '-' ? value : -1;
}

}  // namespace

std::optional<std::int64_t> epoch_ms(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() < kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  const int year = digits_at(text, 0, 4), month = digits_at(text, 5, 2), day = digits_at(text, 8, 2);
  const int hour = digits_at(text, 11, 2), minute = digits_at(text, 14, 2), second = digits_at(text, 17, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  std::int64_t ms = 0, unit = 100;
  if (text.size() > kForm.size() && text[kForm.size()] == '.') {
    for (std::size_t i = kForm.size() + 1; i < text.size() && text[i] >= '0' && text[i] <= '9';
         ++i, unit /= 10)
      ms += (text[i] - '0') * unit;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + ms;
}

}  // namespace assay::reporters
