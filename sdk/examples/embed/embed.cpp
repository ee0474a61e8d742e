// SPDX-License-Identifier: Apache-2.0
//
// embed PROGRAM SUITE FOLDER: runs a suite by the program `assay` and prints the outcome of each case.
#include <assay/engine.hpp>

#include <exception>
#include <iostream>

namespace engine = assay::engine;

namespace {

void show(const engine::Progress& progress) {
  if (progress.outcome.empty()) return;
  std::cerr << progress.done << "/" << progress.total << " " << progress.case_id << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: embed PROGRAM SUITE FOLDER\n";
    return 2;
  }
  engine::Request request;
  request.surroundings.program = argv[1];
  request.surroundings.tell = [](std::string_view text) { std::cerr << text; };
  request.folder = argv[3];
  request.quick = true;
  try {
    const engine::SuiteText suite = engine::read_suite(request.surroundings, argv[2]);
    const engine::Result result = engine::run(request, suite, show);
    for (const auto& [id, outcome] : result.outcomes) std::cout << id << ": " << outcome << "\n";
    return result.exit_code;
  } catch (const std::exception& error) {
    std::cerr << "embed: " << error.what() << "\n";
    return 5;
  }
}
