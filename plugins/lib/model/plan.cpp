// SPDX-License-Identifier: Apache-2.0
#include "lib/model/plan.hpp"

#include "lib/model/counts.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace assay::plugins::model {
namespace {

constexpr std::size_t kGrain = 16;  // elements: places begin at lines of the cache

std::size_t rounded(std::size_t elements) { return (elements + kGrain - 1) / kGrain * kGrain; }

// Gradients that share a place, and from when to when it is needed: the backward pass goes from high
// operations to low ones.
struct Group {
  std::size_t size = 0;
  std::size_t begins = 0;  // the highest operation that writes it
  std::size_t ends = 0;    // the lowest that reads it
  std::size_t offset = 0;
};

class Planner {
 public:
  Planner(const Model& model, std::size_t samples, bool split, bool again)
      : model_(model),
        split_(split),
        again_(again),
        kept_(kept_values(model)),
        groups_(model.operations.size()) {
    plan_.samples = samples;
    const std::size_t count = model.operations.size();
    plan_.value.resize(count);
    plan_.gradient.resize(count);
    plan_.beside.resize(count);
    plan_.accumulates.resize(count, false);
    plan_.computed_again_from.resize(count, kNone);
  }

  Plan make() {
    place_gradients();
    place_values();
    return std::move(plan_);
  }

 private:
  std::size_t size_of(std::size_t operation) const {
    return rounded(model_.rows(model_.operations[operation], plan_.samples) *
                   model_.operations[operation].out);
  }
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  std::size_t root(std::size_t value) const {
    while (leads_to_[value] != value) value = leads_to_[value];
    return value;
  }

  void place_gradients() {
    const std::size_t count = model_.operations.size();
    leads_to_.resize(count);
    std::iota(leads_to_.begin(), leads_to_.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      const Operation& operation = model_.operations[i];
      const bool in_place =
          operation.kind == Kind::add || operation.kind == Kind::gelu || operation.kind == Kind::tanh;
      if (in_place) leads_to_[root(index(operation.input))] = root(i);
      if (operation.kind == Kind::add && !split_) leads_to_[root(index(operation.other))] = root(i);
    }
    // From the last operation on, as in the backward pass: a sum that comes later has written the gradient.
    std::vector<bool> is_written(count, false);
    for (std::size_t i = count; i-- > 0;) {
      const Operation& operation = model_.operations[i];
      if (operation.input != kNone) plan_.accumulates[i] = is_written[index(operation.input)];
      if (operation.kind == Kind::add) is_written[index(operation.other)] = true;
    }
    lay_out(groups());
  }

  // Those that need a place in the workspace, in the order in which they begin to live.
  std::vector<Group*> groups() {
    std::vector<Group*> used;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      const Operation& operation = model_.operations[i];
      if (operation.kind == Kind::loss || operation.kind == Kind::features) continue;
      Group& group = groups_[root(i)];
      if (group.size == 0) {
        group.begins = group.ends = i;
        used.push_back(&group);
      }
      group.size = std::max(group.size, size_of(i));
      group.ends = std::min(group.ends, i);
      group.begins = std::max(group.begins, i);
    }
    // Whoever takes a value writes its gradient.
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      for (const int taken : {model_.operations[i].input, model_.operations[i].other}) {
        if (taken == kNone) continue;
        Group& group = groups_[root(index(taken))];
        group.begins = std::max(group.begins, i);
      }
      // What gradients of parameters are made of is read when all others are there.
      if (split_ && model_.operations[i].tensors != 0) groups_[root(i)].ends = 0;
    }
    if (scores_in_place()) std::erase(used, &groups_[root(index(model_.operations.back().input))]);
    std::sort(used.begin(), used.end(), [](const Group* a, const Group* b) { return a->begins > b->begins; });
    return used;
  }

  // Each at the lowest gap between those that live while it does.
  void lay_out(const std::vector<Group*>& used) {
    std::vector<const Group*> beside;  // by offset
    for (Group* group : used) {
      // A place ends with the operation that reads it last, which may be the one that begins the next.
      std::erase_if(beside, [&](const Group* other) { return other->ends > group->begins; });
      std::size_t at = 0;
      for (const Group* other : beside) {
        if (other->offset >= at + group->size) break;
        at = std::max(at, other->offset + other->size);
      }
      group->offset = at;
      plan_.workspace = std::max(plan_.workspace, at + group->size);
      const auto after = std::upper_bound(
          beside.begin(), beside.end(), group,
          [](const Group* placed, const Group* other) { return placed->offset < other->offset; });
      beside.insert(after, group);
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) plan_.gradient[i] = {true, groups_[root(i)].offset};
  }

  void place_values() {
    const std::size_t count = model_.operations.size();
    std::size_t from = 0;
    for (std::size_t layer = 0; layer < model_.layers() && again_; ++layer) {
      const std::size_t begin = model_.layer_begins[layer], end = model_.layer_begins[layer + 1];
      for (; from < begin; ++from) place_value(from, plan_.activations);
      // Its last value is handed on, and stays, whether or not the backward pass of the next layer reads it.
      plan_.value[end - 1] = {false, std::exchange(plan_.activations, plan_.activations + size_of(end - 1))};
      plan_.computed_again_from[end - 1] = static_cast<int>(begin);
      from = end;
    }
    for (; from < count; ++from) place_value(from, plan_.activations);
    std::size_t largest = 0;
    for (std::size_t layer = 0; layer < model_.layers() && again_; ++layer) {
      std::size_t at = plan_.activations;
      for (std::size_t i = model_.layer_begins[layer]; i < model_.layer_begins[layer + 1]; ++i)
        place_value(i, at);
      largest = std::max(largest, at - plan_.activations);
    }
    plan_.activations += largest;
    for (std::size_t i = 0; i < count; ++i) {
      const Operation& operation = model_.operations[i];
      if (operation.kind == Kind::add || operation.kind == Kind::tanh)
        plan_.value[index(operation.input)] = plan_.value[i];
    }
    if (!scores_in_place()) return;
    const std::size_t scores = index(model_.operations.back().input);
    plan_.gradient[scores] = plan_.value[scores];
  }

  // What is kept goes to activations from `at` on, which moves behind it.
  void place_value(std::size_t i, std::size_t& at) {
    const Operation& operation = model_.operations[i];
    if (operation.kind == Kind::features || operation.kind == Kind::loss) return;
    const auto place = [&](std::size_t elements) { return std::exchange(at, at + rounded(elements)); };
    const std::size_t rows = model_.rows(operation, plan_.samples);
    if (plan_.computed_again_from[i] == kNone)
      plan_.value[i] = kept_[i] ? Place{false, place(rows * operation.out)} : plan_.gradient[i];
    if (operation.kind == Kind::layer_norm) plan_.beside[i] = place(2 * rows);
    if (operation.kind == Kind::rms_norm) plan_.beside[i] = place(rows);
    if (operation.kind == Kind::attention)
      plan_.beside[i] = place(plan_.samples * operation.heads * model_.sequence * model_.sequence);
  }

  // The loss writes the gradient over the scores, unless who made them reads them once more.
  bool scores_in_place() const {
    return model_.has_loss() && model_.operations[index(model_.operations.back().input)].kind == Kind::linear;
  }

  const Model& model_;
  const bool split_, again_;
  const std::vector<bool> kept_;
  Plan plan_;
  std::vector<Group> groups_;
  std::vector<std::size_t> leads_to_;
};

}  // namespace

Plan make_plan(const Model& model, std::size_t samples, Backward backward, Keep keep) {
  if (backward == Backward::split && keep != Keep::all) {
    throw std::invalid_argument(
        "gradients of parameters that are computed later read values of layers that are not kept");
  }
  return Planner(model, samples, backward == Backward::split, keep == Keep::between_layers).make();
}

std::size_t attention_scratch(const Model& model) {
  for (const Operation& operation : model.operations) {
    if (operation.kind == Kind::attention) return model.sequence * model.sequence;
  }
  return 0;
}

}  // namespace assay::plugins::model
