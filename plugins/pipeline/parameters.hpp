// SPDX-License-Identifier: Apache-2.0
//
// What every provider of the benchmark says of its parameters and metrics alike, and refuses alike.
#pragma once

#include "lib/model/choice.hpp"
#include "lib/model/update.hpp"
#include "lib/schedule/schedule.hpp"

#include <assay/contracts/pipeline_1.hpp>
#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>
#include <string>

namespace assay::plugins::pipeline {

namespace contract = contracts::pipeline_1;

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
  contract::chunks(is, &Params::chunks).range(0, kMostChunks);
  contract::batch(is, &Params::batch).range(1, 1 << 20);
  contract::micro_batches(is, &Params::micro_batches).range(1, kMostMicroBatches);
  contract::split(is, &Params::split);
  contract::buffers(is, &Params::buffers).range(0, kMostMicroBatches);
  contract::recompute(is, &Params::recompute);
  contract::optimizer(is, &Params::optimizer)
      .choices({{"sgd", model::Optimizer::sgd}, {"adamw", model::Optimizer::adamw}});
}

template <class Params>
void describe_pipeline(Description<Params>& is) {
  contract::mode(is, &Params::mode)
      .choices({{"run", Mode::run}, {"simulate", Mode::simulate}})
      .help(
          "way of finding times; run: a stage for each rank; simulate: one "
          "rank says what stages would take that need not be here");
  contract::schedule(is, &Params::schedule)
      .choices({{"gpipe", schedule::Style::gpipe},
                {"1f1b", schedule::Style::one_f_one_b},
                {"interleaved", schedule::Style::interleaved},
                {"zero_bubble", schedule::Style::zero_bubble}});
  contract::stages(is, &Params::stages)
      .range(0, kMostStages)
      .help("number of stages into which the model is cut; 0: as many as ranks, which mode: run needs");
  describe_cut(is);
}

template <class Params>
void describe_costs(Description<Params>& is) {
  const auto cost = [&](const char* name, double Params::*member, const char* help) {
    is.param(name, member).unit(assay::unit::seconds).range(0, 3600).help(help);
  };
  cost("forward_cost", &Params::forward_cost,
       "time of a micro-batch's forward pass through a layer, of "
       "simulate; 0: costs are measured on this machine");
  cost("backward_cost", &Params::backward_cost,
       "time of the backward pass, of simulate with forward_cost; 0: twice as long");
  contract::weight_share(is, &Params::weight_share).range(0, 1);
  cost("transfer_cost", &Params::transfer_cost,
       "time of a message between two stages, which keeps "
       "neither busy, of simulate");
  cost("optimizer_cost", &Params::optimizer_cost, "time of a layer's update, of simulate with forward_cost");
}

template <class Params>
void describe_measured_metrics(Description<Params>& is, const char* mechanism) {
  contract::step_time(is);
  contract::samples(is).mechanism(mechanism);
  contract::tokens(is).mechanism(mechanism);
  contract::bubble(is);
  contract::predicted_bubble(is);
  contract::predicted_step_time(is);
  contract::prediction_error(is);
  contract::stage_busy_time(is);
  contract::stage_busy_cv(is);
  contract::stage_memory(is);
  contract::stage_memory_cv(is);
  contract::predicted_stage_memory(is);
  contract::transfer_exposed(is);
  contract::micro_batches_in_flight(is);
  contract::loss(is);
}

template <class Params>
void describe_metrics(Description<Params>& is, const char* mechanism) {
  describe_measured_metrics(is, mechanism);
  contract::simulated_step_time(is);
  contract::simulated_samples(is);
  contract::simulated_bubble(is);
  contract::simulated_stage_busy_time(is);
  contract::simulated_stage_busy_cv(is);
  contract::simulated_transfer_exposed(is);
}

}  // namespace assay::plugins::pipeline
