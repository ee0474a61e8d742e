// SPDX-License-Identifier: Apache-2.0
#include "cli/visit_line.hpp"

#include "text/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::cli {
namespace {

using testing::EndsWith;
using testing::StartsWith;

// A case of a benchmark with one headline, and a visit of two samples, 2 ms and 4 ms for ten iterations each.
struct VisitWorld {
  catalog::Benchmark benchmark;
  plan::PlannedCase planned;
  result::Visit visit;

  VisitWorld(catalog::MetricKind kind, const std::string& unit) {
    catalog::MetricDeclaration metric;
    metric.name = "speed";
    metric.unit = unit;
    metric.kind = kind;
    metric.headline = true;
    benchmark.metrics = {metric};
    planned.id = visit.case_id = "membw[kernel=read]";
    planned.benchmark = &benchmark;
    visit.outcome = result::Outcome::passed;
    visit.duration_s = 0.25;
    visit.measurement.clock = "host";
    result::RankRecord& rank = visit.ranks.emplace_back();
    rank.series.iterations = 10;
    rank.series.host_s = rank.series.device_s = {0.002, 0.004};
  }

  [[nodiscard]] std::string value() const { return value_of_visit(planned, visit); }
  [[nodiscard]] std::string line(int width, std::size_t done = 3, double remaining_s = 40) const {
    run::RunProgress progress{run::RunProgress::Kind::visit_finished};
    progress.done = done;
    progress.total = 20;
    progress.current = &planned;
    progress.visit = &visit;
    progress.expected_remaining_s = remaining_s;
    return visit_line(progress, width);
  }
};

TEST(VisitLine, ShowsARateOfAllRanksByTheirWork) {
  VisitWorld world(catalog::MetricKind::rate, "B/s");
  world.visit.work["speed"] = 6e6;
  EXPECT_EQ(world.value(), "20 GB/s");
  world.visit.ranks.push_back(world.visit.ranks.front());
  EXPECT_EQ(world.value(), "40 GB/s");
}

TEST(VisitLine, ShowsTheMiddleOfDurations) {
  VisitWorld world(catalog::MetricKind::duration, "s");
  EXPECT_EQ(world.value(), "300 µs");
  world.visit.work["speed"] = 3;
  EXPECT_EQ(world.value(), "100 µs");
}

TEST(VisitLine, ShowsTheTimeWhereTheHeadlineHasNoValue) {
  VisitWorld world(catalog::MetricKind::duration, "s");
  world.visit.work["other"] = 3;
  EXPECT_EQ(world.value(), "300 µs");
  world.planned.benchmark = nullptr;
  EXPECT_EQ(world.value(), "300 µs");
}

TEST(VisitLine, ShowsWhatACommandReportedInTheUnitThatItsSuiteWrote) {
  VisitWorld world(catalog::MetricKind::rate, "tokens/s");
  catalog::MetricDeclaration& metric = world.benchmark.metrics.front();
  metric.reported = true;
  metric.unit = "B/s";
  metric.written_unit = "MB/s";
  metric.written_scale = 1e6;
  for (const double value : {200e6, 300e6, 100e6})
    world.visit.ranks.front().values.push_back({"speed", {}, value});
  EXPECT_EQ(world.value(), "200 MB/s");
}

TEST(VisitLine, ShowsTheWorstRankAndBothEndsOfATable) {
  VisitWorld world(catalog::MetricKind::value, "1");
  world.benchmark.metrics.front().direction = catalog::Direction::higher;
  world.visit.ranks.push_back(world.visit.ranks.front());
  world.visit.ranks[0].values.push_back({"speed", {}, 8});
  world.visit.ranks[1].values.push_back({"speed", {}, 5});
  EXPECT_EQ(world.value(), "5");
  world.visit.ranks[0].values.front().indices = world.visit.ranks[1].values.front().indices = {0};
  EXPECT_EQ(world.value(), "5 … 8");
}

TEST(VisitLine, EndsWithTheTimeThatIsLeft) {
  VisitWorld world(catalog::MetricKind::duration, "s");
  EXPECT_EQ(world.line(0), "3/20  membw[kernel=read]  300 µs  40 s left");
  EXPECT_EQ(world.line(0, 20, 40), "20/20  membw[kernel=read]  300 µs");
  EXPECT_EQ(world.line(0, 3, 0.2), "3/20  membw[kernel=read]  300 µs");
}

TEST(VisitLine, HasNoValueOfWhatDidNotPass) {
  VisitWorld world(catalog::MetricKind::duration, "s");
  world.visit.outcome = result::Outcome::crashed;
  EXPECT_EQ(world.value(), "");
  EXPECT_EQ(world.line(0), "3/20  membw[kernel=read]  crashed  0.25 s  40 s left");
  world.visit.outcome = result::Outcome::passed;
  world.visit.ranks.front().series.host_s[1] = 0;
  EXPECT_EQ(world.line(80), "3/20  membw[kernel=read]  measured  0.25 s");
}

TEST(VisitLine, ShortensTheMiddleOfAnIdAndKeepsTheValue) {
  VisitWorld world(catalog::MetricKind::duration, "s");
  world.visit.case_id = "gemm[" + std::string(90, 'x') + "ä,device=cuda:0]";
  const std::string line = world.line(60);
  EXPECT_EQ(display_width(line), 60U) << line;
  EXPECT_THAT(line, StartsWith("3/20  gemm[xxx"));
  EXPECT_THAT(line, EndsWith("xä,device=cuda:0]  300 µs"));
  EXPECT_TRUE(is_utf8(line));
}

}  // namespace
}  // namespace assay::cli
