// SPDX-License-Identifier: Apache-2.0
//
// assay_journal_perf JOURNAL: writes the visits of a journal into another one beside it, as the controller
// does, and prints what all those writes took, in seconds: the median of five times.
#include "result/journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

int main(int count, char** arguments) try {
  if (count != 2) {
    std::fprintf(stderr, "assay_journal_perf JOURNAL\n");
    return 2;
  }
  const std::filesystem::path path = arguments[1];
  const assay::result::Journal journal = assay::result::read_journal(path);
  const std::filesystem::path copy = path.string() + ".again";
  std::vector<double> seconds;
  for (int i = 0; i < 5; ++i) {
    std::filesystem::remove(copy);
    assay::result::JournalWriter writer(copy, journal.header);
    const auto begin = std::chrono::steady_clock::now();
    for (const assay::result::Visit& visit : journal.visits) writer.visit(visit);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::filesystem::remove(copy);
  std::sort(seconds.begin(), seconds.end());
  std::printf("%.6f\n", seconds[2]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
