// SPDX-License-Identifier: Apache-2.0
//
// Every reporter on every example document, held to the byte. ASSAY_APPROVE=1 writes what they say now; read
// the difference.
#include "bench_history/bench_history.hpp"
#include "console/comparison.hpp"
#include "console/console.hpp"
#include "csv/csv.hpp"
#include "ctrf/ctrf.hpp"
#include "gbench/gbench.hpp"
#include "html/comparison.hpp"
#include "html/html.hpp"
#include "junit/junit.hpp"
#include "markdown/comparison.hpp"
#include "markdown/markdown.hpp"
#include "prometheus/prometheus.hpp"
#include "text/testing/folders.hpp"
#include "trace/trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = source_folder() / "tests" / "golden";

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Rendering {
  std::string suffix;  // of the golden file
  std::function<std::string(const Document&)> render;
};

const OptionList kFolder{{"results", "assay-results/latest/{result.json,report.md,junit.xml}"},
                         {"folder", "assay-results/latest"}};

OptionList with(OptionList list, const OptionList& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

Rendering console(const std::string& suffix, const OptionList& more) {
  return {suffix, [more](const Document& document) {
            return render_console(document, console_options(with(kFolder, more)));
          }};
}
Rendering junit(const std::string& suffix, const OptionList& options) {
  return {suffix,
          [options](const Document& document) { return render_junit(document, junit_options(options)); }};
}
Rendering markdown(const std::string& suffix, const OptionList& options) {
  return {suffix, [options](const Document& document) {
            return render_markdown(document, markdown_options(options));
          }};
}

std::string picture_text(const PictureFiles& files) {
  std::string text;
  for (const auto& [name, svg] : files) text += "== " + name + "\n" + svg;
  return text;
}

// The report, and what stands beside it.
Rendering markdown_with_pictures() {
  return {"github.md", [](const Document& document) {
            PictureFiles ignored;
            return render_markdown(document, {}, &ignored);
          }};
}
Rendering pictures() {
  return {"pictures.txt", [](const Document& document) {
            PictureFiles files;
            (void)render_markdown(document, {}, &files);
            return picture_text(files);
          }};
}

Rendering trace() {
  return {"trace.json", [](const Document& document) {
            std::string text;
            render_trace(document, [&](std::string_view piece) { text += piece; });
            return text;
          }};
}

// Bencher's file, then those of github-action-benchmark; or why there is none.
std::string history_text(const Document& document) {
  try {
    const BenchHistory history = render_bench_history(document);
    std::string text = history.bencher;
    for (const auto& [name, part] : history.beside) text += "== " + name + "\n" + part;
    return text;
  } catch (const NoHistory& refused) {
    return std::string("refused: ") + refused.what() + "\n";
  }
}

const std::vector<Rendering>& renderings() {
  static const std::vector<Rendering> kAll{
      console("console.txt", {}),
      console("console.narrow.txt", {{"width", "80"}, {"ascii", "true"}}),
      console("console.color.txt", {{"color", "true"}}),
      junit("junit.xml", {}),
      junit("junit.rich.xml", {{"dialect", "rich"}}),
      junit("junit.prefix.xml", {{"prefix", "node 7"}}),
      markdown_with_pictures(),
      pictures(),
      markdown("gitlab.md", {{"flavor", "gitlab"}, {"heading_base", "3"}}),
      markdown("plain.md", {{"flavor", "plain"}}),
      markdown("short.md", {{"budget", "2600"}}),
      trace(),
      {"csv", render_csv},
      {"html", [](const Document& document) { return render_html(document); }},
      {"gbench.json", render_gbench},
      {"ctrf.json", render_ctrf},
      {"prom", render_prometheus},
      {"history.txt", history_text},
  };
  return kAll;
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, EveryReportIsAsApproved) {
  const Document document = read_document(read(kGolden / "documents" / (GetParam() + ".json")));
  const bool approve = std::getenv("ASSAY_APPROVE") != nullptr;
  for (const Rendering& rendering : renderings()) {
    const fs::path path = kGolden / "reporters" / (GetParam() + "." + rendering.suffix);
    const std::string now = rendering.render(document);
    if (approve) {
      fs::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << now;
      continue;
    }
    EXPECT_EQ(now, read(path)) << path
                               << "; if the change is meant: ASSAY_APPROVE=1, then read the difference";
  }
}

std::vector<std::string> documents() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden / "documents")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Documents, Golden, testing::ValuesIn(documents()), [](const auto& parameter) {
  std::string name = parameter.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GoldenComparison, IsAsApproved) {
  const bool approve = std::getenv("ASSAY_APPROVE") != nullptr;
  for (const fs::directory_entry& entry : fs::directory_iterator(kGolden / "comparisons")) {
    const model::Comparison comparison = model::read_comparison(read(entry.path()));
    ConsoleOptions options;
    options.style.width = 120;
    PictureFiles files;
    const std::string markdown = render_markdown(comparison, {}, &files);
    for (const auto& [suffix, now] :
         std::vector<std::pair<std::string, std::string>>{{"html", render_html(comparison)},
                                                          {"github.md", markdown},
                                                          {"120.txt", render_console(comparison, options)},
                                                          {"pictures.txt", picture_text(files)}}) {
      const fs::path path =
          kGolden / "reporters" / ("comparison-" + entry.path().stem().string() + "." + suffix);
      if (approve) std::ofstream(path, std::ios::binary) << now;
      EXPECT_EQ(now, read(path)) << path
                                 << "; if the change is meant: ASSAY_APPROVE=1, then read the difference";
    }
  }
}

TEST(Markdown, HasPicturesOnlyWhereTheyHaveAPlaceAndAreWanted) {
  const Document document = read_document(read(kGolden / "documents" / "pictures.json"));
  PictureFiles files;
  const std::string with = render_markdown(document, {}, &files);
  EXPECT_GE(files.size(), 3u);
  for (const auto& [name, svg] : files) {
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string::npos) << name;
    EXPECT_NE(with.find("](" + name + ")"), std::string::npos) << name;
    EXPECT_NE(svg.find("prefers-color-scheme"), std::string::npos) << name;
    EXPECT_EQ(svg.find("<script"), std::string::npos) << name;
    EXPECT_EQ(svg.find("href"), std::string::npos) << name;
    EXPECT_EQ(svg.find("url("), std::string::npos) << name;
  }
  EXPECT_EQ(render_markdown(document, {}).find(".svg"), std::string::npos);
  PictureFiles none;
  EXPECT_EQ(render_markdown(document, markdown_options({{"charts", "false"}}), &none),
            render_markdown(document, {}));
  EXPECT_TRUE(none.empty());
}

TEST(Markdown, KeepsItsSizeLimitAndTheVerdict) {
  for (const std::string& name : documents()) {
    const Document document = read_document(read(kGolden / "documents" / (name + ".json")));
    for (const std::size_t budget : {1000u, 2000u, 4000u, 8000u, 20000u}) {
      MarkdownOptions options;
      options.budget = budget;
      const std::string text = render_markdown(document, options);
      EXPECT_LE(text.size(), budget) << name;
      EXPECT_NE(text.find("Exit code"), std::string::npos) << name;
    }
  }
}

TEST(Console, KeepsTheWidthOfTablesAndUsesNoEscapesWithoutColour) {
  for (const std::string& name : documents()) {
    const Document document = read_document(read(kGolden / "documents" / (name + ".json")));
    const std::string text = render_console(document, console_options({{"ascii", "true"}, {"width", "100"}}));
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << name;
  }
}

}  // namespace
}  // namespace assay::reporters
