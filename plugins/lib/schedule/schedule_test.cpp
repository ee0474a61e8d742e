// SPDX-License-Identifier: Apache-2.0
#include "lib/schedule/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::schedule {
namespace {

struct Sizes {
  Style style;
  std::uint32_t stages, micro_batches, chunks;
};

std::vector<Sizes> many_sizes() {
  std::vector<Sizes> all;
  for (std::uint32_t stages = 1; stages <= 6; ++stages) {
    for (const std::uint32_t micros : {1U, 2U, 3U, 5U, 8U, 13U}) {
      for (const Style style : {Style::gpipe, Style::one_f_one_b, Style::zero_bubble})
        all.push_back({style, stages, micros, 1});
    }
    for (const std::uint32_t rounds : {1U, 2U, 5U})
      for (const std::uint32_t chunks : {2U, 3U, 4U})
        if (stages > 1) all.push_back({Style::interleaved, stages, rounds * stages, chunks});
  }
  return all;
}

TEST(Schedules, AreValidOfEverySize) {
  for (const Sizes& sizes : many_sizes()) {
    const Schedule made = make_schedule(sizes.style, sizes.stages, sizes.micro_batches, sizes.chunks);
    EXPECT_EQ(problem_of(made), "") << sizes.stages << " stages, " << sizes.micro_batches << " micro-batches";
  }
}

TEST(Schedules, AreThoseOfTheirPapersWhereTheyAreSmall) {
  const auto text = [](const std::vector<Operation>& operations) {
    std::string all;
    for (const Operation& operation : operations)
      all += std::string(1, "FBIW"[static_cast<std::size_t>(operation.kind)]) +
             std::to_string(operation.micro_batch) + (operation.chunk > 0 ? "'" : "") + " ";
    return all;
  };
  EXPECT_EQ(text(make_schedule(Style::gpipe, 2, 2, 1).of_stage[0]), "F0 F1 B0 B1 ");
  const Schedule plain = make_schedule(Style::one_f_one_b, 3, 4, 1);
  EXPECT_EQ(text(plain.of_stage[0]), "F0 F1 F2 B0 F3 B1 B2 B3 ");
  EXPECT_EQ(text(plain.of_stage[2]), "F0 B0 F1 B1 F2 B2 F3 B3 ");
  const Schedule split = make_schedule(Style::zero_bubble, 3, 4, 1);
  EXPECT_EQ(text(split.of_stage[0]), "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3 ");
  EXPECT_EQ(text(split.of_stage[2]), "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3 ");
  const Schedule chunks = make_schedule(Style::interleaved, 2, 2, 2);
  EXPECT_EQ(text(chunks.of_stage[0]), "F0 F1 F0' F1' B0' B1' B0 B1 ");
  EXPECT_EQ(text(chunks.of_stage[1]), "F0 F1 F0' B0' F1' B1' B0 B1 ");
}

TEST(Schedules, RefuseWhatThereIsNot) {
  const auto refusal = [](Style style, std::uint32_t stages, std::uint32_t micros, std::uint32_t chunks) {
    try {
      make_schedule(style, stages, micros, chunks);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal(Style::gpipe, 0, 1, 1).find("above 0"), std::string::npos);
  EXPECT_NE(refusal(Style::gpipe, 2, 4, 2).find("only an interleaved"), std::string::npos);
  EXPECT_NE(refusal(Style::interleaved, 2, 4, 1).find("2 chunks"), std::string::npos);
  EXPECT_NE(refusal(Style::interleaved, 1, 4, 2).find("2 stages"), std::string::npos);
  EXPECT_NE(refusal(Style::interleaved, 4, 6, 2).find("6 micro-batches are not a multiple of 4"),
            std::string::npos);
  EXPECT_EQ(refusal(Style::interleaved, 4, 8, 2), "");
}

// Each way of being wrong is named.
TEST(Schedules, ThatAreWrongAreFoundWrong) {
  const auto problem = [](Style style, const std::function<void(Schedule&)>& change) {
    Schedule made = make_schedule(style, 2, 3, 1);
    change(made);
    return problem_of(made);
  };
  const auto at = [](Schedule& s, std::size_t stage) { return s.of_stage[stage].begin(); };
  EXPECT_EQ(problem(Style::gpipe, [&](Schedule& s) { s.of_stage[1].pop_back(); }),
            "stage 1: there is no backward pass of micro-batch 2");
  EXPECT_EQ(problem(Style::gpipe,
                    [&](Schedule& s) {
                      s.of_stage[0].push_back({Kind::forward, 1, 0});
                    }),
            "stage 0: forward pass of micro-batch 1 comes twice");
  EXPECT_EQ(problem(Style::one_f_one_b, [&](Schedule& s) { std::iter_swap(at(s, 1), at(s, 1) + 1); }),
            "stage 1: backward pass of micro-batch 0 comes before its forward pass");
  EXPECT_EQ(problem(Style::zero_bubble, [&](Schedule& s) { std::iter_swap(at(s, 0) + 2, at(s, 0) + 3); }),
            "stage 0: weight gradient of micro-batch 0 comes before its input gradient");
  EXPECT_EQ(problem(Style::zero_bubble, [&](Schedule& s) { s.of_stage[0].pop_back(); }),
            "stage 0: there is no weight gradient of micro-batch 2");
  EXPECT_EQ(problem(Style::gpipe, [&](Schedule& s) { at(s, 0)->micro_batch = 9; }),
            "stage 0: forward pass of micro-batch 9: there is no such micro-batch or chunk");
  EXPECT_EQ(problem(Style::gpipe, [&](Schedule& s) { std::iter_swap(at(s, 0), at(s, 0) + 1); }),
            "part 0 hands over micro-batch 1 where part 1 wants micro-batch 0");
  EXPECT_EQ(problem(Style::gpipe, [&](Schedule& s) { s.of_stage.pop_back(); }),
            "there is no list of operations for every stage");
}

TEST(Schedules, HoldAsManyMicroBatchesAsTheirPapersSay) {
  for (const Sizes& sizes : many_sizes()) {
    const std::vector<Holding> holdings =
        holdings_of(make_schedule(sizes.style, sizes.stages, sizes.micro_batches, sizes.chunks));
    for (std::uint32_t stage = 0; stage < sizes.stages; ++stage) {
      const Holding& holding = holdings[stage];
      const std::uint32_t m = sizes.micro_batches, p = sizes.stages, v = sizes.chunks;
      switch (sizes.style) {
        case Style::gpipe:
          EXPECT_EQ(holding.in_flight, m);
          break;
        case Style::one_f_one_b:
          EXPECT_EQ(holding.in_flight, std::min(m, p - stage));
          break;
        case Style::zero_bubble:
          EXPECT_EQ(holding.in_flight, std::min(m, p));
          EXPECT_EQ(holding.pending[0], std::min(m, stage + 1));
          break;
        case Style::interleaved:
          EXPECT_EQ(holding.in_flight, std::min(m * v, 2 * (p - stage - 1) + (v - 1) * p + 1));
          EXPECT_LE(*std::max_element(holding.of_chunk.begin(), holding.of_chunk.end()), m);
          break;
      }
    }
  }
}

}  // namespace
}  // namespace assay::plugins::schedule
