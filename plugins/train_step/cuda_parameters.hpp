// SPDX-License-Identifier: Apache-2.0
//
// What train_step@cuda says of itself to the host, and refuses.
#pragma once

#include "lib/model/cuda_arithmetic.hpp"
#include "train_step/parameters.hpp"

#include <assay/description.hpp>
#include <assay/errors.hpp>
#include <assay/units.hpp>

#include <string>

namespace assay::plugins::train_step {

inline void describe_on_device(Description<Parameters>& is) {
  contract::implement(is).revision(1);
  is.summary("training steps of a model on one GPU, or on several that average gradients or share the model");
  is.doc(
      "Forward pass, backward pass and update in fp32, tf32 or bf16; products by cuBLASLt, whose algorithms are chosen "
      "before the first step. Every parameter, gradient, number of the optimiser and activation has its own memory; "
      "attention's probabilities exist piece by piece and are computed again in the backward pass. Labels are drawn "
      "anew in each step and say nothing of the samples, so that nothing is learnt: the work is that of training. "
      "Each rank is a process with a GPU of its own; NCCL sums gradients, gathers parameters and reduces gradients to "
      "shares.");
  contract::strategy(is, &Parameters::strategy)
      .choices({{"single", Strategy::single},
                {"ddp", Strategy::ddp},
                {"zero1", Strategy::zero1},
                {"zero2", Strategy::zero2},
                {"zero3", Strategy::zero3},
                {"fsdp", Strategy::fsdp}});
  contract::optimizer(is, &Parameters::optimizer)
      .choices({{"sgd", Optimizer::sgd}, {"adamw", Optimizer::adamw}});
  contract::without(is, &Parameters::without)
      .choices({{"none", Without::none},
                {"communication", Without::communication},
                {"compute", Without::compute},
                {"optimizer", Without::optimizer},
                {"loader", Without::loader}});
  contract::loader_workers(is, &Parameters::loader_workers).range(0, 256);
  contract::decode_steps(is, &Parameters::decode_steps).range(0, 4096);
  contract::recompute(is, &Parameters::recompute);
  contract::overlapped(is, &Parameters::overlap).help("communication beside the passes");
  contract::compression(is, &Parameters::compression)
      .choices({{"none", CompressionKind::none},
                {"fp16", CompressionKind::fp16},
                {"powersgd", CompressionKind::powersgd}});
  contract::compression_rank(is, &Parameters::compression_rank).range(0, 4096);
  describe_gathers(is);
  contract::bucket(is, &Parameters::bucket).range(1, std::uint64_t{1} << 40);
  contract::first_bucket(is, &Parameters::first_bucket).range(1, std::uint64_t{1} << 40);
  model::describe_model(is);
  describe_batches(is);
  contract::dtype(is, &Parameters::dtype)
      .values({"fp32", "tf32", "bf16"})
      .help(
          "type of products and of what they take; bf16 adds up and passes "
          "residual connections in fp32 if parameters are fp32");
  is.param("parameter_dtype", &Parameters::parameter_dtype)
      .values({"fp32", "bf16"})
      .help(
          "type of parameters, gradients and the optimiser's numbers; "
          "bf16 goes with dtype: bf16, all of it is bf16 then");
  is.param("attention", &Parameters::attention)
      .values({"auto", "fused", "unfused"})
      .help(
          "form of attention; fused: by cuDNN, where it is found, "
          "for dtype: bf16; auto: fused where it can be");
  is.param("host_cost", &Parameters::host_cost)
      .unit(unit::seconds)
      .range(0, 1e-2)
      .help(
          "time for which the host is busy before each operation of the model "
          "and each update that it queues, as a framework would be; of a graph "
          "while it is captured, never when it is replayed");
  describe_metrics(is, "SM kernel, cuBLASLt", "matrix_throughput");
  describe_moves(is);
  describe_compression(is);
  contract::exposed_loading(is);
  is.fact("parameters", "number of parameters of the model");
  is.fact("memory_formula", "terms that predicted_memory adds up");
  is.fact("operations", "operations that a step queues on the device, or nodes of its graph");
  is.fact("attention", "form of attention, fused or unfused, and number of scores that exist at once");
  is.fact("library", "version of cuBLASLt that was loaded");
  is.fact("communication", "version of NCCL that was loaded");
  is.supports({Launch::stream, Launch::gated, Launch::graph});
  is.supports({Cache::hot});
  is.ranks(1, 64).devices(1, 1);
}

// Throws BadParameter for what goes together elsewhere, and means nothing here.
inline void require_on_device(const Parameters& given) {
  if (given.compression != CompressionKind::none && given.parameter_dtype == "bf16") {
    throw BadParameter(
        "compression",
        "gradients have the type of parameters, and those of bf16 are as small as halves and lose "
        "what could be carried on; compression goes with parameter_dtype: fp32");
  }
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

}  // namespace assay::plugins::train_step
