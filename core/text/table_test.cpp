// SPDX-License-Identifier: Apache-2.0
#include "text/table.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(AlignedTable, AlignsByDisplayWidth) {
  AlignedTable table({{Align::left, 0}, {Align::right, 0}});
  table.add_cells({{"日本"}, {"1"}});
  table.add_cells({{"abcdef"}, {"µ22"}});
  EXPECT_EQ(table.render({}), "日本       1\nabcdef   µ22\n");
}

TEST(AlignedTable, DropsTheLeastColumnsFirst) {
  AlignedTable table({{Align::left, 0}, {Align::left, 2}, {Align::left, 1}});
  table.add_cells({{"0123456789"}, {"0123456789"}, {"0123456789"}});
  EXPECT_EQ(table.render({false, false, 40}), "0123456789   0123456789   0123456789\n");
  EXPECT_EQ(table.render({false, false, 25}), "0123456789  0123456789\n");
  EXPECT_EQ(table.render({false, false, 12}), "0123456789\n");
}

TEST(AlignedTable, TellsWhetherItDropsColumns) {
  AlignedTable table({{Align::left, 0}, {Align::left, 2}});
  table.add_cells({{"0123456789"}, {"0123456789", Tone::plain, 1, "01234"}});
  EXPECT_FALSE(table.drops_columns({false, false, 40}));
  EXPECT_FALSE(table.drops_columns({false, false, 17})) << "the brief text fits";
  EXPECT_TRUE(table.drops_columns({false, false, 16}));
}

TEST(AlignedTable, TakesBriefTextsBeforeItDropsAColumn) {
  AlignedTable table({{Align::left, 0}, {Align::left, 0}, {Align::left, 2}});
  table.add_cells({{"case"}, {"drifting, skewed", Tone::plain, 1, "2 flags"}, {"[41.1, 41.3]"}});
  EXPECT_EQ(table.render({false, false, 40}), "case   drifting, skewed   [41.1, 41.3]\n");
  EXPECT_EQ(table.render({false, false, 30}), "case  2 flags  [41.1, 41.3]\n");
  EXPECT_EQ(table.render({false, false, 14}), "case  2 flags\n");
}

TEST(AlignedTable, ExplainsBriefTextsOnlyWhereItTakesThem) {
  AlignedTable table({{Align::left, 0}, {Align::left, 0}});
  table.add_cells({{"0123456789"}, {"! drifting", Tone::plain, 1, "!1"}});
  table.add_cells({{"9876543210"}, {"! unsteady", Tone::plain, 1, "!2"}});
  table.explain({"!1 drifting", "!2 unsteady"});
  EXPECT_EQ(table.render({false, false, 40}), "0123456789   ! drifting\n9876543210   ! unsteady\n");
  EXPECT_EQ(table.render({false, false, 20}), "0123456789  !1\n9876543210  !2\n!1 drifting\n!2 unsteady\n")
      << "no line breaks between a sign and what it means";
}

TEST(AlignedTable, CutsTheWidestTextWhenNothingIsLeftToDrop) {
  AlignedTable table({{Align::left, 0}, {Align::right, 0}});
  table.add_cells({{std::string(50, 'a')}, {"1 GB/s"}});
  EXPECT_EQ(table.render({false, false, 40}), std::string(31, 'a') + "…  1 GB/s\n");
  EXPECT_EQ(table.render({false, true, 40}), std::string(29, 'a') + "...  1 GB/s\n");
}

TEST(AlignedTable, BreaksATextThatGoesToTheEndIntoLines) {
  AlignedTable table({{Align::left, 0}, {Align::left, 0}, {Align::left, 0}});
  table.add_cells({{"product", Tone::strong}, {"batch=1, candidates=16, sustained, verified", Tone::dim, 2}});
  table.add_cells({{"bf16"}, {"1 GB/s"}, {"x"}});
  EXPECT_EQ(table.render({false, false, 40}),
            "product   batch=1, candidates=16,\n"
            "          sustained, verified\n"
            "bf16      1 GB/s   x\n");
  EXPECT_EQ(table.render({true, false, 40}),
            "\x1b[1mproduct\x1b[0m   \x1b[2mbatch=1, candidates=16,\x1b[0m\n"
            "          \x1b[2msustained, verified\x1b[0m\n"
            "bf16      1 GB/s   x\n");
}

TEST(AlignedTable, KeepsAValueBesideItsUnitWhereItBreaksAList) {
  AlignedTable table({{Align::left, 0}, {Align::left, 0}, {Align::left, 0}});
  table.add_cells({{"product"}, {"bytes=1 MiB, tick=1 ns, x", Tone::plain, 2}});
  table.add_cells({{"bf16"}, {"1 GB/s"}, {"x"}});
  EXPECT_EQ(table.render({false, false, 30}),
            "product   bytes=1 MiB,\n"
            "          tick=1 ns, x\n"
            "bf16      1 GB/s   x\n");
}

TEST(AlignedTable, ColourSurroundsTextAndNotTheFilling) {
  AlignedTable table({{Align::left, 0}, {Align::left, 0}});
  table.add_cells({{"a", Tone::bad}, {"b"}});
  table.add_cells({{"abc"}, {"b"}});
  EXPECT_EQ(table.render({true, false, 40}), "\x1b[1;31ma\x1b[0m     b\nabc   b\n");
}

}  // namespace
}  // namespace assay
