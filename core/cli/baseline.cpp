// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/file.hpp"
#include "baseline/make.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "engine/rejudge.hpp"
#include "text/quote.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace assay::cli {
namespace {

struct BaselineOptions {
  std::vector<std::string> results;
  std::string file;
};

int write_baseline(const BaselineOptions& options) {
  std::error_code ignored;
  if (std::filesystem::exists(std::filesystem::symlink_status(options.file, ignored)))
    throw Error(
        "usage.output",
        "'" + printable(options.file) +
            "' is there already, and machines may be held to it; name another file, or remove it first");
  std::vector<comparison::LoadedResult> readings;
  for (const std::string& result : options.results) readings.push_back(engine::side_of_comparison(result));
  const baseline::NewBaseline made = baseline::make(readings);
  write_file(options.file, baseline::to_yaml(made.baseline));
  std::size_t rows = 0;
  for (const baseline::Band& band : made.baseline.bands) rows += band.rows.size();
  std::string text;
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(kShown, made.left_out.size()); ++i)
    text += "left out: " + made.left_out[i] + "\n";
  if (made.left_out.size() > kShown)
    text += "left out: " + std::to_string(made.left_out.size() - kShown) + " more\n";
  print_error(text + "wrote " + printable(options.file) + " with " + count_of(rows, "row") +
              "; a case is held to it by 'expect: [METRIC within band]' and: assay run SUITE --baseline " +
              shell_word(options.file) + "\n");
  return 0;
}

}  // namespace

void add_baseline(CLI::App& program, const Context& /*context*/, Action& action) {
  auto options = std::make_shared<BaselineOptions>();
  CLI::App* command = add_command(
      program, "baseline", "what healthy devices reach, as a file to hold others to",
      "  assay baseline node1/ node2/ -o h200.yaml      from results that have at least eight devices of a model\n"
      "  assay baseline run*/ -o here.yaml              from at least eight runs on one device\n"
      "  assay run suite.yaml --baseline h200.yaml      for 'expect: bandwidth within band' or '>= 97% of baseline'\n");
  value_option(*command, "results", "RESULT", options->results,
               "results of healthy devices: result.json, journal.jsonl, or a folder with either")
      ->required();
  value_option(*command, "-o,--output", "FILE", options->file, "name of the new file")->required();
  act(*command, action, [options] { return write_baseline(*options); });
}

}  // namespace assay::cli
