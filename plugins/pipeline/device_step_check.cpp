// SPDX-License-Identifier: Apache-2.0
#include "pipeline/device_step_check.hpp"

#include "lib/model/cuda_gradient_check.hpp"
#include "lib/model/cuda_inputs.hpp"
#include "lib/model/cuda_products.hpp"
#include "lib/model/cuda_reference.hpp"
#include "lib/model/cuda_update_check.hpp"
#include "lib/two_sum.hpp"
#include "pipeline/passage.hpp"

#include <assay/cuda/error.hpp>
#include <assay/cuda/memory.hpp>

#include <cmath>

namespace assay::plugins::pipeline {
namespace {

// Of the loss, by what its products are rounded to.
double loss_tolerance(model::Arithmetic arithmetic) {
  switch (arithmetic) {
    case model::Arithmetic::fp32:
      return 1e-5;
    case model::Arithmetic::tf32:
      return 2e-3;
    default:
      return 2e-2;
  }
}

}  // namespace

std::uint64_t DeviceStepCheck::bytes(const Layout& layout) {
  constexpr std::uint64_t kRest = std::uint64_t{64} << 20;  // what updates are checked with
  const std::uint64_t inputs = 4 * layout.batch * layout.model.sequence *
                               (layout.model.reads_tokens() ? 1 : layout.model.operations.front().out);
  return model::CudaReference::bytes(layout.model, layout.micro_batch) + inputs +
         model::device::kWorkspaceBytes + kRest;
}

void DeviceStepCheck::check(cudaStream_t stream, double loss, Verification& seen) const {
  for (const auto& stage : of_.stages) check_passage(of_.layout.schedule, stage->passage(), seen);
  of_.group.barrier();  // all steps are done: each looks at what the others have
  check_gradients(stream, loss, seen);
  check_updates(stream, seen);
  of_.group.barrier();  // nobody changes what another still looks at
}

void DeviceStepCheck::check_gradients(cudaStream_t stream, double loss, Verification& seen) const {
  const Layout& layout = of_.layout;
  const model::Model& model = layout.model;
  const model::Arithmetic arithmetic = of_.options.arithmetic;
  const bool reads_tokens = model.reads_tokens();
  const std::size_t width = reads_tokens ? model.sequence : model.operations.front().out;
  const std::size_t labels = layout.micro_batch * model.labels(), count = layout.micro_batch * width;
  const cuda::DeviceBuffer<std::int32_t> tokens(of_.device, reads_tokens ? layout.batch * width : 0);
  const cuda::DeviceBuffer<float> features(of_.device, reads_tokens ? 0 : layout.batch * width);
  const cuda::DeviceBuffer<std::int32_t> labels_there(of_.device, labels);
  const cuda::DeviceBuffer<std::byte> workspace(of_.device, model::device::kWorkspaceBytes);
  const std::uint64_t seed = of_.run.seed();
  const model::TensorPlaces places(model);
  const model::DeviceInputs inputs{&model, &places, arithmetic, seed};
  if (reads_tokens) {
    model::draw_tokens(stream, inputs, 0, layout.batch * width, tokens.data());
  } else {
    model::draw_features(stream, inputs, 0, layout.batch * width, features.data());
  }
  // Each rank computes some of the micro-batches.
  const model::CudaReference reference(of_.handle, of_.device, model, layout.micro_batch,
                                       {workspace.data(), workspace.bytes()});
  const DeviceStage& any = *of_.stages.front();
  const auto loss_at = [&](const model::DeviceParametersOf& parameters) {
    TwoSum sum;
    for (std::uint32_t micro = of_.group.rank(); micro < layout.schedule.micro_batches;
         micro += of_.group.size()) {
      model::draw_labels(stream, any.inputs_state(), any.step_number(), micro * labels, labels,
                         model.classes(), labels_there.data());
      const model::ReferenceBatch batch = {reads_tokens ? tokens.data() + micro * count : nullptr,
                                           reads_tokens ? nullptr : features.data() + micro * count,
                                           labels_there.data()};
      sum.add(reference.loss(stream, batch, parameters, [this] { of_.run.throw_if_cancelled(); }));
    }
    return mean_over_ranks(sum.value());
  };
  // A tensor of the whole model is one of a part, and lies where its stage has it.
  std::vector<model::TensorArrays> arrays;
  for (std::uint32_t part = 0; part < layout.schedule.parts(); ++part) {
    const std::uint32_t stage = layout.schedule.stage_of(part);
    const StageMap::Chunk& chunk = of_.maps[stage].chunks()[part / layout.schedule.stages];
    for (std::size_t t = 0; t < layout.parts[part].model.tensors.size(); ++t)
      arrays.push_back(arrays_of_tensor(chunk, of_.options, of_.memories[stage], t));
  }
  const model::CudaState state = any.chunks().front()->state(any.steps());
  double here = 0;
  bool first = true;
  const auto found = model::slopes(
      of_.device, stream, model, [&](std::size_t t) { return arrays.at(t); }, state,
      [&](const model::DeviceParametersOf& parameters) {
        const double value = loss_at(parameters);
        if (first) here = value;  // all directions begin where the parameters are
        first = false;
        return value;
      },
      model::slope_directions(arithmetic), seed);
  // Over directions, because errors of narrow types are large enough to be seen along one by chance.
  seen.expect_close(model::rms_difference(found), 0, absolute(model::slope_tolerance(arithmetic)), 0);
  seen.expect_close(loss, here, absolute(loss_tolerance(arithmetic) * std::fabs(here)), 0);
}

double DeviceStepCheck::mean_over_ranks(double sum) const {
  double all = 0;
  for (const double of : of_.group.allgather(sum)) all += of;
  return all / of_.layout.schedule.micro_batches;
}

// Only after the first step from the start that the seed gives, because the check does not recompute many steps.
void DeviceStepCheck::check_updates(cudaStream_t stream, Verification& seen) const {
  for (const auto& stage : of_.stages) {
    const std::uint64_t steps = stage->steps();
    if (steps != 1) continue;
    for (const auto& chunk : stage->chunks()) {
      model::check_first_update(of_.device, stream, chunk->inputs(of_.run.seed()), chunk->state(steps), seen);
    }
  }
}

}  // namespace assay::plugins::pipeline
