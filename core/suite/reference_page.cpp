// SPDX-License-Identifier: Apache-2.0
#include "suite/key_table.hpp"
#include "suite/schema.hpp"

#include <string>
#include <string_view>

namespace assay::suite {

namespace {

struct Section {
  KeyScope place;
  std::string_view heading, text;
};

constexpr Section kSections[] = {
    {KeyScope::suite, "Suite", "Keys at the top of the file."},
    {KeyScope::one_case, "Case", "Keys of an entry of `cases`, and, but for `id`, of `defaults`."},
    {KeyScope::requirement, "requires",
     "Keys of `requires`, in a suite or a case, and of `when`, in a case."},
    {KeyScope::policy, "policy", "Keys of `policy`."},
    {KeyScope::measure, "measure", "Keys of `measure`."},
    {KeyScope::matrix, "matrix", "Keys of `matrix` beside its axes."},
    {KeyScope::variant, "variants",
     "Keys of a variant, in `variants`. What one says holds instead of what the case says; `{}` is the case as it stands."},
    {KeyScope::range, "Ranges",
     "Keys of a range, which may stand where an axis has a list. Either `factor` or `step`."},
    {KeyScope::bind, "bind", "Keys of `bind` when it names NUMA nodes."},
    {KeyScope::expectation, "Expectations",
     "Keys of an entry of `expect` that is a map; a text is short for `that`."},
    {KeyScope::exit, "exit", "Keys of `exit`, in a case that uses `external`."},
    {KeyScope::verify, "verify", "Keys of `verify`, in a case that uses `external`. At least one."},
    {KeyScope::metric, "metrics",
     "Keys of an entry of `metrics`, in a case that uses `external`. One of `json`, `pattern` and `from`."},
    {KeyScope::finding, "Findings", "Keys of an entry of `findings`."},
    {KeyScope::expected, "expected", "Keys of `expected`, in a finding."},
    {KeyScope::verdict, "Verdicts", "Keys of `confirmed`, `refuted`, `mixed` and `undecided`."},
    {KeyScope::table, "Tables", "Keys of an entry of `tables`."},
    {KeyScope::table_rows, "Rows of tables",
     "Keys of an entry of `rows` that is a map, and of `reference`, in a table; a text is short for `case`."},
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
