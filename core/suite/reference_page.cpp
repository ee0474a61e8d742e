// SPDX-License-Identifier: Apache-2.0
#include "suite/key_table.hpp"
#include "suite/schema.hpp"

#include <string>
#include <string_view>

namespace assay::suite {

namespace {

struct Section {
  Place place;
  std::string_view heading, text;
};

constexpr Section kSections[] = {
    {Place::suite, "Suite", "Keys at the top of the file."},
    {Place::one_case, "Case", "Keys of an entry of `cases`, and, but for `id`, of `defaults`."},
    {Place::requirement, "requires", "Keys of `requires`, in a suite or a case, and of `when`, in a case."},
    {Place::policy, "policy", "Keys of `policy`."},
    {Place::measure, "measure", "Keys of `measure`."},
    {Place::matrix, "matrix", "Keys of `matrix` beside its axes."},
    {Place::range, "Ranges",
     "Keys of a range, which may stand where an axis has a list. Either `factor` or `step`."},
    {Place::bind, "bind", "Keys of `bind` when it names NUMA nodes."},
    {Place::expectation, "Expectations",
     "Keys of an entry of `expect` that is a map; a text is short for `that`."},
    {Place::exit, "exit", "Keys of `exit`, in a case that uses `external`."},
    {Place::verify, "verify", "Keys of `verify`, in a case that uses `external`. At least one."},
    {Place::metric, "metrics",
     "Keys of an entry of `metrics`, in a case that uses `external`. One of `json`, `pattern` and `from`."},
    {Place::finding, "Findings", "Keys of an entry of `findings`."},
    {Place::expected, "expected", "Keys of `expected`, in a finding."},
    {Place::verdict, "Verdicts", "Keys of `confirmed`, `refuted`, `mixed` and `undecided`."},
};

// A bar would end the table's cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string row(const Key& key) {
  std::string meaning(key.doc);
  if (key.required) meaning += " Required.";
  if (key.axis) meaning += " May be an axis.";
  return "| `" + cell(key.name) + "` | " + cell(describe(key)) + " | " + cell(key.fallback) + " | " +
         cell(meaning) + " | " + cell(key.since) + " |\n";
}

}  // namespace

std::string suite_reference_markdown() {
  std::string page;
  for (const Section& section : kSections) {
    page += (page.empty() ? "## " : "\n## ") + std::string(section.heading) + "\n\n" +
            std::string(section.text) + "\n\n";
    page += "| key | value | default | meaning | since |\n|---|---|---|---|---|\n";
    for (const Key* key : keys_of(section.place)) page += row(*key);
  }
  std::string words;
  for (const std::string& word : reserved_words()) words += (words.empty() ? "`" : ", `") + word + "`";
  page += "\n## Reserved words\n\nNo parameter of a benchmark has one of these names: " + words + ".\n";
  return page;
}

}  // namespace assay::suite
