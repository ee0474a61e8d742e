// SPDX-License-Identifier: Apache-2.0
#include "lib/block_constants.hpp"

#include "lib/row_texts.hpp"
#include "lib/text.hpp"
#include "model/variants.hpp"
#include "text/lookup.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace assay::reporters {
namespace {

constexpr std::size_t kLongestCommand = 40;  // a longer one would take the place of what stands behind it

bool has_unit(const Parameter& parameter) {
  return parameter.number && one_line(parameter.text).find(' ') != std::string::npos;
}

// A bare size says what it is of as long as it is the only one that somebody chose.
bool is_plain_size(const Parameter& parameter, const std::vector<Parameter>& all) {
  return !parameter.is_default && std::count_if(all.begin(), all.end(), [](const Parameter& one) {
                                    return has_unit(one) && !one.is_default;
                                  }) == 1;
}

bool is_variant(const Parameter& parameter) {
  return !parameter.number && !parameter.text.empty() && parameter.text != "true" &&
         parameter.text != "false";
}

// What was measured where nobody chose anything: read, triad. Else null.
const Parameter* default_variant(const std::vector<Parameter>& all) {
  const Parameter* const found = find_in(all, is_variant);
  const bool none_chosen =
      std::all_of(all.begin(), all.end(), [](const Parameter& one) { return one.is_default; });
  return none_chosen ? found : nullptr;
}

// Shared parameters in few words: numbers as m=n=k=8192, texts and quantities bare, switches by name.
std::vector<std::string> shared_parameters(const std::vector<const Case*>& cases) {
  std::vector<std::pair<std::string, std::string>> numbers;  // text of the value → names joined by "="
  std::vector<std::string> words;
  std::vector<std::vector<Parameter>> of_cases;
  for (const Case* one : cases) of_cases.push_back(parameters_of(*one));
  const std::vector<Parameter>& all = of_cases.front();
  const Parameter* const variant = default_variant(all);
  for (const Parameter& parameter : all) {
    const bool shared = std::all_of(of_cases.begin(), of_cases.end(), [&](const std::vector<Parameter>& own) {
      return std::any_of(own.begin(), own.end(), [&](const Parameter& other) {
        return other.name == parameter.name && other.text == parameter.text;
      });
    });
    if (!shared || parameter.text.empty()) continue;
    // What nobody chose says little, but for sizes: a switch at rest, a default variant, 0 for "automatic".
    const bool says_little = parameter.is_default && parameter.number.value_or(0) == 0;
    if (says_little && &parameter != variant) continue;
    const std::string text = one_line(parameter.text);
    if (parameter.number && !has_unit(parameter)) {
      // Letters are of one kind, the sides of a product; batch=side=32 would be a riddle.
      const auto same = std::find_if(numbers.begin(), numbers.end(), [&](const auto& entry) {
        return entry.first == text && parameter.name.size() == 1 &&
               (entry.second.size() == 1 || entry.second[1] == '=');
      });
      if (same == numbers.end()) {
        numbers.emplace_back(text, parameter.name);
      } else {
        same->second += "=" + parameter.name;
      }
    } else if (text == "true") {
      words.push_back(parameter.name);
    } else if (text != "false") {
      const bool bare = !has_unit(parameter) || is_plain_size(parameter, all);
      const bool is_the_title = bare && text == one_line(cases.front()->name);
      if (!is_the_title) words.push_back(bare ? text : parameter.name + "=" + text);
    }
  }
  for (const auto& [text, names] : numbers) words.push_back(names + "=" + text);
  return words;
}

}  // namespace

std::vector<std::string> differences_of_variants(const std::vector<const Case*>& cases) {
  std::vector<std::pair<std::string, Json>> variants;
  for (const Case* one : cases) {
    const Axis* const axis = one->axis(model::kVariantAxis);
    if (axis == nullptr || !model::is_variant(axis->name, axis->value)) continue;
    const bool is_known = std::any_of(variants.begin(), variants.end(),
                                      [&](const auto& known) { return known.first == axis->text; });
    if (!is_known) variants.emplace_back(axis->text, axis->value);
  }
  std::vector<std::string> lines;
  for (const std::string& line : model::lines_of_variants(variants)) lines.push_back(one_line(line));
  return lines;
}

std::vector<std::string> constants_of(const std::vector<const Case*>& cases) {
  std::vector<std::string> out = differences_of_variants(cases);
  const std::string command = command_text(*cases.front());
  if (!command.empty() && display_width(command) <= kLongestCommand &&
      std::all_of(cases.begin(), cases.end(), [&](const Case* one) { return command_text(*one) == command; }))
    out.push_back(command);
  for (std::string& word : shared_parameters(cases)) out.push_back(std::move(word));
  const Case& first = *cases.front();
  const auto shared = [&](auto read) {
    return std::all_of(cases.begin(), cases.end(),
                       [&](const Case* one) { return read(*one) == read(first); });
  };
  for (const auto& [name, value] : scalars(first.conditions)) {
    if (name == "seed") continue;
    const bool same =
        shared([&, &key = name](const Case& one) { return scalar(one.conditions, key.c_str()); });
    if (same && value != "default") out.push_back(value);
  }
  for (const auto& [name, value] : first.environment) {
    const bool same = shared([&, key = name](const Case& one) {
      const auto* const found = find_value(one.environment, key);
      return found == nullptr ? std::optional<std::string>("\x01") : *found;
    });
    if (same) out.push_back(value ? name + "=" + *value : name + " unset");
  }
  if (first.placement.ranks > 1 && shared([](const Case& one) { return one.placement.ranks; })) {
    out.push_back(count_of(static_cast<std::size_t>(first.placement.ranks), "rank"));
  }
  if (first.placement.load == "together" && shared([](const Case& one) { return one.placement.load; }))
    out.push_back("all devices at once");
  if (!first.placement.bind.empty() && first.placement.bind != "none" &&
      shared([](const Case& one) { return one.placement.bind; })) {
    out.push_back("bound " + first.placement.bind);
  }
  return out;
}

}  // namespace assay::reporters
