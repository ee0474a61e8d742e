// SPDX-License-Identifier: Apache-2.0
//
// The peer of the measuring loop: Google Benchmark's manual-time loop around the same empty region. The
// counter beyond_s is the host time per iteration outside the timed region.
#include <benchmark/benchmark.h>

#include <chrono>

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void empty_region(benchmark::State& state) {
  double inside = 0;
  const double begin = now();
  for (auto _ : state) {
    const double first = now();
    benchmark::ClobberMemory();
    const double last = now();
    inside += last - first;
    state.SetIterationTime(last - first);
  }
  state.counters["beyond_s"] = (now() - begin - inside) / static_cast<double>(state.iterations());
}
BENCHMARK(empty_region)->UseManualTime()->Iterations(100000);

}  // namespace

BENCHMARK_MAIN();
