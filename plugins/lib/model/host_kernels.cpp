// SPDX-License-Identifier: Apache-2.0
#include "lib/model/host_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace assay::plugins::model::host {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr std::size_t kLanes = 16;

// Σ term(i), in lanes, so that it becomes vector instructions in one order whatever they are.
template <class Term>
[[gnu::always_inline]] inline float sum_of(std::size_t count, const Term& term) {
  float lanes[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(i + lane);
  }
  for (; i < count; ++i) lanes[i % kLanes] += term(i);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

// e^x to 2^-22 of it for x in [-87, 0], without a branch or a call; below it is e^-87, next to nothing.
// 2^f on [-1/2, 1/2] by the polynomial of degree 5 whose largest relative error is the smallest.
[[gnu::always_inline]] inline float exp_of(float x) {
  constexpr float kLog2e = 1.44269504F, kIntegers = 0x1.8p23F;
  constexpr float kLn2 = 0.693359375F, kLn2Rest = -2.12194440e-4F;  // the first exact times a whole number
  const float clamped = x < -87.0F ? -87.0F : x;
  const float shifted = clamped * kLog2e + kIntegers;
  const float whole = shifted - kIntegers;
  const float f = ((clamped - whole * kLn2) - whole * kLn2Rest) * kLog2e;
  const float power =
      1.0000000717F +
      f * (0.6931469671F +
           f * (0.2402211972F + f * (0.0555071327F + f * (0.00967554135F + f * 0.00132764725F))));
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) + exponent);
}

struct Normal {
  float below;    // Φ(x)
  float density;  // φ(x)
};

[[gnu::always_inline]] inline Normal normal_of(float x) {
  constexpr float kInverseRoot2 = 0.707106781F, kInverseRoot2Pi = 0.398942280F;
  const float z = std::fabs(x) * kInverseRoot2;
  const float power = exp_of(-0.5F * x * x);
  const float t = 1.0F / (1.0F + 0.3275911F * z);
  const float series =
      t * (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
  const float tail = 0.5F * series * power;
  return {x < 0 ? tail : 1.0F - tail, kInverseRoot2Pi * power};
}

[[gnu::always_inline]] inline float sigmoid_of(float x) {
  const float power = exp_of(-std::fabs(x));
  const float small = power / (1.0F + power);
  return x < 0 ? small : 1.0F - small;
}

}  // namespace

void add_bias(Part rows, std::size_t width, const float* __restrict__ bias, float* __restrict__ y) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    for (std::size_t i = 0; i < width; ++i) y[row * width + i] += bias[i];
  }
}

void bias_gradient(Part columns, std::size_t rows, std::size_t width, const float* __restrict__ dy, bool keep,
                   float* __restrict__ bias) {
  if (!keep) std::fill(bias + columns.from, bias + columns.to, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = columns.from; i < columns.to; ++i) bias[i] += dy[row * width + i];
  }
}

void layer_norm(Part rows, std::size_t width, const float* __restrict__ x, const float* __restrict__ gain,
                const float* __restrict__ shift, float* __restrict__ y, float* __restrict__ statistics) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float* of = x + row * width;
    const float mean = share * sum_of(width, [&](std::size_t i) { return of[i]; });
    const float variance =
        share * sum_of(width, [&](std::size_t i) { return (of[i] - mean) * (of[i] - mean); });
    const float inverse = 1.0F / std::sqrt(variance + kEpsilon);
    statistics[2 * row] = mean;
    statistics[2 * row + 1] = inverse;
    for (std::size_t i = 0; i < width; ++i)
      y[row * width + i] = (of[i] - mean) * inverse * gain[i] + shift[i];
  }
}

void layer_norm_backward(Part rows, std::size_t width, const float* __restrict__ x,
                         const float* __restrict__ gain, const float* __restrict__ statistics,
                         const float* __restrict__ dy, bool keep, float* __restrict__ dx) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float mean = statistics[2 * row], inverse = statistics[2 * row + 1];
    const float *of = x + row * width, *by = dy + row * width;
    float* to = dx + row * width;
    const float sum = share * sum_of(width, [&](std::size_t i) { return by[i] * gain[i]; });
    const float along =
        share * sum_of(width, [&](std::size_t i) { return by[i] * gain[i] * (of[i] - mean) * inverse; });
    for (std::size_t i = 0; i < width; ++i) {
      const float gradient = inverse * (by[i] * gain[i] - sum - (of[i] - mean) * inverse * along);
      to[i] = keep ? to[i] + gradient : gradient;
    }
  }
}

void layer_norm_parameters(Part columns, std::size_t rows, std::size_t width, const float* __restrict__ x,
                           const float* __restrict__ statistics, const float* __restrict__ dy, bool keep,
                           float* __restrict__ gain, float* __restrict__ shift) {
  if (!keep) {
    std::fill(gain + columns.from, gain + columns.to, 0.0F);
    std::fill(shift + columns.from, shift + columns.to, 0.0F);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const float mean = statistics[2 * row], inverse = statistics[2 * row + 1];
    const float *of = x + row * width, *by = dy + row * width;
    for (std::size_t i = columns.from; i < columns.to; ++i) {
      gain[i] += by[i] * (of[i] - mean) * inverse;
      shift[i] += by[i];
    }
  }
}

void rms_norm(Part rows, std::size_t width, const float* __restrict__ x, const float* __restrict__ gain,
              float* __restrict__ y, float* __restrict__ statistics) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float* of = x + row * width;
    const float inverse =
        1.0F / std::sqrt(share * sum_of(width, [&](std::size_t i) { return of[i] * of[i]; }) + kEpsilon);
    statistics[row] = inverse;
    for (std::size_t i = 0; i < width; ++i) y[row * width + i] = of[i] * inverse * gain[i];
  }
}

void rms_norm_backward(Part rows, std::size_t width, const float* __restrict__ x,
                       const float* __restrict__ gain, const float* __restrict__ statistics,
                       const float* __restrict__ dy, bool keep, float* __restrict__ dx) {
  const float share = 1.0F / static_cast<float>(width);
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float inverse = statistics[row];
    const float *of = x + row * width, *by = dy + row * width;
    float* to = dx + row * width;
    const float along =
        share * sum_of(width, [&](std::size_t i) { return by[i] * gain[i] * of[i] * inverse; });
    for (std::size_t i = 0; i < width; ++i) {
      const float gradient = inverse * (by[i] * gain[i] - of[i] * inverse * along);
      to[i] = keep ? to[i] + gradient : gradient;
    }
  }
}

void rms_norm_parameters(Part columns, std::size_t rows, std::size_t width, const float* __restrict__ x,
                         const float* __restrict__ statistics, const float* __restrict__ dy, bool keep,
                         float* __restrict__ gain) {
  if (!keep) std::fill(gain + columns.from, gain + columns.to, 0.0F);
  for (std::size_t row = 0; row < rows; ++row) {
    const float *of = x + row * width, *by = dy + row * width;
    const float inverse = statistics[row];
    for (std::size_t i = columns.from; i < columns.to; ++i) gain[i] += by[i] * of[i] * inverse;
  }
}

void gelu(Part elements, const float* __restrict__ x, float* __restrict__ y) {
  for (std::size_t i = elements.from; i < elements.to; ++i) y[i] = x[i] * normal_of(x[i]).below;
}

void gelu_backward(Part elements, const float* __restrict__ x, float* __restrict__ dy) {
  for (std::size_t i = elements.from; i < elements.to; ++i) {
    const Normal normal = normal_of(x[i]);
    dy[i] *= normal.below + x[i] * normal.density;
  }
}

void swiglu(Part rows, std::size_t width, const float* __restrict__ x, float* __restrict__ y) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float *gate = x + row * 2 * width, *factor = gate + width;
    for (std::size_t i = 0; i < width; ++i) y[row * width + i] = gate[i] * sigmoid_of(gate[i]) * factor[i];
  }
}

void swiglu_backward(Part rows, std::size_t width, const float* __restrict__ x, const float* __restrict__ dy,
                     bool keep, float* __restrict__ dx) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float *gate = x + row * 2 * width, *factor = gate + width, *by = dy + row * width;
    float *to_gate = dx + row * 2 * width, *to_factor = to_gate + width;
    for (std::size_t i = 0; i < width; ++i) {
      const float sigmoid = sigmoid_of(gate[i]);
      const float of_gate = by[i] * factor[i] * sigmoid * (1.0F + gate[i] * (1.0F - sigmoid));
      const float of_factor = by[i] * gate[i] * sigmoid;
      to_gate[i] = keep ? to_gate[i] + of_gate : of_gate;
      to_factor[i] = keep ? to_factor[i] + of_factor : of_factor;
    }
  }
}

void tanh_forward(Part elements, float* y) {
  for (std::size_t i = elements.from; i < elements.to; ++i) y[i] = std::tanh(y[i]);
}

void tanh_backward(Part elements, const float* __restrict__ y, float* __restrict__ dy) {
  for (std::size_t i = elements.from; i < elements.to; ++i) dy[i] *= 1.0F - y[i] * y[i];
}

void add(Part elements, const float* __restrict__ x, float* __restrict__ sum) {
  for (std::size_t i = elements.from; i < elements.to; ++i) sum[i] += x[i];
}

void softmax(Part rows, std::size_t width, bool causal, float* scores) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    float* of = scores + row * width;
    const std::size_t seen = causal ? row % width + 1 : width;
    const float largest = *std::max_element(of, of + seen);
    for (std::size_t i = 0; i < seen; ++i) of[i] = exp_of(of[i] - largest);
    const float inverse = 1.0F / sum_of(seen, [&](std::size_t i) { return of[i]; });
    for (std::size_t i = 0; i < seen; ++i) of[i] *= inverse;
    std::fill(of + seen, of + width, 0.0F);
  }
}

void softmax_backward(Part rows, std::size_t width, const float* __restrict__ probabilities,
                      float* __restrict__ gradients) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float* of = probabilities + row * width;
    float* to = gradients + row * width;
    const float along = sum_of(width, [&](std::size_t i) { return to[i] * of[i]; });
    for (std::size_t i = 0; i < width; ++i) to[i] = of[i] * (to[i] - along);
  }
}

void cross_entropy(Part rows, std::size_t width, const std::int32_t* labels, float scale, const float* scores,
                   float* gradients, double* losses) {
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float* of = scores + row * width;
    float* to = gradients + row * width;
    const auto label = static_cast<std::size_t>(labels[row]);
    const float largest = *std::max_element(of, of + width), of_label = of[label];
    for (std::size_t i = 0; i < width; ++i) to[i] = exp_of(of[i] - largest);
    const float sum = sum_of(width, [&](std::size_t i) { return to[i]; });
    losses[row] =
        std::log(static_cast<double>(sum)) + static_cast<double>(largest) - static_cast<double>(of_label);
    const float factor = scale / sum;
    for (std::size_t i = 0; i < width; ++i) to[i] *= factor;
    to[label] -= scale;
  }
}

void rotate(Part rows, std::size_t stride, std::size_t heads, std::size_t d, std::size_t sequence,
            const float* turns, bool back, float* x) {
  const std::size_t pairs = d / 2;
  for (std::size_t row = rows.from; row < rows.to; ++row) {
    const float* turn = turns + row % sequence * d;
    for (std::size_t head = 0; head < heads; ++head) {
      float *first = x + row * stride + head * d, *second = first + pairs;
      for (std::size_t i = 0; i < pairs; ++i) {
        const float cosine = turn[i], sine = back ? -turn[pairs + i] : turn[pairs + i];
        const float a = first[i], b = second[i];
        first[i] = a * cosine - b * sine;
        second[i] = a * sine + b * cosine;
      }
    }
  }
}

}  // namespace assay::plugins::model::host
