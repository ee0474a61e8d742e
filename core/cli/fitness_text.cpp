// SPDX-License-Identifier: Apache-2.0
#include "cli/fitness_text.hpp"

#include "cli/table.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {
namespace {

double largest_of(const std::vector<Deviation>& deviations) {
  double largest = 0;
  for (const Deviation& deviation : deviations) largest = std::max(largest, deviation.share);
  return largest;
}

}  // namespace

std::string fitness_text(const Fitness& fitness, const std::vector<UnfitSetting>& unfit,
                         const std::vector<Deviation>& between_processes) {
  std::string text = fitness.answer + "\n\n";
  if (!between_processes.empty()) {
    text += "from process to process\n";
    Table rows;
    for (const Deviation& deviation : between_processes) {
      rows.add({deviation.case_id, engine::percent(deviation.share),
                fmt::format("over {} processes", deviation.rounds)});
    }
    text += rows.text("  ");
    text += "  the least steady of these varies so much that two single runs differ by " +
            engine::percent(engine::kDeviationsOfADifference * largest_of(between_processes)) +
            " by chance: trust only what differs by more\n"
            "  'assay run SUITE --doctor RESULT' judges limits by this noise\n\n";
  }
  text += "what spoils measurements here\n";
  if (unfit.empty()) text += "  nothing was found\n";
  for (const UnfitSetting& setting : unfit)
    text += "  " + setting.device + ": " + setting.text + "; " + setting.advice + "\n";
  return printable(text + "\n");
}

}  // namespace assay::cli
