// SPDX-License-Identifier: Apache-2.0
//
// The loss of a model in double precision, written a second time and on its own: it shares the description of
// the model with what is measured, and no memory, order or code. Gradients are compared with its differences.
#pragma once

#include "lib/model/host_network.hpp"
#include "lib/model/inputs.hpp"
#include "lib/model/model.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace assay::plugins::model {

// Writes elements [first, first + count) of the array of all parameters.
using ParametersOf = std::function<void(std::size_t first, std::size_t count, double* out)>;
// Asked now and then; may throw to end it.
using Interruption = std::function<void()>;

// The mean loss of a batch of this many samples. Values are held in double precision, as long as they are
// needed; parameters a slab at a time.
double reference_loss(const Model& model, std::size_t samples, const HostBatch& batch,
                      const ParametersOf& parameters, const Interruption& interruption = nullptr);

// Of `samples` of the job's samples from `first` on, with their labels in step `step`.
double reference_loss(const Model& model, const StepInputs& inputs, std::uint64_t step, std::size_t first,
                      std::size_t samples, const ParametersOf& parameters,
                      const Interruption& interruption = nullptr);

}  // namespace assay::plugins::model
