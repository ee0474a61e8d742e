// SPDX-License-Identifier: Apache-2.0
#include "cli/setup_and_cleanup.hpp"

#include "base/diagnostics.hpp"
#include "base/error.hpp"
#include "cli/output.hpp"
#include "cli/run_suite.hpp"
#include "engine/recorded_environment.hpp"
#include "suite/suite.hpp"
#include "text/text.hpp"
#include "wire/child.hpp"

#include <cstddef>
#include <utility>

namespace assay::cli {
namespace {

// A parameter of a command with its values as they are written.
struct Placeholder {
  std::string name;
  std::vector<std::string> values;
};

std::vector<Placeholder> placeholders_of(const suite::SuiteCase& one) {
  std::vector<Placeholder> found;
  for (const auto& [name, value] : one.with) found.push_back({name.value, {value.text}});
  for (const suite::SuiteAxis& axis : one.matrix.axes) {
    Placeholder& each = found.emplace_back(Placeholder{axis.name.value, {}});
    for (const suite::AxisValue& value : axis.values) each.values.push_back(value.scalar.text);
    if (axis.range)
      for (const suite::Scalar& value : suite::expand(*axis.range)) each.values.push_back(value.text);
  }
  return found;
}

std::string replaced(std::string line, const std::string& name, const std::string& value) {
  const std::string word = "{" + name + "}";
  for (std::size_t at = 0; (at = line.find(word, at)) != std::string::npos; at += value.size())
    line.replace(at, word.size(), value);
  return line;
}

// The line with each combination of the parameters that it has.
std::vector<std::string> filled(const std::string& line, const std::vector<Placeholder>& placeholders) {
  std::vector<std::string> lines = {line};
  for (const Placeholder& each : placeholders) {
    if (line.find("{" + each.name + "}") == std::string::npos) continue;
    std::vector<std::string> more;
    for (const std::string& one : lines)
      for (const std::string& value : each.values) more.push_back(replaced(one, each.name, value));
    lines = std::move(more);
  }
  return lines;
}

void execute(const std::string& option, const std::string& line, const Context& context) {
  constexpr double kWaits_s = 3600;  // at a time
  process::Launch launch;
  launch.arguments = {"/bin/sh", "-c", line};
  launch.environment = engine::whole_environment(context.environment);
  wire::Child child(std::move(launch), {});
  while (!child.ended()) child.await_end(kWaits_s);
  if (child.ended_well()) return;
  const std::string output = child.output().text();
  throw Error("command." + option.substr(2),
              option + " '" + printable(line) + "' " + child.end_text() +
                  (output.empty() ? " and printed nothing" : " and printed:\n" + output));
}

}  // namespace

std::vector<std::vector<std::string>> lines_of_commands(const std::string& option,
                                                        const std::vector<std::string>& lines,
                                                        const std::string& suite) {
  Diagnostics problems;
  const suite::Suite read = suite::parse_suite("", suite, {}, problems);
  std::vector<std::vector<std::string>> of_each(read.cases.size());
  if (lines.empty()) return of_each;
  if (lines.size() != 1 && lines.size() != read.cases.size())
    throw Error("usage.setup", option + " stands " + std::to_string(lines.size()) + " times beside " +
                                   count_of(read.cases.size(), "command") +
                                   "; write one for all of them, or one for each in their order");
  for (std::size_t i = 0; i < of_each.size(); ++i)
    of_each[i] = filled(lines.size() == 1 ? lines.front() : lines[i], placeholders_of(read.cases[i]));
  return of_each;
}

int run_with_setup(const SetupAndCleanup& hooks, const std::string& suite, const Context& context,
                   const std::function<int(const CleanUp&)>& run) {
  const auto setup = lines_of_commands("--setup", hooks.setup, suite),
             cleanup = lines_of_commands("--cleanup", hooks.cleanup, suite);
  constexpr int kFailed = 5;
  std::size_t ready = 0, cleaned = 0;
  const CleanUp clean_up = [&] {
    int code = 0;
    for (; cleaned < ready; ++cleaned)
      for (const std::string& line : cleanup[cleaned]) {
        try {
          execute("--cleanup", line, context);
        } catch (const Error& error) {
          print_error("assay: " + printable(error.what()) + "\n");
          code = kFailed;
        }
      }
    return code;
  };
  int code = 0;
  try {
    for (; ready < setup.size(); ++ready)
      for (const std::string& line : setup[ready]) execute("--setup", line, context);
    code = run(clean_up);
  } catch (const Error&) {
    (void)clean_up();
    throw;
  }
  return worst_exit_code({code, clean_up()});
}

}  // namespace assay::cli
