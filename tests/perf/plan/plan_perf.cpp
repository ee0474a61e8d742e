// SPDX-License-Identifier: Apache-2.0
//
// What planning costs: time per plan, and the process' largest resident size after it as the counter
// `peak_MiB`.
#include "plan/plan.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <stdexcept>
#include <string>

namespace {

using namespace assay;

constexpr const char* kManifest = R"({
  "manifest_version": 1, "id": "org.assay.perf", "version": "1.0.0", "backend": "cuda", "library": "p.so", "abi": {"major": 1},
  "benchmarks": [{
    "name": "gemm",
    "parameters": [
      {"name": "m", "type": "integer", "default": 1}, {"name": "n", "type": "integer", "default": 1},
      {"name": "k", "type": "integer", "default": 1}, {"name": "bytes", "type": "integer", "unit": "B", "default": 1},
      {"name": "dtype", "type": "text", "default": "bf16"}, {"name": "transposed", "type": "boolean", "default": false},
      {"name": "alpha", "type": "number", "default": 1.0}, {"name": "beta", "type": "number", "default": 0.0}],
    "metrics": [{"name": "throughput", "unit": "FLOP/s", "direction": "higher", "kind": "rate", "headline": true,
                 "peak": "throughput"}],
    "conditions": {"cache": ["hot", "cold"]}}]})";

// 5 · 5 · 5 · 10 points on 8 devices: 10,000 cases less 16, with references, conditional expectations and
// rounds.
constexpr const char* kSuite = R"(version: 1
suite: perf
defaults: {processes: 3}
cases:
  - id: gemm
    uses: gemm
    devices: each
    with: {alpha: 2}
    matrix:
      m: [1, 2, 3, 4, 5]
      n: [1, 2, 3, 4, 5]
      dtype: [fp32, tf32, bf16, fp16, fp8]
      bytes: {from: 1KiB, to: 512KiB, factor: 2}
      exclude: [{m: 1, n: 2, dtype: [fp32, bf16], bytes: 1KiB}]
    reference: {dtype: bf16}
    expect:
      - throughput >= 60% of peak
      - {that: throughput >= 50% of peak, where: {dtype: [fp32, tf32], m: [1, 2]}}
      - spread(throughput over device) <= 5%
)";

system::Inventory eight_devices() {
  system::Inventory inventory;
  inventory.backends.resize(1);
  inventory.backends[0].name = "cuda";
  for (int i = 0; i < 8; ++i) {
    system::Device device;
    device.name = "cuda:" + std::to_string(i);
    device.numa_node = i / 4;
    inventory.backends[0].devices.push_back(device);
  }
  system::Topology topology;
  for (int cpu = 0; cpu < 128; ++cpu) topology.cpus.push_back(cpu);
  inventory.topology = topology;
  return inventory;
}

suite::Suite parsed_suite() {
  Diagnostics diagnostics;
  suite::Suite suite = suite::parse_suite(
      "perf.yaml", kSuite, [](const std::string&) { return std::string(); }, diagnostics);
  for (const Diagnostic& problem : diagnostics.sorted()) throw std::runtime_error(to_text(problem));
  return suite;
}

void plan_ten_thousand_cases(benchmark::State& state) {
  Diagnostics diagnostics;
  catalog::Catalog catalog;
  catalog.add(*catalog::parse_manifest("p", kManifest, diagnostics));
  const suite::Suite suite = parsed_suite();
  const system::Inventory inventory = eight_devices();
  std::size_t cases = 0;
  for (auto iteration : state) {
    const plan::Plan plan = plan::make_plan(suite, catalog, &inventory, {}, diagnostics);
    cases = plan.cases.size();
    benchmark::DoNotOptimize(plan.hash.data());
  }
  for (const Diagnostic& problem : diagnostics.sorted()) state.SkipWithError(problem.text.c_str());
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  state.counters["cases"] = static_cast<double>(cases);
  state.counters["peak_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}
BENCHMARK(plan_ten_thousand_cases)->Unit(benchmark::kMillisecond)->Iterations(3);

void read_twenty_manifests(benchmark::State& state) {
  for (auto iteration : state) {
    Diagnostics diagnostics;
    for (int i = 0; i < 20; ++i)
      benchmark::DoNotOptimize(catalog::parse_manifest("p", kManifest, diagnostics));
  }
}
BENCHMARK(read_twenty_manifests)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
