// SPDX-License-Identifier: Apache-2.0
#include "suite/dimension.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assay::suite {
namespace {

std::optional<Dimension> look_up(const Expression& name) {
  const std::string& metric = name.kind == Expression::Kind::selector ? name.metric : name.name;
  if (metric == "latency" || metric == "time") return Dimension{.time = 1};
  if (metric == "bandwidth") return Dimension{.time = -1, .data = 1};
  if (metric == "power") return Dimension{.power = 1};
  if (metric == "ratio") return Dimension{};
  return std::nullopt;
}

// "column: text" of what is reported, or "".
std::string dimension_problem(const std::string& text) {
  Diagnostics diagnostics;
  const ExpressionPtr expression = parse_expression(text, Position{"s.yaml", 1, 1}, diagnostics);
  if (!expression) return "syntax";
  const auto dimension = dimension_of(*expression, look_up, diagnostics);
  if (diagnostics.has_errors() && dimension && is_relation(*expression)) return "reported, but well typed";
  std::string all;
  for (const Diagnostic& one : diagnostics.sorted())
    all += std::to_string(one.position.column) + ": " + one.text;
  return all;
}

std::optional<Dimension> dimension(const std::string& text) {
  Diagnostics diagnostics;
  const ExpressionPtr expression = parse_expression(text, Position{"s.yaml", 1, 1}, diagnostics);
  return dimension_of(*expression, look_up, diagnostics);
}

TEST(Dimension, RefusesToCompareSecondsWithBytes) {
  EXPECT_EQ(dimension_problem("latency <= 64MiB"),
            "9: this compares a time (latency) with a data size (64MiB)");
  EXPECT_EQ(dimension_problem("3us < 64MiB"), "5: this compares a time (3us) with a data size (64MiB)");
  EXPECT_EQ(dimension_problem("latency <= 3us"), "");
}

TEST(Dimension, NeedsAUnitOnALimit) {
  EXPECT_EQ(dimension_problem("bandwidth >= 335"),
            "11: this compares a data rate (bandwidth) with a plain number (335)");
  EXPECT_EQ(dimension_problem("bandwidth >= 5%"),
            "11: this compares a data rate (bandwidth) with a plain number (5%)");
  EXPECT_EQ(dimension_problem("ratio >= 5%"), "");
}

TEST(Dimension, LetsAShareTakeTheOtherSides) {
  EXPECT_EQ(dimension_problem("bandwidth >= 60% of peak"), "");
  EXPECT_EQ(dimension_problem("bandwidth >= 60% of peak + 1GB/s"), "");
  EXPECT_EQ(dimension_problem("bandwidth >= 60% of latency"),
            "11: this compares a data rate (bandwidth) with a time (60% of latency)");
}

TEST(Dimension, MultipliesAndDivides) {
  EXPECT_EQ(dimension("bandwidth * latency"), (Dimension{.data = 1}));
  EXPECT_EQ(dimension("1 / latency"), (Dimension{.time = -1}));
  EXPECT_EQ(dimension_problem("bandwidth * latency >= 64MiB"), "");
  EXPECT_EQ(dimension("bandwidth / power"), (Dimension{.time = -1, .data = 1, .power = -1}));
}

TEST(Dimension, TakesTheSpreadAsAPlainNumber) {
  EXPECT_EQ(dimension_problem("spread(bandwidth over device) <= 5%"), "");
  EXPECT_EQ(dimension_problem("max(bandwidth over device) <= 5GB/s"), "");
  EXPECT_EQ(dimension_problem("p99(latency) <= 5GB/s"),
            "14: this compares a time (p99(latency)) with a data rate (5GB/s)");
}

TEST(Dimension, ReportsEachSumOnceAndNothingAboutWhatIsUnknown) {
  EXPECT_EQ(dimension_problem("latency + bandwidth > 3us"),
            "9: this adds a time (latency) and a data rate (bandwidth)");
  EXPECT_EQ(dimension_problem("nonsense + 3us > 5GB"), "");
  EXPECT_EQ(dimension("nonsense + 3us"), std::nullopt);
  EXPECT_EQ(dimension("nonsense == \"x\""), std::nullopt);
  EXPECT_EQ(dimension("latency < 3us"), Dimension{});
}

TEST(Dimension, LooksAtTheMetricOfASelector) {
  EXPECT_EQ(dimension_problem("best(c[a=*].bandwidth) > 3us"),
            "24: this compares a data rate (best(c[a=*].bandwidth)) with a time (3us)");
}

}  // namespace
}  // namespace assay::suite
