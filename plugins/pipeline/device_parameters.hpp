// SPDX-License-Identifier: Apache-2.0
//
// What pipeline@cuda says of itself to the host, and refuses.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "pipeline/layout.hpp"
#include "pipeline/parameters.hpp"

#include <assay/description.hpp>
#include <assay/errors.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace assay::plugins::pipeline {

inline constexpr std::uint32_t kMostStagesOfAGpu = 16;
// Of a step on a stage, each of which has two events.
inline constexpr std::uint64_t kMostTimedActions = std::uint64_t{1} << 14;

inline void describe_on_device(Description<Parameters>& is) {
  contract::implement(is).revision(1);
  is.summary("training steps of a model that is cut into stages on several GPUs, or on one");
  is.doc(
      "With several ranks a stage is a rank, a process with a GPU of its own; it copies activations and gradients "
      "straight into its neighbours' memory. One rank has all stages on its GPU: each has a stream and an equal share of "
      "the SMs where the driver partitions them (the fact `sharing` says so), else streams that take what they get. "
      "Products by cuBLASLt. Stages are timed by events on the device, steps by the host's clock, from the first stage's "
      "begin to the last one's end. Beside the measured step stands what the simulator makes of the stages' costs, which "
      "are measured one stage at a time, before and after the samples; where stages share SMs without partitions no "
      "error of it is given. pipeline@host has `mode: simulate` and `schedule: zero_bubble`.");
  contract::mode(is, &Parameters::mode)
      .choices({{"run", Mode::run}})
      .help(
          "placement of stages: one for each rank, or one rank "
          "with all of them; pipeline@host has simulate");
  contract::schedule(is, &Parameters::schedule)
      .choices({{"gpipe", schedule::Style::gpipe},
                {"1f1b", schedule::Style::one_f_one_b},
                {"interleaved", schedule::Style::interleaved},
                {"zero_bubble", schedule::Style::zero_bubble}})
      .help("the order of passes on each stage; zero_bubble is pipeline@host's");
  contract::stages(is, &Parameters::stages)
      .range(0, kMostStages)
      .help(
          "number of stages into which the model is cut; 0: as many as "
          "ranks; of one rank up to 16, which share its GPU");
  describe_cut(is);
  model::describe_model(is);
  contract::dtype(is, &Parameters::dtype)
      .values({"fp32", "tf32", "bf16"})
      .help("type of products; bf16 adds up and hands over in fp32 if parameters are fp32");
  is.param("parameter_dtype", &Parameters::parameter_dtype)
      .values({"fp32", "bf16"})
      .help(
          "type of parameters, gradients and the optimiser's numbers; "
          "bf16 goes with dtype: bf16, all of it is bf16 then");
  is.param("attention", &Parameters::attention)
      .values({"auto", "fused", "unfused"})
      .help(
          "form of attention; fused: by cuDNN, where it is found, for dtype: "
          "bf16 and a GPU for each stage; auto: fused where it can be");
  describe_measured_metrics(is, "SM kernel, cuBLASLt");
  is.fact("split", "layers of each part of the model");
  is.fact("parameters", "number of parameters of the model");
  is.fact("memory_formula", "terms that predicted_stage_memory adds up");
  is.fact("sharing", "a GPU for each stage, SM partitions of one GPU, or streams that share it as they come");
  is.fact("transfers", "way in which activations and gradients are handed over");
  is.fact("attention", "form of attention, fused or unfused, and the reason");
  is.fact("library", "version of cuBLASLt that was loaded");
  is.supports({Launch::stream, Launch::graph});
  is.supports({Cache::hot});
  is.ranks(1, 64).devices(1, 1);
}

// Throws BadParameter.
inline model::Arithmetic arithmetic_of(const Parameters& given) {
  if (given.attention == "fused" && given.dtype != "bf16") {
    throw BadParameter("attention", "no library has fused attention for " + given.dtype +
                                        "; take dtype: bf16, or leave it out");
  }
  if (given.parameter_dtype == "bf16") {
    if (given.dtype != "bf16")
      throw BadParameter("parameter_dtype", "bf16 parameters go with dtype: bf16, and it is " + given.dtype);
    return model::Arithmetic::pure_bf16;
  }
  return given.dtype == "bf16"   ? model::Arithmetic::bf16
         : given.dtype == "tf32" ? model::Arithmetic::tf32
                                 : model::Arithmetic::fp32;
}

// How many stages there are on this many ranks with a GPU each. Throws Failure where stages are not as many.
inline std::uint32_t stages_on_devices(const Parameters& given, std::uint32_t ranks) {
  if (ranks > 1) return stages_of(given, ranks);
  if (given.stages > kMostStagesOfAGpu)
    throw BadParameter("stages", std::to_string(given.stages) + " do not share a GPU, " +
                                     std::to_string(kMostStagesOfAGpu) +
                                     " can; give the case ranks: " + std::to_string(given.stages));
  return std::max(1U, given.stages);
}

// Throws BadParameter for what a GPU does not do, Skip for what does not go with this many ranks.
inline void require_on_device(const Parameters& given, const Layout& layout, std::uint32_t ranks) {
  if (given.schedule == schedule::Style::zero_bubble) {
    throw BadParameter(
        "schedule",
        "zero_bubble needs gradients of values before those of weights, and a backward pass on a GPU "
        "makes both in one; pipeline@host has it");
  }
  const bool shares = layout.schedule.stages > ranks;
  if (shares && given.attention == "fused")
    throw Skip("attention: fused goes with a GPU for each stage; cuDNN knows nothing of partitions of SMs");
  const std::uint64_t actions = std::uint64_t{6} * layout.schedule.micro_batches * layout.schedule.chunks;
  if (actions > kMostTimedActions) {
    throw BadParameter("micro_batches", std::to_string(layout.schedule.micro_batches) + " make up to " +
                                            std::to_string(actions) +
                                            " passes and messages on a stage, of which " +
                                            std::to_string(kMostTimedActions) + " can be timed");
  }
}

}  // namespace assay::plugins::pipeline
