// SPDX-License-Identifier: Apache-2.0
//
// A page says of a result what the console and Markdown say of it.
#include "html/html.hpp"

#include "console/console.hpp"
#include "html/page.hpp"
#include "html/table.hpp"
#include "lib/compared.hpp"
#include "lib/finding_sides.hpp"
#include "lib/row_texts.hpp"
#include "lib/view.hpp"
#include "markdown/markdown.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace assay::reporters {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<fs::path> example_documents() {
  std::vector<fs::path> paths{source_folder() / "docs/results/h200/node-acceptance.json",
                              source_folder() / "docs/results/h100x2/training-study.json"};
  for (const auto& entry : fs::directory_iterator(source_folder() / "tests/golden/documents"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Document example(const fs::path& path) { return read_document(text_of_file(path)); }

// With nothing left out.
std::string markdown_of(const Document& document) {
  MarkdownOptions options;
  options.budget = 10'000'000;
  return render_markdown(document, options);
}

// Behind a piece of a page, up to the end of its element.
std::string part_of(const std::string& page, const std::string& begin, const std::string& end) {
  const std::size_t at = page.find(begin);
  return at == std::string::npos ? std::string() : page.substr(at, page.find(end, at) - at);
}

std::string row_of_case(const std::string& page, std::size_t number) {
  return part_of(page, "<a href=\"#c" + std::to_string(number) + "\">", "</tr>");
}

std::vector<std::string> rows_of_case(const std::string& page, std::size_t number) {
  std::vector<std::string> out;
  const std::string begin = "<a href=\"#c" + std::to_string(number) + "\">";
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at + 1))
    out.push_back(page.substr(at, page.find("</tr>", at) - at));
  return out;
}

std::string cell_of_row(const std::string& row, const std::string& label) {
  std::string cell = part_of(row, " data-l=\"" + label + "\"", "</td>");
  std::string text;
  bool is_tag = true;  // within that of the cell
  for (const char c : cell) {
    if (c == '<') is_tag = true;
    if (!is_tag) text += c;
    if (c == '>') is_tag = false;
  }
  return text;
}

// A document of one case that is compared with a reference; the view's cell of it is what all reports show.
Document with_change(double ratio, DeltaVerdict verdict) {
  Document document;
  for (const char* id : {"copy[kernel=a]", "copy[kernel=b]"}) {
    Case& one = document.cases.emplace_back();
    one.id = id;
    one.name = "copy";
    one.outcome = Outcome::passed;
    one.is_reference = document.cases.size() == 1;
    Axis axis;
    axis.name = "kernel";
    axis.text = one.is_reference ? "a" : "b";
    axis.value = axis.text;
    one.axes.push_back(axis);
    Metric metric;
    metric.name = "bandwidth";
    metric.unit = Unit("B/s");
    metric.headline = true;
    metric.value = one.is_reference ? 100e9 : 100e9 * ratio;
    if (!one.is_reference)
      metric.delta = Delta{"copy[kernel=a]", ratio, {ratio - 0.01, ratio + 0.01}, verdict};
    one.metrics.push_back(metric);
  }
  return document;
}

TEST(Html, SaysTheChangeAndNotTheRatio) {
  const Document document = with_change(0.6, DeltaVerdict::worse);
  const std::string page = render_html(document), console = render_console(document, {}),
                    markdown = render_markdown(document, {});
  EXPECT_EQ(cell_of_row(row_of_case(page, 0), "to reference"), "reference");
  EXPECT_EQ(cell_of_row(row_of_case(page, 1), "to reference"), "−40 %");
  for (const std::string& report : {console, markdown}) {
    EXPECT_THAT(report, HasSubstr("reference"));
    EXPECT_THAT(report, HasSubstr("−40 %"));
  }
  EXPECT_EQ(
      cell_of_row(row_of_case(render_html(with_change(1.03, DeltaVerdict::undecided)), 1), "to reference"),
      "+3 %, undecided");
}

// Of each row of one member: value, interval, change, share and limit are the view's, which console and Markdown print.
TEST(Html, HasTheCellsThatConsoleAndMarkdownHave) {
  ConsoleOptions wide;
  wide.style.width = 4000;
  std::size_t compared = 0;
  for (const fs::path& path : example_documents()) {
    const Document document = example(path);
    if (path.stem() == "hostile") continue;
    const std::string page = render_html(document), console = render_console(document, wide),
                      markdown = markdown_of(document);
    for (const Block& block : pivot(document)) {
      const BlockView view = view_of(block);
      for (std::size_t i = 0; i < block.rows.size(); ++i) {
        const Row& row = block.rows[i];
        if (row.members.size() != 1 || block.over_devices || view.rows[i].empty()) continue;
        const ValueCell& cell = view.rows[i].front();
        if (cell.metric == nullptr) continue;
        const auto number = static_cast<std::size_t>(row.members.front() - document.cases.data());
        const std::string of_case = row_of_case(page, number);
        const std::string where = path.stem().string() + " " + row.members.front()->id;
        const std::string value = quantity(*cell.metric->value, cell.scale, half_width(*cell.metric));
        for (const std::string& text :
             {value, cell.beside, cell.no_interval, cell.change.text, cell.share, cell.limit}) {
          if (text.empty()) continue;
          ++compared;
          EXPECT_THAT(of_case, HasSubstr(html_text(text))) << where;
          EXPECT_THAT(console, HasSubstr(text)) << where;
        }
        EXPECT_EQ(cell_of_row(of_case, "to reference").substr(0, cell.change.text.size()), cell.change.text)
            << where;
        if (!cell.change.text.empty()) {
          EXPECT_THAT(markdown, HasSubstr(cell.change.text)) << where;
        }
        if (!cell.beside.empty()) {
          EXPECT_THAT(markdown, HasSubstr(cell.beside)) << where;
        }
      }
    }
  }
  EXPECT_GT(compared, 200u);
}

TEST(Html, HasARowForEveryMetricThatMarkdownShows) {
  std::size_t more = 0;
  for (const fs::path& path : example_documents()) {
    const Document document = example(path);
    if (path.stem() == "hostile") continue;
    const std::string page = render_html(document), markdown = markdown_of(document);
    for (const Block& block : pivot(document)) {
      const BlockView view = view_of(block);
      for (std::size_t i = 0; i < block.rows.size(); ++i) {
        if (block.rows[i].members.size() != 1 || block.over_devices) continue;
        const auto number = static_cast<std::size_t>(block.rows[i].members.front() - document.cases.data());
        std::map<std::string, std::string> values;
        for (const std::string& row : rows_of_case(page, number))
          values[cell_of_row(row, "metric")] = cell_of_row(row, "value");
        for (const ValueCell& cell : view.rows[i]) {
          if (cell.metric == nullptr) continue;
          more += &cell == &view.rows[i].front() ? 0 : 1;
          EXPECT_EQ(values[cell.metric->name],
                    quantity(*cell.metric->value, cell.scale, half_width(*cell.metric)))
              << path << " " << block.rows[i].members.front()->id;
          EXPECT_THAT(markdown, HasSubstr(cell.metric->name)) << path;
        }
      }
    }
  }
  EXPECT_GT(more, 10u);
}

TEST(Html, NamesWhatStandsBesideValues) {
  const std::string page = render_html(example(source_folder() / "docs/results/h200/node-acceptance.json"));
  EXPECT_THAT(page, HasSubstr("p5–p95 of samples</button>"));
  EXPECT_THAT(page, HasSubstr("[644, 679]"));
  EXPECT_THAT(page, Not(HasSubstr("[653, 675]")));  // the interval within one process
  EXPECT_THAT(page, Not(HasSubstr("(one run)")));
}

TEST(Html, HasTheSidesOfFindingsThatMarkdownHas) {
  for (const fs::path& path : example_documents()) {
    if (path.stem() == "hostile") continue;
    const Document document = example(path);
    const std::string page = render_html(document), markdown = markdown_of(document);
    const CasesById cases = cases_by_id(document);
    for (const Finding& finding : document.findings) {
      if (has_no_values(finding)) continue;
      const std::string table = part_of(page, "aria-label=\"Rows of " + html_text(finding.id), "</table>");
      const ShownSides sides = shown_sides(finding);
      for (const SideCells::Row& row : side_cells(cases, finding).rows) {
        if (sides.has_left) {
          EXPECT_THAT(markdown, HasSubstr("| " + row.left + " |")) << path << finding.id;
        }
        if (sides.has_left) {
          EXPECT_THAT(table, HasSubstr(">" + html_text(row.left) + "</td>")) << path << finding.id;
        }
        if (sides.has_right) {
          EXPECT_THAT(table, HasSubstr(">" + html_text(row.right) + "</td>")) << path << finding.id;
        }
      }
    }
  }
}

TEST(Html, SaysStatusesInWordsAndReasonsOnce) {
  for (const fs::path& path : example_documents()) {
    if (path.stem() == "hostile") continue;
    const Document document = example(path);
    const std::string page = render_html(document);
    for (const char* token : {"not_judged<", "not_available<", "no_reference<", "not_comparable<",
                              ": not_judged", ": not_available"})
      EXPECT_THAT(page, Not(HasSubstr(token))) << path;
    for (const Finding& finding : document.findings) {
      if (finding.why.empty()) continue;
      const std::string section = part_of(
          page, "<h3>" + html_text(finding.question.empty() ? finding.id : finding.question) + "</h3>",
          "</section>");
      std::size_t count = 0;
      const std::string why = html_sentence(finding.why);
      for (std::size_t at = section.find(why); at != std::string::npos; at = section.find(why, at + 1))
        ++count;
      EXPECT_LE(count, 1u) << path << " " << finding.id;
    }
  }
}

TEST(Html, ShowsTheLimitOnTheValueAndCountsTheOthers) {
  const std::string page = render_html(example(source_folder() / "docs/results/h200/node-acceptance.json"));
  EXPECT_EQ(cell_of_row(row_of_case(page, 0), "limit"), "≥ 58 % + 11 more");
  EXPECT_THAT(page,
              HasSubstr("<li>nvlinks_down == 0: <span class=\"dim\">not available</span>, cuda:0 has no"));
}

TEST(Html, SetsOnlyCommandsAsCode) {
  EXPECT_EQ(html_act("keep workers (persistent), or use fewer"), "keep workers (persistent), or use fewer");
  EXPECT_EQ(html_act("assay run training-tuning"), "<code>assay run training-tuning</code>");
  EXPECT_EQ(html_sentence("write `devices: all` there"), "write <code>devices: all</code> there");
  EXPECT_EQ(html_sentence("a ` alone"), "a ` alone");
}

TEST(Html, BreaksNamesBehindBracketAndComma) {
  EXPECT_EQ(html_id("gemm[dtype=bf16,device=cuda:0]"),
            "<span class=\"id\">gemm[<wbr>dtype=bf16,<wbr>device=cuda:0]</span>");
}

TEST(Html, BreaksNamesOfVariablesBetweenTheirWords) {
  EXPECT_THAT(html_pairs("System", {{"CUDA_DEVICE_ORDER", {"PCI_BUS_ID"}}}),
              HasSubstr("<th scope=\"row\">CUDA_<wbr>DEVICE_<wbr>ORDER</th><td>PCI_BUS_ID</td>"));
}

TEST(Html, DrawsNoColumnThatIsEmpty) {
  HtmlRow first, second;
  for (const char* text : {"a", "", "1"}) first.cells.push_back({text});
  for (const char* text : {"b", "", ""}) second.cells.push_back({text});
  const std::vector<HtmlColumn> columns{{"name"}, {"of peak", HtmlKind::number}, {"value", HtmlKind::number}};
  const std::string table = html_table("a table", columns, {first, second});
  EXPECT_THAT(table, Not(HasSubstr("of peak")));
  EXPECT_THAT(table, HasSubstr("<td>b</td><td class=\"n\"></td>"));
}

TEST(Html, OfManyCasesTheRestIsKeptAsText) {
  const Document few = example(source_folder() / "tests/golden/documents/mixed.json");
  Document many = few;
  while (many.cases.size() <= 500) many.cases.push_back(few.cases[0]);
  many.cases[0].log = "</script><script>alert(1)</script>";
  const auto count = [](const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  const std::string page = render_html(many);
  EXPECT_EQ(count(page, "<script type=\"text/html\">"), 2U) << "rows, and cases";
  EXPECT_EQ(count(page, "</script>"), 3U) << "what is kept ends nothing";
  EXPECT_EQ(count(page.substr(0, page.find("<script type")), "<tr data-outcome"), 500U);
  EXPECT_EQ(count(page, "<hr>"), many.cases.size()) << "between cases, and once in the script";
  EXPECT_EQ(count(render_html(few), "<script type=\"text/html\">"), 0U);
}

TEST(Html, HasOneColourForEachVerdict) {
  for (const char* verdict : {"undecided", "small", "mixed", "not_comparable", "no_reference"})
    EXPECT_STREQ(html_tone(verdict), "warn") << verdict;
  for (const char* verdict : {"passed", "confirmed", "faster"}) EXPECT_STREQ(html_tone(verdict), "good");
  for (const char* verdict : {"failed", "refuted", "slower", "crashed"})
    EXPECT_STREQ(html_tone(verdict), "bad");
  for (const char* verdict : {"same", "skipped", "not_judged", "not_available"})
    EXPECT_STREQ(html_tone(verdict), "dim");
}

}  // namespace
}  // namespace assay::reporters
