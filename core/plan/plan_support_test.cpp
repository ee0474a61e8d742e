// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "plan/plan_test_support.hpp"

#include <gtest/gtest.h>

namespace assay::plan {
namespace {

constexpr const char* kCuda = R"({
  "manifest_version": 1, "id": "org.assay.cuda-work", "version": "1.0.0", "backend": "cuda", "library": "c.so",
  "abi": {"major": 1}, "provides_backend": "cuda",
  "telemetry": [{"name": "power", "unit": "W", "kind": "gauge"}, {"name": "temperature", "unit": "C", "kind": "gauge"},
                {"name": "ecc_uncorrected", "unit": "1", "kind": "counter", "above_zero": "fail"}],
  "benchmarks": [
    {"name": "gemm",
     "parameters": [
       {"name": "m", "type": "integer", "default": 4096, "minimum": 1, "maximum": 1000000},
       {"name": "n", "type": "integer", "default": 4096, "minimum": 1, "maximum": 1000000},
       {"name": "dtype", "type": "text", "default": "bf16", "values": ["fp32", "tf32", "bf16", "fp8_e4m3"]},
       {"name": "alpha", "type": "number", "default": 1.0},
       {"name": "pad", "type": "boolean", "default": false}],
     "metrics": [
       {"name": "throughput", "unit": "FLOP/s", "direction": "higher", "kind": "rate", "headline": true, "peak": "throughput"},
       {"name": "latency", "unit": "s", "direction": "lower", "kind": "duration"},
       {"name": "workspace", "unit": "B", "direction": "lower", "kind": "value"}],
     "facts": [{"name": "algorithm"}],
     "conditions": {"cache": ["hot", "cold"]}},
    {"name": "collective",
     "parameters": [
       {"name": "op", "type": "text", "values": ["all_reduce", "broadcast"]},
       {"name": "dtype", "type": "text", "default": "bf16"},
       {"name": "bytes", "type": "integer", "unit": "B", "default": 1048576, "minimum": 1}],
     "metrics": [{"name": "busbw", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true}],
     "ranks": {"minimum": 2, "maximum": 0}},
    {"name": "p2p",
     "metrics": [{"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true}],
     "devices": {"minimum": 2, "maximum": 2}},
    {"name": "hostcopy",
     "parameters": [
       {"name": "direction", "type": "text", "default": "h2d", "values": ["h2d", "d2h"]},
       {"name": "bytes", "type": "integer", "unit": "B", "default": 1048576},
       {"name": "pause", "type": "number", "unit": "s", "default": 0}],
     "metrics": [{"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true}]},
    {"name": "launch", "own_process": true,
     "parameters": [{"name": "mode", "type": "text", "default": "eager", "values": ["eager", "graph"]}],
     "metrics": [{"name": "interval", "unit": "s", "direction": "lower", "kind": "duration", "headline": true}]}]})";

constexpr const char* kHost = R"({
  "manifest_version": 1, "id": "org.assay.host-work", "version": "1.0.0", "backend": "host", "library": "h.so",
  "abi": {"major": 1}, "provides_backend": "host", "telemetry": [{"name": "energy", "unit": "J", "kind": "counter"}],
  "benchmarks": [
    {"name": "gemm", "parameters": [{"name": "m", "type": "integer", "default": 512},
                                    {"name": "dtype", "type": "text", "default": "fp32", "values": ["fp32", "fp64"]}],
     "metrics": [{"name": "throughput", "unit": "FLOP/s", "direction": "higher", "kind": "rate", "headline": true}]},
    {"name": "membw", "parameters": [{"name": "kernel", "type": "text", "default": "triad", "values": ["read", "triad"]}],
     "metrics": [{"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true}]},
    {"name": "team", "metrics": [{"name": "speed", "unit": "1", "direction": "higher", "kind": "value", "headline": true}],
     "ranks": {"minimum": 1, "maximum": 8}}]})";

constexpr const char* kExternal = R"({
  "manifest_version": 1, "id": "org.assay.external", "version": "1.0.0", "backend": "host", "library": "e.so",
  "abi": {"major": 1}, "benchmarks": [{"name": "external", "metrics": []}]})";

}  // namespace

catalog::Catalog example_catalog() {
  catalog::Catalog catalog;
  Diagnostics diagnostics;
  for (const char* text : {kCuda, kHost, kExternal}) {
    auto manifest = catalog::parse_manifest("/plugins/example.assay.json", text, diagnostics);
    for (const Diagnostic& problem : diagnostics.sorted()) ADD_FAILURE() << to_text(problem);
    if (manifest) catalog.add(std::move(*manifest));
  }
  return catalog;
}

system::Inventory example_inventory(int gpus) {
  system::Inventory inventory;
  inventory.backends.resize(2);
  inventory.backends[0].name = "host";
  inventory.backends[0].devices = {{"host:0", "", "Some CPU", -1, {{"memory_bytes", 64e9}}}};
  inventory.backends[1].name = "cuda";
  for (int i = 0; i < gpus; ++i) {
    const std::string number = std::to_string(i);
    inventory.backends[1].devices.push_back({"cuda:" + number,
                                             "GPU-" + number,
                                             "NVIDIA H200",
                                             i < (gpus + 1) / 2 ? 0 : 1,
                                             {{"memory_bytes", 150e9}}});
  }
  if (gpus == 0) inventory.backends[1].unavailable = "no NVIDIA driver is loaded";
  system::Topology topology;
  topology.cpus = {0, 1, 2, 3};
  topology.inherited_cpus = {0, 1};
  topology.nodes = {{0, {0, 1}, 1U << 30U, {{0, 10}, {1, 21}}}, {1, {2, 3}, 1U << 30U, {{0, 21}, {1, 10}}}};
  inventory.topology = topology;
  return inventory;
}

std::vector<std::string> Planned::ids() const {
  std::vector<std::string> list;
  for (const PlannedCase& planned : plan.cases) list.push_back(planned.id);
  return list;
}

Planned plan_suite(const std::string& body, const system::Inventory* inventory, const PlanOptions& options,
                   const std::map<std::string, std::string>& files) {
  // Plans point into the catalog.
  static const catalog::Catalog catalog = example_catalog();
  Planned planned;
  Diagnostics diagnostics;
  const auto read = [&](const std::string& path) -> std::string {
    const auto found = files.find(path);
    if (found == files.end()) throw Error("file.unreadable", path);
    return found->second;
  };
  planned.suite = suite::parse_suite("t.yaml", "version: 1\nsuite: t\n" + body, read, diagnostics);
  if (!diagnostics.has_errors())
    planned.plan = make_plan(planned.suite, catalog, inventory, options, diagnostics);
  for (const Diagnostic& problem : diagnostics.sorted()) planned.problems += to_text(problem);
  return planned;
}

Planned plan_suite(const std::string& body) {
  const system::Inventory inventory = example_inventory(4);
  return plan_suite(body, &inventory);
}

}  // namespace assay::plan
