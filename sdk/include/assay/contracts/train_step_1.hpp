// SPDX-License-Identifier: Apache-2.0
//
// The contract train_step/1, for those who describe a provider of it: each function adds a parameter or a metric as the contract has it
// and gives its builder, so that a provider adds its own limits, mechanism and peak. Made from sdk/contracts/train_step-1.json by ./dev docs.
#pragma once

#include <assay/description.hpp>
#include <assay/units.hpp>

// A line is as long as its sentence.
// clang-format off
namespace assay::contracts::train_step_1 {

template <class Params>
Description<Params>& implement(Description<Params>& is) {
  return is.named("train_step").implements("train_step/1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> strategy(Description<Params>& is, Value Params::*member) {
  return is.param("strategy", member)
      .help("way in which ranks share work; single: they do not know of each other; ddp: they average gradients; zero1: each has a share of the optimiser's numbers, zero2: also of gradients, zero3 and fsdp: also of parameters");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> optimizer(Description<Params>& is, Value Params::*member) {
  return is.param("optimizer", member)
      .help("optimiser, in one pass; sgd has no momentum");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> without(Description<Params>& is, Value Params::*member) {
  return is.param("without", member)
      .help("part of the step that is left out; compute: forward and backward pass; loader: making of samples");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> loader_workers(Description<Params>& is, Value Params::*member) {
  return is.param("loader_workers", member)
      .help("threads of a rank that make its samples ahead of the step; 0: samples lie ready");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> decode_steps(Description<Params>& is, Value Params::*member) {
  return is.param("decode_steps", member)
      .help("operations to decode a byte of a sample, each of which needs the one before it; of loader_workers");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> recompute(Description<Params>& is, Value Params::*member) {
  return is.param("recompute", member)
      .help("recomputation of layers in the backward pass, so that only what each hands on is kept");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> overlapped(Description<Params>& is, Value Params::*member) {
  return is.param("overlapped", member)
      .help("communication of ranks while the passes go on");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> compression(Description<Params>& is, Value Params::*member) {
  return is.param("compression", member)
      .help("form in which ddp averages gradients: halves, or two matrices of few columns with what they lose carried on");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> compression_rank(Description<Params>& is, Value Params::*member) {
  return is.param("compression_rank", member)
      .help("columns of the matrices, of powersgd; 0: 1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> prefetch(Description<Params>& is, Value Params::*member) {
  return is.param("prefetch", member)
      .help("passes in which zero3 and fsdp gather layers before they are reached");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> gathers(Description<Params>& is, Value Params::*member) {
  return is.param("gathers", member)
      .help("layers that zero3 and fsdp gather at once, the one in use included; 0: 2 where prefetch is not none, else 1");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> reshard_after_forward(Description<Params>& is, Value Params::*member) {
  return is.param("reshard_after_forward", member)
      .help("release of gathered layers after the forward pass, of zero3 and fsdp; false: they are kept for the backward pass");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> bucket(Description<Params>& is, Value Params::*member) {
  return is.param("bucket", member).unit(unit::bytes)
      .help("bytes of gradients that go together, of ddp, zero1 and zero2");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> first_bucket(Description<Params>& is, Value Params::*member) {
  return is.param("first_bucket", member).unit(unit::bytes)
      .help("bytes of gradients in the first bucket of a step");
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
ParameterBuilder<Params, Value> micro_batch(Description<Params>& is, Value Params::*member) {
  return is.param("micro_batch", member)
      .help("samples that a rank computes at once");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> accumulation(Description<Params>& is, Value Params::*member) {
  return is.param("accumulation", member)
      .help("micro-batches of a rank whose gradients add up before they are averaged and used");
}

template <class Params, class Value>
ParameterBuilder<Params, Value> dtype(Description<Params>& is, Value Params::*member) {
  return is.param("dtype", member)
      .help("type of products");
}

template <class Params>
MetricBuilder step_time(Description<Params>& is) {
  return is.duration("step_time")
      .summary("time of one step, on the slowest rank")
      .headline();
}

template <class Params>
MetricBuilder samples(Description<Params>& is) {
  return is.rate("samples", unit::items_per_second)
      .counting("samples of all ranks")
      .headline();
}

template <class Params>
MetricBuilder tokens(Description<Params>& is) {
  return is.rate("tokens", unit::items_per_second)
      .counting("tokens of all ranks; a sample of an MLP is one");
}

template <class Params>
MetricBuilder throughput(Description<Params>& is) {
  return is.rate("throughput", unit::flop_per_second)
      .counting("model FLOPs: three times the products of a forward pass, attention of all pairs of tokens");
}

template <class Params>
MetricBuilder hardware_throughput(Description<Params>& is) {
  return is.rate("hardware_throughput", unit::flop_per_second)
      .counting("FLOPs of products that are made: forward pass, backward pass and, with recompute, layers once more");
}

template <class Params>
MetricBuilder forward_time(Description<Params>& is) {
  return is.part("forward_time")
      .summary("time of the forward passes of a step");
}

template <class Params>
MetricBuilder backward_time(Description<Params>& is) {
  return is.part("backward_time")
      .summary("time of the backward passes of a step");
}

template <class Params>
MetricBuilder optimizer_time(Description<Params>& is) {
  return is.part("optimizer_time")
      .summary("time of the update of a step");
}

template <class Params>
MetricBuilder exposed_communication(Description<Params>& is) {
  return is.part("exposed_communication")
      .summary("time in which a step waited for communication");
}

template <class Params>
MetricBuilder exposed_loading(Description<Params>& is) {
  return is.part("exposed_loading")
      .summary("time in which a step waited for its samples");
}

template <class Params>
MetricBuilder communication_time(Description<Params>& is) {
  return is.part("communication_time")
      .summary("time in which ranks moved gradients and parameters, hidden or not, waiting for others included");
}

template <class Params>
MetricBuilder gather_time(Description<Params>& is) {
  return is.part("gather_time")
      .summary("part of communication_time in which parameters were gathered");
}

template <class Params>
MetricBuilder reduce_time(Description<Params>& is) {
  return is.part("reduce_time")
      .summary("part of communication_time in which gradients were reduced to shares");
}

template <class Params>
MetricBuilder overlap(Description<Params>& is) {
  return is.value("overlap", unit::one)
      .summary("share of communication_time that is not exposed")
      .higher_is_better();
}

template <class Params>
MetricBuilder compression_time(Description<Params>& is) {
  return is.part("compression_time")
      .summary("part of communication_time in which gradients were compressed");
}

template <class Params>
MetricBuilder peak_memory(Description<Params>& is) {
  return is.value("peak_memory", unit::bytes)
      .summary("most memory that a step had in use on a rank, less what there was before")
      .lower_is_better();
}

template <class Params>
MetricBuilder predicted_memory(Description<Params>& is) {
  return is.value("predicted_memory", unit::bytes)
      .summary("peak_memory by the formula");
}

template <class Params>
MetricBuilder buckets(Description<Params>& is) {
  return is.value("buckets", unit::one)
      .summary("buckets in which gradients are averaged; for zero3 and fsdp the units: layers and ends");
}

template <class Params>
MetricBuilder communicated(Description<Params>& is) {
  return is.value("communicated", unit::bytes)
      .summary("least data that each of n ranks sends in a step: (n-1)/n of what is gathered and of what is reduced");
}

template <class Params>
MetricBuilder compression_ratio(Description<Params>& is) {
  return is.value("compression_ratio", unit::one)
      .summary("bytes of gradients for each byte that is averaged in their place")
      .higher_is_better();
}

template <class Params>
MetricBuilder loss(Description<Params>& is) {
  return is.value("loss", unit::one)
      .summary("loss of the first step, over its samples on a rank");
}

}  // namespace assay::contracts::train_step_1
