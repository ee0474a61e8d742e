// SPDX-License-Identifier: Apache-2.0
//
// What a plugin says of itself, read from the JSON file beside it. No plugin code runs to get it.
// docs/reference/manifest.md describes the format; sdk/contracts/*.json use the same form for one benchmark.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::catalog {

enum class ParameterType { integer, number, boolean, text };

struct Parameter {
  std::string name;
  ParameterType type = ParameterType::integer;
  std::string unit;    // "B", "s"; "" for a plain number. A suite writes 64MiB, the plugin gets 67108864
  Json default_value;  // null: required
  std::optional<double> minimum, maximum;
  std::vector<std::string> values;  // of a text; empty: any
  std::string help;
};

enum class Direction { higher, lower, none };
// part: how long a part of a sample took, such as waiting for other ranks; one value a sample.
enum class MetricKind { rate, duration, value, part };

struct MetricDeclaration {
  std::string name;  // a quantity: bandwidth, latency, throughput
  std::string unit;  // base unit: "B/s", "FLOP/s", "s", "B", "1"
  Direction direction = Direction::none;
  MetricKind kind = MetricKind::value;
  bool headline = false;     // the first headline metric leads tables
  std::string counting;      // rates: what counts as work
  std::string flow;          // rates: "one way", "sum of both ways"; may be empty
  std::string mechanism;     // "SM kernel", "copy engine", "CPU threads"
  std::string peak;          // name in the peaks table: "memory_bandwidth"; may be empty
  int dimensions = 0;        // indices of a value: 0, 1, 2
  bool reported = false;     // not in manifests: a number of an external command's, every value a sample
  bool measured = false;     // of a reported one: judged by its interval, as a time or a rate is
  std::string written_unit;  // of a reported one: as the suite has it, "GB/s"; may be empty
  double written_scale = 1;  // base units in one of those
  std::string summary;

  // Whether every value that a visit records of it belongs to a sample.
  [[nodiscard]] bool by_sample() const { return reported || kind == MetricKind::part; }
};

struct Fact {
  std::string name;
  std::string summary;
};

struct CountRange {
  int minimum = 1;
  int maximum = 1;  // 0: no limit
};

struct Benchmark {
  std::string name;
  std::string implements;  // "membw/1" or ""
  int revision = 1;
  std::string summary;
  std::string doc;
  std::vector<Parameter> parameters;
  std::vector<MetricDeclaration> metrics;  // `time` (seconds per iteration) is always there and not listed
  std::vector<Fact> facts;
  std::vector<std::string> checks;
  // Condition → values it supports. A condition that is absent cannot be chosen.
  std::vector<std::pair<std::string, std::vector<std::string>>> conditions;
  CountRange ranks;    // processes in one visit
  CountRange devices;  // devices per rank
  // Each case has processes of its own: what ran before in one would change what is measured.
  bool own_process = false;

  [[nodiscard]] const Parameter* parameter(const std::string& name) const;
  [[nodiscard]] const MetricDeclaration* metric(const std::string& name) const;  // finds `time`, too
  [[nodiscard]] bool supports(const std::string& condition, const std::string& value) const;
};

struct NeededLibrary {
  std::string soname;  // "libopenblas.so.0"
  std::string hint;    // "apt-get install libopenblas0"
};

struct ReporterOption {
  std::string name, type, help;
  Json default_value;
  std::vector<std::string> values;
};

struct Reporter {
  std::string name;
  std::string summary;
  std::string file;  // default name of the main output, "report.md"; "-": standard output
  std::vector<ReporterOption> options;
};

// A gauge says what is now (W, C); a counter only grows (J, errors), and what counts is what was added.
enum class QuantityKind { gauge, counter };
// What it means that more than nothing was read: nothing, that people are told, that the case fails.
enum class AboveZero { is_normal, is_told, fails };

// What a backend reads of its devices.
struct TelemetryQuantity {
  std::string name;  // "power"
  std::string unit;  // base unit: "W", "C", "Hz", "J", "B", "1"
  QuantityKind kind = QuantityKind::gauge;
  AboveZero above_zero = AboveZero::is_normal;
  std::string summary;
};

// A reason that a backend gives beside its readings.
struct DeviceReason {
  std::string name;     // "hw_thermal"; "xid_*" is every one that begins so
  std::string means;    // a word of kMeanings, or ""
  std::string summary;  // one line
};

// A counter in joules, of which Assay makes model::kEnergyPerIteration.
inline constexpr const char* kEnergy = "energy";

// What reasons stand for. The first three raise the flag of that name; a device that another used has no result
// (device.shared), a fault fails the case (device.fault), what is told becomes a note (device_told), and a lost
// device is withdrawn.
inline constexpr const char* kThrottled = "throttled";
inline constexpr const char* kPowerCapped = "power_capped";
inline constexpr const char* kShared = "shared_device";
inline constexpr const char* kFault = "fault";
inline constexpr const char* kTold = "told";
inline constexpr const char* kLost = "lost";
[[nodiscard]] const std::vector<std::string>& meanings();

struct Manifest {
  std::string path;     // of the manifest; not in the JSON
  std::string library;  // absolute path of the shared object, resolved against the manifest's folder
  std::string id;       // reverse-DNS
  std::string version, vendor, license, summary;
  int abi_major = 1, built_minor = 0, needs_minor = 0;
  std::string backend;           // that its benchmarks run on; "" if it has none
  std::string provides_backend;  // the backend that it is, or ""
  std::vector<NeededLibrary> needs;
  // Variables that may change what it measures, "ACME_ALGO", or beginnings of their names, "ACME_*": results
  // record them.
  std::vector<std::string> environment;
  std::vector<Benchmark> benchmarks;
  std::vector<Reporter> reporters;
  std::vector<TelemetryQuantity> telemetry;  // of a backend: all that it reads of devices
  std::vector<DeviceReason> reasons;         // of a backend: all that it gives beside readings
  Json json;                                 // as read, for the journal
  std::string sha256;                        // of its file
  // What the library was when the manifest was read (file_stamp()), and its SHA-256 if only listed ones are
  // allowed; else "".
  std::string library_stamp, library_sha256;
  // A file of --plugin, other than those of its identifier that were named before it.
  bool is_named = false;

  [[nodiscard]] const Benchmark* benchmark(const std::string& name) const;
  [[nodiscard]] const TelemetryQuantity* quantity(const std::string& name) const;
  // Whether its devices count the energy that they take, from which results have model::kEnergyPerIteration.
  [[nodiscard]] bool counts_energy() const;
  // The declaration of a reason: its own before those for beginnings; nullptr if there is none.
  [[nodiscard]] const DeviceReason* reason(const std::string& text) const;
};

// What a reason of the backend stands for, a word of meanings(), or "". "lost" does so for every backend.
[[nodiscard]] std::string meaning_of(const Manifest* backend, const std::string& reason);

// Strict about types and known versions, lenient about unknown keys. `file` is for messages (line and column
// of JSON syntax errors; the JSON pointer of others in the text). nullopt if there were errors.
[[nodiscard]] std::optional<Manifest> parse_manifest(const std::string& file, const std::string& text,
                                                     Diagnostics& diagnostics);

}  // namespace assay::catalog
