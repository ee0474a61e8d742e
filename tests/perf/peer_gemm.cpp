// SPDX-License-Identifier: Apache-2.0
//
// The peer of gemm@host: the bare loop around OpenBLAS. peer_gemm SIZE fp32|fp64 SECONDS prints the median
// duration of a product, in seconds, of all but those of the first tenth of the time.
#include <cblas.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

template <typename Real, typename Multiply>
double median_s(int size, double seconds, Multiply multiply) {
  const auto count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  std::vector<Real> a(count), b(count), c(count);
  std::mt19937 random(1);
  std::normal_distribution<Real> normal;
  for (Real& value : a) value = normal(random);
  for (Real& value : b) value = normal(random);
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const auto run = [&](double limit) {
    std::vector<double> products;
    for (double time = 0; time < limit; time += products.back()) {
      const double begin = now();
      multiply(a.data(), b.data(), c.data());
      products.push_back(now() - begin);
    }
    std::nth_element(products.begin(), products.begin() + products.size() / 2, products.end());
    return products[products.size() / 2];
  };
  run(seconds / 10);
  return run(seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int n = std::atoi(argv[1]);
  const double seconds = std::strtod(argv[3], nullptr);
  const double result =
      std::strcmp(argv[2], "fp32") == 0
          ? median_s<float>(n, seconds,
                            [n](const float* a, const float* b, float* c) {
                              cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n,
                                          0, c, n);
                            })
          : median_s<double>(n, seconds, [n](const double* a, const double* b, double* c) {
              cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
            });
  std::printf("%.9g\n", result);
}
