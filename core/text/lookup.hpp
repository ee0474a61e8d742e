// SPDX-License-Identifier: Apache-2.0
//
// Whether a list has something, and where.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay {

template <class List, class Value>
[[nodiscard]] constexpr bool contains(const List& list, const Value& value) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

// Appends what is not there yet.
template <class List, class Value>
void add_once(List& list, Value&& value) {
  if (!contains(list, value)) list.emplace_back(std::forward<Value>(value));
}

// The first that `fits` holds for, or nullptr. It lives as long as the list has it.
template <class List, class Fits>
[[nodiscard]] constexpr auto* find_in(List& list, const Fits& fits) {
  const auto found = std::find_if(std::begin(list), std::end(list), fits);
  return found == std::end(list) ? nullptr : &*found;
}

// Of a list of pairs, the value of the first with this key, or nullptr.
template <class Pairs, class Key>
[[nodiscard]] constexpr auto* find_value(Pairs& pairs, const Key& key) {
  auto* const found = find_in(pairs, [&](const auto& each) { return each.first == key; });
  return found == nullptr ? nullptr : &found->second;
}

// The same, but a key that is not there is added, with an empty value.
template <class Pairs, class Key>
auto& entry_of(Pairs& pairs, const Key& key) {
  if (auto* const found = find_value(pairs, key)) return *found;
  return pairs.emplace_back(key, typename Pairs::value_type::second_type()).second;
}

}  // namespace assay
