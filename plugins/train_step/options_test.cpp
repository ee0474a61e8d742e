// SPDX-License-Identifier: Apache-2.0
#include "train_step/options.hpp"

#include "lib/model/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace assay::plugins::train_step {
namespace {

using model::Block;
using model::Choice;
using model::model_of;

TEST(Parameters, RefuseWhatDoesNotGoTogetherAndNameIt) {
  const auto refused = [](const std::function<void(Parameters&)>& change) -> std::string {
    Parameters given;
    change(given);
    try {
      model_of(given);
    } catch (const BadParameter& error) {
      return error.parameter();
    }
    return "";
  };
  EXPECT_EQ(refused([](Parameters&) {}), "");
  EXPECT_EQ(refused([](Parameters& p) { p.heads = 7; }), "heads");
  EXPECT_EQ(refused([](Parameters& p) { p.width = 255; }), "width");
  EXPECT_EQ(refused([](Parameters& p) { p.kv_heads = 3; }), "kv_heads");
  EXPECT_EQ(refused([](Parameters& p) { p.block = Block::llama, p.width = 12; }), "width");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::bert_base, p.layers = 3; }), "layers");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::bert_base, p.sequence = 513; }), "sequence");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::llama_8b_like, p.layers = 3; }), "");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::llama_1b, p.words = 3; }), "words");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::mlp, p.heads = 3; }), "heads");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::mlp, p.sequence = 3; }), "sequence");
  EXPECT_EQ(refused([](Parameters& p) { p.model = Choice::mlp, p.block = Block::bert; }), "block");
  Parameters groups, large;
  groups.kv_heads = 8;
  EXPECT_THROW(model_of(groups), Skip);
  large.sequence = kMostOfASize;
  large.micro_batch = kMostOfASize;
  large.heads = kMostHeads;
  EXPECT_THROW(require_countable(model_of(large), step_options_of(large, 0, 1, 0)), Skip);
  EXPECT_NO_THROW(require_countable(model_of({}), step_options_of({}, 0, 1, 0)));
}

// Which parameter is refused, or "" where all go together.
std::string refused(Strategy strategy, const std::function<void(Parameters&)>& change) {
  Parameters given;
  given.strategy = strategy;
  change(given);
  try {
    require_together(given, 2);
  } catch (const BadParameter& error) {
    return error.parameter();
  }
  return "";
}

TEST(Options, GoTogetherAsTheTableSays) {
  using P = Parameters;
  using S = Strategy;
  struct Row {
    const char* parameter;
    void (*change)(P&);
    std::vector<S> goes;
  };
  const Row rows[] = {
      {"without", [](P& p) { p.without = Without::communication; }, {S::ddp}},
      {"without",
       [](P& p) { p.without = Without::compute; },
       {S::single, S::ddp, S::zero1, S::zero2, S::zero3, S::fsdp}},
      {"overlapped", [](P& p) { p.overlap = false; }, {S::ddp, S::zero1, S::zero2, S::zero3, S::fsdp}},
      {"bucket", [](P& p) { p.bucket = 1; }, {S::ddp, S::zero1, S::zero2}},
      {"first_bucket", [](P& p) { p.first_bucket = 1; }, {S::ddp, S::zero1, S::zero2}},
      {"compression", [](P& p) { p.compression = CompressionKind::fp16; }, {S::ddp}},
      {"prefetch", [](P& p) { p.prefetch = model::Prefetch::forward; }, {S::zero3, S::fsdp}},
      {"gathers", [](P& p) { p.gathers = 1; }, {S::zero3, S::fsdp}},
      {"reshard_after_forward", [](P& p) { p.reshard = false; }, {S::zero3, S::fsdp}},
  };
  for (const Row& row : rows) {
    for (const S strategy : {S::single, S::ddp, S::zero1, S::zero2, S::zero3, S::fsdp}) {
      const bool goes = std::count(row.goes.begin(), row.goes.end(), strategy) != 0;
      EXPECT_EQ(refused(strategy, row.change), goes ? "" : row.parameter) << name_of(strategy);
    }
  }
}

TEST(Options, OfGatheringContradictNoneOfEachOther) {
  const auto zero3 = [](auto change) { return refused(Strategy::zero3, change); };
  using model::Prefetch;
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::both, p.gathers = 2; }), "");
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::both, p.gathers = 1; }), "gathers");
  EXPECT_EQ(zero3([](Parameters& p) { p.gathers = 2; }), "gathers");
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::backward, p.overlap = false; }), "prefetch");
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::backward, p.reshard = false; }), "prefetch");
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::both, p.reshard = false; }), "prefetch");
  EXPECT_EQ(zero3([](Parameters& p) { p.prefetch = Prefetch::forward, p.reshard = false; }), "");
}

TEST(Options, OfCompressionContradictNoneOfEachOther) {
  const auto ddp = [](auto change) { return refused(Strategy::ddp, change); };
  using enum CompressionKind;
  EXPECT_EQ(ddp([](Parameters& p) { p.compression = powersgd, p.compression_rank = 4; }), "");
  EXPECT_EQ(ddp([](Parameters& p) { p.compression_rank = 4; }), "compression_rank");
  EXPECT_EQ(ddp([](Parameters& p) { p.compression = fp16, p.compression_rank = 4; }), "compression_rank");
  EXPECT_EQ(ddp([](Parameters& p) { p.compression = fp16, p.without = Without::compute; }), "");
  EXPECT_EQ(ddp([](Parameters& p) { p.compression = powersgd, p.without = Without::compute; }),
            "compression");
  EXPECT_EQ(ddp([](Parameters& p) { p.compression = fp16, p.without = Without::communication; }),
            "compression");
}

TEST(Options, ComputeNothingAgainWhereNothingIsComputed) {
  const auto again = [](Without without) {
    return refused(Strategy::single, [=](Parameters& p) { p.recompute = true, p.without = without; });
  };
  EXPECT_EQ(again(Without::none), "");
  EXPECT_EQ(again(Without::optimizer), "");
  EXPECT_EQ(again(Without::compute), "recompute");
}

TEST(Options, OfALoaderNeedOne) {
  const auto of = [](auto change) { return refused(Strategy::single, change); };
  EXPECT_EQ(of([](Parameters& p) { p.without = Without::loader; }), "without");
  EXPECT_EQ(of([](Parameters& p) { p.without = Without::loader, p.loader_workers = 1; }), "");
  EXPECT_EQ(of([](Parameters& p) { p.without = Without::compute, p.loader_workers = 1; }), "loader_workers");
  EXPECT_EQ(of([](Parameters& p) { p.decode_steps = 8; }), "decode_steps");
  EXPECT_EQ(of([](Parameters& p) { p.decode_steps = 8, p.loader_workers = 1; }), "");
}

TEST(Options, OfSeveralRanksSkipWhereThereIsOne) {
  for (const Strategy strategy : {Strategy::ddp, Strategy::zero1, Strategy::zero2, Strategy::zero3}) {
    Parameters given;
    given.strategy = strategy;
    EXPECT_THROW(require_together(given, 1), Skip);
    EXPECT_NO_THROW(require_together(given, 2));
  }
  EXPECT_NO_THROW(require_together({}, 1));
}

}  // namespace
}  // namespace assay::plugins::train_step
