// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark may ask of the host while it serves one case: log, conditions, devices, cancel, results.
#pragma once

#include <assay/abi/v1.h>
#include <assay/detail/plugin_state.hpp>
#include <assay/errors.hpp>
#include <assay/nvtx.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace assay {

enum class Cache : assay_cache {
  standard = ASSAY_CACHE_DEFAULT,
  hot = ASSAY_CACHE_HOT,
  cold = ASSAY_CACHE_COLD,
  rotating = ASSAY_CACHE_ROTATING
};

enum class Launch : assay_launch {
  standard = ASSAY_LAUNCH_DEFAULT,
  stream = ASSAY_LAUNCH_STREAM,
  gated = ASSAY_LAUNCH_GATED,
  graph = ASSAY_LAUNCH_GRAPH
};

enum class Data : assay_data {
  standard = ASSAY_DATA_DEFAULT,
  normal = ASSAY_DATA_NORMAL,
  uniform = ASSAY_DATA_UNIFORM,
  integer = ASSAY_DATA_INTEGER,
  zeros = ASSAY_DATA_ZEROS,
  ones = ASSAY_DATA_ONES
};

enum class Thermal : assay_thermal {
  standard = ASSAY_THERMAL_DEFAULT,
  burst = ASSAY_THERMAL_BURST,
  sustained = ASSAY_THERMAL_SUSTAINED
};

// `standard` means that the suite left the choice to the benchmark.
struct Conditions {
  Cache cache = Cache::standard;
  Launch launch = Launch::standard;
  Data data = Data::standard;
  Thermal thermal = Thermal::standard;
  std::uint64_t seed = 0;
};

struct Device {
  int ordinal = 0;  // the backend's number for it inside this process
  std::string name, uuid;
  int numa_node = -1;  // -1: unknown
};

// A view of the host's struct: cheap to copy, valid as long as the benchmark's instance.
class Case {
 public:
  Case(const assay_case* host, detail::PluginState* plugin) : host_(host), plugin_(plugin) {}

  const assay_case* host() const { return host_; }

  // [any thread] Adds a line to the case's log. Does not block.
  void debug(const std::string& text) const { host_->log(host_, ASSAY_LOG_DEBUG, text.c_str()); }
  void info(const std::string& text) const { host_->log(host_, ASSAY_LOG_INFO, text.c_str()); }
  void warning(const std::string& text) const { host_->log(host_, ASSAY_LOG_WARNING, text.c_str()); }

  Conditions conditions() const {
    const assay_conditions& asked = *host_->conditions;
    return {static_cast<Cache>(asked.cache), static_cast<Launch>(asked.launch), static_cast<Data>(asked.data),
            static_cast<Thermal>(asked.thermal), asked.seed};
  }
  std::uint64_t seed() const { return host_->conditions->seed; }

  // This rank's devices.
  std::uint32_t device_count() const { return host_->device_count; }
  Device device(std::uint32_t index = 0) const {
    if (index >= host_->device_count) {
      throw Failure("device " + std::to_string(index) + " of this rank was asked for, it has " +
                        std::to_string(host_->device_count),
                    ASSAY_E_INVALID);
    }
    const assay_device& device = *host_->devices[index];
    return {device.ordinal, device.name, device.uuid, device.numa_node};
  }

  // [any thread] True once the case should end; cheap enough for a spin loop.
  bool cancelled() const { return host_->cancelled(host_) != 0; }
  void throw_if_cancelled() const {
    if (cancelled()) throw Cancelled();
  }

  // [any thread] The host's monotonic clock in nanoseconds: now, and when the visit's time is up.
  std::int64_t now_ns() const { return host_->now_ns(host_); }
  std::int64_t deadline_ns() const { return host_->deadline_ns(host_); }

  // Declares the work of one iteration for a rate or duration metric, in the rate's numerator (bytes,
  // operations). To be called in prepare.
  void work(const char* metric, double per_iteration) const { host_->work(host_, metric, per_iteration); }

  // Records a value without samples. Must be finite. The same metric and indices again replace it.
  void value(const char* metric, double number) const { host_->value(host_, metric, 0, nullptr, number); }
  void value(const char* metric, std::uint32_t index, double number) const {
    host_->value(host_, metric, 1, &index, number);
  }
  void value(const char* metric, std::uint32_t row, std::uint32_t column, double number) const {
    const std::uint32_t indices[] = {row, column};
    host_->value(host_, metric, 2, indices, number);
  }

  void fact(const char* name, const std::string& text) const { host_->fact(host_, name, text.c_str()); }

  // Reports a yes/no about a subject, "nvlink 7 of cuda:3", with a sentence that says what was seen.
  void check(const char* name, const std::string& subject, bool passed, const std::string& text) const {
    host_->check(host_, name, subject.c_str(), passed ? 1 : 0, text.c_str());
  }

  // An object that outlives the case, such as a communicator: the one that an earlier case of this process
  // kept under the key, or what `make` returns (a std::unique_ptr or std::shared_ptr). Released when the
  // plugin is closed.
  template <class Kept, class Make>
  Kept& keep(const std::string& key, Make&& make) const {
    return plugin_->keep<Kept>(key, std::forward<Make>(make));
  }
  // Releases it now: it is broken and the next case needs another one.
  template <class Kept>
  void forget(const std::string& key) const {
    plugin_->forget<Kept>(key);
  }

  // The host with or without a case: where the plugin's files lie (assay/plugin_host.hpp).
  const PluginHost& plugin_host() const { return plugin_->host(); }

  // The plugin's domain of ranges (assay/nvtx.hpp).
  const nvtx::Domain& nvtx() const { return plugin_->nvtx(); }

  // An optional service by its id, or null. `Service` is the struct that the id stands for.
  template <class Service>
  const Service* service(const char* id) const {
    return static_cast<const Service*>(host_->query(host_, id));
  }

 private:
  const assay_case* host_;
  detail::PluginState* plugin_;
};

}  // namespace assay
