// SPDX-License-Identifier: Apache-2.0
//
// embedder PROGRAM SUITE FOLDER CALL [CASE]: each function of the library, as a program of somebody else's calls it. Prints the exit code of
// the run and the outcome of each case, and writes its document to document.json. `run` with CASE stops in the midst of that case, and
// `run-one` after the first visit.
#include <assay/engine.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <string>

namespace engine = assay::engine;

namespace {

engine::Result call(const std::string& name, engine::Request request, const engine::SuiteText& suite,
                    const std::string& stop_in) {
  const std::string folder = request.folder;
  std::string current;
  std::size_t done = 0;
  const engine::Watch watch = [&](const engine::Progress& at) {
    current = at.outcome.empty() ? at.case_id : "";
    done = at.done;
  };
  const engine::Cancel cancel = [&] {
    if (!stop_in.empty() && current == stop_in) return engine::Stop::now;
    return name == "run-one" && done > 0 ? engine::Stop::after_visit : engine::Stop::no;
  };
  if (name == "rejudge") return engine::rejudge(folder + "/journal.jsonl");
  if (name == "run" || name == "run-one") return engine::run(request, suite, watch, cancel);
  request.folder.clear();
  if (name == "resume") return engine::resume(request, suite, folder, watch, cancel);
  if (name == "extend") return engine::extend(request, suite, folder, watch, cancel);
  request.folder = folder + "-again";
  return engine::retry(request, suite, folder, watch, cancel);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  engine::Request request;
  request.surroundings.program = argv[1];
  request.surroundings.environment["PATH"] = "/usr/bin:/bin";
  request.surroundings.tell = [](std::string_view text) { std::cerr << text; };
  request.folder = argv[3];
  try {
    const engine::SuiteText suite = engine::read_suite(request.surroundings, argv[2]);
    if (argv[4] == std::string("plan")) {
      std::cout << engine::plan(request, suite);
      return 0;
    }
    const engine::Result result = call(argv[4], request, suite, argc > 5 ? argv[5] : "");
    std::cout << result.exit_code << "\n";
    for (const auto& [id, outcome] : result.outcomes) std::cout << id << ": " << outcome << "\n";
    std::ofstream("document.json") << result.document;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "embedder: " << error.what() << "\n";
    return 5;
  }
}
