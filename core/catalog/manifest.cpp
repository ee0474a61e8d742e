// SPDX-License-Identifier: Apache-2.0
#include "catalog/manifest.hpp"

#include "catalog/benchmark_reader.hpp"
#include "catalog/manifest_reader.hpp"
#include "text/text.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

namespace assay::catalog {
namespace {

constexpr int kManifestVersion = 1;
constexpr int kAbiMajor = 1;

// "com.acme.saxpy": at least two parts.
bool is_plugin_id(std::string_view text) {
  if (text.empty() || text.size() > 200 || text.find('.') == std::string_view::npos) return false;
  char before = '.';
  for (const char c : text) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (!word && (c != '.' || before == '.')) return false;
    before = c;
  }
  return before != '.';
}

bool read_version(const ObjectReader& reader, const std::string& file, Diagnostics& diagnostics) {
  const int version = reader.integer("manifest_version", 0, 0);
  if (version == kManifestVersion) return true;
  if (!reader.has("manifest_version")) {
    reader.error("manifest_version", "is missing", "this program reads version 1");
  } else {
    diagnostics.error("manifest.version", {file},
                      "the manifest has version " + std::to_string(version) +
                          "; this program reads version " + std::to_string(kManifestVersion),
                      "update Assay, or build the plugin with an SDK of this version");
  }
  return false;
}

void read_abi(const ObjectReader& reader, const std::string& file, Manifest& manifest,
              Diagnostics& diagnostics) {
  if (!reader.has("abi")) {
    reader.error("abi", "is missing");
    return;
  }
  const ObjectReader abi = reader.object("abi");
  manifest.abi_major = abi.integer("major", 0, 0);
  manifest.built_minor = abi.integer("built_minor", 0, 0);
  manifest.needs_minor = abi.integer("needs_minor", 0, 0);
  if (manifest.abi_major != kAbiMajor) {
    diagnostics.error("manifest.abi", {file},
                      "the plugin speaks ABI " + std::to_string(manifest.abi_major) +
                          "; this program speaks ABI " + std::to_string(kAbiMajor),
                      "build the plugin with an SDK of this version");
  }
}

void read_library(const ObjectReader& reader, const std::string& file, Manifest& manifest) {
  const std::string library = reader.required_text("library");
  if (library.empty()) return;
  const std::filesystem::path path(library);
  const bool climbs = std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
  if (path.is_absolute() || climbs) {
    reader.error("library", "is '" + library + "', which is not inside the manifest's folder",
                 "write a relative path without '..'");
    return;
  }
  std::error_code ignored;
  const auto folder = std::filesystem::absolute(std::filesystem::path(file), ignored).parent_path();
  manifest.library = (folder / path).lexically_normal().string();
}

// "ACME_ALGO", or "ACME_*"; not "*", which would be all of the caller's.
bool is_variable_or_beginning(std::string_view name) {
  if (name.ends_with('*')) name.remove_suffix(1);
  const auto fits = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return name.size() >= 2 && !(name.front() >= '0' && name.front() <= '9') &&
         std::all_of(name.begin(), name.end(), fits);
}

TelemetryQuantity read_quantity(const ObjectReader& reader) {
  static const std::vector<std::string> kinds = {"gauge", "counter"};
  static const std::vector<std::string> above = {"normal", "tell", "fail"};
  TelemetryQuantity quantity;
  quantity.name = reader.name("name");
  for (const char* taken : {"time", "peak", "reference", "baseline", "peers", "band", "within"})
    if (quantity.name == taken)
      reader.error("name", "is '" + quantity.name + "', a word that expressions use for something else",
                   "choose another name");
  quantity.unit = checked_unit(reader);
  if (quantity.unit.empty()) quantity.unit = "1";
  quantity.kind = static_cast<QuantityKind>(reader.choice("kind", kinds));
  if (reader.has("above_zero"))
    quantity.above_zero = static_cast<AboveZero>(reader.choice("above_zero", above));
  quantity.summary = reader.text("summary");
  reader.warn_of_misspellings();
  return quantity;
}

DeviceReason read_reason(const ObjectReader& reader) {
  DeviceReason reason;
  reason.name = reader.required_text("name");
  std::string_view stem = reason.name;
  if (stem.ends_with('*')) stem.remove_suffix(1);
  if (!reason.name.empty() && !is_name(stem, false))
    reader.error("name", "is '" + reason.name + "', which is not a name or the beginning of names",
                 "write for example hw_thermal, or xid_* for all that begin so");
  if (reader.has("means") && !reader.text("means").empty())
    reason.means = meanings()[reader.choice("means", meanings())];
  reason.summary = reader.text("summary");
  reader.warn_of_misspellings();
  return reason;
}

template <class Named>
void refuse_twice(const ObjectReader& reader, const char* key, const std::vector<Named>& list) {
  std::set<std::string> names;
  for (const Named& each : list)
    if (!names.insert(each.name).second) reader.error(key, "has '" + each.name + "' twice");
}

void read_telemetry(const ObjectReader& reader, Manifest& manifest) {
  for (const ObjectReader& item : reader.objects("telemetry"))
    manifest.telemetry.push_back(read_quantity(item));
  for (const ObjectReader& item : reader.objects("reasons")) manifest.reasons.push_back(read_reason(item));
  refuse_twice(reader, "telemetry", manifest.telemetry);
  refuse_twice(reader, "reasons", manifest.reasons);
  for (const char* key : {"telemetry", "reasons"})
    if (manifest.provides_backend.empty() && !reader.objects(key).empty())
      reader.error(key, "belongs to backends, and the plugin is none", "say which with 'provides_backend'");
}

Reporter read_reporter(const ObjectReader& reader) {
  Reporter reporter;
  reporter.name = reader.name("name", true);
  reporter.summary = reader.text("summary");
  reporter.file = reader.text("file");
  if (reporter.file.find('/') != std::string::npos) reader.error("file", "is not a plain file name");
  for (const ObjectReader& item : reader.objects("options")) {
    ReporterOption option;
    option.name = item.name("name", true);
    const auto type = item.choice("type", kParameterTypes);
    option.type = kParameterTypes[type];
    option.help = item.text("help");
    option.values = item.texts("values");
    option.default_value = read_default(item, static_cast<ParameterType>(type), option.values);
    item.warn_of_misspellings();
    reporter.options.push_back(std::move(option));
  }
  reader.warn_of_misspellings();
  return reporter;
}

}  // namespace

const Parameter* Benchmark::parameter(const std::string& wanted) const {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == wanted; });
  return found == parameters.end() ? nullptr : &*found;
}

const MetricDeclaration* Benchmark::metric(const std::string& wanted) const {
  static const MetricDeclaration time = [] {
    MetricDeclaration metric;
    metric.name = "time";
    metric.unit = "s";
    metric.direction = Direction::lower;
    metric.kind = MetricKind::duration;
    metric.summary = "seconds per iteration";
    return metric;
  }();
  const auto found =
      std::find_if(metrics.begin(), metrics.end(), [&](const auto& m) { return m.name == wanted; });
  if (found != metrics.end()) return &*found;
  return wanted == time.name ? &time : nullptr;
}

bool Benchmark::supports(const std::string& condition, const std::string& value) const {
  // The host's loop carries out `thermal`, and the seed reaches every plugin.
  if (value == "default" || condition == "thermal" || condition == "seed") return true;
  for (const auto& [known, values] : conditions) {
    if (known == condition) return std::find(values.begin(), values.end(), value) != values.end();
  }
  return false;
}

const std::vector<std::string>& meanings() {
  static const std::vector<std::string> words = {kThrottled, kPowerCapped, kShared, kFault, kTold, kLost};
  return words;
}

bool Manifest::counts_energy() const {
  const TelemetryQuantity* energy = quantity(kEnergy);
  return energy != nullptr && energy->kind == QuantityKind::counter && energy->unit == "J";
}

const TelemetryQuantity* Manifest::quantity(const std::string& wanted) const {
  const auto found =
      std::find_if(telemetry.begin(), telemetry.end(), [&](const auto& q) { return q.name == wanted; });
  return found == telemetry.end() ? nullptr : &*found;
}

const DeviceReason* Manifest::reason(const std::string& text) const {
  const DeviceReason* beginning = nullptr;
  for (const DeviceReason& each : reasons) {
    if (each.name == text) return &each;
    if (each.name.ends_with('*') && text.starts_with(each.name.substr(0, each.name.size() - 1)))
      beginning = &each;
  }
  return beginning;
}

std::string meaning_of(const Manifest* backend, const std::string& reason) {
  if (reason == kLost) return kLost;  // of the interface itself
  const DeviceReason* declared = backend == nullptr ? nullptr : backend->reason(reason);
  return declared == nullptr ? std::string() : declared->means;
}

const Benchmark* Manifest::benchmark(const std::string& name) const {
  const auto found =
      std::find_if(benchmarks.begin(), benchmarks.end(), [&](const auto& b) { return b.name == name; });
  return found == benchmarks.end() ? nullptr : &*found;
}

std::optional<Manifest> parse_manifest(const std::string& file, const std::string& text,
                                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  auto document = parse_document(file, text, diagnostics);
  if (!document) return std::nullopt;
  Manifest manifest;
  manifest.path = file;
  manifest.json = std::move(*document);
  const ObjectReader reader(manifest.json, "", file, diagnostics);
  // Another version may mean other things by the same keys, so that nothing else can be said about it.
  if (!manifest.json.is_object() || !read_version(reader, file, diagnostics)) return std::nullopt;
  manifest.id = reader.required_text("id");
  if (!manifest.id.empty() && !is_plugin_id(manifest.id)) {
    reader.error("id", "is '" + manifest.id + "', which is not a reverse-DNS name",
                 "write for example com.acme.saxpy");
  }
  manifest.version = reader.required_text("version");
  manifest.vendor = reader.text("vendor");
  manifest.license = reader.text("license");
  manifest.summary = reader.text("summary");
  read_abi(reader, file, manifest, diagnostics);
  read_library(reader, file, manifest);
  for (const ObjectReader& item : reader.objects("needs")) {
    manifest.needs.push_back({item.required_text("soname"), item.text("hint")});
    if (manifest.needs.back().soname.find('/') != std::string::npos)
      item.error("soname", "is a path, not a name");
    item.warn_of_misspellings();
  }
  manifest.environment = reader.texts("environment");
  for (const std::string& name : manifest.environment) {
    if (is_variable_or_beginning(name)) continue;
    reader.error("environment", "has '" + printable(name) + "', which is not a name of a variable",
                 "write for example ACME_ALGO, or ACME_* for all that begin so");
  }
  for (const ObjectReader& item : reader.objects("benchmarks"))
    manifest.benchmarks.push_back(read_benchmark(item));
  for (const ObjectReader& item : reader.objects("reporters"))
    manifest.reporters.push_back(read_reporter(item));
  const auto backend_name = [&](const char* key) {
    return reader.has(key) && !reader.text(key).empty() ? reader.name(key) : std::string();
  };
  manifest.backend = backend_name("backend");
  manifest.provides_backend = backend_name("provides_backend");
  if (!manifest.benchmarks.empty() && manifest.backend.empty()) {
    reader.error("backend", "is missing", "name what the benchmarks run on, such as host or cuda");
  }
  if (manifest.benchmarks.empty() && manifest.reporters.empty() && manifest.provides_backend.empty()) {
    reader.error("benchmarks",
                 "is empty, and there is neither a reporter nor a backend: the plugin offers nothing");
  }
  refuse_twice(reader, "benchmarks", manifest.benchmarks);
  read_telemetry(reader, manifest);
  reader.warn_of_misspellings();
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return manifest;
}

}  // namespace assay::catalog
