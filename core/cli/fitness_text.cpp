// SPDX-License-Identifier: Apache-2.0
#include "cli/fitness_text.hpp"

#include "text/fit.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::cli {
namespace {

constexpr int kIndent = 2;

std::string indented(const std::string& text, int width) {
  std::string out;
  for (const std::string& line : split(paragraph(text, std::max(0, width - kIndent)), '\n'))
    if (!line.empty()) out += std::string(kIndent, ' ') + line + "\n";
  return out;
}

}  // namespace

std::string fitness_text(const Fitness& fitness, const std::vector<UnfitSetting>& unfit,
                         const std::vector<Deviation>& between_processes, int width) {
  std::string text = paragraph(fitness.answer, width) + "\n";
  if (!between_processes.empty()) {
    text += "from process to process\n";
    AlignedTable rows;
    for (const Deviation& deviation : between_processes) {
      rows.add(
          {deviation.case_id, engine::percent(deviation.share),
           fmt::format("over {} processes: two single runs differ by up to {} by chance", deviation.rounds,
                       engine::percent(engine::kDeviationsOfADifference * deviation.share))});
    }
    text += rows.text("  ", width);
    text += indented("'assay run SUITE --doctor RESULT' judges limits by the noise of their own kind of work",
                     width) +
            "\n";
  }
  text += "what spoils measurements here\n";
  if (unfit.empty()) text += "  nothing was found\n";
  for (const UnfitSetting& setting : unfit)
    text += indented(setting.device + ": " + setting.text + "; " + setting.advice, width);
  return printable(text + "\n");
}

}  // namespace assay::cli
