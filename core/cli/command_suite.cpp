// SPDX-License-Identifier: Apache-2.0
#include "cli/command_suite.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "suite/external.hpp"
#include "text/lookup.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace assay::cli {
namespace {

// As the command line would take it.
std::string shown(const Words& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(printable(word));
  return text;
}

// As a question names it; a shell's quotes do not stand in the same ones.
std::string named(const Words& command) {
  const std::string text = shown(command), quote = text.find('\'') == std::string::npos ? "'" : "\"";
  return quote + text + quote;
}

// How many words all commands begin with, short of the last one that they share: what differs is told with it.
std::size_t shared_words(const std::vector<Words>& commands) {
  const Words& first = commands.front();
  std::size_t shared = 0;
  while (shared < first.size() && std::all_of(commands.begin(), commands.end(), [&](const Words& each) {
           return shared < each.size() && each[shared] == first[shared];
         }))
    ++shared;
  return shared == 0 ? 0 : shared - 1;
}

// Shortened in the middle.
std::string at_most(const std::string& id, std::size_t length) {
  if (id.size() <= length) return id;
  const std::size_t end = length / 3;
  return id.substr(0, length - end - 1) + "_" + id.substr(id.size() - end);
}

// Of one command the program's name, of several what tells them apart, in letters that an id may have.
Words ids_of(const std::vector<Words>& commands) {
  constexpr std::size_t kShownLength = 40;
  const std::size_t shared = commands.size() == 1 ? 0 : shared_words(commands);
  Words ids;
  for (const Words& command : commands) {
    const std::size_t end = commands.size() == 1 ? 1 : command.size();
    std::string text;
    for (std::size_t i = shared; i < end; ++i) {
      std::string word = i == 0 ? std::filesystem::path(command[i]).filename().string() : command[i];
      word.erase(0, word.find_first_not_of('-'));
      if (!word.empty()) text += (text.empty() ? "" : "-") + word;
    }
    const std::string name = at_most(id_from(text, "command"), kShownLength);
    std::string id = name;
    for (std::size_t number = 2; contains(ids, id); ++number) id = name + "-" + std::to_string(number);
    ids.push_back(id);
  }
  return ids;
}

// All commands in one table, compared with the first.
std::string table_text(const Words& ids, const std::string& first) {
  std::string rows;
  for (const std::string& id : ids) rows += (rows.empty() ? "" : ", ") + yaml_scalar(id);
  return "\ntables:\n  - id: commands\n    title: " + yaml_text("Beside " + first) + "\n    rows: [" + rows +
         "]\n    columns: {time: time}\n    reference: {case: " + yaml_scalar(ids.front()) + "}\n";
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

// Names in braces that no parameter has; what stands in braces otherwise belongs to the program.
Words placeholders_without_value(const std::vector<Words>& commands, const Words& parameters) {
  Words names;
  for (const Words& command : commands)
    for (const std::string& word : command)
      (void)suite::fill_placeholders(word, [&](const std::string& name) {
        const bool is_known = contains(parameters, name) || contains(names, name);
        if (!is_known) names.push_back(name);
        return std::optional<std::string>();
      });
  return names;
}

[[noreturn]] void refuse_unused(const std::string& parameter, const std::vector<Words>& commands,
                                const Words& parameters) {
  refuse_key_of_suites(parameter);
  const std::string none = "no command has {" + printable(parameter) + "}";
  if (const std::string hint = suggestion(parameter, setting_keys()); !hint.empty())
    throw Error("usage.parameter", none + " (" + hint + ")");
  const Words others = placeholders_without_value(commands, parameters);
  if (others.size() == 1)
    throw Error("usage.parameter", none + ", and nothing gives {" + others.front() +
                                       "} a value: did you mean {" + printable(parameter) + "}?");
  throw Error("usage.parameter", none + ", and it is not a key of a case");
}

// A command without the parameter would be measured again and again for values that it does not have.
void refuse_partly_used(const std::string& parameter, const std::vector<Words>& commands) {
  for (const Words& command : commands) {
    Words used;
    for (const std::string& word : command) (void)with_parameters(word, {parameter}, used);
    if (used.empty())
      throw Error("usage.parameter",
                  named(command) + " has no {" + printable(parameter) +
                      "}, and each command is run with every value of it: put it into all of them, or "
                      "measure those that have none by themselves");
  }
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

std::string command_suite(const std::vector<Words>& commands, const std::vector<SettingText>& settings,
                          std::uint64_t runs) {
  CaseText of_each;
  Words parameters, used;
  const Words ids = ids_of(commands);
  for (const SettingText& setting : settings) {
    if (of_each.add_key(setting)) continue;
    of_each.add_parameter(setting);
    parameters.push_back(setting.first);
  }
  std::string cases;
  for (std::size_t i = 0; i < commands.size(); ++i)
    cases += "  - id: " + yaml_scalar(ids[i]) +
             "\n    uses: external\n    command: " + command_text(commands[i], parameters, used) + "\n" +
             of_each.text();
  for (const std::string& parameter : parameters) {
    if (!contains(used, parameter)) refuse_unused(parameter, commands, parameters);
    refuse_partly_used(parameter, commands);
  }
  std::string text = "version: 1\nsuite: " + yaml_text(ids_of({commands.front()}).front()) +
                     "\ndefaults: {processes: " + std::to_string(runs) +
                     ", measure: {samples: 1, warmup: 0}}\n\ncases:\n" + cases;
  for (std::size_t i = 1; i < commands.size(); ++i) {
    text += (i == 1 ? "\nfindings:\n" : "") +
            finding_text(ids[i], "Is " + named(commands[i]) + " faster than " + named(commands.front()) + "?",
                         {ids[i], ids[i] + "[].time"}, "<", {ids.front(), ids.front() + "[].time"});
  }
  if (commands.size() > 1) text += table_text(ids, named(commands.front()));
  return text;
}

}  // namespace assay::cli
