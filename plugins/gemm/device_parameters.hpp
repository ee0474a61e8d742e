// SPDX-License-Identifier: Apache-2.0
//
// What products on a GPU can be told, and what they say of themselves.
#pragma once

#include "lib/product_arithmetic.hpp"
#include "lib/product_description.hpp"

#include <assay/contracts/gemm_1.hpp>
#include <assay/cuda/benchmark.hpp>
#include <assay/description.hpp>
#include <assay/units.hpp>

#include <cstdint>

namespace assay::plugins::gemm {

enum class Choice { heuristic, autotune };

struct DeviceParameters {
  std::uint32_t m = 8192, n = 8192, k = 8192;
  Dtype dtype = Dtype::bf16;
  Layout layout = Layout::standard;
  std::uint32_t batch = 1;
  Epilogue epilogue = Epilogue::none;
  bool fast_accumulation = false;
  Choice algorithm = Choice::heuristic;
  std::uint32_t candidates = 16;
  std::uint64_t workspace = 0;
};

inline void describe(Description<DeviceParameters>& is) {
  namespace contract = assay::contracts::gemm_1;
  contract::implement(is).revision(1);
  is.summary("matrix product C = A·B on one GPU (cuBLASLt)");
  is.doc(
      "A is m × k, B is k × n, C is m × n, all stored row by row. Products run back to back in samples of 5 "
      "ms or more, so that what starting one costs does not count. Under a power limit the first 25 to 100 "
      "ms are faster than what follows: `thermal: burst` measures those, `thermal: sustained` the rest, and "
      "inputs change power and with it speed.");
  describe_sizes(is);
  contract::dtype(is, &DeviceParameters::dtype)
      .choices({{"fp64", Dtype::fp64},
                {"fp32", Dtype::fp32},
                {"tf32", Dtype::tf32},
                {"fp16", Dtype::fp16},
                {"bf16", Dtype::bf16},
                {"fp8_e4m3", Dtype::fp8_e4m3},
                {"fp8_e5m2", Dtype::fp8_e5m2},
                {"int8", Dtype::int8}});
  contract::layout(is, &DeviceParameters::layout)
      .choices({{"auto", Layout::standard},
                {"nn", Layout::nn},
                {"nt", Layout::nt},
                {"tn", Layout::tn},
                {"tt", Layout::tt}})
      .help("order of storage of A and B, transposed or not; auto: nt for fp8 and int8, nn for others");
  contract::batch(is, &DeviceParameters::batch).range(1, 65536);
  is.param("epilogue", &DeviceParameters::epilogue)
      .choices({{"none", Epilogue::none},
                {"bias", Epilogue::bias},
                {"gelu", Epilogue::gelu},
                {"bias_gelu", Epilogue::bias_gelu}})
      .help(
          "operation on C in the same kernel: a bias for each "
          "column, GELU (tanh); not counted as operations");
  is.param("fast_accumulation", &DeviceParameters::fast_accumulation)
      .help("use of faster sums with fewer bits, fp8 only; outside of the contract");
  is.param("algorithm", &DeviceParameters::algorithm)
      .choices({{"heuristic", Choice::heuristic}, {"autotune", Choice::autotune}})
      .help(
          "choice of algorithm: the library's first, or the fastest of "
          "its candidates under the load that is reported");
  is.param("candidates", &DeviceParameters::candidates)
      .range(2, 64)
      .help("most candidates that autotune tries");
  is.param("workspace", &DeviceParameters::workspace)
      .unit(unit::bytes)
      .range(0, std::uint64_t{1} << 32)
      .help("memory that algorithms may use besides the matrices; 0: 32 MiB from Hopper on, 4 MiB before");
  contract::throughput(is).mechanism("SM kernel, cuBLASLt").peak("matrix_throughput");
  is.rate("bandwidth", unit::bytes_per_second)
      .counting("A and B read once, C written once")
      .mechanism("SM kernel, cuBLASLt")
      .summary("rate of the least data that has to move, which bounds skinny products");
  is.value("sm_clock", unit::hertz)
      .summary(
          "mean clock of the multiprocessors at the load's end (1 s; 20 ms of a burst), by their own "
          "counters");
  is.value("clock_peak", unit::flop_per_second).summary("dense rate of the units at that clock");
  is.value("sustained_drop", unit::one)
      .summary(
          "relative loss of rate under a sustained load: 1 - rate "
          "of the last second / rate of the first 20 ms");
  is.value("autotune_gain", unit::one)
      .summary("gain of the chosen algorithm over the library's first choice in the trials");
  is.fact("library", "version of cuBLASLt that was loaded");
  is.fact("algorithm",
          "algorithm that ran, in the library's own numbers, and its place among the candidates");
  is.fact("layout", "order of storage of A and B");
  is.fact("workspace", "bytes that algorithms were offered");
  is.supports({Data::normal, Data::uniform, Data::integer, Data::zeros, Data::ones});
  cuda::support_conditions(is);
}

}  // namespace assay::plugins::gemm
