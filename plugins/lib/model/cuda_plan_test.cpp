// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_plan.hpp"

#include "lib/model/counts.hpp"
#include "lib/model/cuda_arena.hpp"
#include "lib/model/cuda_fused_attention.hpp"
#include "lib/model/partition.hpp"
#include "lib/model/placed_buckets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::model {
namespace {

Model model_of(const std::string& name, std::size_t sequence) {
  Sizes sizes;
  if (name == "bert_base") sizes = bert_base();
  if (name == "llama_1b") sizes = llama_1b();
  if (name == "llama") sizes.kind = Layers::llama, sizes.kv_heads = 2;
  if (name == "gpt") sizes.word_scores = true;
  if (name == "mlp") sizes.kind = Layers::mlp;
  return make_model(name, sizes, sequence);
}

TEST(Arena, GivesPlacesThatDoNotOverlapWhileTheyLive) {
  Arena arena;
  struct Wanted {
    std::size_t bytes, begin, end;
  };
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < 60; ++i)
    wanted.push_back({1 + i * 7919 % 5000, i * 31 % 50, i * 31 % 50 + i * 17 % 30});
  for (const Wanted& each : wanted) arena.add(each.bytes, each.begin, each.end);
  arena.place();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(arena.offset(i) % Arena::kGrain, 0U);
    EXPECT_LE(arena.offset(i) + wanted[i].bytes, arena.bytes());
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = wanted[i].begin <= wanted[j].end && wanted[j].begin <= wanted[i].end;
      const bool apart = arena.offset(i) + wanted[i].bytes <= arena.offset(j) ||
                         arena.offset(j) + wanted[j].bytes <= arena.offset(i);
      EXPECT_TRUE(apart || !together) << i << " and " << j;
    }
  }
  EXPECT_GE(arena.bytes(), arena.least_bytes());
}

TEST(Arena, LendsAPlaceBetweenTwoLives) {
  Arena arena;
  const std::size_t twice = arena.add(4096, 0, 1), between = arena.add(4096, 2, 3);
  arena.live_again(twice, 4, 5);
  const std::size_t beside = arena.add(256, 5, 6);
  arena.place();
  EXPECT_EQ(arena.offset(twice), arena.offset(between));
  EXPECT_NE(arena.offset(twice), arena.offset(beside));
  EXPECT_EQ(arena.bytes(), 4096U + 256U);
  EXPECT_EQ(arena.least_bytes(), arena.bytes());
}

TEST(Arena, UsesAPlaceAgain) {
  Arena arena;
  arena.add(1000, 0, 3);
  const std::size_t first = arena.add(4096, 1, 2), later = arena.add(4096, 3, 4);
  arena.place();
  EXPECT_EQ(arena.offset(first), arena.offset(later));
  EXPECT_EQ(arena.bytes(), 1024U + 4096U);
  EXPECT_EQ(arena.least_bytes(), arena.bytes());
}

class CudaPlanOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, CudaPlanOf,
                         testing::Values("bert", "gpt", "llama", "mlp", "bert_base", "llama_1b"),
                         [](const auto& info) { return info.param; });

TEST_P(CudaPlanOf, HasAPlaceForWhateverIsReadOrWritten) {
  const Model model = model_of(GetParam(), GetParam() == "mlp" ? 1 : 64);
  for (const Arithmetic arithmetic : {Arithmetic::fp32, Arithmetic::bf16, Arithmetic::pure_bf16}) {
    const NumberBytes bytes = bytes_of(arithmetic);
    const CudaPlan plan = make_cuda_plan(model, 2, bytes);
    for (std::size_t i = 0; i < model.operations.size(); ++i) {
      const Operation& operation = model.operations[i];
      const auto of = [](int value) { return static_cast<std::size_t>(value); };
      const bool scores = model.operations.back().input == static_cast<int>(i);
      if (operation.kind == Kind::features || operation.kind == Kind::loss) continue;
      if (operation.kind == Kind::linear && plan.sum[i] == kNone) {
        EXPECT_NE(plan.value[i].compute, kNoPlace) << i;
        EXPECT_EQ(plan.gradient[i].compute == kNoPlace, scores) << i;
      }
      if (operation.kind == Kind::linear && plan.sum[i] != kNone) {
        EXPECT_NE(plan.value[of(plan.sum[i])].stream, kNoPlace) << i;
        EXPECT_NE(plan.gradient[i].compute, kNoPlace) << i;
        EXPECT_NE(plan.value[of(model.operations[of(plan.sum[i])].other)].stream, kNoPlace) << i;
      }
      if (operation.kind == Kind::layer_norm || operation.kind == Kind::rms_norm) {
        EXPECT_NE(plan.value[of(operation.input)].stream, kNoPlace) << i;
        EXPECT_NE(plan.gradient[of(operation.input)].stream, kNoPlace) << i;
        EXPECT_NE(plan.value[i].compute, kNoPlace) << i;
        EXPECT_NE(plan.is_stream[i] ? plan.gradient[i].stream : plan.gradient[i].compute, kNoPlace) << i;
        const bool behind_sum = model.operations[of(operation.input)].kind == Kind::add;
        EXPECT_EQ(plan.gradient[of(operation.input)].compute != kNoPlace, behind_sum || bytes.one_type())
            << i;
      }
      if (operation.kind == Kind::linear && operation.bias) {
        EXPECT_TRUE(plan.bias_elsewhere[i] || plan.partial_sums != kNoPlace) << i;
      }
    }
    EXPECT_GE(plan.arena_bytes, plan.least_bytes);
    EXPECT_LE(static_cast<double>(plan.arena_bytes), 1.1 * static_cast<double>(plan.least_bytes));
  }
}

// Goes through a step as CudaNetwork does, and remembers of every piece of the arena who wrote it last: what is read
// has to be what was written for the reader.
class Rehearsal {
 public:
  Rehearsal(const Model& model, const CudaPlan& plan, const NumberBytes& bytes)
      : model_(model),
        plan_(plan),
        bytes_(bytes),
        cells_(plan.arena_bytes / Arena::kGrain),
        passing_(plan.passing_bytes / Arena::kGrain) {}

  void step() {
    forward();
    backward();
  }
  // A part is given its value and its gradient, and others hand over what it made.
  void forward() {
    if (is_behind()) write_value(0, plan_.is_stream[0]);
    for (std::size_t i = 0; i < model_.operations.size(); ++i) forward(i);
    const std::size_t last = model_.operations.size() - 1;
    if (!model_.has_loss()) read_value(static_cast<int>(last), plan_.is_stream[last]);
  }
  void backward() {
    if (!model_.has_loss()) gradient(model_.operations.size() - 1, true);
    for (std::size_t i = model_.operations.size(); i-- > 0;) {
      if (const int from = plan_.computed_again_from[i]; from != kNone) {
        for (std::size_t again = of(from); again <= i; ++again) forward(again);
      }
      backward(i);
    }
    if (is_behind()) gradient(0, false);
  }
  // What another micro-batch leaves of the arena that all share.
  void pass_another() { passing_.assign(passing_.size(), "of another micro-batch"); }

 private:
  static std::size_t of(int value) { return static_cast<std::size_t>(value); }
  std::size_t elements(std::size_t i) const {
    return model_.rows(model_.operations[i], plan_.samples) * model_.operations[i].out;
  }
  bool is_behind() const { return model_.operations.front().kind == Kind::received; }
  template <class Visit>
  void each_cell(std::size_t place, std::size_t size, const std::string& what, const Visit& visit) {
    ASSERT_NE(place, kNoPlace) << what;
    const bool passes = (place & kPassing) != 0;
    place &= ~kPassing;
    ASSERT_LE(place + size, passes ? plan_.passing_bytes : plan_.arena_bytes) << what;
    std::vector<std::string>& cells = passes ? passing_ : cells_;
    for (std::size_t cell = place / Arena::kGrain; cell * Arena::kGrain < place + size; ++cell)
      visit(cells[cell]);
  }
  void write(std::size_t place, std::size_t size, const std::string& what) {
    each_cell(place, size, what, [&](std::string& cell) { cell = what; });
  }
  void read(std::size_t place, std::size_t size, const std::string& what) {
    each_cell(place, size, what, [&](const std::string& cell) { ASSERT_EQ(cell, what); });
  }
  std::string tag(const char* what, std::size_t i) const { return what + std::to_string(i); }
  // Whose gradient it is: that of the sum, of what is done in place.
  std::size_t owner(std::size_t i) const {
    for (std::size_t later = i + 1; later < model_.operations.size(); ++later) {
      const Operation& op = model_.operations[later];
      const bool in_place = op.kind == Kind::gelu || op.kind == Kind::tanh;
      if (in_place && of(op.input) == i) return owner(later);
      if (op.kind == Kind::add && of(op.other) == i) return owner(later);
      if (op.kind == Kind::add && of(op.input) == i && bytes_.one_type()) return owner(later);
    }
    return i;
  }
  void write_value(std::size_t i, bool stream) {
    const bool one = bytes_.one_type();
    write(stream ? plan_.value[i].stream : plan_.value[i].compute,
          elements(i) * (stream ? bytes_.stream : bytes_.compute),
          tag(stream && !one ? "stream " : "value ", i));
  }
  void read_value(int value, bool stream) {
    const std::size_t i = of(value);
    if (model_.operations[i].kind == Kind::features) return;
    const bool one = bytes_.one_type();
    read(stream ? plan_.value[i].stream : plan_.value[i].compute,
         elements(i) * (stream ? bytes_.stream : bytes_.compute),
         tag(stream && !one ? "stream " : "value ", i));
  }
  // The gradient of a value in its own type.
  void gradient(std::size_t i, bool writes) {
    const bool stream = plan_.is_stream[i];
    const std::size_t place = stream ? plan_.gradient[i].stream : plan_.gradient[i].compute;
    const std::size_t size = elements(i) * (stream ? bytes_.stream : bytes_.compute);
    writes ? write(place, size, tag("gradient ", owner(i))) : read(place, size, tag("gradient ", owner(i)));
  }
  bool is_scores(std::size_t i) const {
    return model_.has_loss() && model_.operations.back().input == static_cast<int>(i);
  }

  void forward(std::size_t i) {
    const Operation& op = model_.operations[i];
    switch (op.kind) {
      case Kind::features:
      case Kind::add:
        return;
      case Kind::received:
        if (!bytes_.one_type() && plan_.is_stream[i] && plan_.value[i].compute != kNoPlace) {
          read_value(static_cast<int>(i), true);
          write_value(i, false);
        }
        return;
      case Kind::embedding:
        return write_value(i, true);
      case Kind::linear:
        read_value(op.input, false);
        if (plan_.sum[i] == kNone) return write_value(i, false);
        read_value(model_.operations[of(plan_.sum[i])].other, true);
        return write_value(of(plan_.sum[i]), true);
      case Kind::layer_norm:
      case Kind::rms_norm:
        read_value(op.input, true);
        write(plan_.beside[i], elements(i) / op.out * 4, tag("beside ", i));
        write_value(i, false);
        if (plan_.is_stream[i]) write_value(i, true);
        return;
      case Kind::attention:
        read_value(op.input, false);
        if (plan_.fused) {
          write(plan_.fused_forward[i], 1024, "workspace");
          write(plan_.beside[i], elements(i) / op.out * op.heads * 4, tag("beside ", i));
          read_value(op.input, false);
          return write_value(i, false);
        }
        write(plan_.packed[i], elements(i) / op.out * op.in * bytes_.compute, tag("packed ", i));
        write(plan_.scores[i], plan_.attention.matrix_bytes, "scores");
        write(plan_.beside[i], elements(i) / op.out * op.heads * 4, tag("beside ", i));
        write(plan_.packed_value[i], elements(i) * bytes_.compute, "packed value");
        read(plan_.packed[i], elements(i) / op.out * op.in * bytes_.compute, tag("packed ", i));
        read(plan_.scores[i], plan_.attention.matrix_bytes, "scores");
        write_value(i, false);
        return read(plan_.packed_value[i], elements(i) * bytes_.compute, "packed value");
      case Kind::tanh:
        read_value(op.input, false);
        return write_value(i, false);
      case Kind::loss:
        read_value(op.input, false);
        if (model_.operations[of(op.input)].kind == Kind::linear) {
          write(plan_.value[of(op.input)].compute, elements(of(op.input)) * bytes_.compute,
                "gradient of scores");
        } else {
          gradient(of(op.input), true);
        }
        return write(plan_.beside[i], elements(i) / op.out * 4, "losses");
      default:
        read_value(op.input, false);
        return write_value(i, false);
    }
  }

  void backward(std::size_t i) {
    const Operation& op = model_.operations[i];
    switch (op.kind) {
      case Kind::features:
      case Kind::received:
      case Kind::loss:
        return;
      case Kind::add:
        if (i + 1 == model_.operations.size() && !bytes_.one_type()) {
          gradient(i, false);
          write(plan_.gradient[i].compute, elements(i) * bytes_.compute, tag("copy ", i));
        }
        return;
      case Kind::linear:
        if (is_scores(i)) {
          read(plan_.value[i].compute, elements(i) * bytes_.compute, "gradient of scores");
        } else if (plan_.sum[i] != kNone && !bytes_.one_type()) {
          read(plan_.gradient[i].compute, elements(i) * bytes_.compute, tag("copy ", of(plan_.sum[i])));
        } else {
          gradient(i, false);
        }
        read_value(op.input, false);
        if (model_.operations[of(op.input)].kind == Kind::features) return;
        if (plan_.accumulates[i]) gradient(of(op.input), false);
        return gradient(of(op.input), true);
      case Kind::layer_norm:
      case Kind::rms_norm: {
        gradient(i, false);
        read_value(op.input, true);
        read(plan_.beside[i], elements(i) / op.out * 4, tag("beside ", i));
        write(plan_.partial_sums, norm_blocks(elements(i) / op.out) * op.out * 4, "sums");
        if (plan_.accumulates[i]) gradient(of(op.input), false);
        gradient(of(op.input), true);
        const bool copies = model_.operations[of(op.input)].kind == Kind::add && !bytes_.one_type();
        if (copies)
          write(plan_.gradient[of(op.input)].compute, elements(i) * bytes_.compute,
                tag("copy ", of(op.input)));
        return;
      }
      case Kind::attention:
        gradient(i, false);
        if (plan_.fused) {
          write(plan_.fused_backward[i], fused_attention_bytes(model_, plan_.samples), "workspace");
          read_value(op.input, false);
          read_value(static_cast<int>(i), false);
          read(plan_.beside[i], elements(i) / op.out * op.heads * 4, tag("beside ", i));
          gradient(of(op.input), true);
          return gradient(i, false);
        }
        write(plan_.packed_value_gradient[i], elements(i) * bytes_.compute, "packed");
        write(plan_.scores_again[i], plan_.attention.matrix_bytes, "scores");
        write(plan_.scores_gradient[i], plan_.attention.matrix_bytes, "their gradients");
        read(plan_.packed[i], elements(i) / op.out * op.in * bytes_.compute, tag("packed ", i));
        read(plan_.beside[i], elements(i) / op.out * op.heads * 4, tag("beside ", i));
        read(plan_.scores_again[i], plan_.attention.matrix_bytes, "scores");
        read(plan_.packed_value_gradient[i], elements(i) * bytes_.compute, "packed");
        write(plan_.packed_gradient[i], elements(i) / op.out * op.in * bytes_.compute, "packed gradient");
        read(plan_.scores_gradient[i], plan_.attention.matrix_bytes, "their gradients");
        gradient(of(op.input), true);
        return read(plan_.packed_gradient[i], elements(i) / op.out * op.in * bytes_.compute,
                    "packed gradient");
      case Kind::embedding:
        gradient(i, false);
        return write(plan_.embedding_lists, (op.words + elements(i) / op.out) * 4, "lists");
      case Kind::tanh:
        read_value(static_cast<int>(i), false);
        return gradient(i, false);
      case Kind::gelu:
      case Kind::swiglu:
        read_value(op.input, false);
        gradient(i, false);
        return gradient(of(op.input), true);
      case Kind::first_token:
        gradient(i, false);
        return gradient(of(op.input), true);
    }
  }

  const Model& model_;
  const CudaPlan& plan_;
  const NumberBytes bytes_;
  std::vector<std::string> cells_, passing_;
};

TEST_P(CudaPlanOf, NeverWritesOverWhatIsStillToBeRead) {
  const Model model = model_of(GetParam(), GetParam() == "mlp" ? 1 : 16);
  for (const Arithmetic arithmetic : {Arithmetic::fp32, Arithmetic::bf16, Arithmetic::pure_bf16}) {
    for (const bool fused : {false, true}) {
      const CudaPlan plan = make_cuda_plan(model, 2, bytes_of(arithmetic), fused);
      Rehearsal(model, plan, bytes_of(arithmetic)).step();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(CudaPlanOf, NeverWritesOverWhatALayerThatComesAgainReads) {
  const Model model = model_of(GetParam(), GetParam() == "mlp" ? 1 : 16);
  for (const Arithmetic arithmetic : {Arithmetic::fp32, Arithmetic::bf16, Arithmetic::pure_bf16}) {
    for (const bool fused : {false, true}) {
      const NumberBytes bytes = bytes_of(arithmetic);
      const CudaPlan plan = make_cuda_plan(model, 2, bytes, fused, InFlight::one, Keep::between_layers);
      Rehearsal(model, plan, bytes).step();
      if (HasFatalFailure()) return;
      EXPECT_EQ(std::count(plan.computed_again_from.begin(), plan.computed_again_from.end(), kNone),
                static_cast<std::ptrdiff_t>(model.operations.size() - model.layers()));
      EXPECT_LE(static_cast<double>(plan.arena_bytes), 1.1 * static_cast<double>(plan.least_bytes));
    }
  }
}

// Of layers that come again: what each hands on, all of one layer, and what is before and behind them.
TEST(CudaPlan, KeepsOneValueOfEachLayerThatComesAgain) {
  for (const std::string name : {"bert_base", "llama_1b"}) {
    Sizes sizes = name == "bert_base" ? bert_base() : llama_1b();
    const auto arena = [&](std::size_t layers, Keep keep) {
      sizes.layers = layers;
      return make_cuda_plan(make_model(name, sizes, 512), 8, bytes_of(Arithmetic::pure_bf16), false,
                            InFlight::one, keep)
          .arena_bytes;
    };
    const std::size_t value = std::size_t{8} * 512 * sizes.width * 2;
    EXPECT_EQ(arena(12, Keep::between_layers) - arena(4, Keep::between_layers), 8 * value) << name;
    EXPECT_GT(arena(12, Keep::all) - arena(4, Keep::all), 8 * 8 * value) << name;
  }
}

TEST(CudaPlan, ComputesNoLayerAgainWhileOthersAreInFlight) {
  EXPECT_THROW(make_cuda_plan(model_of("gpt", 16), 2, {}, false, InFlight::several, Keep::between_layers),
               std::invalid_argument);
}

// Another micro-batch comes between the passes of each.
TEST_P(CudaPlanOf, KeepsWhatAPartNeedsWhileOthersAreInFlight) {
  const Model model = model_of(GetParam(), GetParam() == "mlp" ? 1 : 16);
  const std::size_t half = model.layers() / 2;
  std::vector<std::vector<std::size_t>> cuts = {{model.layers()}, {half, model.layers() - half}};
  if (model.layers() > 2) cuts.push_back({1, model.layers() - 2, 1});
  for (const auto& layers : cuts) {
    for (const Arithmetic arithmetic : {Arithmetic::fp32, Arithmetic::bf16, Arithmetic::pure_bf16}) {
      const NumberBytes bytes = bytes_of(arithmetic);
      for (const bool fused : {false, true}) {
        std::size_t handed = 0;
        for (const Part& part : make_parts(model, layers)) {
          const CudaPlan plan = make_cuda_plan(part.model, 2, bytes, fused, InFlight::several);
          Rehearsal rehearsal(part.model, plan, bytes);
          rehearsal.forward();
          rehearsal.pass_another();
          rehearsal.backward();
          if (HasFatalFailure()) return;
          EXPECT_EQ(received_bytes(part.model, plan, bytes), handed);
          handed = result_bytes(part.model, plan, bytes);
          EXPECT_EQ(handed == 0, part.model.has_loss());
          EXPECT_GT(plan.passing_bytes, 0U);
        }
        EXPECT_EQ(handed, 0U);
      }
    }
  }
}

// What PyTorch keeps for the backward pass of the same model is no less.
TEST(CudaPlan, TakesAboutWhatTheForwardPassKeeps) {
  const Model model = model_of("bert_base", 512);
  const CudaPlan plan = make_cuda_plan(model, 64, bytes_of(Arithmetic::tf32));
  Storage storage;
  storage.probabilities = false;
  const double kept = static_cast<double>(activation_bytes(model, 64, storage));
  EXPECT_GT(static_cast<double>(plan.arena_bytes), kept);
  EXPECT_LT(static_cast<double>(plan.arena_bytes), 1.1 * kept);
}

TEST(AttentionPieces, CoverWhatThereIsAndStaySmall) {
  Operation attention;
  attention.kind = Kind::attention;
  for (const auto& [heads, kv_heads] : {std::pair(12, 12), std::pair(32, 8), std::pair(7, 1)}) {
    attention.heads = static_cast<std::size_t>(heads);
    attention.kv_heads = static_cast<std::size_t>(kv_heads);
    for (const std::size_t sequence : {7U, 128U, 512U, 1030U, 2048U, 8192U, 65536U}) {
      for (const bool causal : {false, true}) {
        attention.causal = causal;
        const AttentionPieces pieces = attention_pieces(attention, sequence, 3);
        EXPECT_EQ(pieces.pairs, 3 * attention.kv_heads);
        EXPECT_EQ(pieces.pairs % pieces.at_once, 0U);
        EXPECT_GE(pieces.bands * pieces.place_rows, sequence);
        EXPECT_LT((pieces.bands - 1) * pieces.place_rows, sequence);
        EXPECT_EQ(pieces.members * pieces.rows, attention.heads / attention.kv_heads * pieces.place_rows);
        EXPECT_EQ(pieces.matrix_bytes, pieces.at_once * pieces.rows * sequence * 4);
        EXPECT_LE(pieces.matrix_bytes, std::size_t{32} << 20);
      }
    }
  }
}

TEST(AttentionPieces, SayHowMuchIsComputed) {
  Operation attention;
  attention.heads = attention.kv_heads = 16;
  attention.causal = true;
  EXPECT_DOUBLE_EQ(attention_pieces(attention, 2048, 4).share(2048, true), (1 + 2 + 3 + 4) / 16.0);
  EXPECT_DOUBLE_EQ(attention_pieces(attention, 512, 4).share(512, true), 1);
  EXPECT_DOUBLE_EQ(attention_pieces(attention, 2048, 4).share(2048, false), 1);
}

TEST(PlacedBuckets, CoverTheArrayFromItsEndAndHaveTheGradientsOfTheModels) {
  for (const std::string name : {"bert_base", "llama", "gpt"}) {
    const Model model = model_of(name, 64);
    const TensorPlaces places(model);
    const auto of_model = make_buckets(model, 4, 1 << 20, 25 << 20);
    const auto placed = placed_buckets(model, places, 4, 1 << 20, 25 << 20);
    ASSERT_EQ(placed.size(), of_model.size());
    std::size_t end = places.size();
    for (std::size_t i = 0; i < placed.size(); ++i) {
      EXPECT_EQ(placed[i].lowest_tensor, of_model[i].lowest_tensor);
      EXPECT_EQ(placed[i].offset, places.offset(static_cast<std::size_t>(placed[i].lowest_tensor)));
      EXPECT_EQ(placed[i].offset + placed[i].size, end);
      EXPECT_GE(placed[i].size, of_model[i].size);
      end = placed[i].offset;
    }
    EXPECT_EQ(end, 0U) << name;
  }
}

}  // namespace
}  // namespace assay::plugins::model
