// SPDX-License-Identifier: Apache-2.0
//
// Registrations as a library might have them: run by Google Benchmark itself and, unchanged, by Assay.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

void copy(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<char> from(bytes), to(bytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), bytes);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(copy)->ArgName("bytes")->Arg(4096)->Arg(65536)->UseRealTime();

void sum(benchmark::State& state) {
  const std::vector<double> values(10000, 1.5);
  for (auto _ : state) benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), 0.0));
}
BENCHMARK(sum)->UseRealTime();

void by_hand(benchmark::State& state) {
  std::vector<double> values(10000, 1.5);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(std::accumulate(values.begin(), values.end(), 0.0));
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}
BENCHMARK(by_hand)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
