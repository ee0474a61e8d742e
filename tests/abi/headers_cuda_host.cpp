// SPDX-License-Identifier: Apache-2.0
//
// The parts without kernels go into sources that nvcc does not compile.
#include <assay/cuda/cache.hpp>
#include <assay/cuda/device.hpp>
#include <assay/cuda/error.hpp>
#include <assay/cuda/graph.hpp>
#include <assay/cuda/memory.hpp>
#include <assay/cuda/stream.hpp>

namespace cuda = assay::cuda;

template class cuda::DeviceBuffer<float>;
template class cuda::PinnedBuffer<float>;
template class cuda::RegisteredBuffer<float>;
