// SPDX-License-Identifier: Apache-2.0
//
// What a step does besides products, in fp32, on a part of the rows (or of the columns) of its arrays. Arrays
// lie row by row, without gaps; `from` and `to` are the first and one past the last row or column.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::plugins::model::host {

struct Part {
  std::size_t from = 0, to = 0;
};

// y[row] += bias
void add_bias(Part rows, std::size_t width, const float* bias, float* y);
// bias[column] = (keep ? bias[column] : 0) + Σ over all rows of dy
void bias_gradient(Part columns, std::size_t rows, std::size_t width, const float* dy, bool keep,
                   float* bias);

// Statistics: mean and 1/√(variance + 1e-5) of each row.
void layer_norm(Part rows, std::size_t width, const float* x, const float* gain, const float* shift, float* y,
                float* statistics);
// dx (+)= the gradient; dx and dy do not overlap.
void layer_norm_backward(Part rows, std::size_t width, const float* x, const float* gain,
                         const float* statistics, const float* dy, bool keep, float* dx);
void layer_norm_parameters(Part columns, std::size_t rows, std::size_t width, const float* x,
                           const float* statistics, const float* dy, bool keep, float* gain, float* shift);

// Statistics: 1/√(mean of squares + 1e-5) of each row.
void rms_norm(Part rows, std::size_t width, const float* x, const float* gain, float* y, float* statistics);
void rms_norm_backward(Part rows, std::size_t width, const float* x, const float* gain,
                       const float* statistics, const float* dy, bool keep, float* dx);
void rms_norm_parameters(Part columns, std::size_t rows, std::size_t width, const float* x,
                         const float* statistics, const float* dy, bool keep, float* gain);

// x·Φ(x), Φ by 7.1.26 in M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 1964: off by
// 1.5e-7 at most. Backward in place: dy becomes dx.
void gelu(Part elements, const float* x, float* y);
void gelu_backward(Part elements, const float* x, float* dy);

// Rows of x: gate, then factor, `width` of each. y = gate·sigmoid(gate)·factor.
void swiglu(Part rows, std::size_t width, const float* x, float* y);
void swiglu_backward(Part rows, std::size_t width, const float* x, const float* dy, bool keep, float* dx);

// dx = dy·(1 - y²), in place.
void tanh_forward(Part elements, float* y);
void tanh_backward(Part elements, const float* y, float* dy);

void add(Part elements, const float* x, float* sum);

// Rows of scores become probabilities. `causal`: row r of a matrix of `width` rows has r % width + 1 of them,
// the rest are 0.
void softmax(Part rows, std::size_t width, bool causal, float* scores);
// In place: gradients of probabilities become gradients of scores.
void softmax_backward(Part rows, std::size_t width, const float* probabilities, float* gradients);

// losses[row] = -log(softmax(row)[label]), and gradients become `scale` times the gradient of that. They may lie
// where the scores do.
void cross_entropy(Part rows, std::size_t width, const std::int32_t* labels, float scale, const float* scores,
                   float* gradients, double* losses);

// Turns pairs (i, i + d/2) of the first `heads` vectors of d numbers in each row by the angle of the row's
// place in the sequence; `turns` has cosine and sine for each place and pair. `back`: the other way.
void rotate(Part rows, std::size_t stride, std::size_t heads, std::size_t d, std::size_t sequence,
            const float* turns, bool back, float* x);

}  // namespace assay::plugins::model::host
