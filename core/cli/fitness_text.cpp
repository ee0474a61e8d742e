// SPDX-License-Identifier: Apache-2.0
#include "cli/fitness_text.hpp"

#include "cli/table.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

namespace assay::cli {
std::string fitness_text(const Fitness& fitness, const std::vector<UnfitSetting>& unfit,
                         const std::vector<Deviation>& between_processes) {
  std::string text = fitness.answer + "\n\n";
  if (!between_processes.empty()) {
    text += "from process to process\n";
    PlainTable rows;
    for (const Deviation& deviation : between_processes) {
      rows.add(
          {deviation.case_id, engine::percent(deviation.share),
           fmt::format("over {} processes: two single runs differ by up to {} by chance", deviation.rounds,
                       engine::percent(engine::kDeviationsOfADifference * deviation.share))});
    }
    text += rows.text("  ");
    text += "  'assay run SUITE --doctor RESULT' judges limits by the noise of their own kind of work\n\n";
  }
  text += "what spoils measurements here\n";
  if (unfit.empty()) text += "  nothing was found\n";
  for (const UnfitSetting& setting : unfit)
    text += "  " + setting.device + ": " + setting.text + "; " + setting.advice + "\n";
  return printable(text + "\n");
}

}  // namespace assay::cli
