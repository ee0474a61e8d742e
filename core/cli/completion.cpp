// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "engine/plugin_search.hpp"
#include "engine/suite_search.hpp"
#include "result/exit_code.hpp"
#include "result/glossary.hpp"
#include "result/reasons.hpp"
#include "result/report_words.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace assay::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  auto list = program.get_subcommands([](const CLI::App*) { return true; });
  return {list.begin(), list.end()};
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) words.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const CLI::App* sub : commands_of(command)) words.push_back(sub->get_name());
  return words;
}

// What a command's arguments are called here: asked for when the key is pressed, since plugins come and go.
std::vector<std::string> lists_for(const std::string& command) {
  if (command == "run" || command == "validate" || command == "plan") return {"suites"};
  if (command == "bench") return {"benchmarks"};
  if (command == "describe") return {"benchmarks", "suites", "reporters"};
  if (command == "explain") return {"words"};
  return {};
}

// The words of a command that are known beforehand: its options and subcommands; of 'help' all commands.
std::vector<std::string> words_of(const CLI::App& program, const CLI::App& command) {
  std::vector<std::string> words = options_of(command);
  if (command.get_name() == "help")
    for (const CLI::App* each : commands_of(program)) words.push_back(each->get_name());
  return words;
}

// What `assay explain` knows; '_' joins the words of one, since shells take blanks for ends.
std::vector<std::string> explained_words() {
  std::vector<std::string> words;
  for (const result::ReasonRow& row : result::reason_table()) words.emplace_back(row.code);
  for (const result::OutcomeRow& row : result::outcome_table()) words.emplace_back(row.text());
  for (const auto* rows : {&result::glossary(), &result::report_words()})
    for (const result::GlossaryRow& row : *rows) words.emplace_back(row.word);
  std::erase_if(words, [](const std::string& word) {  // signs: a shell has its own sense for them
    return std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  });
  for (std::string& word : words) std::replace(word.begin(), word.end(), ' ', '_');
  return words;
}

using Choices = std::map<std::string, std::set<std::string>>;  // of an option: "isolation" → "case", "worker"

// Options that take one of a few words, of all commands: the validator tells them, "{worker,case}".
void add_choices(const CLI::App& program, Choices& choices) {
  for (const CLI::Option* option : program.get_options()) {
    if (option->get_lnames().empty()) continue;
    const std::string type = option->get_type_name();
    const std::size_t begin = type.find('{'), end = type.rfind('}');
    if (begin == std::string::npos || end == std::string::npos) continue;
    for (const std::string& word : split(type.substr(begin + 1, end - begin - 1), ','))
      choices[option->get_lnames().front()].insert(word);
  }
  for (const CLI::App* command : commands_of(program)) add_choices(*command, choices);
}

Choices choices_of(const CLI::App& program) {
  Choices choices;
  add_choices(program, choices);
  return choices;
}

std::string choices_text(const std::set<std::string>& words) {
  return join(std::vector<std::string>(words.begin(), words.end()), " ");
}

// "kernel=triad" for each choice, "bytes=" where any value may follow; of every plugin that has the benchmark.
std::vector<std::string> parameters_of(const Context& context, const std::string& reference) {
  const std::string name = reference.substr(0, reference.find('@'));
  const catalog::Catalog catalog = load_catalog(context, {});
  std::set<std::string> words;
  for (const catalog::Manifest& manifest : catalog.manifests()) {
    const catalog::Benchmark* const benchmark = manifest.benchmark(name);
    if (benchmark == nullptr) continue;
    for (const catalog::Parameter& parameter : benchmark->parameters) {
      std::vector<std::string> values = parameter.values;
      if (parameter.type == catalog::ParameterType::boolean) values = {"true", "false"};
      if (values.empty()) values = {""};
      for (const std::string& value : values) words.insert(parameter.name + "=" + value);
    }
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> reporters_in(const Context& context) {
  const catalog::Catalog catalog = load_catalog(context, {});
  std::set<std::string> names;
  for (const catalog::Manifest& manifest : catalog.manifests())
    for (const catalog::Reporter& reporter : manifest.reporters) names.insert(reporter.name);
  return {names.begin(), names.end()};
}

std::vector<std::string> names_in(const Context& context, const std::string& list, const std::string& of) {
  if (list == "parameters") return parameters_of(context, of);
  if (list == "reporters") return reporters_in(context);
  if (list == "benchmarks") return load_catalog(context, {}).benchmark_names();
  if (list == "suites") return suite_names(context);
  return explained_words();
}

std::string bash(const CLI::App& program) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    names.push_back(command->get_name());
    std::string lists;
    for (const std::string& list : lists_for(command->get_name()))
      lists += "\" $(assay completion " + list + " 2>/dev/null)\"";
    cases += fmt::format("    {}) words='{}'{} ;;\n", command->get_name(),
                         join(words_of(program, *command), " "), lists);
  }
  std::string choices;
  for (const auto& [option, words] : choices_of(program))
    choices += fmt::format("    --{}) COMPREPLY=($(compgen -W '{}' -- \"$current\")); return ;;\n", option,
                           choices_text(words));
  return fmt::format(
      "# bash completion for assay: eval \"$(assay completion bash)\"\n"
      "_assay() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} words=''\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      // bash takes '=' for a word of its own.
      "  local previous=${{COMP_WORDS[COMP_CWORD-1]}} parameter=''\n"
      "  [ \"$current\" = '=' ] && parameter=$previous current=''\n"
      "  [ \"$previous\" = '=' ] && parameter=${{COMP_WORDS[COMP_CWORD-2]}}\n"
      "  if [ \"$previous\" = --report ]; then\n"
      "    COMPREPLY=($(compgen -W \"$(assay completion reporters 2>/dev/null)\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case $previous in\n{}  esac\n"
      "  if [ \"${{COMP_WORDS[1]}}\" = bench ] && [ \"$COMP_CWORD\" -gt 2 ] && [[ $current != -* ]]; then\n"
      "    words=$(assay completion parameters \"${{COMP_WORDS[2]}}\" 2>/dev/null)\n"
      "    if [ -n \"$parameter\" ]; then\n"
      "      words=$(sed -n \"s/^$parameter=//p\" <<<\"$words\")\n"
      "    else\n"
      "      words=$(sed 's/=.*/=/' <<<\"$words\" | sort -u)\n"
      "      compopt -o nospace 2>/dev/null\n"
      "    fi\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  [[ $current == -* || ${{COMP_WORDS[1]}} == help ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n"
      "}}\n"
      "complete -o filenames -F _assay assay\n",
      join(names, " "), choices, cases);
}

// A description in single quotes, as zsh and fish take it.
std::string quoted(std::string text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 4))
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

std::string zsh(const CLI::App& program) {
  std::string names, cases;
  for (const CLI::App* command : commands_of(program)) {
    names += "    " + quoted(command->get_name() + ":" + command->get_description()) + "\n";
    std::string lists;
    for (const std::string& list : lists_for(command->get_name()))
      lists += " ${(f)\"$(assay completion " + list + " 2>/dev/null)\"}";
    cases += fmt::format("    {}) compadd -- {}{} ; _files ;;\n", command->get_name(),
                         join(words_of(program, *command), " "), lists);
  }
  std::string choices;
  for (const auto& [option, words] : choices_of(program))
    choices += fmt::format("    --{}) compadd -- {}; return ;;\n", option, choices_text(words));
  return fmt::format(
      "#compdef assay\n"
      "# zsh completion for assay: eval \"$(assay completion zsh)\"\n"
      "_assay() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  if [[ ${{words[CURRENT-1]}} == --report ]]; then\n"
      "    compadd -- ${{(f)\"$(assay completion reporters 2>/dev/null)\"}}\n"
      "    return\n"
      "  fi\n"
      "  case ${{words[CURRENT-1]}} in\n{}  esac\n"
      "  if [[ ${{words[2]}} == bench && $CURRENT -gt 3 && $PREFIX != -* ]]; then\n"
      "    compadd -- ${{(f)\"$(assay completion parameters ${{words[3]}} 2>/dev/null)\"}}\n"
      "    return\n"
      "  fi\n"
      "  case ${{words[2]}} in\n{}  esac\n"
      "}}\n"
      "compdef _assay assay\n",
      names, choices, cases);
}

std::string fish(const CLI::App& program) {
  std::string text =
      "# fish completion for assay: assay completion fish | source\n"
      "complete -c assay -n '__fish_seen_subcommand_from bench' -a '(assay completion parameters (commandline -opc)[3] "
      "2>/dev/null)'\n"
      "complete -c assay -l report -x -a '(assay completion reporters)'\n";
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  text +=
      fmt::format("complete -c assay -n '__fish_seen_subcommand_from help' -f -a '{}'\n", join(names, " "));
  const Choices choices = choices_of(program);
  for (const CLI::App* command : commands_of(program)) {
    text += fmt::format("complete -c assay -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                        quoted(command->get_description()));
    for (const std::string& list : lists_for(command->get_name()))
      text +=
          fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}' -a '(assay completion {})'\n",
                      command->get_name(), list);
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const auto found = choices.find(name);
        const std::string values =
            found == choices.end() ? "" : " -x -a '" + choices_text(found->second) + "'";
        text += fmt::format("complete -c assay -n '__fish_seen_subcommand_from {}' -l {} -d {}{}\n",
                            command->get_name(), name, quoted(option->get_description()), values);
      }
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& program, const Context& context, Action& action) {
  auto shell = std::make_shared<std::string>();
  auto of = std::make_shared<std::string>();
  CLI::App* command = add_command(program, "completion", "print a completion script for a shell",
                                  "  eval \"$(assay completion bash)\"\n"
                                  "  eval \"$(assay completion zsh)\"\n"
                                  "  assay completion fish | source\n");
  value_option(
      *command, "shell", "SHELL", *shell,
      "shell (bash, zsh or fish), or a list for its script (suites, benchmarks, parameters, reporters, words)")
      ->required()
      ->check(
          CLI::IsMember({"bash", "zsh", "fish", "suites", "benchmarks", "parameters", "reporters", "words"}));
  value_option(*command, "benchmark", "BENCHMARK", *of, "benchmark whose parameters are listed");
  act(*command, action, [shell, of, &program, &context] {
    if (*shell != "bash" && *shell != "zsh" && *shell != "fish") {
      print_out(join(names_in(context, *shell, *of), "\n") + "\n");
    } else {
      print_out(*shell == "bash" ? bash(program) : *shell == "zsh" ? zsh(program) : fish(program));
    }
    return 0;
  });
}

}  // namespace assay::cli
