// SPDX-License-Identifier: Apache-2.0
//
// assay_proof PAGE                writes the page
// assay_proof --check PAGE        makes it again and compares, byte for byte
// assay_proof --check-quick PAGE  the same for the sections that are quick to make
#include "proof.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace assay::proof {

std::string percent(double share, int digits) { return fmt::format("{:.{}f} %", 100 * share, digits); }

std::string table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const auto line = [&text](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) text += "| " + cell + " ";
    text += "|\n";
  };
  line(head);
  for (std::size_t i = 0; i < head.size(); ++i) text += "|---";
  text += "|\n";
  for (const auto& row : rows) line(row);
  return text;
}

namespace {

struct Part {
  std::function<Section()> make;
  bool quick = false;
};

const std::vector<Part>& parts() {
  static const std::vector<Part> all = {
      {fixed_length, false},
      {under_the_stopping_rule, false},
      {correlation_times, false},
      {on_recorded_series, true},
      {warm_up, true},
      {cold_starts, true},
      {marks, false},
      {pooled_variance, true},
      {trends, true},
      {between_processes, true},
      {comparisons, false},
      {two_runs, false},
      {real_pairs, true},
      {shipped_suites, false},
      {acceptance, false},
  };
  return all;
}

constexpr std::string_view kIntroduction =
    R"(# Does a 95 % interval mean 95 %?

Every rule that turns samples into statements is tried here on series whose truth is known: simulated ones, and series recorded on H200
machines (`tests/fixtures/traces/`). The page is made by a program from fixed seeds, so that no figure of its tables was typed by
hand. `./dev proof` makes it again, and a test compares the two byte for byte.

)";

std::string targets_table(const std::vector<Target>& targets) {
  std::vector<std::vector<std::string>> rows;
  for (const Target& target : targets) {
    rows.push_back({target.claim, target.limit, target.reached, target.met ? "yes" : "**no**"});
  }
  return "## Targets\n\n" + table({"claim", "target", "reached", "met"}, rows) + "\n";
}

std::string whole_page() {
  std::string body;
  std::vector<Target> targets;
  for (const Part& part : parts()) {
    const Section section = part.make();
    body += section.text + "\n";
    targets.insert(targets.end(), section.targets.begin(), section.targets.end());
  }
  body.pop_back();
  return std::string(kIntroduction) + targets_table(targets) + body;
}

bool has_quick_parts(const std::string& page) {
  for (const Part& part : parts()) {
    if (part.quick && page.find(part.make().text) == std::string::npos) return false;
  }
  return true;
}

int cannot_write(const std::string& path) {
  fmt::print(stderr, "'{}' cannot be written; does its folder exist?\n", path);
  return 1;
}

int run(const std::vector<std::string>& arguments) {
  const bool check = arguments.size() == 2 && (arguments[0] == "--check" || arguments[0] == "--check-quick");
  if (arguments.size() != (check ? 2u : 1u) || arguments.back().starts_with('-')) {
    fmt::print(stderr, "usage: assay_proof [--check | --check-quick] PAGE\n");
    return 2;
  }
  const std::string& path = arguments.back();
  if (check) {
    std::ostringstream page;
    page << std::ifstream(path, std::ios::binary).rdbuf();
    const bool current = arguments[0] == "--check" ? page.str() == whole_page() : has_quick_parts(page.str());
    if (current) return 0;
    fmt::print(stderr, "'{}' is not what this program makes; './dev proof' writes it again.\n", path);
    return 1;
  }
  // Tried first: the page takes minutes.
  if (!std::ofstream(path, std::ios::binary | std::ios::app)) return cannot_write(path);
  const std::string page = whole_page();
  std::ofstream file(path, std::ios::binary);
  file << page;
  file.close();
  return file ? 0 : cannot_write(path);
}

}  // namespace
}  // namespace assay::proof

int main(int argc, char** argv) { return assay::proof::run({argv + 1, argv + argc}); }
