// SPDX-License-Identifier: Apache-2.0
#include "cli/require_option.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace assay::cli {
namespace {

// One of "a=1,b=[2,3]"; takes it off the text.
std::string_view take_one(std::string_view& text) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < text.size() && (text[end] != ',' || depth > 0); ++end) {
    if (text[end] == '[') ++depth;
    if (text[end] == ']') --depth;
  }
  const std::string_view one = text.substr(0, end);
  text.remove_prefix(end < text.size() ? end + 1 : end);
  return one;
}

}  // namespace

std::vector<std::string> settings_of_requirements(std::string_view text) {
  std::vector<std::string> settings;
  do {
    const std::string_view one = take_one(text);
    const std::size_t equals = one.find('=');
    std::string value(equals == std::string_view::npos ? "" : one.substr(equals + 1));
    // Unquoted, '>' begins a text of several lines in YAML.
    if (value.starts_with('>')) value = '"' + value + '"';
    settings.push_back("requires." + std::string(one.substr(0, equals)) +
                       (equals == std::string_view::npos ? "" : "=" + value));
  } while (!text.empty());
  return settings;
}

void add_require_option(CLI::App& command, std::vector<std::string>& overrides, engine::MadeBy& made_by) {
  constexpr const char* kOption = "--require";
  command
      .add_option_function<std::vector<std::string>>(
          kOption,
          [&overrides, &made_by, kOption](const std::vector<std::string>& words) {
            for (const std::string& word : words)
              for (std::string& setting : settings_of_requirements(word)) {
                made_by.emplace(setting, kOption);
                overrides.push_back(std::move(setting));
              }
          },
          "requirements for the machine, as under 'requires': devices=8,driver=>=580; exit 6 if not met")
      ->type_name("KEY=VALUE");
}

}  // namespace assay::cli
