// SPDX-License-Identifier: Apache-2.0
#include "lib/schedule/simulate.hpp"

#include <assay/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::schedule {
namespace {

double makespan(Style style, std::uint32_t stages, std::uint32_t micros, std::uint32_t chunks, double forward,
                double input, double weight) {
  const Schedule schedule = make_schedule(style, stages, micros, chunks);
  return simulate(schedule, uniform_costs(schedule, forward, input, weight)).makespan;
}

TEST(Simulation, OfGPipeAnd1F1BHasTheBubbleOfTheClosedForm) {
  for (const Style style : {Style::gpipe, Style::one_f_one_b}) {
    for (std::uint32_t p = 1; p <= 8; ++p) {
      for (std::uint32_t m = 1; m <= 16; ++m) {
        const Schedule schedule = make_schedule(style, p, m, 1);
        const Simulation seen = simulate(schedule, uniform_costs(schedule, 1, 1, 1));
        ASSERT_EQ(seen.deadlock, "");
        EXPECT_NEAR(seen.makespan, 3.0 * (m + p - 1), 1e-9);
        EXPECT_NEAR(seen.bubble(), static_cast<double>(p - 1) / (m + p - 1), 1e-12);
      }
    }
  }
}

// (p-1)/(v·m) of the time that the work takes: Narayanan et al., 2021, 2.2.
TEST(Simulation, OfInterleavedHasTheBubbleOfTheClosedForm) {
  for (const std::uint32_t p : {2U, 3U, 4U, 8U}) {
    for (const std::uint32_t v : {2U, 3U, 4U}) {
      for (const std::uint32_t rounds : {1U, 2U, 4U}) {
        const std::uint32_t m = rounds * p;
        const double ideal = m * 3.0;  // of a stage, whose chunks are a v-th each
        const double seen = makespan(Style::interleaved, p, m, v, 1.0 / v, 1.0 / v, 1.0 / v);
        EXPECT_NEAR(seen / ideal - 1, static_cast<double>(p - 1) / (v * m), 1e-9)
            << p << " " << v << " " << m;
      }
    }
  }
}

// (p-1)·(forward + input gradient - weight gradient): Qi et al., 2024, table 1. A third of 1F1B's where all are equal.
TEST(Simulation, OfZeroBubbleHasTheBubbleOfTheClosedForm) {
  for (const std::uint32_t p : {2U, 3U, 4U, 8U}) {
    for (const std::uint32_t m : {p, p + 1, 2 * p, 4 * p}) {
      const double equal = makespan(Style::zero_bubble, p, m, 1, 1, 1, 1);
      EXPECT_NEAR(equal, 3.0 * m + (p - 1), 1e-9);
      EXPECT_LT(equal, makespan(Style::one_f_one_b, p, m, 1, 1, 1, 1));
      EXPECT_NEAR(makespan(Style::zero_bubble, p, m, 1, 1, 1.25, 0.75), 3.0 * m + (p - 1) * 1.5, 1e-9);
    }
  }
}

// Stages of unlike costs: Σ tᵢ + (m-1)·max tᵢ, forward and then backward.
TEST(Simulation, OfUnevenStagesIsGovernedByTheSlowest) {
  const Schedule schedule = make_schedule(Style::gpipe, 4, 5, 1);
  Costs costs = uniform_costs(schedule, 1, 1, 1);
  const double layers[] = {6, 2, 3, 1};
  for (std::size_t part = 0; part < 4; ++part)
    costs.of_part[part] = {layers[part], 2 * layers[part], 0, 0, 0};
  EXPECT_NEAR(simulate(schedule, costs).makespan, 3 * (12 + 4 * 6), 1e-9);
  EXPECT_NEAR(simulate(schedule, costs).of_stage[3].busy, 5 * 3 * 1, 1e-9);
}

// A published comparison of 12 layers on 2, 3 and 4 GPUs and of 6-2-2-2 with 3-3-3-3 (samples/s: 748.5, 1087.3, 1403.8
// and 741.7). It says that there were 4 micro-batches; 32 are what explains its ratios.
TEST(Simulation, SaysHowManyMicroBatchesAPublishedComparisonHad) {
  const auto step = [](const std::vector<double>& layers, std::uint32_t m) {
    const auto p = static_cast<std::uint32_t>(layers.size());
    const Schedule schedule = make_schedule(Style::gpipe, p, m, 1);
    Costs costs = uniform_costs(schedule, 0, 0, 0);
    for (std::size_t part = 0; part < p; ++part)
      costs.of_part[part] = {layers[part], 2 * layers[part], 0, 0, 0};
    return simulate(schedule, costs).makespan;
  };
  const auto ratios = [&](std::uint32_t m) {
    const double two = step({6, 6}, m), four = step({3, 3, 3, 3}, m);
    return std::vector<double>{two / step({4, 4, 4}, m), two / four, four / step({6, 2, 2, 2}, m)};
  };
  const std::vector<double> stated = ratios(4), fitted = ratios(32);
  EXPECT_NEAR(stated[0], 1.25, 1e-9);
  EXPECT_NEAR(stated[1], 10.0 / 7, 1e-9);
  EXPECT_NEAR(stated[2], 0.7, 1e-9);
  const double published[] = {1087.3 / 748.5, 1403.8 / 748.5, 741.7 / 1403.8};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(fitted[i], published[i], 0.007 * published[i]);
    EXPECT_GT(std::abs(stated[i] - published[i]), 0.1 * published[i]);
  }
}

TEST(Simulation, CountsTransfersRecomputationAndTheOptimizer) {
  const Schedule schedule = make_schedule(Style::gpipe, 2, 1, 1);
  Costs costs = uniform_costs(schedule, 10, 10, 10);
  costs.activations[0] = {1, 2, 3};
  costs.gradients[0] = {0.5, 0, 0.25};
  costs.optimizer = {4, 5};
  for (PartCosts& part : costs.of_part) part.recompute = 7;
  const Simulation seen = simulate(schedule, costs);
  // Forward 10, over 1 + 2 + 3, forward 10, backward 27, back 0.75, backward 27, optimiser 4.
  EXPECT_NEAR(seen.makespan, 10 + 6 + 10 + 27 + 0.75 + 27 + 4, 1e-9);
  EXPECT_NEAR(seen.of_stage[0].busy, 10 + 27 + 4, 1e-9);
  EXPECT_NEAR(seen.of_stage[0].transferring, 1 + 0.25, 1e-9);
  EXPECT_NEAR(seen.of_stage[1].transferring, 2 + 3 + 0.5, 1e-9);
  EXPECT_NEAR(seen.bubble(), 1 - (10 + 27 + 4 + 10 + 27 + 5) / (2 * seen.makespan), 1e-12);
}

// What frameworks' blocking calls are known for: 1F1B, where both neighbours want to send.
TEST(Simulation, FindsTheDeadlockOfBlockingMessagesAndNamesWhoWaits) {
  const Schedule schedule = make_schedule(Style::one_f_one_b, 2, 4, 1);
  Costs costs = uniform_costs(schedule, 1, 1, 1);
  costs.buffers = 0;
  const Simulation seen = simulate(schedule, costs);
  EXPECT_EQ(seen.deadlock,
            "stage 0 waits to hand over the activations of micro-batch 1 to stage 1; "
            "stage 1 waits to hand over the gradients of micro-batch 0 to stage 0");
  EXPECT_TRUE(seen.events.empty());
  costs.buffers = 1;
  EXPECT_EQ(simulate(schedule, costs).deadlock, "");
  const Schedule flushed = make_schedule(Style::gpipe, 2, 4, 1);
  costs.buffers = 0;
  EXPECT_EQ(simulate(flushed, costs).deadlock, "");
}

TEST(Simulation, FindsAStageThatWaitsForOneThatIsDone) {
  Schedule schedule = make_schedule(Style::gpipe, 3, 2, 1);
  schedule.of_stage[0].pop_back();  // takes one gradient less than it is given
  Costs costs = uniform_costs(schedule, 1, 1, 1);
  costs.buffers = 0;
  EXPECT_EQ(simulate(schedule, costs).deadlock,
            "stage 1 waits to hand over the gradients of micro-batch 1 to stage 0; stage 0 is done");
}

TEST(Simulation, RefusesCostsOfAnotherPipeline) {
  const Schedule schedule = make_schedule(Style::gpipe, 3, 2, 1);
  Costs costs = uniform_costs(schedule, 1, 1, 1);
  costs.optimizer.pop_back();
  EXPECT_THROW(simulate(schedule, costs), std::invalid_argument);
}

// The same once more by looking at every moment, for whole numbers: who is free does what it can.
class ByTicks {
 public:
  ByTicks(const Schedule& schedule, const Costs& costs)
      : schedule_(schedule), costs_(costs), program_(make_program(schedule)) {}

  // -1 where it does not end.
  long run() {
    std::vector<std::size_t> next(program_.size());
    std::vector<long> free(program_.size()), ends(program_.size());
    std::vector<bool> waits(program_.size());
    for (long now = 0; now < 100000; ++now) {
      bool all = true;
      for (bool again = true; again;) {  // what takes no time lets another begin at once
        again = sent_ = false;
        all = true;
        for (std::size_t s = 0; s < program_.size(); ++s) {
          while (next[s] < program_[s].size() && free[s] <= now &&
                 begin(s, program_[s][next[s]], now, free[s], waits))
            ++next[s], again = true;
          if (next[s] == program_[s].size() && free[s] <= now && !waits[s] && ends[s] == 0)
            ends[s] = now + static_cast<long>(costs_.optimizer[s]) + 1;
          all &= ends[s] != 0;
          again |= sent_;
        }
      }
      if (all) return *std::max_element(ends.begin(), ends.end()) - 1;
    }
    return -1;
  }

 private:
  struct Line {
    std::vector<long> there, taken;  // moments
    std::vector<std::uint32_t> micro;
  };

  bool begin(std::size_t s, const Action& action, long now, long& free, std::vector<bool>& waits) {
    if (action.what == What::compute) {
      const std::uint32_t part = schedule_.part(static_cast<std::uint32_t>(s), action.operation.chunk);
      free = now + static_cast<long>(cost_of(action.operation, costs_.of_part[part]));
      return true;
    }
    Line& line = lines_[{action.channel.from, action.channel.to}];
    const TransferCosts& transfer =
        (action.channel.is_forward() ? costs_.activations : costs_.gradients)[action.channel.boundary()];
    if (action.what == What::receive) {
      const std::size_t i = line.taken.size();
      if (i >= line.there.size() || line.there[i] > now) return false;
      EXPECT_EQ(line.micro[i], action.operation.micro_batch);
      free = now + static_cast<long>(transfer.receive);
      line.taken.push_back(free);
      return true;
    }
    const auto received = static_cast<std::size_t>(
        std::count_if(line.taken.begin(), line.taken.end(), [&](long at) { return at <= now; }));
    if (waits[s]) {
      if (received < line.there.size()) return false;
      waits[s] = false;
      return true;
    }
    if (costs_.buffers > 0 && line.there.size() >= received + costs_.buffers) return false;
    free = now + static_cast<long>(transfer.send);
    line.there.push_back(free + static_cast<long>(transfer.travel));
    line.micro.push_back(action.operation.micro_batch);
    if (costs_.buffers > 0) return true;
    waits[s] = sent_ = true;  // the action ends when the message has been received
    return false;
  }

  const Schedule& schedule_;
  const Costs& costs_;
  std::vector<std::vector<Action>> program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines_;
  bool sent_ = false;  // a message, by an action that goes on
};

TEST(Simulation, IsThatOfEveryMomentByItselfForAnyCosts) {
  int ended = 0, stuck = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Random random(seed, 1);
    std::uint64_t drawn = 0;
    const auto below = [&](std::uint64_t limit) {
      return static_cast<std::uint32_t>(random.bits(drawn++) % limit);
    };
    const Style style = static_cast<Style>(below(4));
    const bool chunked = style == Style::interleaved;
    const std::uint32_t stages = chunked ? 2 + below(3) : 1 + below(5);
    const std::uint32_t micros = chunked ? stages * (1 + below(3)) : 1 + below(9);
    const Schedule schedule = make_schedule(style, stages, micros, chunked ? 2 + below(2) : 1);
    Costs costs = uniform_costs(schedule, 0, 0, 0);
    for (PartCosts& part : costs.of_part)
      part = {1.0 + below(9), 1.0 + below(20), 1.0 + below(9), 1.0 + below(9), 1.0 * below(5)};
    for (auto* of : {&costs.activations, &costs.gradients})
      for (TransferCosts& transfer : *of) transfer = {1.0 * below(4), 1.0 * below(6), 1.0 * below(4)};
    for (double& optimizer : costs.optimizer) optimizer = below(12);
    const std::uint32_t buffers[] = {0, 1, 2, kUnlimited};
    costs.buffers = buffers[below(4)];
    const Simulation seen = simulate(schedule, costs);
    const long expected = ByTicks(schedule, costs).run();
    ASSERT_EQ(seen.deadlock.empty(), expected >= 0) << "seed " << seed << ": " << seen.deadlock;
    if (expected < 0) {
      ++stuck;
      continue;
    }
    ++ended;
    ASSERT_EQ(static_cast<long>(seen.makespan), expected) << "seed " << seed;
    ASSERT_EQ(contradiction_of(seen, schedule, costs), "") << "seed " << seed;
  }
  EXPECT_GT(ended, 200);
  EXPECT_GT(stuck, 20);
}

TEST(Simulation, ThatIsWrongIsFoundToContradictItself) {
  const Schedule schedule = make_schedule(Style::one_f_one_b, 2, 3, 1);
  Costs costs = uniform_costs(schedule, 2, 3, 4);
  costs.activations[0] = {1, 1, 1};
  costs.buffers = 1;
  const auto found = [&](const std::function<void(Simulation&)>& change) {
    Simulation seen = simulate(schedule, costs);
    change(seen);
    return contradiction_of(seen, schedule, costs);
  };
  const auto of = [](Simulation& seen, std::uint32_t stage, What what) -> Event& {
    return *std::find_if(seen.events.begin(), seen.events.end(),
                         [&](const Event& e) { return e.stage == stage && e.action.what == what; });
  };
  EXPECT_EQ(found([](Simulation&) {}), "");
  EXPECT_EQ(found([](Simulation& s) { s.events.pop_back(); }), "stage 1 does not do all that it has to");
  EXPECT_EQ(found([](Simulation& s) { s.events[0].end += 0.5; }),
            "stage 0: forward pass of micro-batch 0 takes another time than it costs");
  EXPECT_EQ(found([](Simulation& s) { std::swap(s.events[0].action, s.events[1].action); }),
            "stage 0: sending of the forward pass of micro-batch 0 is out of turn");
  EXPECT_EQ(found([&](Simulation& s) {
              Event& sent = of(s, 0, What::send);
              sent.begin -= 1, sent.end -= 1;
            }),
            "stage 0: sending of the forward pass of micro-batch 0 begins beside another");
  EXPECT_EQ(found([&](Simulation& s) {
              Event& taken = of(s, 1, What::receive);
              taken.begin -= 1, taken.end -= 1;
            }),
            "stage 1: receiving for the forward pass of micro-batch 0 begins before it is there");
  EXPECT_EQ(found([](Simulation& s) { s.makespan -= 1; }), "the step ends before its last stage");
}

}  // namespace
}  // namespace assay::plugins::schedule
