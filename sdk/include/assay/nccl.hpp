// SPDX-License-Identifier: Apache-2.0
//
// Collective operations between GPUs through NCCL, for sources that see its header (2.19 or later). Nothing
// is linked: the library is opened when the first case needs it, so that a plugin can be listed and described
// where there is none.
//
//   const assay::nccl::FileSettings settings(context());  // for as long as NCCL is called in the visit
//   assay::nccl::Communicator& all = assay::nccl::communicator(context(), group, devices);
//   const auto& nccl = assay::nccl::Library::get();
//   ASSAY_NCCL_CHECK(nccl.ncclAllReduce(send, receive, count, ncclFloat, ncclSum, all.handle(), stream));
//   end.record(stream);
//   all.wait(context(), end);
#pragma once

#include <assay/nccl/communicator.hpp>
#include <assay/nccl/file_settings.hpp>
#include <assay/nccl/library.hpp>
#include <assay/nccl/memory.hpp>
