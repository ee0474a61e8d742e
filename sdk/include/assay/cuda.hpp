// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks on NVIDIA GPUs. Header-only, over the CUDA runtime; for sources that nvcc compiles. In other
// sources the parts without kernels can be included by themselves: error, device, stream, memory, graph.
//
//   class Saxpy final : public assay::cuda::Benchmark {
//    public:
//     …
//     void prepare() override {
//       x_ = assay::cuda::DeviceBuffer<float>(device(), n); …
//       idempotent();
//       work("bandwidth", 12.0 * n);
//     }
//     void restore() override { assay::cuda::fill(stream(), x_, data, seed, 1); … }
//     void enqueue(cudaStream_t stream, std::uint64_t) override { saxpy<<<…, stream>>>(…); }
//     void verify() override { expect_on_device(z_, Expected{…}); }
//   };
//
// Everything else (start gate, events, laps, graphs, cache flush, waiting without losing a cancel) is done
// here, the same for every benchmark. docs/how-to/write-a-cuda-plugin.md shows a whole one.
#pragma once

#include <assay/cuda/benchmark.hpp>
#include <assay/cuda/cache.hpp>
#include <assay/cuda/clock.hpp>
#include <assay/cuda/compare.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/fill.hpp>
#include <assay/cuda/gate.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/kept_stream.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/region.hpp>
#include <assay/cuda/stream.hpp>
