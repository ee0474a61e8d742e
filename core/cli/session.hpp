// SPDX-License-Identifier: Apache-2.0
//
// One run of one suite by the command: what it shows meanwhile, its reports, and the exit code.
#pragma once

#include "cli/context.hpp"
#include "report/report.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct RunOptions : engine::Request {
  std::vector<std::string> reports;  // --report
  bool dry_run = false;
  bool quiet = false;
};

// The request with what the command knows of its surroundings.
[[nodiscard]] engine::Request with_surroundings(const engine::Request& request, const Context& context);

// Runs it and gives the exit code. Throws Error for what stops the operation. `remarks` is called with the
// result before its table is shown, to print what the command has to say of it; the exit code that it gives
// counts, too.
int run_suite(const Context& context, const RunOptions& options, const SuiteText& suite,
              const std::function<int(const std::string& document)>& remarks = {});

// Of several runs' exit codes, the one that the command ends with: the first of 130/143, 5, 1, 6, 7, 0 that
// occurs, and what was decided before anything ran (2, 3, 4) before all.
[[nodiscard]] int worst_exit_code(const std::vector<int>& codes);

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
