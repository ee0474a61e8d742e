// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike, and refuses alike.
#pragma once

#include "lib/model/choice.hpp"
#include "lib/model/update.hpp"
#include "lib/schedule/schedule.hpp"

#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>
#include <string>

namespace assay::plugins::pipeline {

enum class Mode { run, simulate };

struct Parameters : model::ModelChoice {
  Mode mode = Mode::run;
  schedule::Style schedule = schedule::Style::one_f_one_b;
  std::uint32_t stages = 0;  // 0: as many as ranks
  std::uint32_t chunks = 0;  // 0: what the schedule has at least
  std::uint32_t batch = 16, micro_batches = 4;
  std::string split = "even";
  std::uint32_t buffers = 2;
  bool recompute = false;
  model::Optimizer optimizer = model::Optimizer::adamw;
  std::string dtype = "fp32";
  std::string parameter_dtype = "fp32", attention = "auto";  // of providers that have a choice
  std::uint32_t threads = 0;
  // Seconds, of mode: simulate; 0 of the first: measured here.
  double forward_cost = 0, backward_cost = 0, weight_share = 0.5, transfer_cost = 0, optimizer_cost = 0;
};

inline constexpr std::uint32_t kMostStages = 1024, kMostChunks = 64, kMostMicroBatches = 4096;
// Of micro-batches through parts in a step, which a simulation has to keep.
inline constexpr std::uint64_t kMostPasses = std::uint64_t{1} << 20;

template <class Params>
void describe_cut(Description<Params>& is) {
  is.param("chunks", &Params::chunks)
      .range(0, kMostChunks)
      .help("of the model on each stage, of interleaved 2 or more; 0: 1, of interleaved 2");
  is.param("batch", &Params::batch).range(1, 1 << 20).help("samples of a step");
  is.param("micro_batches", &Params::micro_batches)
      .range(1, kMostMicroBatches)
      .help("that the batch is cut into, all of one size");
  is.param("split", &Params::split)
      .help(
          "layers of each part of the model, in their order: 6-2-2-2; even: numbers that differ by one at most");
  is.param("buffers", &Params::buffers)
      .range(0, kMostMicroBatches)
      .help(
          "messages between two stages that are sent and not yet received; 0: who sends waits until it is received");
  is.param("recompute", &Params::recompute)
      .help(
          "stages keep what they receive alone, and compute a part's values again before its backward pass");
  is.param("optimizer", &Params::optimizer)
      .choices({{"sgd", model::Optimizer::sgd}, {"adamw", model::Optimizer::adamw}})
      .help("at the end of a step; sgd has no momentum");
}

template <class Params>
void describe_pipeline(Description<Params>& is) {
  is.param("mode", &Params::mode)
      .choices({{"run", Mode::run}, {"simulate", Mode::simulate}})
      .help(
          "run: a stage for each rank; simulate: one rank says what stages would take that need not be here");
  is.param("schedule", &Params::schedule)
      .choices({{"gpipe", schedule::Style::gpipe},
                {"1f1b", schedule::Style::one_f_one_b},
                {"interleaved", schedule::Style::interleaved},
                {"zero_bubble", schedule::Style::zero_bubble}})
      .help("the order of passes on each stage");
  is.param("stages", &Params::stages)
      .range(0, kMostStages)
      .help("that the model is cut into; 0: as many as ranks, which mode: run needs");
  describe_cut(is);
}

template <class Params>
void describe_costs(Description<Params>& is) {
  const auto cost = [&](const char* name, double Params::*member, const char* help) {
    is.param(name, member).unit(assay::unit::seconds).range(0, 3600).help(help);
  };
  cost("forward_cost", &Params::forward_cost,
       "of simulate: forward pass of a micro-batch through a layer; 0: costs are measured on this machine");
  cost("backward_cost", &Params::backward_cost,
       "of simulate with forward_cost: the backward pass; 0: twice as long");
  is.param("weight_share", &Params::weight_share)
      .range(0, 1)
      .help("of simulate with forward_cost: of the backward pass, that for weights, which zero_bubble moves");
  cost("transfer_cost", &Params::transfer_cost,
       "of simulate with forward_cost: a message between two stages, which keeps neither busy");
  cost("optimizer_cost", &Params::optimizer_cost, "of simulate with forward_cost: the update of a layer");
}

template <class Params>
void describe_measured_metrics(Description<Params>& is, const char* mechanism) {
  is.duration("step_time").summary("one step, from its begin to the end of the last stage").headline();
  is.rate("samples", assay::unit::items_per_second)
      .counting("samples of the batch")
      .mechanism(mechanism)
      .headline();
  is.rate("tokens", assay::unit::items_per_second)
      .counting("tokens of the batch; a sample of an MLP is one")
      .mechanism(mechanism);
  is.value("bubble", assay::unit::one)
      .lower_is_better()
      .summary("share of all stages' time in which they compute nothing; the median of steps");
  is.value("predicted_bubble", assay::unit::one).summary("the same by the simulator");
  is.value("predicted_step_time", assay::unit::seconds)
      .summary(
          "by the simulator, with a processor for each thread, from costs of stages that were measured alone");
  is.value("prediction_error", assay::unit::one)
      .summary("median of measured steps over the prediction, less 1; where each thread has a processor");
  is.part("stage_busy_time").dimensions(1).summary("of a step, by stage, in which it computes");
  is.value("stage_busy_cv", assay::unit::one)
      .lower_is_better()
      .summary("standard deviation of stage_busy_time over its mean, over stages");
  is.value("stage_memory", assay::unit::bytes)
      .dimensions(1)
      .lower_is_better()
      .summary("the most that a step had in use, by stage, less what there was before");
  is.value("stage_memory_cv", assay::unit::one)
      .lower_is_better()
      .summary("standard deviation of stage_memory over its mean, over stages");
  is.value("predicted_stage_memory", assay::unit::bytes).dimensions(1).summary("stage_memory by the formula");
  is.part("transfer_exposed")
      .dimensions(1)
      .summary("of a step, by stage, in which it sends, receives or waits for what is under way");
  is.value("micro_batches_in_flight", assay::unit::one)
      .dimensions(1)
      .summary("whose activations a stage holds at once at most, by stage");
  is.value("loss", assay::unit::one).summary("of the last step, over its batch");
}

template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism) {
  describe_measured_metrics(is, mechanism);
  is.duration("simulated_step_time")
      .summary("step_time of stages that need not be here, by the simulator")
      .headline();
  is.value("simulated_samples", assay::unit::items_per_second)
      .higher_is_better()
      .summary("samples of the batch over simulated_step_time");
  is.value("simulated_bubble", assay::unit::one).lower_is_better().summary("bubble, by the simulator");
  is.value("simulated_stage_busy_time", assay::unit::seconds)
      .dimensions(1)
      .summary("stage_busy_time, by the simulator");
  is.value("simulated_stage_busy_cv", assay::unit::one)
      .lower_is_better()
      .summary("stage_busy_cv, by the simulator");
  is.value("simulated_transfer_exposed", assay::unit::seconds)
      .dimensions(1)
      .lower_is_better()
      .summary("transfer_exposed, by the simulator");
}

}  // namespace assay::plugins::pipeline
