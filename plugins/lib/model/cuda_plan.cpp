// SPDX-License-Identifier: Apache-2.0
#include "lib/model/cuda_plan.hpp"

#include "lib/model/cuda_arena.hpp"
#include "lib/model/cuda_fused_attention.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace assay::plugins::model {
namespace {

constexpr std::size_t kMatrixBytes = std::size_t{32}
                                     << 20;  // two of them fit about into the L2 cache of a Hopper
constexpr std::size_t kLongSequence =
    1024;  // from here on queries are cut, so that less is computed for nothing
constexpr std::size_t kBandGrain = 64;

std::size_t divided(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

class Planner {
 public:
  Planner(const Model& model, std::size_t samples, const NumberBytes& bytes, bool fused, InFlight in_flight,
          Keep keep)
      : model_(model),
        bytes_(bytes),
        count_(model.operations.size()),
        apart_(in_flight == InFlight::several) {
    plan_.samples = samples;
    plan_.fused = fused;
    value_buffers_.resize(count_);
    plan_.value.resize(count_);
    plan_.gradient.resize(count_);
    plan_.is_stream.resize(count_);
    plan_.accumulates.resize(count_);
    plan_.sum.resize(count_, kNone);
    plan_.bias_elsewhere.resize(count_);
    plan_.bias_of.resize(count_, kNone);
    plan_.computed_again_from.resize(count_, kNone);
    set_times(keep);
    for (auto* places : {&plan_.beside, &plan_.packed, &plan_.packed_value, &plan_.packed_gradient,
                         &plan_.packed_value_gradient, &plan_.scores, &plan_.scores_again,
                         &plan_.scores_gradient, &plan_.fused_forward, &plan_.fused_backward})
      places->resize(count_, kNoPlace);
  }

  CudaPlan make() {
    look_around();
    place_gradients();
    for (std::size_t i = 0; i < count_; ++i) place_value(i);
    place_sums();
    arena_.place();
    passing_.place();
    for (const auto& [place, buffer] : names_)
      *place =
          (buffer & kPassing) != 0 ? passing_.offset(buffer & ~kPassing) | kPassing : arena_.offset(buffer);
    plan_.arena_bytes = arena_.bytes();
    plan_.passing_bytes = passing_.bytes();
    plan_.least_bytes = arena_.least_bytes() + passing_.least_bytes();
    return std::move(plan_);
  }

 private:
  const Operation& operation(std::size_t i) const { return model_.operations[i]; }
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  std::size_t back(std::size_t i) const { return back_[i]; }  // when its backward pass is
  bool comes_again(std::size_t i) const { return again_[i] != kNever; }
  std::size_t rows(std::size_t i) const { return model_.rows(operation(i), plan_.samples); }
  std::size_t elements(std::size_t i) const { return rows(i) * operation(i).out; }

  // Forward passes of operations are at their numbers. Behind them come the backward passes, and before that of a layer
  // the layer once more, where it is computed again.
  void set_times(Keep keep) {
    again_.resize(count_, kNever);
    back_.resize(count_);
    if (keep == Keep::between_layers) {
      if (apart_)
        throw std::invalid_argument("layers are computed again where one micro-batch is in flight at a time");
      for (std::size_t layer = 0; layer < model_.layers(); ++layer)
        plan_.computed_again_from[model_.layer_begins[layer + 1] - 1] =
            static_cast<int>(model_.layer_begins[layer]);
    }
    end_ = count_;
    for (std::size_t i = count_; i-- > 0;) {
      if (const int from = plan_.computed_again_from[i]; from != kNone) {
        for (std::size_t of_layer = index(from); of_layer <= i; ++of_layer) again_[of_layer] = end_++;
      }
      back_[i] = end_++;
    }
  }

  // A buffer of the arena that it belongs to. Where others come between, what lives then is kept.
  std::size_t add(std::size_t bytes, std::size_t begin, std::size_t end) {
    const bool kept = begin < count_ && end >= count_;
    return apart_ && !kept ? passing_.add(bytes, begin, end) | kPassing : arena_.add(bytes, begin, end);
  }
  void name(std::size_t& place, std::size_t buffer) { names_.emplace_back(&place, buffer); }
  void want(std::size_t& place, std::size_t bytes, std::size_t begin, std::size_t end) {
    name(place, add(bytes, begin, end));
  }

  // What a part hands over, whose takers are elsewhere.
  bool is_handed_over(std::size_t i) const { return i + 1 == count_ && operation(i).kind != Kind::loss; }

  bool is_norm(std::size_t i) const {
    return operation(i).kind == Kind::layer_norm || operation(i).kind == Kind::rms_norm;
  }

  // Who takes what, and what becomes one.
  void look_around() {
    for (std::size_t i = 0; i < count_; ++i) {
      const Operation& op = operation(i);
      if (op.kind == Kind::embedding || op.kind == Kind::add) plan_.is_stream[i] = true;
      // Behind a norm or an addition the next layer's residual connection goes round.
      if (is_handed_over(i) && is_norm(i)) plan_.is_stream[i] = true;
      if (op.kind == Kind::add) {
        if (operation(index(op.input)).kind != Kind::linear || index(op.other) + 1 > index(op.input))
          throw std::invalid_argument("an addition is done by the product before it, and there is none");
        plan_.is_stream[index(op.other)] = true;
        plan_.sum[index(op.input)] = static_cast<int>(i);
      }
      if (op.input == kNone) continue;
      for (std::size_t later = i + 1; later < count_; ++later) {
        if (operation(later).kind == Kind::add && operation(later).other == op.input)
          plan_.accumulates[i] = true;
      }
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (operation(i).kind != Kind::linear || !operation(i).bias) continue;
      // Whoever takes the value, or the sum that it is in.
      const std::size_t value = plan_.sum[i] != kNone ? index(plan_.sum[i]) : i;
      for (std::size_t taker = 0; taker < count_; ++taker) {
        if (operation(taker).input != static_cast<int>(value)) continue;
        const bool one_way = !plan_.accumulates[taker];
        if (one_way && (operation(taker).kind == Kind::layer_norm || operation(taker).kind == Kind::gelu ||
                        operation(taker).kind == Kind::attention)) {
          plan_.bias_of[taker] = static_cast<int>(i);
          plan_.bias_elsewhere[i] = true;
        }
      }
    }
  }

  std::size_t root(std::size_t value) const {
    while (leads_to_[value] != value) value = leads_to_[value];
    return value;
  }

  // Gradients that are one: behind and before an addition, and what is done in place.
  void join_gradients() {
    leads_to_.resize(count_);
    std::iota(leads_to_.begin(), leads_to_.end(), std::size_t{0});
    for (std::size_t i = 0; i < count_; ++i) {
      const Operation& op = operation(i);
      if (op.kind == Kind::gelu || op.kind == Kind::tanh) leads_to_[root(index(op.input))] = root(i);
      if (op.kind != Kind::add) continue;
      if (bytes_.one_type()) leads_to_[root(index(op.input))] = root(i);
      leads_to_[root(index(op.other))] = root(i);
    }
  }

  // Whether the gradient of its value has a place of its own, or one with others of its type.
  bool has_gradient(std::size_t i) const {
    const Operation& op = operation(i);
    if (op.kind == Kind::loss || op.kind == Kind::features) return false;
    if (op.kind != Kind::linear) return true;
    // The gradient lies in their place.
    const bool scores = model_.has_loss() && operation(count_ - 1).input == static_cast<int>(i);
    const bool copied = plan_.sum[i] != kNone && !bytes_.one_type();
    return !scores && !copied;
  }

  void place_gradients() {
    join_gradients();
    struct Group {
      std::size_t bytes = 0, begin = ~std::size_t{0}, end = 0, buffer = 0;
    };
    std::vector<Group> groups(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      if (!has_gradient(i)) continue;
      Group& group = groups[root(i)];
      group.bytes =
          std::max(group.bytes, elements(i) * (plan_.is_stream[i] ? bytes_.stream : bytes_.compute));
      group.end = std::max(group.end, back(i));
      if (is_handed_over(i)) group.begin = std::min(group.begin, count_);
      for (std::size_t taker = 0; taker < count_; ++taker) {
        const Operation& op = operation(taker);
        if (op.input != static_cast<int>(i) || op.kind == Kind::add) continue;
        group.begin = std::min(group.begin, op.kind == Kind::loss ? taker : back(taker));
      }
    }
    for (Group& group : groups) {
      if (group.bytes != 0) group.buffer = add(group.bytes, group.begin, group.end);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (!has_gradient(i)) continue;
      CudaPlan::Places& gradient = plan_.gradient[i];
      const std::size_t buffer = groups[root(i)].buffer;
      if (plan_.is_stream[i] || bytes_.one_type()) name(gradient.stream, buffer);
      if (!plan_.is_stream[i] || bytes_.one_type()) name(gradient.compute, buffer);
    }
    if (!bytes_.one_type()) place_copies();
  }

  // Products take the gradient of a sum in their own type: the norm that takes the sum writes both. Of one that is
  // handed over the gradient is rounded when it comes.
  void place_copies() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (plan_.sum[i] == kNone) continue;
      const std::size_t sum = index(plan_.sum[i]);
      const auto place = [&](std::size_t begin) {
        const std::size_t buffer = add(elements(i) * bytes_.compute, begin, back(i));
        name(plan_.gradient[sum].compute, buffer);
        name(plan_.gradient[i].compute, buffer);
      };
      if (is_handed_over(sum)) place(count_);
      for (std::size_t taker = sum + 1; taker < count_; ++taker) {
        if (operation(taker).input != static_cast<int>(sum) || !is_norm(taker)) continue;
        place(back(taker));
      }
    }
  }

  // When a value is read for the last time: in the forward pass, and ever.
  struct Uses {
    std::size_t forward = 0, last = 0;
  };
  // In the type of products (`stream`: of the stream).
  Uses uses(std::size_t value, bool stream) const {
    Uses uses{value, value};
    const auto reads = [&](std::size_t taker, bool backward) {
      uses.forward = std::max(uses.forward, taker);
      uses.last = std::max({uses.last, taker, comes_again(taker) ? again_[taker] : 0});
      if (backward) uses.last = std::max(uses.last, back(taker));
    };
    // A fused backward pass reads what it made, and rows as they were.
    if (plan_.fused && operation(value).kind == Kind::attention) uses.last = back(value);
    for (std::size_t taker = 0; taker < count_; ++taker) {
      const Operation& op = operation(taker);
      if (op.kind == Kind::add && index(op.other) == value && (stream || bytes_.one_type()))
        reads(index(op.input), false);  // the product that adds it
      if (op.input != static_cast<int>(value)) continue;
      switch (op.kind) {
        case Kind::layer_norm:
        case Kind::rms_norm:
          if (stream || bytes_.one_type()) reads(taker, true);
          break;
        case Kind::linear:
        case Kind::gelu:
        case Kind::swiglu:
          if (!stream || bytes_.one_type()) reads(taker, true);
          break;
        case Kind::tanh:  // in place
          reads(taker, true);
          break;
        case Kind::attention:
          reads(taker, plan_.fused);
          break;
        case Kind::loss:  // the gradient lies there
          reads(taker, false);
          uses.last = std::max(uses.last, back(value));
          break;
        default:
          reads(taker, false);
      }
    }
    return uses;
  }

  // A value that is written at `begin`, by itself or by the product before it. Where it comes again it has two lives, but
  // for what a layer hands on, which stays and is written once more as it was.
  std::size_t add_value(std::size_t bytes, std::size_t i, std::size_t begin, bool stream) {
    const Uses of = uses(i, stream);
    if (!comes_again(begin)) return add(bytes, begin, of.last);
    if (plan_.computed_again_from[i] != kNone) return add(bytes, begin, std::max(of.last, again_[i]));
    const std::size_t buffer = add(bytes, begin, of.forward);
    arena_.live_again(buffer, again_[begin], std::max(of.last, again_[begin]));
    return buffer;
  }
  // What operation i makes for itself: while it goes forward, or until its backward pass.
  void want_own(std::size_t& place, std::size_t bytes, std::size_t i, bool until_back) {
    if (!comes_again(i)) return want(place, bytes, i, until_back ? back(i) : i);
    const std::size_t buffer = add(bytes, i, i);
    arena_.live_again(buffer, again_[i], until_back ? back(i) : again_[i]);
    name(place, buffer);
  }

  void place_value(std::size_t i) {
    const Operation& op = operation(i);
    CudaPlan::Places& value = plan_.value[i];
    switch (op.kind) {
      case Kind::features:
        return;
      case Kind::loss:
        want(plan_.beside[i], rows(i) * sizeof(float), i, i);
        return;
      case Kind::add:
        // Written by the product.
        want_value(i, index(op.input));
        return;
      case Kind::linear:
        if (plan_.sum[i] == kNone) want_value(i, i);
        return;
      case Kind::tanh:
        name(value.compute, value_buffers_[index(op.input)]);
        return;
      case Kind::layer_norm:
      case Kind::rms_norm:
        if (!plan_.is_stream[index(op.input)])
          throw std::invalid_argument("a norm takes the stream, and this is none");
        want_own(plan_.beside[i], rows(i) * (op.kind == Kind::layer_norm ? 2 : 1) * sizeof(float), i, true);
        if (bytes_.one_type()) break;
        name(value.compute, add_value(elements(i) * bytes_.compute, i, i, false));
        if (plan_.is_stream[i]) name(value.stream, add_value(elements(i) * bytes_.stream, i, i, true));
        return;
      case Kind::received:
        // What products take of it is rounded once.
        if (plan_.is_stream[i] && !bytes_.one_type() && uses(i, false).last > i)
          name(value.compute, add_value(elements(i) * bytes_.compute, i, i, false));
        break;
      case Kind::attention:
        place_attention(i);
        break;
      default:
        break;
    }
    want_value(i, i);
  }

  // One array, in the type that the value has.
  void want_value(std::size_t i, std::size_t begin) {
    CudaPlan::Places& value = plan_.value[i];
    const bool stream = plan_.is_stream[i];
    const std::size_t bytes = elements(i) * (stream ? bytes_.stream : bytes_.compute);
    const std::size_t buffer = value_buffers_[i] = add_value(bytes, i, begin, stream);
    if (stream || bytes_.one_type()) name(value.stream, buffer);
    if (!stream || bytes_.one_type()) name(value.compute, buffer);
  }

  void place_attention(std::size_t i) {
    const Operation& op = operation(i);
    want_own(plan_.beside[i], rows(i) * op.heads * sizeof(float), i, true);
    if (plan_.fused) {
      const std::size_t bytes = fused_attention_bytes(model_, plan_.samples);
      want_own(plan_.fused_forward[i], bytes, i, false);
      want(plan_.fused_backward[i], bytes, back(i), back(i));
      return;
    }
    const AttentionPieces pieces = attention_pieces(op, model_.sequence, plan_.samples);
    plan_.attention = pieces;
    const std::size_t all = rows(i) * op.in, out = rows(i) * op.out;
    want_own(plan_.packed[i], all * bytes_.compute, i, true);
    want_own(plan_.packed_value[i], out * bytes_.compute, i, false);
    want(plan_.packed_value_gradient[i], out * bytes_.compute, back(i), back(i));
    want(plan_.packed_gradient[i], all * (pieces.adds_up() ? sizeof(float) : bytes_.compute), back(i),
         back(i));
    want_own(plan_.scores[i], pieces.matrix_bytes, i, false);
    want(plan_.scores_again[i], pieces.matrix_bytes, back(i), back(i));
    want(plan_.scores_gradient[i], pieces.matrix_bytes, back(i), back(i));
  }

  void place_sums() {
    std::size_t partial = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const Operation& op = operation(i);
      if (is_norm(i)) {
        const std::size_t sums = (op.kind == Kind::layer_norm ? 2 : 1) + (plan_.bias_of[i] != kNone ? 1 : 0);
        partial = std::max(partial, norm_blocks(rows(i)) * op.out * sums);
      } else if (plan_.bias_of[i] != kNone || op.kind == Kind::gelu) {
        partial = std::max(partial, column_pieces(rows(i)) * op.in);
      } else if (op.kind == Kind::linear && op.bias) {
        partial = std::max(partial, column_pieces(rows(i)) * op.out);
      }
      if (op.kind == Kind::embedding) {
        want(plan_.embedding_lists, (op.words + rows(i)) * sizeof(int), back(i), back(i));
        if (op.types != 0)
          want(plan_.embedding_sums, model_.sequence * op.out * sizeof(float), back(i), back(i));
      }
    }
    if (partial != 0) want(plan_.partial_sums, partial * sizeof(float), count_, end_);
  }

  const Model& model_;
  const NumberBytes bytes_;
  const std::size_t count_;
  const bool apart_;
  static constexpr std::size_t kNever = ~std::size_t{0};
  std::vector<std::size_t> again_,
      back_;             // when an operation is computed again, and when its backward pass is
  std::size_t end_ = 0;  // of the step
  CudaPlan plan_;
  Arena arena_, passing_;
  // The member that gets a place, and the buffer whose place it is.
  std::vector<std::pair<std::size_t*, std::size_t>> names_;
  std::vector<std::size_t> value_buffers_;
  std::vector<std::size_t> leads_to_;
};

}  // namespace

double AttentionPieces::share(std::size_t sequence, bool causal) const {
  if (!causal || bands == 1) return 1;
  double made = 0;
  for (std::size_t first = 0; first < sequence; first += place_rows) {
    const std::size_t end = std::min(sequence, first + place_rows);
    made += static_cast<double>(end - first) * static_cast<double>(end);
  }
  return made / (static_cast<double>(sequence) * static_cast<double>(sequence));
}

AttentionPieces attention_pieces(const Operation& attention, std::size_t sequence, std::size_t samples) {
  AttentionPieces pieces;
  const std::size_t group = attention.heads / attention.kv_heads, row_bytes = sequence * sizeof(float);
  pieces.pairs = samples * attention.kv_heads;
  std::size_t rows = sequence;
  if (attention.causal && sequence >= kLongSequence)
    rows = divided(divided(sequence, 4), kBandGrain) * kBandGrain;
  if (rows * row_bytes > kMatrixBytes)
    rows = std::max<std::size_t>(1, kMatrixBytes / row_bytes / kBandGrain) * kBandGrain;
  rows = std::min(rows, sequence);
  pieces.place_rows = rows;
  pieces.bands = divided(sequence, rows);
  const bool together = pieces.bands == 1 && group * rows * row_bytes <= kMatrixBytes;
  pieces.members = together ? 1 : group;
  pieces.rows = together ? group * rows : rows;
  const std::size_t matrix = pieces.rows * row_bytes;
  pieces.at_once = std::max<std::size_t>(1, std::min(pieces.pairs, kMatrixBytes / matrix));
  while (pieces.pairs % pieces.at_once != 0) --pieces.at_once;
  pieces.matrix_bytes = pieces.at_once * matrix;
  return pieces;
}

std::size_t norm_blocks(std::size_t rows) { return std::clamp<std::size_t>(divided(rows, 8), 1, 1024); }
std::size_t column_pieces(std::size_t rows) { return std::clamp<std::size_t>(divided(rows, 32), 1, 256); }

CudaPlan make_cuda_plan(const Model& model, std::size_t samples, const NumberBytes& bytes,
                        bool fused_attention, InFlight in_flight, Keep keep) {
  return Planner(model, samples, bytes, fused_attention, in_flight, keep).make();
}

namespace {

std::size_t bytes_of_value(std::size_t i, const Model& part, const CudaPlan& plan, const NumberBytes& bytes) {
  const Operation& operation = part.operations[i];
  return part.rows(operation, plan.samples) * operation.out *
         (plan.is_stream[i] ? bytes.stream : bytes.compute);
}

}  // namespace

std::size_t received_bytes(const Model& part, const CudaPlan& plan, const NumberBytes& bytes) {
  return part.operations.front().kind == Kind::received ? bytes_of_value(0, part, plan, bytes) : 0;
}

std::size_t result_bytes(const Model& part, const CudaPlan& plan, const NumberBytes& bytes) {
  return part.has_loss() ? 0 : bytes_of_value(part.operations.size() - 1, part, plan, bytes);
}

}  // namespace assay::plugins::model
