// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_errors.hpp"

#include "base/suggest.hpp"
#include "cli/setting_words.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <cstddef>
#include <string_view>

namespace assay::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// "SHELL" of "SHELL:{bash,zsh}", "SUITE" of "SUITE...".
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find_first_of(":."));
}

std::string shown(const CLI::Option& option) {
  return option.get_positional() ? value_name(option) : option.get_name();
}

// "isolation: x not in {a,b}", which is CLI11's, and "processes: it is a whole number from 1 to 9", which is
// ours.
std::string refused(const CLI::Option& option, const std::string& text) {
  const std::string value = option.results().empty() ? "" : option.results().back();
  const std::string start = shown(option) + " cannot be '" + printable(value) + "'";
  constexpr std::string_view kOneOf = " not in {", kNumber = ": it is a whole number ";
  if (const std::size_t at = text.rfind(kOneOf); at != std::string::npos && text.ends_with("}")) {
    const std::string allowed = text.substr(at + kOneOf.size(), text.size() - at - kOneOf.size() - 1);
    return start + " (" + suggestion(value, split(allowed, ',')) + ")";
  }
  if (const std::size_t at = text.rfind(kNumber); at != std::string::npos)
    return start + " (" + text.substr(at + 2) + ")";
  return text;
}

// What CLI11 says of an argument that is missing, too much or refused, in our words; else its own.
std::string in_plain_words(const CLI::App& at, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const CLI::Option* option : at.get_options()) {
      if (option->get_required() && option->count() == 0)
        return shown(*option) + " is missing: " + option->get_description();
    }
    return "a command is missing (one of: " + join(subcommand_names(at), ", ") + ")";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = at.remaining();
    return extras.empty() ? text : "'" + printable(extras.front()) + "' is one argument too many";
  }
  const std::string name = text.substr(0, text.find(':'));
  const CLI::Option* option = at.get_option_no_throw(name);
  if (option == nullptr) return text;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::size_t count = option->results().size();
    if (option->get_items_expected_min() > 1)
      return shown(*option) + " needs " + std::to_string(option->get_items_expected_min()) +
             " values: " + value_name(*option);
    return count > 1 ? shown(*option) + " is there " + std::to_string(count) + " times and takes one value"
                     : shown(*option) + " needs a value: " + value_name(*option);
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return refused(*option, text);
  return text;
}

// "write samples=3" for a key of a case that is written as an option, "did you mean '--setup'?" for what another tool
// calls so; "" for others. `next` is the word behind it, "" if there is none.
std::string hint_for_bench(const std::string& option, const std::string& next) {
  if (option == "--prepare")
    return "did you mean '--setup'? it runs once before the executions of each command";
  if (option == "--conclude") return "did you mean '--cleanup'?";
  const std::string key = option.substr(2, option.find('=') - 2);
  const std::vector<std::string> keys = setting_keys();
  if (!contains(keys, key)) return "";
  const std::size_t equals = option.find('=');
  const std::string value = equals != std::string::npos                     ? option.substr(equals + 1)
                            : next.empty() || next.find_first_of("-=") == 0 ? "VALUE"
                                                                            : next;
  return "write " + key + "=" + printable(value);
}

}  // namespace

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

std::string explain_arguments(const CLI::App& program, const CLI::ParseError& error,
                              const std::vector<std::string>& words) {
  const CLI::App& at = reached(program);
  std::string text = in_plain_words(at, error);
  std::string hint;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const std::vector<std::string> options = option_names(at), commands = subcommand_names(at);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::string name = word.substr(0, word.find('='));
      const bool is_option = word.starts_with("--");
      const auto& known = is_option ? options : commands;
      if ((!is_option && (commands.empty() || word.starts_with('-'))) || contains(known, name) ||
          name == at.get_name()) {
        continue;
      }
      text = (is_option ? "unknown option '" : "unknown command '") + printable(name) + "'";
      if (is_option && at.get_name() == "bench")
        hint = hint_for_bench(word, i + 1 < words.size() ? words[i + 1] : "");
      if (hint.empty()) hint = suggestion(name, known);
      break;
    }
  }
  std::string path = "assay";
  for (const CLI::App* app = &at; app->get_parent() != nullptr; app = app->get_parent())
    path.insert(5, " " + app->get_name());
  return "assay: " + text + (hint.empty() ? "" : " (" + hint + ")") + "\n" + "'" + path +
         " --help' shows how it is used\n";
}

}  // namespace assay::cli
