// SPDX-License-Identifier: Apache-2.0
//
// One run of one suite, from its text to the exit code: the flow of the whole program, in the order it
// happens.
#pragma once

#include "cli/context.hpp"
#include "cli/plugin_search.hpp"
#include "judge/judge.hpp"
#include "report/report.hpp"
#include "result/journal.hpp"
#include "run/run.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

// A suite's text and where it came from; `bench` makes one without a file.
struct SuiteText {
  std::string file;
  std::string text;
};

struct RunOptions {
  PluginOptions plugins;
  std::vector<std::string> filters;
  std::vector<std::string> overrides;      // --set case.param=value
  std::vector<std::string> reports;        // --report
  std::string folder;                      // -o
  std::string resume;                      // --resume FOLDER
  std::string failed;                      // --failed RESULT
  std::string inventory;                   // --inventory FILE
  std::vector<std::string> peaks;          // --peaks FILE
  std::string doctor;                      // --doctor RESULT
  std::string site;                        // --site FILE
  std::optional<SuiteText> recorded_site;  // what the run that goes on was given by --site
  std::string wrap;
  std::string isolation;              // "": worker
  std::optional<std::uint64_t> seed;  // none: 1
  bool dry_run = false;
  bool strict = false;
  bool quick = false;
  bool quiet = false;
};

// Runs it and gives the exit code. Throws Error for what stops the operation. `remarks` is called with the
// result before its table is shown, to print what the command has to say of it; the exit code that it gives
// counts, too.
int run_suite(const Context& context, const RunOptions& options, const SuiteText& suite,
              const std::function<int(const std::string& document)>& remarks = {});

// Of several runs' exit codes, the one that the command ends with: the first of 130/143, 5, 1, 6, 7, 0 that
// occurs, and what was decided before anything ran (2, 3, 4) before all.
[[nodiscard]] int worst_exit_code(const std::vector<int>& codes);

// "assay run suite.yaml --plugin-dir x": the command of a run without what chooses cases, the folder and the
// reports, for a shell; "" if the suite has no file here.
[[nodiscard]] std::string repeat_command(const std::string& suite_file, const RunOptions& options);

// The suite of this name or file. Throws Error "usage.suite" or "usage.file".
[[nodiscard]] SuiteText read_suite(const Context& context, const std::string& name);

// Reads the files that `include` names.
std::string read_include(const std::string& path);

// The reports that every run leaves if none are asked for.
[[nodiscard]] std::vector<report::Request> default_reports();

// Renders console to standard output, the others into the folder; prints what was written; gives true if all
// succeeded.
struct Rendering {
  std::vector<report::Request> requests;
  std::filesystem::path folder;  // for reports without a path
  report::Sources sources;
  std::filesystem::path run;  // the folder of the run that is reported: what commands name
  std::string repeat;         // the command to which --resume or --failed can be added; "" if there is none
  bool console = true;
  std::optional<int> exit_code;  // none: what the document says
};
bool render_reports(const Context& context, const catalog::Catalog& catalog, const std::string& document,
                    const Rendering& rendering);

}  // namespace assay::cli
