// SPDX-License-Identifier: Apache-2.0
//
// Every text of a document replaced by each hostile one, through every reporter.
#include "bench_history/bench_history.hpp"
#include "console/console.hpp"
#include "csv/csv.hpp"
#include "ctrf/ctrf.hpp"
#include "gbench/gbench.hpp"
#include "html/html.hpp"
#include "json/json.hpp"
#include "junit/junit.hpp"
#include "lib/document.hpp"
#include "markdown/markdown.hpp"
#include "prometheus/prometheus.hpp"
#include "text/testing/folders.hpp"
#include "trace/trace.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace assay::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::string& name) {
  std::ifstream file(source_folder() / ("tests/golden/documents/" + name + ".json"));
  return Json::parse(file);
}

// As a rule makes it.
Json a_diagnosis() {
  Json shows = Json::object();
  shows["id"] = "loader";
  shows["evidence"].push_back("starved >= 20%: 43 %");
  Json diagnosis = Json::object();
  for (const char* key : {"rule", "symptom", "cause", "remedy", "source"}) diagnosis[key] = "a text";
  diagnosis["cases"].push_back(shows);
  return diagnosis;
}

// Words that steer a reader stay; every other text, and every key of a map of names, becomes hostile.
void poison(Json& json, const std::string& text, const std::string& key = {}) {
  static const std::string kKept =
      "|schema_version|outcome|severity|status|verdict|kind|direction|started_at|";
  if (json.is_string()) {
    if (kKept.find("|" + key + "|") == std::string::npos) json = text + json.get<std::string>() + text;
  } else if (json.is_structured()) {
    for (const auto& [name, value] : json.items()) poison(value, text, json.is_object() ? name : key);
  }
}

// What no report may hold, whatever the format.
void expect_no_control(std::string_view report, const std::string& what) {
  for (const char c : report) {
    const auto byte = static_cast<unsigned char>(c);
    ASSERT_FALSE((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F) << what;
  }
  for (const char* forbidden : {"\u009b", "\u202e", "\u2066", "\u2028", "\ufeff", "\U000E0041"})
    ASSERT_EQ(report.find(forbidden), std::string_view::npos) << what;
}

std::string json_report(const std::string& source) {
  std::string report;
  render_json(source, [&](std::string_view piece) { report += piece; });
  return report;
}

std::string trace_report(const Document& document) {
  std::string report;
  render_trace(document, [&](std::string_view piece) { report += piece; });
  return report;
}

TEST(Hostile, JsonThatIsHarmlessIsCopiedByteForByte) {
  for (const char* name : {"mixed", "nccl-tuning"}) {
    const std::string source = json_of(name).dump(1) + "\r\n";
    EXPECT_EQ(json_report(source), source);
  }
}

TEST(Hostile, TextIsHarmlessInEveryReporter) {
  const std::string texts[] = {
      "\xff\xc0\x80",
      std::string("\0\x07\x7f", 3),
      "\x1b]0;owned\x07\x1b[31m",
      "\u009b31m",
      "\u202e\u2066\u2028\ufeff\U000E0041",
      "]]>",
      "<script>alert(1)</script>",
      "|a|b|",
      "```\n~~~\n# heading",
      "\r\n| a |\r",
      "<!--",
      "&#27;",
  };
  for (const char* name : {"mixed", "node-acceptance", "nccl-tuning", "pictures"}) {
    for (const std::string& text : texts) {
      Json json = json_of(name);
      json["diagnoses"].push_back(a_diagnosis());
      poison(json, text);
      // Bytes that are not UTF-8 reach a reporter only as they are.
      const std::string what = std::string(name) + " " + text;
      std::string source;
      try {
        source = json.dump();
      } catch (const Json::type_error&) {
        source = json.dump(-1, ' ', false, Json::error_handler_t::replace);
      }
      const Document document = read_document(source);
      PictureFiles files;
      const std::string console = render_console(document, {}),
                        markdown = render_markdown(document, {}, &files), junit = render_junit(document, {});
      for (const auto& [name, svg] : files) {
        expect_no_control(svg, what);
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-."), std::string::npos)
            << what;
        EXPECT_EQ(svg.find("<script"), std::string::npos) << what;
        EXPECT_EQ(svg.find("<!--"), std::string::npos) << what;
      }
      const std::string copy = json_report(source), trace = trace_report(document);
      EXPECT_TRUE(Json::accept(trace)) << what;
      const std::string csv = render_csv(document), ctrf = render_ctrf(document),
                        gbench = render_gbench(document), prometheus = render_prometheus(document),
                        history = render_bench_history(document).bencher, html = render_html(document);
      for (const std::string& each : {ctrf, gbench, history}) EXPECT_TRUE(Json::accept(each)) << what;
      for (const std::string& report :
           {console, markdown, junit, copy, trace, csv, ctrf, gbench, prometheus, history, html})
        expect_no_control(report, what);
      EXPECT_EQ(Json::parse(copy), Json::parse(source)) << what;
      EXPECT_EQ(html.find("<script>alert"), std::string::npos) << what;
      EXPECT_EQ(html.find("<!--"), std::string::npos) << what;
      EXPECT_EQ(junit.find("<script"), std::string::npos) << what;
      EXPECT_EQ(junit.find("]]>"), std::string::npos) << what;
      EXPECT_EQ(junit.find("<!--"), std::string::npos) << what;
    }
  }
}

TEST(Hostile, FormulasInCsvAreTexts) {
  EXPECT_EQ(csv_text("=HYPERLINK(\"http://a\",\"b\")"), "\"'=HYPERLINK(\"\"http://a\"\",\"\"b\"\")\"");
  for (const char* first : {"=", "+", "-", "@", "\t=", " ="})
    EXPECT_EQ(csv_text(std::string(first) + "1").front(), '\'') << first;
  EXPECT_EQ(csv_text("a\nb"), "a b");
  EXPECT_EQ(csv_text("64MiB"), "64MiB");
}

TEST(Hostile, NothingOfAQuickRunGetsIntoAHistory) {
  Json json = json_of("mixed");
  json["run"]["mode"]["quick"] = true;
  EXPECT_THROW((void)render_bench_history(read_document(json.dump())), NoHistory);
}

// Outside of code, where it is literal, no tag may stand in Markdown but those that the reporter writes.
TEST(Hostile, TagsInMarkdownAreLiteral) {
  Json json = json_of("mixed");
  poison(json, "<script>`|");
  PictureFiles ignored;
  std::istringstream lines(render_markdown(read_document(json.dump()), {}, &ignored));
  std::string fence;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t ticks =
        line.find_first_not_of('`') == std::string::npos ? line.size() : line.find_first_not_of('`');
    if (ticks >= 3 && (fence.empty() || ticks >= fence.size())) {
      fence = fence.empty() ? std::string(ticks, '`') : std::string();
      continue;
    }
    if (!fence.empty()) continue;
    // Code spans: runs of backticks that are not escaped, matched by runs of the same length.
    std::string prose;
    for (std::size_t at = 0; at < line.size();) {
      if (line[at] == '\\') {
        at += 2;
        continue;
      }
      if (line[at] != '`') {
        prose += line[at++];
        continue;
      }
      const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
      const std::string run = line.substr(at, end - at);
      std::size_t close = line.find(run, end);
      while (close != std::string::npos && close + run.size() < line.size() &&
             line[close + run.size()] == '`')
        close = line.find(run, line.find_first_not_of('`', close));
      ASSERT_NE(close, std::string::npos) << "a code span that nothing ends: " << line;
      at = close + run.size();
    }
    EXPECT_EQ(prose.find("<script"), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace assay::reporters
