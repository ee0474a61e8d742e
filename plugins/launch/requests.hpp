// SPDX-License-Identifier: Apache-2.0
//
// Requests of many lengths, computed at their own length or padded to one of a few: the buckets.
#pragma once

#include <assay/errors.hpp>
#include <assay/random.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::plugins::launch {

// From `smallest` to `longest`, ascending, each `growth` times the one before, rounded up; the last is
// `longest`. 1 <= smallest <= longest, growth above 1.
inline std::vector<std::uint32_t> bucket_sizes(std::uint32_t smallest, std::uint32_t longest, double growth) {
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t size = smallest; size < longest;) {
    sizes.push_back(static_cast<std::uint32_t>(size));
    const double next = std::ceil(static_cast<double>(size) * growth);
    size =
        next >= static_cast<double>(longest) ? longest : std::max(size + 1, static_cast<std::uint64_t>(next));
  }
  sizes.push_back(longest);
  return sizes;
}

// Index of the smallest bucket that holds `length`, which is at most the last one.
inline std::size_t bucket_of(const std::vector<std::uint32_t>& sizes, std::uint32_t length) {
  return static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), length) - sizes.begin());
}

// Each from 1 to `longest` with the same probability.
inline std::vector<std::uint32_t> uniform_lengths(std::uint64_t seed, std::uint32_t count,
                                                  std::uint32_t longest) {
  const Random random(seed);
  std::vector<std::uint32_t> lengths(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    lengths[i] = 1 + std::min(static_cast<std::uint32_t>(random.unit(i) * longest), longest - 1);
  }
  return lengths;
}

// Of "17, 300, 4096". Throws BadParameter for what is not a list of numbers from 1 to `longest`.
inline std::vector<std::uint32_t> listed_lengths(std::string_view text, std::uint32_t longest) {
  std::vector<std::uint32_t> lengths;
  for (;;) {
    const std::size_t comma = text.find(',');
    std::string_view word = text.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    std::uint32_t length = 0;
    const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), length);
    if (code != std::errc() || end != word.data() + word.size() || length == 0 || length > longest) {
      throw BadParameter("lengths",
                         "'" + std::string(word) + "' is not a length from 1 to longest, which is " +
                             std::to_string(longest) + "; give 'uniform' or numbers, as in '17, 300'");
    }
    lengths.push_back(length);
    if (comma == std::string_view::npos) return lengths;
    text.remove_prefix(comma + 1);
  }
}

struct Requests {
  std::vector<std::uint32_t> lengths;   // asked for, in order
  std::vector<std::uint32_t> computed;  // rows that are computed for each, at least as many

  Requests() = default;
  explicit Requests(std::vector<std::uint32_t> each) : lengths(std::move(each)), computed(lengths) {}
  Requests(std::vector<std::uint32_t> each, const std::vector<std::uint32_t>& buckets)
      : Requests(std::move(each)) {
    for (std::uint32_t& rows : computed) rows = buckets[bucket_of(buckets, rows)];
  }

  std::uint64_t tokens() const { return std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}); }

  // Of all rows computed, the share that nobody asked for.
  double padding_share() const {
    const auto all = static_cast<double>(std::accumulate(computed.begin(), computed.end(), std::uint64_t{0}));
    return 1 - static_cast<double>(tokens()) / all;
  }

  // How many of the requests compute row i, for all i below `longest`.
  std::vector<std::uint32_t> runs_of_rows(std::uint32_t longest) const {
    std::vector<std::uint32_t> runs(longest);
    for (const std::uint32_t rows : computed) ++runs[rows - 1];
    for (std::size_t row = runs.size(); row-- > 1;) runs[row - 1] += runs[row];
    return runs;
  }
};

}  // namespace assay::plugins::launch
