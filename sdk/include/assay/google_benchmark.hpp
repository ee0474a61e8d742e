// SPDX-License-Identifier: Apache-2.0
//
// Makes a plugin of the Google Benchmark registrations that a library already has: each registered function
// becomes a benchmark, its arguments and threads parameters, its counters metrics. Built by
// assay_add_google_benchmark_plugin() in CMake, which links the registrations through this header; a source
// says no more than
//
//   ASSAY_GOOGLE_BENCHMARK_PLUGIN("com.acme.kernels", "1.0.0", "host", "flops:FLOP/s hits")
//
// One sample is one run of the registration with Iterations(n), timed by the library: UseManualTime,
// fixtures, Setup and Teardown work as they do there. A registration with MinTime or MinWarmUpTime cannot be
// given a number of iterations (the library would abort the process): its cases are skipped, saying so. The
// library checks no results, so cases are flagged not_verified.
#pragma once

#include <assay/detail/google_registrations.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::detail::google {

// A counter that becomes a metric.
struct CounterMetric {
  std::string counter, name, unit;
};

// "flops:FLOP/s hits" and what the library itself names.
inline std::vector<CounterMetric> counter_metrics(const std::string& declared) {
  std::vector<CounterMetric> all = {{"bytes_per_second", "bytes_per_second", "B/s"},
                                    {"items_per_second", "items_per_second", "items/s"}};
  std::istringstream words(declared);
  for (std::string word; words >> word;) {
    const std::size_t colon = word.find(':');
    const std::string counter = word.substr(0, colon);
    all.push_back(
        {counter, manifest_name(counter), colon == std::string::npos ? "1" : word.substr(colon + 1)});
  }
  return all;
}

// One function's instance in a case.
class Adapted final : public Benchmark {
 public:
  Adapted(const Family& family, const Registered& registered, const std::vector<CounterMetric>& counters,
          Case& run)
      : Benchmark(run), family_(family), registered_(registered), counters_(counters) {}

  void probe() override {
    if (registered_.tail.min_time.empty()) return;
    throw Skip("'" + family_.function + registered_.arguments + "' is registered with " +
               registered_.tail.min_time +
               ", and then it takes no number of iterations; remove it from the registration");
  }

  Traits traits() override {
    Traits traits;
    traits.parts = true;  // the library's time leaves out what is paused, or is what the function says
    if (registered_.tail.iterations != 0) {
      // The registration wants just this many.
      traits.quantum = traits.maximum = registered_.tail.iterations;
    }
    return traits;
  }

  void iterate(Mode, std::uint64_t n, Sample& sample) override {
    const auto begin = context().now_ns();
    const Measured measured = run_once(family_, registered_, n);
    if (!measured.error.empty()) throw Failure(measured.error, ASSAY_E_INTERNAL, "google_benchmark");
    if (!measured.ran)
      throw Failure("the library did not run '" + family_.function + registered_.arguments + "'",
                    ASSAY_E_INTERNAL, "google_benchmark");
    // What takes no time at all reads as a step of the clock.
    sample.host_s = sample.device_s = measured.seconds > 0 ? measured.seconds : Traits().tick_s;
    sample.begin_ns = begin;
    sample.end_ns = context().now_ns();
    record(measured.counters);
  }

 private:
  void record(const std::map<std::string, double>& counters) {
    for (const auto& [name, value] : counters) {
      const std::string& counter = name;  // a lambda captures no structured binding before C++20
      const auto declared =
          std::find_if(counters_.begin(), counters_.end(),
                       [&](const CounterMetric& metric) { return metric.counter == counter; });
      if (declared != counters_.end()) {
        context().value(declared->name.c_str(), value);
      } else if (std::find(unknown_.begin(), unknown_.end(), counter) == unknown_.end()) {
        unknown_.push_back(counter);
        context().warning("the counter '" + counter + "' is not kept: name it in COUNTERS");
      }
    }
  }

  const Family& family_;
  const Registered& registered_;
  const std::vector<CounterMetric>& counters_;
  std::vector<std::string> unknown_;
};

// `Definition` has id, version, backend and counters.
template <class Definition>
class Plugin : public PluginEntry<Definition, Plugin<Definition>> {
  friend class PluginEntry<Definition, Plugin>;

  struct State : PluginState {
    explicit State(const assay_host* host) : PluginState(Definition::id, host) {}
    std::vector<Family> families = read_families();
    std::vector<CounterMetric> counters = counter_metrics(Definition::counters);
  };

  static void opened(const PluginHost&) {}

  static std::string manifest() {
    const std::vector<Family> families = read_families();
    if (families.empty())
      throw Failure(
          "no registration was found: build it with assay_add_google_benchmark_plugin(), and name the "
          "sources that register");
    JsonWriter json;
    json.begin_object();
    json.member("manifest_version", 1).member("id", Definition::id).member("version", Definition::version);
    About().summary("registrations of Google Benchmark").write(json);
    json.member("backend", Definition::backend).member("provides_backend", "");
    json.key("benchmarks").begin_array();
    for (const Family& family : families) write_json(json, described(family));
    json.end_array().key("reporters").begin_array().end_array().end_object();
    return json.text() + "\n";
  }

  static BenchmarkDescription described(const Family& family) {
    BenchmarkDescription is;
    is.name = family.name;
    is.summary = "registered as " + family.function;
    for (std::size_t i = 0; i < family.parameters.size(); ++i) {
      ParameterDescription& parameter = is.parameters.emplace_back();
      std::int64_t least = family.instances.front().values[i], most = least;
      for (const Registered& instance : family.instances) {
        least = std::min(least, instance.values[i]);
        most = std::max(most, instance.values[i]);
      }
      parameter.name = family.parameters[i];
      parameter.type = "integer";
      parameter.default_json = json_of(family.instances.front().values[i]);
      parameter.minimum_json = json_of(least);
      parameter.maximum_json = json_of(most);
      parameter.help = "registered: " + family.values_text(i);
    }
    MetricDescription& latency = is.metrics.emplace_back();
    latency.name = "latency";
    latency.unit = "s";
    latency.kind = "duration";
    latency.direction = "lower";
    latency.summary = "time of one iteration, as the library measures it";
    for (const CounterMetric& counter : counter_metrics(Definition::counters)) {
      MetricDescription& metric = is.metrics.emplace_back();
      metric.name = counter.name;
      metric.unit = counter.unit;
      metric.kind = "value";
      metric.direction = counter.unit.find("/s") == std::string::npos ? "none" : "higher";
      metric.summary = "the counter " + counter.counter + " of the last sample";
    }
    return is;
  }

  static const void* query(void*, const char* id) noexcept {
    // No verify: the library checks nothing.
    static constexpr assay_benchmark_v1 kBenchmarks = {sizeof(assay_benchmark_v1),
                                                       0,
                                                       &create,
                                                       &BenchmarkThunks::probe,
                                                       &BenchmarkThunks::prepare,
                                                       &BenchmarkThunks::traits,
                                                       nullptr,
                                                       &BenchmarkThunks::iterate,
                                                       &BenchmarkThunks::release,
                                                       &BenchmarkThunks::settle,
                                                       &BenchmarkThunks::reseed,
                                                       nullptr};
    return std::string_view(id) == ASSAY_FACET_BENCHMARK ? &kBenchmarks : nullptr;
  }

  static assay_status create(void* plugin, const char* name, const assay_case* host, void** out) noexcept {
    CaseReason reason(host);
    return guarded(reason, [&] {
      State& state = *static_cast<State*>(plugin);
      const auto family = std::find_if(state.families.begin(), state.families.end(),
                                       [&](const Family& each) { return each.name == name; });
      if (family == state.families.end())
        throw Failure(std::string("no registration is called '") + name + "'", ASSAY_E_UNSUPPORTED);
      std::vector<std::int64_t> values;
      for (const std::string& parameter : family->parameters) {
        std::int64_t value = 0;
        if (host->get_integer(host, parameter.c_str(), &value) != ASSAY_OK)
          throw BadParameter(parameter, "the host gave no integer for it");
        values.push_back(value);
      }
      auto instance = std::make_unique<Instance>(host, &state);
      instance->benchmark =
          std::make_unique<Adapted>(*family, family->registered_with(values), state.counters, instance->run);
      *out = instance.release();
    });
  }
};

}  // namespace assay::detail::google

// Once in a plugin, at namespace scope. `plugin_counters`: names of counters with units, "flops:FLOP/s hits".
#define ASSAY_GOOGLE_BENCHMARK_PLUGIN(plugin_id, plugin_version, plugin_backend, plugin_counters) \
  namespace {                                                                                     \
  struct AssayPluginDefinition {                                                                  \
    static constexpr const char* id = plugin_id;                                                  \
    static constexpr const char* version = plugin_version;                                        \
    static constexpr const char* backend = plugin_backend;                                        \
    static constexpr const char* counters = plugin_counters;                                      \
  };                                                                                              \
  }                                                                                               \
  ASSAY_GOOGLE_BENCHMARK_WRAP                                                                     \
  extern "C" const assay_plugin_v1* assay_plugin_entry_v1(void) {                                 \
    return ::assay::detail::google::Plugin<AssayPluginDefinition>::entry();                       \
  }
