// SPDX-License-Identifier: Apache-2.0
#include "cli/command_suite.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>

namespace assay::cli {
namespace {

// As the command line would take it.
std::string shown(const Words& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(printable(word));
  return text;
}

// The program's name in letters that an id may have, and unlike those before it.
std::string id_of(const Words& command, const Words& taken) {
  const std::string name = id_from(std::filesystem::path(command.front()).filename().string(), "command");
  std::string id = name;
  for (std::size_t number = 2; std::find(taken.begin(), taken.end(), id) != taken.end(); ++number)
    id = name + "-" + std::to_string(number);
  return id;
}

// A word of a command as `command:` has it: {name} stands for a parameter, other braces are doubled.
std::string with_parameters(const std::string& word, const Words& parameters, Words& used) {
  std::string result;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto here = std::find_if(parameters.begin(), parameters.end(), [&](const std::string& name) {
      return word.compare(i, name.size() + 2, "{" + name + "}") == 0;
    });
    if (here != parameters.end()) {
      used.push_back(*here);
      result += "{" + *here + "}";
      i += here->size() + 1;
      continue;
    }
    result += word[i];
    if (word[i] == '{' || word[i] == '}') result += word[i];
  }
  return result;
}

std::string command_text(const Words& command, const Words& parameters, Words& used) {
  std::string text;
  for (const std::string& word : command)
    text += (text.empty() ? "" : ", ") + yaml_text(with_parameters(word, parameters, used));
  return "[" + text + "]";
}

}  // namespace

std::vector<Words> take_commands(Words& words) {
  std::vector<Words> commands;
  const auto first = std::find(words.begin(), words.end(), "--");
  for (auto at = first; at != words.end();) {
    const auto end = std::find(at + 1, words.end(), "--");
    if (end == at + 1)
      throw Error("usage.command", "a command is missing behind '--': assay bench -- ./program arguments");
    commands.emplace_back(at + 1, end);
    at = end;
  }
  words.erase(first, words.end());
  return commands;
}

std::string command_suite(const std::vector<Words>& commands, const std::vector<Setting>& settings,
                          std::uint64_t runs) {
  CaseText of_each;
  Words parameters, used, ids;
  for (const Setting& setting : settings) {
    if (of_each.add_key(setting)) continue;
    of_each.add_parameter(setting);
    parameters.push_back(setting.first);
  }
  std::string cases;
  for (const Words& command : commands) {
    ids.push_back(id_of(command, ids));
    cases += "  - id: " + yaml_scalar(ids.back()) +
             "\n    uses: external\n    command: " + command_text(command, parameters, used) + "\n" +
             of_each.text();
  }
  for (const std::string& parameter : parameters) {
    if (std::find(used.begin(), used.end(), parameter) != used.end()) continue;
    const std::string hint = suggestion(parameter, setting_keys());
    throw Error("usage.parameter", "no command has {" + printable(parameter) + "}" +
                                       (hint.empty() ? ", and it is no key of a case" : " (" + hint + ")"));
  }
  std::string text = "version: 1\nsuite: " + yaml_text(ids.front()) +
                     "\ndefaults: {processes: " + std::to_string(runs) +
                     ", measure: {samples: 1, warmup: 0}}\n\ncases:\n" + cases;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text +=
        (i == 1 ? "\nfindings:\n" : "") +
        finding_text(ids[i], "Is '" + shown(commands[i]) + "' faster than '" + shown(commands.front()) + "'?",
                     ids[i] + "[].time", ids.front() + "[].time", "this < base");
  }
  return text;
}

}  // namespace assay::cli
