// SPDX-License-Identifier: Apache-2.0
#include "judge/tables.hpp"

#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

suite::TableRows rows_named(const std::string& id,
                            const std::vector<std::pair<std::string, std::vector<std::string>>>& where = {}) {
  suite::TableRows rows;
  rows.case_id.value = id;
  for (const auto& [axis, texts] : where) {
    auto& term = rows.where.emplace_back();
    term.first.value = axis;
    for (const std::string& text : texts) {
      suite::Scalar& value = term.second.emplace_back();
      value.kind = text == "~" ? suite::Scalar::Kind::null : suite::Scalar::Kind::text;
      value.text = text;
    }
  }
  return rows;
}

// Two cases of sizes and kernels: `fused` takes 0.8 of the time of `plain`, whose kernel nt takes half.
struct Tabled {
  World world;
  suite::SuiteTable table;
  explicit Tabled(int rounds = 6) {
    for (const auto& [id, factor] : {std::pair{"plain", 1.0}, std::pair{"fused", 0.8}}) {
      const std::size_t written = world.suite_case(id);
      for (const auto& [size, larger] : {std::pair{"1GiB", 1.0}, std::pair{"2GiB", 2.0}})
        for (const auto& [kernel, faster] : {std::pair{"add", 1.0}, std::pair{"nt", 0.5}}) {
          const std::string row = world.planned(written, {{"bytes", size}, {"kernel", kernel}}, rounds);
          for (int r = 1; r <= rounds; ++r)
            // The machine's own drift, which a ratio round by round does not see.
            world.visit(row, World::around(0.08 * factor * larger * faster * (1 + 0.05 * r), 50, 0.0001, 1),
                        r);
        }
    }
    table.id.value = "t";
    column("rate", "bandwidth");
  }
  void column(const std::string& name, const std::string& expression) {
    table.columns.push_back({{name, {}}, World::parse(expression), expression});
  }
  Json made() {
    world.suite.tables = {table};
    return world.document().at("tables").at(0);
  }
};

std::string ids(const Json& table) {
  std::string found;
  for (const Json& row : table.at("rows")) found += row.at("id").get<std::string>() + " ";
  return found;
}

TEST(Tables, HaveTheNamedRowsOfCasesInTheOrderAsked) {
  Tabled tabled;
  tabled.table.rows = {rows_named("fused", {{"kernel", {"nt"}}}), rows_named("plain", {{"bytes", {"2GiB"}}}),
                       rows_named("fused", {{"bytes", {"1024MiB", "2GiB"}}, {"kernel", {"nt"}}})};
  EXPECT_EQ(ids(tabled.made()),
            "fused[bytes=1GiB,kernel=nt] fused[bytes=2GiB,kernel=nt] plain[bytes=2GiB,kernel=add] "
            "plain[bytes=2GiB,kernel=nt] ");
}

TEST(Tables, ComputeTheirColumnsInEachRow) {
  Tabled tabled;
  tabled.table.rows = {rows_named("plain", {{"bytes", {"1GiB"}}})};
  tabled.column("moved", "bandwidth * time");
  tabled.column("twice", "2 * bandwidth");
  const Json table = tabled.made();
  EXPECT_EQ(table.at("columns").at(1), (Json{{"name", "moved"}, {"expression", "bandwidth * time"}}));
  const Json& cells = table.at("rows").at(0).at("cells");
  EXPECT_NEAR(cells.at(1).at("value"), 1e9, 1e5);
  EXPECT_EQ(cells.at(1).at("unit"), "B");
  EXPECT_NEAR(cells.at(2).at("value").get<double>() / cells.at(0).at("value").get<double>(), 2, 1e-9);
  EXPECT_LT(cells.at(0).at("low"), cells.at(0).at("value"));
  EXPECT_FALSE(cells.at(0).contains("ratio"));
}

TEST(Tables, HoldEachRowAgainstTheReferenceThatIsLikeItRoundByRound) {
  Tabled tabled;
  tabled.table.rows = {rows_named("plain"), rows_named("fused")};
  tabled.table.reference = rows_named("plain", {{"kernel", {"add"}}});
  const Json table = tabled.made();
  const Json &reference = table.at("rows").at(0), &last = table.at("rows").at(7);
  EXPECT_EQ(reference.at("reference"), "plain[bytes=1GiB,kernel=add]");
  EXPECT_FALSE(reference.at("cells").at(0).contains("ratio")) << "it is itself";
  EXPECT_EQ(last.at("id"), "fused[bytes=2GiB,kernel=nt]");
  EXPECT_EQ(last.at("reference"), "plain[bytes=2GiB,kernel=add]") << "of the same size";
  const Json& ratio = last.at("cells").at(0).at("ratio");
  EXPECT_NEAR(ratio.at("value"), 2.5, 0.01);
  EXPECT_LT(ratio.at("high").get<double>() - ratio.at("low").get<double>(), 0.02) << "drift is in both";
}

TEST(Tables, SayWhyACellIsEmpty) {
  Tabled tabled;
  tabled.table.rows = {rows_named("plain", {{"bytes", {"1GiB"}}})};
  tabled.column("energy", "energy_per_iteration");
  tabled.table.reference = rows_named("plain", {{"kernel", {"add"}}});
  for (result::Visit& visit : tabled.world.visits)
    if (visit.case_id == "plain[bytes=1GiB,kernel=add]") {
      visit.outcome = result::Outcome::failed;
      visit.ranks.clear();
    }
  const Json table = tabled.made();
  EXPECT_EQ(table.at("rows").at(0).at("outcome"), "failed");
  EXPECT_EQ(table.at("rows").at(0).at("cells").at(0).at("why"), "no result (failed)");
  EXPECT_TRUE(table.at("rows").at(0).at("cells").at(0).at("value").is_null());
  EXPECT_EQ(table.at("rows").at(1).at("cells").at(0).at("why"), "the reference row: no result (failed)");
  EXPECT_EQ(table.at("rows").at(1).at("cells").at(1).at("why"), "'energy_per_iteration' has no value here");
}

TEST(Tables, DoNotChooseAmongSeveralReferences) {
  Tabled tabled;
  tabled.table.rows = {rows_named("fused", {{"kernel", {"nt"}}})};
  tabled.table.reference = rows_named("plain", {{"bytes", {"1GiB", "2GiB"}}});
  EXPECT_EQ(tabled.made().at("rows").at(0).at("cells").at(0).at("why"),
            "several rows fit 'reference': plain[bytes=1GiB,kernel=nt], plain[bytes=2GiB,kernel=nt]");
  tabled.table.reference = rows_named("plain", {{"kernel", {"copy"}}});
  EXPECT_EQ(tabled.made().at("rows").at(0).at("cells").at(0).at("why"),
            "no row of this run fits 'reference'");
}

}  // namespace
}  // namespace assay::judge
