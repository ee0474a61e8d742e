// SPDX-License-Identifier: Apache-2.0
//
// Assay in a program of one's own: what `assay run` does, without its command line. Link libassay. Nothing here
// prints, ends the process or reads the environment; benchmarks run in processes of the program `assay`, so that
// a crash of theirs is a line in the result. One run at a time in a process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::engine {

// What the caller gives of its own surroundings.
struct Surroundings {
  std::filesystem::path program;     // `assay` as it was installed; what comes with it is found from there
  std::vector<std::string> command;  // what the result says it was made by; may be empty
  std::map<std::string, std::string>
      environment;          // of every process that is started; secrets are kept from them
  bool privileged = false;  // set-user-ID or the like: paths from the environment do not count
  // Takes what is said to a person meanwhile, a line or more: warnings, and every problem of a suite.
  std::function<void(std::string_view)> tell;
  // What was said of plugins that are not used: it is said once, however often plugins are looked for.
  std::shared_ptr<std::set<std::string>> said = std::make_shared<std::set<std::string>>();
};

// Plugins that are used besides those that are found, and where they and their libraries are sought first.
struct PluginOptions {
  std::vector<std::string> plugins;         // --plugin
  std::vector<std::string> plugin_folders;  // --plugin-dir
  std::vector<std::string> library_path;    // --library-path
  std::vector<std::string> allowed;         // --plugin-allow: SHA-256, or files as sha256sum writes them
};

// Of overrides that were not given by --set: the option of which each was made.
using MadeBy = std::map<std::string, std::string>;

// The options of `assay run`; each stands for the one of its name.
struct Request {
  Surroundings surroundings;
  PluginOptions plugins;
  std::vector<std::string> filters;
  std::vector<std::string> where;      // --only: axis=value or axis=a,b
  std::vector<std::string> overrides;  // --set: case.param=value
  MadeBy made_by;                      // for messages
  std::string folder;                  // -o: new or empty; "": a new one in ./assay-results
  std::string resume;                  // the folder of the run that is gone on with
  std::string failed;                  // the result of which is run again what did not pass
  std::string extend;                  // the folder of the run whose open verdicts get more rounds
  std::string inventory;               // of another machine, for plan()
  std::vector<std::string> peaks;
  std::string doctor;
  std::string site;
  std::string baseline;  // a file; "none": what the suite holds to a baseline is measured without one
  std::string wrap;
  std::string isolation;              // "": worker
  std::optional<std::uint64_t> seed;  // none: 1
  std::optional<double> budget_s;     // --budget: the time that rounds are chosen for
  std::vector<std::string> earlier;   // --earlier: results that tell how rounds vary and how long they take
  bool strict = false;
  bool quick = false;
  bool timelines = false;  // an extra iteration of every case, for the reporter `trace`
};

// A suite's text, and where it came from: for messages, and for files that it includes.
struct SuiteText {
  std::string file;
  std::string text;
};

// How far a run is. Told ten times a second, from the thread that runs it; must not throw.
struct Progress {
  std::size_t done = 0, total = 0;  // visits: each case is visited once a round
  std::string case_id;              // of the visit that goes on or has just ended; "" between two
  std::string outcome;  // "" while it goes on; then "passed" if it was measured, "failed", "crashed", …
  double elapsed_s = 0, expected_remaining_s = 0;
};
using Watch = std::function<void(const Progress&)>;

// Asked ten times a second whether to end. What was measured is kept and judged all the same.
enum class Stop { no, after_visit, now };
using Cancel = std::function<Stop()>;

struct Result {
  int exit_code = 0;                                          // as of `assay run`
  std::vector<std::pair<std::string, std::string>> outcomes;  // of each case: its id, "passed" or another
  std::string document;                                       // result.json (docs/reference/result.md)
  std::filesystem::path folder;                               // of the journal
};

// The suite of this file, or of this name among those that come with assay.
[[nodiscard]] SuiteText read_suite(const Surroundings& surroundings, const std::string& name);

// Each throws std::runtime_error, whose text says what to do, for what stops it: a suite that is not valid, a
// folder that cannot be written.
[[nodiscard]] Result run(const Request& request, const SuiteText& suite, const Watch& watch = {},
                         const Cancel& cancel = {});
// Goes on with the run in a folder.
[[nodiscard]] Result resume(Request request, const SuiteText& suite, const std::string& folder,
                            const Watch& watch = {}, const Cancel& cancel = {});
// Runs again what did not pass in a result.json, or in the folder of a run.
[[nodiscard]] Result retry(Request request, const SuiteText& suite, const std::string& result,
                           const Watch& watch = {}, const Cancel& cancel = {});
// Goes on with a finished run in its folder: more rounds for what is undecided there.
[[nodiscard]] Result extend(Request request, const SuiteText& suite, const std::string& folder,
                            const Watch& watch = {}, const Cancel& cancel = {});
// Judges a journal again: the same result, on any machine, without plugins.
[[nodiscard]] Result rejudge(const std::filesystem::path& journal);
// What would be measured: `run.resolved_suite` of a result document, as JSON.
[[nodiscard]] std::string plan(const Request& request, const SuiteText& suite);

}  // namespace assay::engine
