// SPDX-License-Identifier: Apache-2.0
//
// NCCL's part has no kernels, so it goes into sources that nvcc does not compile.
#include <assay/nccl.hpp>
#include <assay/nccl/communicator.hpp>
#include <assay/nccl/library.hpp>
#include <assay/nccl/memory.hpp>

assay::nccl::Communicator& (*communicator)(const assay::Case&, const assay::Group&,
                                           const std::vector<assay::cuda::Device>&) =
    assay::nccl::communicator;
