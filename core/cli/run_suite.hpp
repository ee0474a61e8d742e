// SPDX-License-Identifier: Apache-2.0
//
// One run of one suite by the command: what it shows meanwhile, its reports, and the exit code.
#pragma once

#include "cli/context.hpp"
#include "cli/pairs.hpp"
#include "engine/session.hpp"
#include "report/report.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct RunArguments : engine::Request {
  std::vector<std::string> reports;  // --report
  PairOptions pairs;
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
};

// Those that 'run' and 'bench' share.
void add_run_options(CLI::App& command, RunArguments& options);

// The request with what the command knows of its surroundings.
[[nodiscard]] engine::Request with_surroundings(const engine::Request& request, const Context& context);

// What a command says of a result itself.
struct CommandVerdict {
  int exit_code = 0;
  std::string why;  // where the code is not 0: "because …", for the table's last line
};

// Runs it and gives the exit code. Throws Error for what stops the operation. `command_verdict` is called with the
// result before its table is shown, to do and print what belongs to the command; the exit code that it gives
// counts, too.
int run_suite(const Context& context, const RunArguments& options, const SuiteText& suite,
              const std::function<CommandVerdict(const std::string& document)>& command_verdict = {});

// Measures what a session has left, with a line of progress unless quiet.
void measure_and_show(const Context& context, bool quiet, engine::Session& session);

// Of several runs' exit codes, the one that the command ends with: the first of 130/143/129, any other signal, 5, 1, 6,
// 7, 0 that occurs, and what was decided before anything ran (2, 3, 4) before all.
[[nodiscard]] int worst_exit_code(const std::vector<int>& codes);

// Renders console to standard output, the others into the folder; prints what was written; gives true if all
// succeeded. `files` gets the names of what was written.
struct Rendering {
  std::vector<report::ReportRequest> requests;
  std::filesystem::path folder;  // for reports without a path
  report::Sources sources;
  std::filesystem::path run;  // the folder of the run that is reported: what commands name
  std::string repeat;         // the command to which --resume or --failed can be added; "" if there is none
  std::string again;          // what to run next, where that is another command; "" if it is not
  std::vector<std::filesystem::path> written;  // before, which the table is to name, too
  bool is_continued = false;                   // another table ends the output
  bool console = true;
  bool verbose = false;          // the table with all flags
  std::optional<int> exit_code;  // none: what the document says
  std::string why_exit_code;     // what the document does not say of it: "because …"
  bool names_files = false;      // where no table does
};

// Options of commands that report what was measured before.
struct RenderingOptions {
  PluginOptions plugins;
  std::vector<std::string> reports;  // --report
  std::string folder;
  bool quiet = false, verbose = false;
};
// --report and -o.
void add_report_options(CLI::App& command, RenderingOptions& options);
// What the options ask for; without --report, the table. None if a request is wrong, which is then printed.
[[nodiscard]] std::optional<Rendering> rendering_of(const RenderingOptions& options,
                                                    const catalog::Catalog& catalog);
// Prints the requests that are wrong, of which there are none if it gives true.
bool read_requests(const std::vector<std::string>& reports, const catalog::Catalog& catalog,
                   std::vector<report::ReportRequest>& requests);
// Throws Error if one of them is made for results only: it cannot render a comparison.
void refuse_results_only(const std::vector<report::ReportRequest>& requests);
bool render_reports(const Context& context, const catalog::Catalog& catalog, const std::string& document,
                    const Rendering& rendering, std::vector<std::filesystem::path>* files = nullptr);

}  // namespace assay::cli
