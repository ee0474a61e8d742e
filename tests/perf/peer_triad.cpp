// SPDX-License-Identifier: Apache-2.0
//
// The peer of membw@host: a triad as STREAM does it, by OpenMP over the same arrays, built by the same
// compiler. peer_triad BYTES SECONDS prints the median duration of a pass, in seconds, of all but the first.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto bytes = static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10));
  const double seconds = std::strtod(argv[2], nullptr);
  const std::size_t n = bytes / sizeof(double);
  const auto allocate = [&] {
    return static_cast<double*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
  };
  double* const a = allocate();
  double* const b = allocate();
  double* const c = allocate();
  if (a == nullptr || b == nullptr || c == nullptr) return 1;
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) a[i] = 0, b[i] = 2, c[i] = 1;

  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const auto pass = [&] {
    const double begin = now();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    return now() - begin;
  };
  pass();
  std::vector<double> passes;
  for (double time = 0; time < seconds; time += passes.back()) passes.push_back(pass());
  if (a[n / 2] != 5) return 1;
  std::nth_element(passes.begin(), passes.begin() + passes.size() / 2, passes.end());
  std::printf("%.9g\n", passes[passes.size() / 2]);
  std::free(a);
  std::free(b);
  std::free(c);
}
