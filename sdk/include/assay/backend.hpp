// SPDX-License-Identifier: Apache-2.0
//
// A backend: it lists devices and their facts, reads telemetry, and says how a worker is made to see some
// devices only. It lives in a worker of its own, which takes no measurements.
#pragma once

#include <assay/abi/v1.h>
#include <assay/detail/json.hpp>
#include <assay/units.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace assay {

// Named facts, in the order in which they were given; keys are in docs/reference/inventory.md.
template <class Self>
class Facts {
 public:
  template <class Value>
  Self& fact(std::string name, const Value& value) {
    detail::JsonWriter json;
    json.value(value);
    facts_.emplace_back(std::move(name), json.text());
    return static_cast<Self&>(*this);
  }

  void write(detail::JsonWriter& json) const {
    json.key("facts").begin_object();
    for (const auto& [name, value] : facts_) json.key(name).raw(value);
    if (!peaks_.empty()) {
      json.key("peaks").begin_object();
      for (const auto& [name, value] : peaks_) json.key(name).raw(value);
      json.end_object();
    }
    if (!census_.empty()) json.key("census").raw(census_);
    json.end_object();
  }

 protected:
  void set_census(std::string json) { census_ = std::move(json); }
  void add_peak(std::string name, double value, Unit unit, const std::string& source) {
    detail::JsonWriter json;
    json.begin_object()
        .member("value", value)
        .member("unit", unit.name)
        .member("source", source)
        .end_object();
    peaks_.emplace_back(std::move(name), json.text());
  }

 private:
  std::vector<std::pair<std::string, std::string>> peaks_;
  std::vector<std::pair<std::string, std::string>> facts_;
  std::string census_;
};

// How many devices the machine has, by each that can say so, and which of them are not among those that the
// inventory lists. `policy: {complete: true}` of a suite compares them with each other.
class Census {
 public:
  // What one device is called: "GPU".
  explicit Census(std::string kind = "device") : kind_(std::move(kind)) {}

  // This many devices are there by a source of knowledge: "PCI", "the driver".
  Census& known(std::string by, std::size_t devices) {
    known_.emplace_back(std::move(by), devices);
    return *this;
  }
  // A device, named as its maintainers find it, that should be listed and is not; nobody asked for that.
  Census& missing(std::string device, std::string why) {
    missing_.emplace_back(std::move(device), std::move(why));
    return *this;
  }
  // A device that is not listed on purpose: a variable leaves it out, a container was not given it.
  Census& withheld(std::string device, std::string why) {
    withheld_.emplace_back(std::move(device), std::move(why));
    return *this;
  }

  std::string json() const {
    detail::JsonWriter json;
    json.begin_object().member("kind", kind_).key("known").begin_array();
    for (const auto& [by, devices] : known_)
      json.begin_object()
          .member("by", by)
          .member("devices", static_cast<std::uint64_t>(devices))
          .end_object();
    json.end_array();
    write(json, "missing", missing_);
    write(json, "withheld", withheld_);
    json.end_object();
    return json.text();
  }

 private:
  using Gaps = std::vector<std::pair<std::string, std::string>>;
  static void write(detail::JsonWriter& json, const char* key, const Gaps& gaps) {
    json.key(key).begin_array();
    for (const auto& [device, why] : gaps)
      json.begin_object().member("device", device).member("why", why).end_object();
    json.end_array();
  }

  std::string kind_;
  std::vector<std::pair<std::string, std::size_t>> known_;
  Gaps missing_, withheld_;
};

class InventoryDevice : public Facts<InventoryDevice> {
 public:
  // As suites name it, "cuda:0".
  explicit InventoryDevice(std::string name) : name_(std::move(name)) {}

  // Stable identity, such as a serial number.
  InventoryDevice& uuid(std::string text) {
    uuid_ = std::move(text);
    return *this;
  }
  // As people know it: "NVIDIA H200".
  InventoryDevice& model(std::string text) {
    model_ = std::move(text);
    return *this;
  }
  InventoryDevice& numa_node(int node) {
    numa_node_ = node;
    return *this;
  }

  // A limit that `% of peak` refers to: "memory_bandwidth". `source` says where the number is from;
  // "measured: …" if the backend measured it. Goes before the cited tables.
  InventoryDevice& peak(std::string name, double value, Unit unit, const std::string& source) {
    add_peak(std::move(name), value, unit, source);
    return *this;
  }

  // A declared quantity that this device does not have, so that it is not missed: a board without NVLink
  // counts no errors of links.
  InventoryDevice& lacks(const std::string& quantity) {
    lacks_.push_back(quantity);
    return *this;
  }

  void write(detail::JsonWriter& json) const {
    json.begin_object()
        .member("name", name_)
        .member("uuid", uuid_)
        .member("model", model_)
        .member("numa_node", numa_node_);
    if (!lacks_.empty()) {
      json.key("lacks").begin_array();
      for (const std::string& quantity : lacks_) json.value(quantity);
      json.end_array();
    }
    Facts::write(json);
    json.end_object();
  }

 private:
  std::string name_, uuid_, model_;
  std::vector<std::string> lacks_;
  int numa_node_ = -1;
};

// Facts of the backend itself (versions, topology), and its devices.
class Inventory : public Facts<Inventory> {
 public:
  InventoryDevice& device(std::string name) { return devices_.emplace_back(std::move(name)); }

  // As the fact `census`.
  Inventory& census(const Census& devices) {
    set_census(devices.json());
    return *this;
  }

  std::string json() const {
    detail::JsonWriter json;
    json.begin_object().key("devices").begin_array();
    for (const auto& device : devices_) device.write(json);
    json.end_array();
    write(json);
    json.end_object();
    return json.text();
  }

 private:
  std::deque<InventoryDevice> devices_;  // a deque: callers hold references
};

class Readings {
 public:
  explicit Readings(const assay_reading_sink* sink) : sink_(sink) {}

  // A number now, in the unit that describe() declares: "power", "temperature", "energy", …
  void reading(const std::string& device, const char* quantity, double value) const {
    sink_->reading(sink_->context, device.c_str(), quantity, value);
  }
  // A reason that slows the device down now: "power_cap", "thermal".
  void reason(const std::string& device, const char* text) const {
    sink_->reason(sink_->context, device.c_str(), text);
  }

 private:
  const assay_reading_sink* sink_;
};

class Environment {
 public:
  explicit Environment(const assay_environment_sink* sink) : sink_(sink) {}

  void set(const char* name, const std::string& value) const {
    sink_->set(sink_->context, name, value.c_str());
  }

 private:
  const assay_environment_sink* sink_;
};

// What it means to a case that more than nothing was read of a quantity: nothing, that people are told, that
// the case fails.
enum class AboveZero { is_normal, is_told, fails };

// What a reason that a backend gives stands for; docs/reference/manifest.md says what becomes of it.
enum class Means { nothing, throttled, power_capped, shared_device, fault, told };

// All that a backend reads of devices and all reasons that it gives: a static describe() of its class declares
// them, and what is not declared is refused.
//
//   static void describe(assay::TelemetryDescription& is) {
//     is.gauge("power", assay::unit::watts, "of this moment");
//     is.counter("ecc_uncorrected", assay::unit::one, "errors", assay::AboveZero::fails);
//     is.reason("hw_thermal", assay::Means::throttled, "heat");
//   }
class TelemetryDescription {
 public:
  // A number of this moment.
  TelemetryDescription& gauge(std::string name, Unit unit, std::string summary = "",
                              AboveZero above_zero = AboveZero::is_normal) {
    quantities_.push_back({std::move(name), unit.name, "gauge", above_zero, std::move(summary)});
    return *this;
  }
  // A number that only grows; results tell what was added while a case was measured.
  TelemetryDescription& counter(std::string name, Unit unit, std::string summary = "",
                                AboveZero above_zero = AboveZero::is_normal) {
    quantities_.push_back({std::move(name), unit.name, "counter", above_zero, std::move(summary)});
    return *this;
  }
  // "hw_thermal", or "xid_*" for all that begin so.
  TelemetryDescription& reason(std::string name, Means means, std::string summary = "") {
    reasons_.push_back({std::move(name), means, std::move(summary)});
    return *this;
  }

  void write(detail::JsonWriter& json) const {
    static constexpr const char* kAboveZero[] = {"normal", "tell", "fail"};
    static constexpr const char* kMeans[] = {"",      "throttled", "power_capped", "shared_device",
                                             "fault", "told"};
    json.key("telemetry").begin_array();
    for (const auto& each : quantities_) {
      json.begin_object().member("name", each.name).member("unit", each.unit).member("kind", each.kind);
      if (each.above_zero != AboveZero::is_normal)
        json.member("above_zero", kAboveZero[static_cast<int>(each.above_zero)]);
      json.member("summary", each.summary).end_object();
    }
    json.end_array().key("reasons").begin_array();
    for (const auto& each : reasons_) {
      json.begin_object().member("name", each.name).member("means", kMeans[static_cast<int>(each.means)]);
      json.member("summary", each.summary).end_object();
    }
    json.end_array();
  }

 private:
  struct Quantity {
    std::string name, unit, kind;
    AboveZero above_zero;
    std::string summary;
  };
  struct Reason {
    std::string name;
    Means means;
    std::string summary;
  };
  std::vector<Quantity> quantities_;
  std::vector<Reason> reasons_;
};

// A backend class has `static constexpr const char* name = "acme";` and a constructor without arguments, or with
// a const PluginHost& (for its log), which runs at the first call, not when the plugin is opened. One that reads
// telemetry has a static describe(), too, as above. Errors are thrown (assay/errors.hpp).
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  // Of a backend that reads nothing.
  static void describe(TelemetryDescription& is) { (void)is; }

  virtual void inventory(Inventory& found) = 0;

  // Called up to ten times a second. Leaves out what cannot be read; what a device does not have is named in
  // its inventory (lacks()).
  virtual void read(const std::vector<std::string>& devices, const Readings& out) {
    (void)devices;
    (void)out;
  }

  // Environment variables that make a worker see only these devices, in this order.
  virtual void visibility(const std::vector<std::string>& devices, const Environment& out) {
    (void)devices;
    (void)out;
  }
};

}  // namespace assay
