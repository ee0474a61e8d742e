// SPDX-License-Identifier: Apache-2.0
#include "model/measure_keys.hpp"

#include "model/field_json.hpp"

#include <algorithm>

namespace assay::model {
namespace {

struct AnyValue {
  template <class T>
  operator T() const;  // only to count members
};

// How many members the structure has.
template <class T, class... Values>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Values{}..., AnyValue{}}; }) {
    return count_members<T, Values..., AnyValue>();
  } else {
    return sizeof...(Values);
  }
}

constexpr bool has_each_member_once() {
  for (std::size_t i = 0; i < kMeasureKeys.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (kMeasureKeys[i].member == kMeasureKeys[j].member) return false;
    }
  }
  return kMeasureKeys.size() == count_members<MeasureOptions>();
}

// What is left out would be missing in the plan's hash, too, and a run could be resumed with another value.
static_assert(has_each_member_once(), "kMeasureKeys must have a row for each member of MeasureOptions");

template <class Word>
bool find_word(std::span<const std::string_view> words, std::string_view text, Word& out) {
  const auto found = std::find(words.begin(), words.end(), text);
  if (found != words.end()) out = static_cast<Word>(found - words.begin());
  return found != words.end();
}

}  // namespace

const MeasureKey* find_measure_key(std::string_view name) {
  const auto* found = std::find_if(kMeasureKeys.begin(), kMeasureKeys.end(),
                                   [&](const MeasureKey& key) { return key.name == name; });
  return found == kMeasureKeys.end() ? nullptr : found;
}

std::vector<std::string> words_to_choose(const MeasureKey& key) {
  std::vector<std::string> words(key.words.begin(), key.words.end());
  std::erase(words, kDefaultWord);
  return words;
}

bool from_text(std::string_view word, Thermal& thermal) { return find_word(kThermals, word, thermal); }
bool from_text(std::string_view word, Throttle& throttle) { return find_word(kThrottles, word, throttle); }

Json value_of(const MeasureOptions& options, const MeasureKey& key) {
  return std::visit([&](auto member) { return to_json(options.*member); }, key.member);
}

void set_value(MeasureOptions& options, const MeasureKey& key, const Json& value) {
  const DocumentSource source{"measure.malformed", "'" + std::string(key.name) + "'",
                              "it must be as a suite has it"};
  std::visit([&](auto member) { read(value, options.*member, Path(source)); }, key.member);
}

Json to_plan_json(const MeasureOptions& options) {
  Json json;
  for (const MeasureKey& key : kMeasureKeys)
    if (key.always_planned) json[key.json] = value_of(options, key);
  const MeasureOptions built_in;
  for (const MeasureKey& key : kMeasureKeys) {
    Json value = value_of(options, key);
    if (!key.condition && !key.always_planned && value != value_of(built_in, key))
      json[key.json] = std::move(value);
  }
  return json;
}

Json conditions_to_json(const MeasureOptions& options) {
  Json json;
  for (const MeasureKey& key : kMeasureKeys)
    if (key.condition) json[key.json] = value_of(options, key);
  return json;
}

std::vector<std::pair<std::string, std::string>> conditions_of(const MeasureOptions& options) {
  std::vector<std::pair<std::string, std::string>> conditions;
  for (const MeasureKey& key : kMeasureKeys)
    if (key.condition && !key.words.empty()) conditions.emplace_back(key.name, value_of(options, key));
  return conditions;
}

}  // namespace assay::model
