// SPDX-License-Identifier: Apache-2.0
//
// The contract pipeline/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/pipeline-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::pipeline_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("pipeline").implements("pipeline/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> mode(Description<Params>& is, Value Params::*member) {
  return is.param("mode", member)
      .help("way of finding times; run: a stage for each rank, or all on the device of one; simulate: one rank says what stages would take that need not be here");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> schedule(Description<Params>& is, Value Params::*member) {
  return is.param("schedule", member)
      .help("the order of passes on each stage");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> stages(Description<Params>& is, Value Params::*member) {
  return is.param("stages", member)
      .help("number of stages into which the model is cut; 0: as many as ranks; mode: run needs a rank for each, or a rank with all of them on one device");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> chunks(Description<Params>& is, Value Params::*member) {
  return is.param("chunks", member)
      .help("chunks of the model on each stage, of interleaved 2 or more; 0: 1, of interleaved 2");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> batch(Description<Params>& is, Value Params::*member) {
  return is.param("batch", member)
      .help("samples of a step");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> micro_batches(Description<Params>& is, Value Params::*member) {
  return is.param("micro_batches", member)
      .help("number of micro-batches into which the batch is cut, all of one size");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> split(Description<Params>& is, Value Params::*member) {
  return is.param("split", member)
      .help("layers of each part of the model, in their order: 6-2-2-2; even: numbers that differ by one at most");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> buffers(Description<Params>& is, Value Params::*member) {
  return is.param("buffers", member)
      .help("messages between two stages that are sent and not yet received; 0: who sends waits until it is received");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> recompute(Description<Params>& is, Value Params::*member) {
  return is.param("recompute", member)
      .help("recomputation of a part's values before its backward pass, so that stages keep only what they receive");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> optimizer(Description<Params>& is, Value Params::*member) {
  return is.param("optimizer", member)
      .help("optimiser at the end of a step; sgd has no momentum");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> model(Description<Params>& is, Value Params::*member) {
  return is.param("model", member)
      .help("model that is trained; custom: 2 layers of block, width 256, 4 heads, 1024 words, unless they are given");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> block(Description<Params>& is, Value Params::*member) {
  return is.param("block", member)
      .help("layers of a custom model; model: bert");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> layers(Description<Params>& is, Value Params::*member) {
  return is.param("layers", member)
      .help("layers of llama_8b_like, mlp and custom; 0: 32, 2 and 2");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> width(Description<Params>& is, Value Params::*member) {
  return is.param("width", member)
      .help("width of mlp and custom; 0: 256");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> heads(Description<Params>& is, Value Params::*member) {
  return is.param("heads", member)
      .help("heads of custom; 0: 4");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> kv_heads(Description<Params>& is, Value Params::*member) {
  return is.param("kv_heads", member)
      .help("heads of keys and values, of custom; 0: as many as heads");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> ffn(Description<Params>& is, Value Params::*member) {
  return is.param("ffn", member)
      .help("width inside the network of a layer, of custom; 0: 4 times the width");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> words(Description<Params>& is, Value Params::*member) {
  return is.param("words", member)
      .help("words of custom, classes of mlp; 0: 1024");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> sequence(Description<Params>& is, Value Params::*member) {
  return is.param("sequence", member)
      .help("tokens of a sample; 0: 64, of mlp 1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> dtype(Description<Params>& is, Value Params::*member) {
  return is.param("dtype", member)
      .help("type of products");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> forward_cost(Description<Params>& is, Value Params::*member) {
  return is.param("forward_cost", member).unit(unit::seconds)
      .help("time of a micro-batch's forward pass through a layer, of simulate; 0: costs are measured on this machine");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> backward_cost(Description<Params>& is, Value Params::*member) {
  return is.param("backward_cost", member).unit(unit::seconds)
      .help("time of the backward pass, of simulate with forward_cost; 0: twice as long");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> weight_share(Description<Params>& is, Value Params::*member) {
  return is.param("weight_share", member)
      .help("share of the backward pass that is for weights, which zero_bubble moves; of simulate with forward_cost");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> transfer_cost(Description<Params>& is, Value Params::*member) {
  return is.param("transfer_cost", member).unit(unit::seconds)
      .help("time of a message between two stages, which keeps neither busy, of simulate");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> optimizer_cost(Description<Params>& is, Value Params::*member) {
  return is.param("optimizer_cost", member).unit(unit::seconds)
      .help("time of a layer's update, of simulate with forward_cost");
}

template <class Params>
MetricBuilder step_time(Description<Params>& is) {
  return is.duration("step_time")
      .summary("time of one step, from its begin to the end of the last stage")
      .headline();
}

template <class Params>
MetricBuilder samples(Description<Params>& is) {
  return is.rate("samples", unit::items_per_second)
      .counting("samples of the batch")
      .headline();
}

template <class Params>
MetricBuilder tokens(Description<Params>& is) {
  return is.rate("tokens", unit::items_per_second)
      .counting("tokens of the batch; a sample of an MLP is one");
}

template <class Params>
MetricBuilder bubble(Description<Params>& is) {
  return is.value("bubble", unit::one)
      .summary("share of all stages' time in which they compute nothing; the median of steps")
      .lower_is_better();
}

template <class Params>
MetricBuilder predicted_bubble(Description<Params>& is) {
  return is.value("predicted_bubble", unit::one)
      .summary("bubble by the simulator");
}

template <class Params>
MetricBuilder predicted_step_time(Description<Params>& is) {
  return is.value("predicted_step_time", unit::seconds)
      .summary("time by the simulator, with a processor for each thread, from costs of stages that were measured alone");
}

template <class Params>
MetricBuilder prediction_error(Description<Params>& is) {
  return is.value("prediction_error", unit::one)
      .summary("median of measured steps over the prediction, less 1; where each thread has a processor");
}

template <class Params>
MetricBuilder stage_busy_time(Description<Params>& is) {
  return is.part("stage_busy_time")
      .summary("time of a step in which a stage computes, by stage")
      .dimensions(1);
}

template <class Params>
MetricBuilder stage_busy_cv(Description<Params>& is) {
  return is.value("stage_busy_cv", unit::one)
      .summary("standard deviation of stage_busy_time over its mean, over stages")
      .lower_is_better();
}

template <class Params>
MetricBuilder stage_memory(Description<Params>& is) {
  return is.value("stage_memory", unit::bytes)
      .summary("most memory that a step had in use, by stage, less what there was before")
      .lower_is_better()
      .dimensions(1);
}

template <class Params>
MetricBuilder stage_memory_cv(Description<Params>& is) {
  return is.value("stage_memory_cv", unit::one)
      .summary("standard deviation of stage_memory over its mean, over stages")
      .lower_is_better();
}

template <class Params>
MetricBuilder predicted_stage_memory(Description<Params>& is) {
  return is.value("predicted_stage_memory", unit::bytes)
      .summary("stage_memory by the formula")
      .dimensions(1);
}

template <class Params>
MetricBuilder transfer_exposed(Description<Params>& is) {
  return is.part("transfer_exposed")
      .summary("time of a step in which a stage sends, receives or waits for what is under way, by stage")
      .dimensions(1);
}

template <class Params>
MetricBuilder micro_batches_in_flight(Description<Params>& is) {
  return is.value("micro_batches_in_flight", unit::one)
      .summary("most micro-batches whose activations a stage holds at once, by stage")
      .dimensions(1);
}

template <class Params>
MetricBuilder loss(Description<Params>& is) {
  return is.value("loss", unit::one)
      .summary("loss of the first step, over its batch");
}

template <class Params>
MetricBuilder simulated_step_time(Description<Params>& is) {
  return is.duration("simulated_step_time")
      .summary("step_time of stages that need not be here, by the simulator")
      .headline();
}

template <class Params>
MetricBuilder simulated_samples(Description<Params>& is) {
  return is.value("simulated_samples", unit::items_per_second)
      .summary("rate of samples: the batch over simulated_step_time")
      .higher_is_better();
}

template <class Params>
MetricBuilder simulated_bubble(Description<Params>& is) {
  return is.value("simulated_bubble", unit::one)
      .summary("bubble, by the simulator")
      .lower_is_better();
}

template <class Params>
MetricBuilder simulated_stage_busy_time(Description<Params>& is) {
  return is.value("simulated_stage_busy_time", unit::seconds)
      .summary("stage_busy_time, by the simulator")
      .dimensions(1);
}

template <class Params>
MetricBuilder simulated_stage_busy_cv(Description<Params>& is) {
  return is.value("simulated_stage_busy_cv", unit::one)
      .summary("stage_busy_cv, by the simulator")
      .lower_is_better();
}

template <class Params>
MetricBuilder simulated_transfer_exposed(Description<Params>& is) {
  return is.value("simulated_transfer_exposed", unit::seconds)
      .summary("transfer_exposed, by the simulator")
      .lower_is_better()
      .dimensions(1);
}

}  // namespace assay::contracts::pipeline_1
