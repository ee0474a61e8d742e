// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include "lib/lanes.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

using Json = nlohmann::ordered_json;

Json traced(const Document& document) {
  std::string text;
  render_trace(document, [&](std::string_view piece) { text += piece; });
  return Json::parse(text);
}

Case with_timeline(const std::string& id, std::vector<Track> tracks) {
  Case one;
  one.id = id;
  one.outcome = Outcome::passed;
  one.timeline = Timeline{1, 0, std::move(tracks)};
  return one;
}

// What viewers ask of the format, and what they misplace without a word.
void expect_to_open(const Json& trace) {
  std::set<std::int64_t> processes, numbers;
  std::map<std::int64_t, std::int64_t> process_of;  // of threads that have a name
  std::map<std::int64_t, std::vector<double>> open;
  for (const Json& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph"), name = event.at("name");
    const std::int64_t pid = event.at("pid"), tid = event.at("tid");
    if (phase == "M") {
      if (name == "process_name") {
        EXPECT_TRUE(processes.insert(pid).second) << "named twice: " << pid;
        EXPECT_TRUE(numbers.insert(pid).second) << pid;
      }
      if (name == "thread_name") {
        EXPECT_TRUE(process_of.emplace(tid, pid).second) << "named twice: " << tid;
        EXPECT_TRUE(numbers.insert(tid).second) << tid;
      }
      const std::string key = name == "process_labels"               ? "labels"
                              : name.find("sort_index") != name.npos ? "sort_index"
                                                                     : "name";
      ASSERT_TRUE(event.at("args").contains(key)) << event;
      EXPECT_EQ(event.at("args").at(key).is_number(), key == "sort_index");
      continue;
    }
    ASSERT_EQ(phase, "X") << event;
    EXPECT_TRUE(event.at("cat").is_string());
    EXPECT_TRUE(processes.contains(pid));
    ASSERT_TRUE(process_of.contains(tid)) << event;
    EXPECT_EQ(process_of[tid], pid);
    const double begin = event.at("ts"), end = begin + event.at("dur").get<double>();
    EXPECT_GE(begin, 0);
    EXPECT_GE(end, begin);
    std::vector<double>& outer = open[tid];
    while (!outer.empty() && outer.back() <= begin + 1e-6) outer.pop_back();
    EXPECT_TRUE(outer.empty() || end <= outer.back() + 1e-6) << "overlaps, and is not inside: " << event;
    outer.push_back(end);
  }
}

TEST(Trace, HasAProcessForEachCaseAndAThreadForEachTrack) {
  Document document;
  document.run.suite = "broadcast";
  Case one = with_timeline("a[strategy=direct]", {{0, "destination 0", {{"copy source → 0", 0, 1.5e-6}}},
                                                  {0, "destination 1", {{"copy source → 1", 1.5e-6, 2e-3}}}});
  Metric bandwidth;
  bandwidth.name = "bandwidth";
  bandwidth.unit = "B/s";
  bandwidth.headline = true;
  bandwidth.value = 41.2e9;
  one.metrics = {bandwidth};
  one.timeline->left_out = 7;
  document.cases = {one, Case(), with_timeline("b", {{0, "x", {}}, {1, "x", {{"s", 0, 0}}}})};
  const Json trace = traced(document);
  expect_to_open(trace);
  EXPECT_EQ(trace.at("otherData").at("suite"), "broadcast");
  EXPECT_FALSE(trace.at("otherData").contains("note"));
  std::vector<std::string> seen;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") {
      seen.push_back(event.at("name").get<std::string>() + " " + event.at("ts").dump() + " " +
                     event.at("dur").dump());
    } else if (event.at("name") != "process_sort_index" && event.at("name") != "thread_sort_index") {
      seen.push_back(event.at("args").begin().value());
    }
  }
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "a[strategy=direct]", "bandwidth 41.2 GB/s, 7 later spans left out", "destination 0",
                      "copy source → 0 0.0 1.5", "destination 1", "copy source → 1 1.5 1998.5", "b",
                      "rank 0: x", "rank 1: x", "s 0.0 0.0"}));
}

TEST(Trace, SaysWhichIterationASpanIsOfWhereThereAreSeveral) {
  Document document;
  document.cases = {
      with_timeline("a", {{0, "x", {{"s", 0, 1e-6, 0}, {"s", 2e-6, 3e-6, 1}, {"one", 4e-6, 5e-6}}}})};
  std::vector<std::string> seen;
  const Json trace = traced(document);
  for (const Json& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") seen.push_back(event.contains("args") ? event.at("args").dump() : "");
  EXPECT_EQ(seen, (std::vector<std::string>{R"({"iteration":0})", R"({"iteration":1})", ""}));
}

TEST(Trace, SpansThatOverlapGetLanesOfTheirOwn) {
  const Track track{0,
                    "t",
                    {{"outer", 0, 10e-9},
                     {"inner", 0, 4e-9},
                     {"beside", 4e-9, 10e-9},
                     {"across", 8e-9, 12e-9},
                     {"after", 10e-9, 12e-9},
                     {"across, too", 11e-9, 13e-9}}};
  std::vector<std::vector<std::string>> names;
  for (const auto& lane : lanes_of(track)) {
    names.emplace_back();
    for (const Slice& slice : lane) names.back().push_back(*slice.name);
  }
  EXPECT_EQ(names, (std::vector<std::vector<std::string>>{
                       {"outer", "inner", "beside", "after"}, {"across"}, {"across, too"}}));
  Document document;
  document.cases = {with_timeline("a", {track})};
  expect_to_open(traced(document));
}

TEST(Trace, WithoutATimelineIsEmptyAndSaysWhy) {
  const Json trace = traced({});
  EXPECT_EQ(trace.at("traceEvents"), Json::array());
  EXPECT_NE(trace.at("otherData").at("note").get<std::string>().find("--report trace"), std::string::npos);
}

TEST(Trace, HostileNamesAreTexts) {
  Document document = read_document(R"({"schema_version": "1.0", "cases": [{"id": "a\"]}\\\u001b\n",
    "outcome": "passed", "timeline": {"tracks": [
      {"rank": 0, "name": "</script>\"", "spans": [{"name": "\"}\\ \u202e", "begin_s": -1, "end_s": -2},
                                                   {"name": 7, "begin_s": 1e300, "end_s": null}, 9]},
      "no track"]}}, {"id": "b", "timeline": 1}]})");
  document.run.suite = "\"\\\n\t";
  const Json trace = traced(document);
  expect_to_open(trace);
  EXPECT_EQ(trace.at("otherData").at("suite"), "\"\\\n\t");
  EXPECT_EQ(trace.at("traceEvents").at(0).at("args").at("name"), "a\"]}\\�");
  std::set<std::string> names;
  for (const Json& event : trace.at("traceEvents")) names.insert(event.at("name").get<std::string>());
  EXPECT_TRUE(names.contains("\"}\\ �"));
}

}  // namespace
}  // namespace assay::reporters
