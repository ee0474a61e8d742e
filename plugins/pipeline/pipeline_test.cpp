// SPDX-License-Identifier: Apache-2.0
//
// Pipelines whose stages are processes of their own.
#include "lib/host_products.hpp"
#include "lib/testing/forked_ranks.hpp"
#include "pipeline/channels.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/stage.hpp"
#include "pipeline/stage_costs.hpp"
#include "pipeline/step_board.hpp"
#include "pipeline/step_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace assay::plugins::pipeline {
namespace {

constexpr std::uint64_t kSeed = 77;

Parameters small(const std::string& name) {
  Parameters given;
  given.layers = 6;
  given.width = 16;
  given.words = 19;
  given.batch = 12;
  given.micro_batches = 6;
  if (name == "mlp") {
    given.model = model::Choice::mlp;
    return given;
  }
  given.block = name == "llama" ? model::Block::llama
                : name == "gpt" ? model::Block::gpt
                                : model::Block::bert;
  given.heads = 4;
  given.kv_heads = name == "llama" ? 2 : 4;
  given.ffn = 20;
  given.sequence = 5;
  return given;
}

// What one process computes with the same micro-batches, one after the other.
class Whole {
 public:
  explicit Whole(const Parameters& given)
      : layout_(layout_of(one_stage(given), 1)),
        map_(layout_, 1),
        shared_(StepBoard::bytes(1) + map_.bytes()),
        workers_({}),
        stage_(
            layout_, 0, stage_options_of(one_stage(given)), [this](std::size_t n) { return floats(n); },
            workers_, now_ns),
        channels_(map_, shared_.data(), false, [] { return false; }) {
    stage_.restore(kSeed);
  }
  double step() { return stage_.run(channels_).loss; }
  const model::UpdateArrays& arrays() const { return stage_.chunks()[0]->arrays(); }
  std::size_t parameters() const { return layout_.model.parameters(); }

 private:
  static Parameters one_stage(Parameters given) {
    given.schedule = schedule::Style::one_f_one_b;
    given.split = "even";
    given.chunks = 0;
    given.recompute = false;
    return given;
  }
  float* floats(std::size_t count) { return arrays_.emplace_back(count, std::nanf("")).data(); }

  std::vector<std::vector<float>> arrays_;
  Layout layout_;
  ChannelMap map_;
  Shared shared_;
  model::HostWorkers workers_;
  Stage stage_;
  Channels channels_;
};

// One stage of several, in a process of its own.
class Rank {
  std::vector<std::vector<float>> arrays_;  // first: the stage allocates from it
  float* floats(std::size_t count) { return arrays_.emplace_back(count, std::nanf("")).data(); }

 public:
  Rank(const Parameters& given, std::uint32_t stage, std::uint32_t stages, std::byte* shared)
      : params(given),
        layout(layout_of(given, stages)),
        map(layout, given.buffers),
        workers({}),
        stage(
            layout, stage, stage_options_of(given), [this](std::size_t n) { return floats(n); }, workers,
            now_ns),
        channels(map, shared + StepBoard::bytes(stages), true, [] { return false; }),
        board(shared, stage, stages, true, [] { return false; }) {
    use_product_threads(1);
    this->stage.restore(kSeed);
  }
  StepRecord step() { return step_of(board.finish(stage.run(channels))); }

  const Parameters params;
  const Layout layout;
  const ChannelMap map;
  model::HostWorkers workers;
  Stage stage;
  Channels channels;
  StepBoard board;
};

std::size_t shared_bytes(const Parameters& given, std::uint32_t stages) {
  return StepBoard::bytes(stages) + ChannelMap(layout_of(given, stages), given.buffers).bytes();
}

// Loss, gradients and parameters of all stages after this many steps, in the order of the whole model.
struct Outcome {
  double loss = 0;
  std::vector<float> gradients, parameters;
};

Outcome after_steps(const Parameters& given, std::uint32_t stages, int steps) {
  const std::size_t count = model::model_of(given).parameters();
  Shared shared(shared_bytes(given, stages)), results(2 * count * sizeof(float) + 64);
  EXPECT_TRUE(all_well(in_ranks(stages, [&](std::uint32_t number) {
    Rank rank(given, number, stages, shared.data());
    double loss = 0;
    for (int i = 0; i < steps; ++i) loss = rank.step().loss;
    if (number == 0) std::memcpy(results.data(), &loss, sizeof(loss));
    float* to = reinterpret_cast<float*>(results.data() + 64);
    for (const auto& chunk : rank.stage.chunks()) {
      const std::size_t first = chunk->part().first_parameter, size = chunk->part().model.parameters();
      std::copy_n(chunk->arrays().gradients, size, to + first);
      std::copy_n(chunk->arrays().parameters, size, to + count + first);
    }
  })));
  Outcome outcome;
  std::memcpy(&outcome.loss, results.data(), sizeof(outcome.loss));
  const float* from = reinterpret_cast<const float*>(results.data() + 64);
  outcome.gradients.assign(from, from + count);
  outcome.parameters.assign(from + count, from + 2 * count);
  return outcome;
}

struct Way {
  schedule::Style style;
  std::uint32_t stages;
  std::string split;
  bool recompute;
  std::uint32_t buffers;
};

class PipelineOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, PipelineOf, testing::Values("bert", "gpt", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

// Bit for bit: the same products in the same order, wherever they are computed.
TEST_P(PipelineOf, HasTheLossGradientsAndParametersOfOneProcess) {
  use_product_threads(1);
  const std::vector<Way> ways = {
      {schedule::Style::gpipe, 2, "even", false, 0},
      {schedule::Style::gpipe, 4, "3-1-1-1", true, 1},
      {schedule::Style::one_f_one_b, 1, "even", true, 2},
      {schedule::Style::one_f_one_b, 3, "even", false, 2},
      {schedule::Style::one_f_one_b, 4, "even", true, 1},
      {schedule::Style::zero_bubble, 1, "even", false, 2},
      {schedule::Style::zero_bubble, 3, "1-2-3", false, 2},
      {schedule::Style::zero_bubble, 4, "even", true, 2},
      {schedule::Style::interleaved, 2, "even", false, 6},
      {schedule::Style::interleaved, 3, "even", true, 6},
  };
  for (const model::Optimizer rule : {model::Optimizer::sgd, model::Optimizer::adamw}) {
    Parameters given = small(GetParam());
    given.optimizer = rule;
    Whole whole(given);
    double loss = 0;
    for (int i = 0; i < 3; ++i) loss = whole.step();
    for (const Way& way : ways) {
      given.schedule = way.style;
      given.split = way.split;
      given.recompute = way.recompute;
      given.buffers = way.buffers;
      const Outcome seen = after_steps(given, way.stages, 3);
      const std::string what =
          std::to_string(static_cast<int>(way.style)) + ", " + std::to_string(way.stages);
      EXPECT_EQ(seen.loss, loss) << what;
      for (std::size_t i = 0; i < whole.parameters(); ++i) {
        ASSERT_EQ(seen.gradients[i], whole.arrays().gradients[i]) << what << ", element " << i;
        ASSERT_EQ(seen.parameters[i], whole.arrays().parameters[i]) << what << ", element " << i;
      }
    }
  }
}

// Two stages and their check; stage 1 does something wrong after a step. Returns whether each stage found it.
std::vector<bool> found_wrong(const Parameters& given, const std::function<void(Rank&)>& fault,
                              double wrong_loss = 0) {
  Shared shared(shared_bytes(given, 2)), whole(WholeModel::bytes(model::model_of(given))), words(4096);
  struct Board {
    RankProgress written[2], read[2];
    std::uint64_t word[2];
    bool wrong[2];
  }& words_of = *words.as<Board>();
  EXPECT_TRUE(all_well(in_ranks(2, [&](std::uint32_t number) {
    Rank rank(given, number, 2, shared.data());
    double loss = rank.step().loss;
    if (number == 1) fault(rank);
    loss += wrong_loss;
    std::uint32_t calls = 0;
    const auto never = [] { return false; };
    const auto gather = [&](std::uint64_t mine) {
      words_of.read[1 - number].wait_for(calls, 100, never);
      words_of.word[number] = mine;
      words_of.written[number].raise(++calls);
      words_of.written[1 - number].wait_for(calls, 100, never);
      std::vector<std::uint64_t> all = {words_of.word[0], words_of.word[1]};
      words_of.read[number].raise(calls);
      return all;
    };
    Verification seen;
    const StepCheck check(rank.stage, given.optimizer, kSeed, gather, nullptr);
    const WholeModel model(whole.data(), rank.layout.model.parameters());
    check.check_passage(seen);
    model.write(rank.stage, given.optimizer);
    gather(0);  // both have written
    check.check_gradients(model, loss, seen);
    check.check_update(seen);
    words_of.wrong[number] = seen.wrong() > 0;
  })));
  return {words_of.wrong[0], words_of.wrong[1]};
}

TEST_P(PipelineOf, IsFoundRightWhereItIsAndWrongOnEveryStageWhereAGradientIs) {
  for (const schedule::Style style : {schedule::Style::one_f_one_b, schedule::Style::zero_bubble}) {
    Parameters given = small(GetParam());
    given.schedule = style;
    if (GetParam() == "mlp") given.layers = 3;  // gradients of narrow layers vanish from one to the next
    EXPECT_EQ(found_wrong(given, [](Rank&) {}), (std::vector<bool>{false, false}));
    const auto change = [&](std::size_t which, float factor) {
      return found_wrong(given, [=](Rank& rank) {
        const Chunk& chunk = *rank.stage.chunks()[0];
        const model::Tensor& tensor = chunk.part().model.tensors[which];
        for (std::size_t i = 0; i < tensor.size(); ++i) chunk.arrays().gradients[tensor.offset + i] *= factor;
      });
    };
    const std::vector<bool> both = {true, true};
    const std::size_t tensors = layout_of(given, 2).parts[1].model.tensors.size();
    EXPECT_EQ(change(0, -1), both);
    EXPECT_EQ(change(tensors - 1, -1), both);
    EXPECT_EQ(change(tensors / 2, 1.5F), both);
    EXPECT_EQ(found_wrong(
                  given, [](Rank&) {}, 1e-3),
              both);
    // Its own parameters a stage holds to the formula itself.
    const auto parameter =
        found_wrong(given, [](Rank& rank) { rank.stage.chunks()[0]->arrays().parameters[3] += 1e-4F; });
    EXPECT_TRUE(parameter[1]);
  }
}

// One stage begins anew and its neighbour goes on: each is given what is of another step.
TEST(Passage, IsFoundWrongWhereAMessageIsOfAnotherStep) {
  const Parameters given = small("gpt");
  for (const bool anew : {false, true}) {
    Shared shared(shared_bytes(given, 2)), words(64);
    EXPECT_TRUE(all_well(in_ranks(2, [&](std::uint32_t number) {
      Rank rank(given, number, 2, shared.data());
      rank.step();
      if (anew && number == 0) rank.stage.restore(kSeed);
      rank.step();
      Verification seen;
      StepCheck(rank.stage, given.optimizer, kSeed, nullptr, nullptr).check_passage(seen);
      words.as<std::uint64_t>()[number] = seen.wrong();
      if (seen.checked() != 12 + 6) throw std::runtime_error("a pass or a message was not looked at");
    })));
    for (const std::uint32_t number : {0U, 1U}) EXPECT_EQ(words.as<std::uint64_t>()[number], anew ? 6U : 0U);
  }
}

TEST(Steps, AreFromTheFirstBeginToTheLastEnd) {
  const StepRecord step = step_of({{1000, 5000, 3000, 100, 0}, {1500, 6000, 2000, 100, 2.5}});
  EXPECT_NEAR(step.seconds, 5e-6, 1e-15);
  EXPECT_NEAR(step.bubble, 0.5, 1e-12);
  EXPECT_EQ(step.loss, 2.5);
  EXPECT_NEAR(variation_of({6, 2, 2, 2}), std::sqrt(3.0) / 3, 1e-12);
  EXPECT_EQ(variation_of({0, 0}), 0);
}

TEST(Sizes, FollowFromTheSchedule) {
  Parameters given = small("bert");
  const auto sizes = [&](std::uint32_t stage) {
    return sizes_of(layout_of(given, 3), stage, stage_options_of(given));
  };
  const std::size_t one = sizes(1).of_chunk[0].activations;
  EXPECT_EQ(sizes(0).of_chunk[0].activation_sets, 3U);
  EXPECT_EQ(sizes(2).of_chunk[0].activation_sets, 1U);
  EXPECT_EQ(sizes(1).activations(), 2 * one);
  given.schedule = schedule::Style::gpipe;
  EXPECT_EQ(sizes(1).activations(), 6 * one);
  given.recompute = true;
  EXPECT_EQ(sizes(1).activations(), one + 6 * std::size_t{2 * 5 * 16});
  given.recompute = false;
  given.schedule = schedule::Style::zero_bubble;
  EXPECT_EQ(sizes(2).of_chunk[0].activation_sets, 3U);
  EXPECT_EQ(sizes(2).of_chunk[0].workspace_sets, 3U);
  EXPECT_EQ(sizes(0).of_chunk[0].workspace_sets, 1U);
}

// Costs are measured on the memory of steps, which it leaves as they need it.
TEST(Costs, AreMeasuredWithoutNeighboursAndLeaveThePipelineWhole) {
  for (const schedule::Style style : {schedule::Style::one_f_one_b, schedule::Style::zero_bubble}) {
    for (const bool recompute : {false, true}) {
      Parameters given = small("llama");
      given.schedule = style;
      given.recompute = recompute;
      Shared shared(shared_bytes(given, 2));
      EXPECT_TRUE(all_well(in_ranks(2, [&](std::uint32_t number) {
        Rank rank(given, number, 2, shared.data());
        StageCosts costs(rank.stage, now_ns, [] {});
        costs.measure_passes();
        const schedule::PartCosts of = costs.of_chunk(0);
        const bool split = style == schedule::Style::zero_bubble;
        if (!(of.forward > 0 && costs.update() > 0 && (of.backward > 0) != split &&
              (of.weight_gradient > 0) == split))
          throw std::runtime_error("a cost is missing, or there is one of what there is not");
        rank.stage.restore(kSeed);
        if (!std::isfinite(rank.step().loss)) throw std::runtime_error("the step is none");
      })));
    }
  }
}

TEST(Parameters, RefuseWhatThereIsNotAndNameIt) {
  const auto refused = [](std::uint32_t ranks,
                          const std::function<void(Parameters&)>& change) -> std::string {
    Parameters given = small("bert");
    change(given);
    try {
      layout_of(given, stages_of(given, ranks));
    } catch (const BadParameter& error) {
      return error.parameter();
    } catch (const Skip&) {
      return "skipped";
    } catch (const Failure&) {
      return "failed";
    }
    return "";
  };
  using schedule::Style;
  EXPECT_EQ(refused(3, [](Parameters&) {}), "");
  EXPECT_EQ(refused(4, [](Parameters& p) { p.split = "2-2-2-2"; }), "split");
  EXPECT_EQ(refused(4, [](Parameters& p) { p.split = "3-3"; }), "split");
  EXPECT_EQ(refused(7, [](Parameters&) {}), "layers");
  EXPECT_EQ(refused(13, [](Parameters& p) { p = {}, p.model = model::Choice::bert_base; }), "split");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.micro_batches = 5; }), "micro_batches");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.micro_batches = 13; }), "skipped");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.micro_batches = 0; }), "micro_batches");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.stages = 4; }), "failed");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.stages = 2; }), "");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.chunks = 2; }), "skipped");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.schedule = Style::interleaved, p.chunks = 1; }), "chunks");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.schedule = Style::interleaved, p.chunks = 3; }), "");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.schedule = Style::interleaved, p.chunks = 4; }), "chunks");
  EXPECT_EQ(refused(1, [](Parameters& p) { p.schedule = Style::interleaved; }), "skipped");
  EXPECT_EQ(refused(3, [](Parameters& p) { p.schedule = Style::interleaved, p.micro_batches = 4; }),
            "micro_batches");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.buffers = 0; }), "buffers");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.buffers = 0, p.schedule = Style::gpipe; }), "");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.forward_cost = 1; }), "skipped");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.weight_share = 0.1; }), "skipped");
  const auto simulated = [&](const std::function<void(Parameters&)>& change) {
    return refused(1, [&](Parameters& p) {
      p.mode = Mode::simulate, p.stages = 2;
      change(p);
    });
  };
  for (double Parameters::*cost :
       {&Parameters::backward_cost, &Parameters::optimizer_cost, &Parameters::weight_share}) {
    EXPECT_EQ(simulated([=](Parameters& p) { p.*cost = 0.1; }), "skipped");
    EXPECT_EQ(simulated([=](Parameters& p) { p.*cost = p.forward_cost = 0.1; }), "");
  }
  EXPECT_EQ(simulated([](Parameters& p) { p.transfer_cost = 0.1; }), "");
  EXPECT_EQ(refused(1, [](Parameters& p) { p.mode = Mode::simulate; }), "skipped");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.mode = Mode::simulate, p.stages = 2; }), "skipped");
  EXPECT_EQ(refused(1, [](Parameters& p) { p.mode = Mode::simulate, p.stages = 6; }), "");
  EXPECT_EQ(refused(1,
                    [](Parameters& p) {
                      p.mode = Mode::simulate, p.stages = 1024, p.layers = 4096,
                      p.batch = p.micro_batches = 4096;
                    }),
            "micro_batches");
}

TEST(Deadlocks, OfAScheduleAreNamedBeforeAnythingRuns) {
  Parameters given = small("bert");
  given.buffers = 0;
  try {
    layout_of(given, 2);
    FAIL() << "there is none";
  } catch (const BadParameter& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("with 0 the schedule deadlocks: stage 0 waits to hand over the "
                        "activations of micro-batch 1 to stage 1; stage 1 waits to hand over "
                        "the gradients of micro-batch 0 to stage 0"),
              0U)
        << error.what();
  }
}

}  // namespace
}  // namespace assay::plugins::pipeline
