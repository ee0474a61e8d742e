// SPDX-License-Identifier: Apache-2.0
#include "cli/suite_summary.hpp"

#include "text/fit.hpp"
#include "text/quote.hpp"
#include "text/table.hpp"
#include "text/text.hpp"

#include <cstddef>
#include <vector>

namespace assay::cli {
namespace {

constexpr std::size_t kValuesShown = 8;  // of an axis; the others are counted

std::string values_text(const suite::SuiteAxis& axis) {
  std::vector<std::string> words;
  if (axis.range) {
    for (const suite::Scalar& value : suite::expand(*axis.range)) words.push_back(value.text);
  } else {
    for (const suite::AxisValue& value : axis.values) {
      std::vector<std::string> parts;
      for (const auto& [name, each] : value.map) parts.push_back(name.value + "=" + each.text);
      words.push_back(parts.empty() || axis.of_variants ? value.scalar.text : join(parts, " "));
    }
  }
  const std::size_t more = words.size() > kValuesShown ? words.size() - kValuesShown : 0;
  words.resize(words.size() - more);
  return join(words, ", ") + (more > 0 ? ", and " + std::to_string(more) + " more" : "");
}

std::string axes_text(const suite::SuiteCase& one) {
  std::vector<std::string> axes;
  for (const suite::SuiteAxis& axis : one.matrix.axes)
    axes.push_back(axis.name.value + ": " + values_text(axis));
  return printable(join(axes, "; "));
}

}  // namespace

std::string needs_text(const suite::Requires& needs) {
  std::vector<std::string> backends, texts;
  for (const auto& backend : needs.backends) backends.push_back(printable(backend.value));
  if (!backends.empty()) texts.push_back(join(backends, " or "));
  if (needs.devices)
    texts.push_back(printable(needs.devices->value) + (needs.devices->value == "1" ? " device" : " devices"));
  return join(texts, ", ");
}

std::string summary_of(const suite::Suite& suite, int width) {
  std::string text = paragraph(
      printable(suite.name) + (suite.description.empty() ? "" : ": " + printable(suite.description)), width);
  if (const std::string needs = needs_text(suite.requires_); !needs.empty()) text += "needs " + needs + "\n";
  AlignedTable cases, questions;
  for (const suite::SuiteCase& one : suite.cases)
    cases.add({printable(one.id.value), printable(one.uses.value), axes_text(one)});
  for (const suite::SuiteFinding& finding : suite.findings)
    questions.add({printable(finding.id.value), printable(finding.question.value)});
  text += "\ncases\n" + cases.text("  ", width);
  if (!questions.empty()) text += "\nquestions\n" + questions.text("  ", width);
  return text + "\n" +
         paragraph("'assay run " + shell_word(printable(suite.file)) +
                       " --dry-run' says what it measures here, and how long that takes at most",
                   width);
}

}  // namespace assay::cli
