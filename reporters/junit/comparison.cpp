// SPDX-License-Identifier: Apache-2.0
#include "junit/comparison.hpp"

#include "junit/model.hpp"
#include "lib/escape.hpp"
#include "lib/text.hpp"

namespace assay::reporters {
namespace {

std::string quoted(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_attribute(value) + "\"";
}

std::string element_with(const char* tag, const std::string& type, const std::string& message,
                         const std::string& text) {
  return std::string("      <") + tag + (type.empty() ? "" : quoted("type", type)) +
         quoted("message", message) + ">" + xml_text(text) + "</" + tag + ">\n";
}

std::string sentence(const ComparedRow& row) {
  const ComparedTexts texts = texts_of(row);
  std::string text = texts.verdict;
  if (!texts.ratio.empty())
    text += ": " + one_line(row.metric) + " " + texts.before + ", then " + texts.after + ", ratio " +
            texts.ratio + " " + texts.interval;
  return row.why.empty() ? text : text + (texts.ratio.empty() ? ": " : "; ") + one_line(row.why);
}

// What a test case says of its row, if it says anything.
std::string element_for(const Comparison& comparison, const ComparedRow& row) {
  const std::string text = sentence(row);
  std::string details = join(difference_texts(comparison), "\n");
  details =
      text + "\n" + (details.empty() ? "nothing else is known to differ" : "differs:\n" + details) + "\n";
  if (row.verdict == ComparedVerdict::slower || row.verdict == ComparedVerdict::failed)
    return element_with("failure", "regression", text, details);
  if (has_failed(comparison, row)) return element_with("failure", "not_shown_no_worse", text, details);
  if (row.verdict == ComparedVerdict::not_comparable) return element_with("skipped", "", text, "");
  return "";
}

}  // namespace

std::string render_junit(const Comparison& comparison) {
  const std::string suite = comparison.before.empty() ? "" : one_line(comparison.before.front().suite);
  const std::string name = portable_name(suite + ".comparison");
  std::size_t failures = 0, skipped = 0;
  std::string cases;
  for (const ComparedRow& row : comparison.rows) {
    const std::string element = element_for(comparison, row);
    if (element.find("<failure") != std::string::npos) ++failures;
    if (element.find("<skipped") != std::string::npos) ++skipped;
    cases += "    <testcase" + quoted("classname", name) +
             quoted("name", portable_name(row.id + " " + row.metric)) + " time=\"0.000\">\n" + element +
             "      <system-out>" + xml_text(sentence(row)) + "</system-out>\n" + "    </testcase>\n";
  }
  // All rows would be skipped, which servers show as a success.
  const std::size_t errors = comparison.verdict.outcome == ComparisonOutcome::nothing_compared ? 1 : 0;
  if (errors > 0) {
    const std::string text = one_line(comparison.verdict.text);
    cases += "    <testcase" + quoted("classname", name) + quoted("name", "verdict") + " time=\"0.000\">\n" +
             element_with("error", "nothing_compared", text, text) + "    </testcase>\n";
  }
  const std::string tests = quoted("tests", std::to_string(comparison.rows.size() + errors)) +
                            quoted("failures", std::to_string(failures)) +
                            quoted("errors", std::to_string(errors));
  std::string started = comparison.after.empty() ? "" : comparison.after.front().started_at;
  started.resize(19 < started.size() ? 19 : 0);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    quoted("name", suite + " compared") + tests + " time=\"0.000\">\n";
  out += "  <testsuite" + quoted("name", name) + " id=\"0\"" + quoted("package", "comparison") + tests +
         quoted("skipped", std::to_string(skipped)) + " time=\"0.000\"" +
         quoted("timestamp", started.empty() ? "1970-01-01T00:00:00" : started) +
         quoted("hostname", comparison.after.empty() ? "" : one_line(comparison.after.front().host)) + ">\n";
  out += "    <properties>\n      <property name=\"assay.verdict\"" +
         quoted("value", one_line(comparison.verdict.text)) + "/>\n";
  for (const model::Difference& each : comparison.differences)
    out += "      <property" + quoted("name", "differs." + one_line(each.what)) +
           quoted("value", one_line(each.before + " → " + each.after)) + "/>\n";
  return out + "    </properties>\n" + cases + "  </testsuite>\n</testsuites>\n";
}

}  // namespace assay::reporters
