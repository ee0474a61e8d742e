// SPDX-License-Identifier: Apache-2.0
//
// The headers for GPUs, each before the ones that it includes where that is possible, and twice.
#include <assay/cuda/stream.hpp>
//
#include <assay/cuda/graph.hpp>
//
#include <assay/cuda/memory.hpp>
//
#include <assay/cuda/cache.hpp>
//
#include <assay/cuda/fill.hpp>
//
#include <assay/cuda/compare.hpp>
//
#include <assay/cuda/clock.hpp>
//
#include <assay/cuda/gate.hpp>
//
#include <assay/cuda/region.hpp>
//
#include <assay/cuda/benchmark.hpp>
//
#include <assay/cuda.hpp>
#include <assay/nvtx.hpp>
//
#include <assay/cuda.hpp>
#include <assay/nvtx.hpp>
