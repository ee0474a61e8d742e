// SPDX-License-Identifier: Apache-2.0
//
// What pipeline@cuda plans and refuses, without a GPU.
#include "pipeline/stage_map.hpp"

#include "pipeline/device_parameters.hpp"
#include "pipeline/tag.hpp"

#include <assay/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::pipeline {
namespace {

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
  given.block = name == "llama" ? model::Block::llama : model::Block::bert;
  given.heads = 4;
  given.ffn = 20;
  given.sequence = 5;
  return given;
}

// Every piece of a stage's memory: where it begins and how long it is at least.
std::vector<std::pair<std::size_t, std::size_t>> pieces_of(const StageMap& map,
                                                           const DeviceOptions& options) {
  const model::NumberBytes numbers = model::bytes_of(options.arithmetic);
  std::vector<std::pair<std::size_t, std::size_t>> all = {{map.workspace(), std::size_t{32} << 20}};
  std::size_t passing = 0, arrivals = 0;
  for (const StageMap::Chunk& chunk : map.chunks()) {
    const std::size_t array = chunk.places.size() * numbers.parameter;
    all.emplace_back(chunk.parameters, array);
    all.emplace_back(chunk.gradients, array);
    if (options.optimizer == model::Optimizer::adamw) {
      all.emplace_back(chunk.first_moments, array);
      all.emplace_back(chunk.second_moments, array);
    }
    if (numbers.copies_parameters()) all.emplace_back(chunk.copy, chunk.places.size() * numbers.compute);
    for (const std::size_t set : chunk.kept) all.emplace_back(set, chunk.plan.arena_bytes);
    for (const std::size_t set : chunk.received) all.emplace_back(set, chunk.received_bytes);
    if (options.recompute && chunk.result_bytes != 0)
      all.emplace_back(chunk.given_gradient, chunk.result_bytes);
    passing = std::max(passing, chunk.plan.passing_bytes);
  }
  all.emplace_back(map.passing(), passing);
  all.emplace_back(map.step_count(), 16);
  all.emplace_back(map.inputs_state(), 8);
  all.emplace_back(map.loss(), 16);
  std::vector<schedule::Channel> seen;
  for (const schedule::Action& action : map.program()) {
    if (action.what == schedule::What::compute) continue;
    arrivals += action.what == schedule::What::receive ? 1 : 0;
    if (std::find(seen.begin(), seen.end(), action.channel) != seen.end()) continue;
    seen.push_back(action.channel);
    if (action.what == schedule::What::send) {
      all.emplace_back(map.outbox(action.channel).taken, 8);
      all.emplace_back(map.outbox(action.channel).sent, 8);
      continue;
    }
    const StageMap::Inbox& box = map.inbox(action.channel);
    all.emplace_back(box.sent, 8);
    all.emplace_back(box.taken, 8);
    for (const std::size_t tag : box.tags) all.emplace_back(tag, sizeof(Tag));
    for (const std::size_t data : box.data) all.emplace_back(data, box.bytes);
  }
  if (arrivals != 0) all.emplace_back(map.arrivals(), arrivals * sizeof(Tag));
  return all;
}

class StageMapOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, StageMapOf, testing::Values("bert", "llama", "mlp"),
                         [](const auto& info) { return info.param; });

TEST_P(StageMapOf, HasAPlaceForEverythingAndNothingTwice) {
  for (const auto style :
       {schedule::Style::gpipe, schedule::Style::one_f_one_b, schedule::Style::interleaved}) {
    for (const auto arithmetic :
         {model::Arithmetic::fp32, model::Arithmetic::bf16, model::Arithmetic::pure_bf16}) {
      for (const bool recompute : {false, true}) {
        Parameters given = small(GetParam());
        given.schedule = style;
        const Layout layout = layout_of(given, 3);
        const DeviceOptions options{arithmetic, recompute ? model::Optimizer::sgd : model::Optimizer::adamw,
                                    recompute, false, 2};
        for (const StageMap& map : maps_of(layout, options)) {
          auto pieces = pieces_of(map, options);
          std::sort(pieces.begin(), pieces.end());
          for (std::size_t i = 1; i < pieces.size(); ++i) {
            EXPECT_EQ(pieces[i].first % 256, 0U);
            ASSERT_LE(pieces[i - 1].first + pieces[i - 1].second, pieces[i].first);
          }
          EXPECT_LE(pieces.back().first + pieces.back().second, map.bytes().total());
          EXPECT_EQ(map.bytes().total() % (2 << 20), 0U);
        }
      }
    }
  }
}

TEST_P(StageMapOf, HasMessagesOfOneSizeAtBothEnds) {
  for (const auto arithmetic :
       {model::Arithmetic::fp32, model::Arithmetic::bf16, model::Arithmetic::pure_bf16}) {
    const Layout layout = layout_of(small(GetParam()), 3);
    const std::vector<StageMap> maps = maps_of(layout, {arithmetic, model::Optimizer::sgd, false, false, 2});
    const std::size_t width = 2 * layout.model.sequence * 16;
    // What goes round layers has the stream's type; an MLP has no such thing.
    const model::NumberBytes numbers = model::bytes_of(arithmetic);
    const std::size_t bytes = width * (GetParam() == "mlp" ? numbers.compute : numbers.stream);
    for (std::uint32_t part = 0; part + 1 < 3; ++part) {
      EXPECT_EQ(maps[part + 1].inbox({part, part + 1}).bytes, bytes);
      EXPECT_EQ(maps[part].inbox({part + 1, part}).bytes, bytes);
      EXPECT_EQ(maps[part].inbox({part + 1, part}).data.size(), 2U);
    }
  }
}

TEST(StageMap, TakesWhatTheScheduleHoldsAtOnce) {
  Parameters given = small("bert");
  const auto kept = [&](std::uint32_t stage, bool recompute) {
    const Layout layout = layout_of(given, 3);
    return StageMap(layout, stage, {model::Arithmetic::fp32, model::Optimizer::adamw, recompute, false, 2})
        .chunks()
        .front()
        .kept.size();
  };
  EXPECT_EQ(kept(0, false), 3U);
  EXPECT_EQ(kept(2, false), 1U);
  EXPECT_EQ(kept(0, true), 1U);
  given.schedule = schedule::Style::gpipe;
  EXPECT_EQ(kept(2, false), 6U);
}

TEST(StageMap, SaysWhatItAddsUp) {
  const Layout layout = layout_of(small("bert"), 2);
  const StageMap map(layout, 0, {model::Arithmetic::bf16, model::Optimizer::adamw, false, false, 2});
  const DeviceStageBytes& bytes = map.bytes();
  EXPECT_EQ(bytes.state, 2 * bytes.gradients);
  EXPECT_EQ(bytes.copy * 2, bytes.parameters);
  for (const char* word :
       {"parameters in the type of products", "optimiser", "activations in flight", "messages"})
    EXPECT_NE(bytes.formula().find(word), std::string::npos) << word;
}

TEST(DeviceOptions, RefuseWhatAGpuDoesNotDoAndNameIt) {
  const auto refused = [](std::uint32_t ranks,
                          const std::function<void(Parameters&)>& change) -> std::string {
    Parameters given = small("bert");
    change(given);
    try {
      arithmetic_of(given);
      require_on_device(given, layout_of(given, stages_on_devices(given, ranks)), ranks);
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
  EXPECT_EQ(refused(1, [](Parameters& p) { p.stages = 3; }), "");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.stages = 3; }), "failed");
  EXPECT_EQ(refused(1, [](Parameters& p) { p.stages = 17, p.layers = 20; }), "stages");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.schedule = Style::zero_bubble; }), "schedule");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.attention = "fused"; }), "attention");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.attention = "fused", p.dtype = "bf16"; }), "");
  EXPECT_EQ(refused(1, [](Parameters& p) { p.attention = "fused", p.dtype = "bf16", p.stages = 2; }),
            "skipped");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.parameter_dtype = "bf16"; }), "parameter_dtype");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.micro_batches = p.batch = 4096; }), "micro_batches");
  EXPECT_EQ(refused(2, [](Parameters& p) { p.buffers = 0; }), "buffers");
}

}  // namespace
}  // namespace assay::plugins::pipeline
