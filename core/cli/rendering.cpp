// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/run_suite.hpp"
#include "cli/timelines.hpp"
#include "engine/recorded_environment.hpp"
#include "model/comparison.hpp"
#include "text/lookup.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <iterator>
#include <malloc.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// "assay-results/x/{result.json,report.md}": all files of one folder in one word that a shell understands.
std::string braces(const std::vector<fs::path>& files) {
  std::vector<fs::path> folders;
  for (const fs::path& file : files) add_once(folders, file.parent_path());
  std::vector<std::string> words;
  for (const fs::path& folder : folders) {
    std::vector<std::string> names;
    for (const fs::path& file : files) {
      if (file.parent_path() == folder) names.push_back(file.filename().string());
    }
    words.push_back(names.size() == 1 ? (folder / names.front()).string()
                                      : (folder / ("{" + join(names, ",") + "}")).string());
  }
  return join(words, " ");
}

bool is_picture(const fs::path& file) { return file.extension() == ".svg"; }

// With the pictures beside reports as a number: their names are long, and the reports lead to them.
std::string named(const std::vector<fs::path>& files) {
  std::vector<fs::path> others;
  std::copy_if(files.begin(), files.end(), std::back_inserter(others), std::not_fn(is_picture));
  const std::size_t pictures = files.size() - others.size();
  if (others.empty()) return braces(files);
  return braces(others) + (pictures == 0   ? ""
                           : pictures == 1 ? " and a picture"
                                           : " and " + std::to_string(pictures) + " pictures");
}

}  // namespace

void add_report_options(CLI::App& command, RenderingOptions& options) {
  value_option(command, "--report", "REPORT", options.reports, kReportHelp);
  value_option(command, "-o,--output", "DIR", options.folder,
               "folder for reports without a path (the working directory)");
}

bool read_requests(const std::vector<std::string>& reports, const catalog::Catalog& catalog,
                   std::vector<report::ReportRequest>& requests) {
  Diagnostics usage;
  for (const std::string& request : reports)
    requests.push_back(report::parse_request(request, catalog, usage));
  if (usage.has_errors()) print(usage);
  return !usage.has_errors();
}

std::optional<Rendering> rendering_of(const RenderingOptions& options, const catalog::Catalog& catalog) {
  Rendering rendering;
  if (!read_requests(options.reports, catalog, rendering.requests)) return std::nullopt;
  rendering.folder = rendering.run = options.folder.empty() ? "." : options.folder;
  rendering.console = options.reports.empty() && !options.quiet;
  rendering.verbose = options.verbose;
  return rendering;
}

void refuse_results_only(const std::vector<report::ReportRequest>& requests) {
  // Of those that are shipped; one of somebody else's says by itself what it does not know.
  constexpr std::array<std::string_view, 6> kOfResults{"bench-history", "csv",        "ctrf",
                                                       "gbench",        "prometheus", "trace"};
  for (const report::ReportRequest& request : requests)
    if (contains(kOfResults, request.reporter))
      throw Error("usage.report", "the reporter '" + request.reporter +
                                      "' renders results, and no comparisons; console, html, json, junit and "
                                      "markdown render both");
}

bool render_reports(const Context& context, const catalog::Catalog& catalog, const std::string& document,
                    const Rendering& rendering, std::vector<fs::path>* written_files) {
  // What the samples took is free by now, but not given back; the reporters' processes need memory, too.
  malloc_trim(0);
  std::vector<fs::path> files = rendering.written;
  bool good = true;
  const report::Start start{context.program, engine::worker_environment(context.environment)};
  const auto render = [&](const std::vector<report::ReportRequest>& requests) {
    for (const report::WrittenReport& written :
         report::render(document, requests, catalog, rendering.folder, start, rendering.sources)) {
      // Who closes the output does not want the table; a report that was asked for there is missed.
      const int code = print_out(written.output);
      if (code != 0 && !(code == EBADF && written.reporter == "console")) {
        good = false;
        print_error("assay: the report '" + written.reporter + "' cannot be written to standard output: " +
                    std::generic_category().message(code) + "\n");
      }
      files.insert(files.end(), written.files.begin(), written.files.end());
      if (written.error.empty()) continue;
      good = false;
      print_error("assay: the reporter '" + written.reporter +
                  "' did not succeed: " + printable(written.error) + "\n");
    }
  };
  std::vector<report::ReportRequest> requests;
  std::optional<report::ReportRequest> table;  // what is always shown, in the way that was asked for
  for (const report::ReportRequest& request : rendering.requests) {
    const bool shown = request.reporter == "console" && (request.path.empty() || request.path == "-");
    if (shown) {
      table = request;
    } else {
      requests.push_back(request);
    }
  }
  render(requests);
  if (written_files != nullptr) *written_files = files;
  if (show_timelines(rendering.requests) && !model::is_comparison(document) &&
      !has_timeline(model::read_document(document)))
    print_error(
        "the report 'trace' is empty: the result holds no timeline; one is recorded while a suite runs with "
        "--report trace, of benchmarks that can tell when each of their steps began and ended (broadcast)\n");
  if (rendering.console || table) {
    // The table comes last, so that its end, the verdict, is what stays in view; it names the files.
    std::string exit;
    if (rendering.exit_code) {
      const int code = worst_exit_code({*rendering.exit_code, good ? 0 : kNoReport});
      exit = std::to_string(code);
      if (code == *rendering.exit_code && !rendering.why_exit_code.empty())
        exit += ", " + rendering.why_exit_code;
    }
    std::vector<std::pair<std::string, std::string>> options = {
        {"color", context.color() ? "true" : "false"},
        {"width", std::to_string(context.width)},
        {"results", named(files)},
        {"folder", rendering.repeat.empty() ? "" : rendering.run.string()},
        {"repeat", rendering.repeat},
        {"exit", exit},
        {"again", rendering.again},
        {"continued", rendering.is_continued ? "true" : "false"}};
    if (rendering.verbose) options.emplace_back("verbose", "true");
    for (const auto& given : table ? table->options : decltype(options)()) {
      std::erase_if(options, [&](const auto& known) { return known.first == given.first; });
      options.push_back(given);
    }
    render({{"console", std::move(options), "-"}});
  } else if (rendering.names_files && !files.empty()) {
    print_error("wrote " + printable(named(files)) + "\n");
  }
  return good;
}

}  // namespace assay::cli
