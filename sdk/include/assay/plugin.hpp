// SPDX-License-Identifier: Apache-2.0
//
// Everything that a plugin's source includes, and the macro that makes its one exported function.
//
//   ASSAY_PLUGIN("com.acme.saxpy", "1.0.0", assay::host::backend, Saxpy)
//
// id, version, the backend that its benchmarks run on ("" if it has none), then any number of classes, each
// of which is
//   a benchmark   derives from assay::Benchmark     (assay/benchmark.hpp, assay/host.hpp)
//   a backend     derives from assay::Backend       (assay/backend.hpp), at most one
//   a reporter    derives from assay::Reporter      (assay/reporter.hpp)
//   about         has static void describe(assay::About&): vendor, license, summary, libraries that it opens.
//                 May have static void open(const assay::PluginHost&), which is called when a process opens the
//                 plugin: what it throws ("the licence ended") is the reason why no case runs. It must be cheap
//
// Everything else has hidden visibility; nothing is registered by static constructors.
#pragma once

#include <assay/abi/v1.h>
#include <assay/backend.hpp>
#include <assay/benchmark.hpp>
#include <assay/case.hpp>
#include <assay/data.hpp>
#include <assay/description.hpp>
#include <assay/detail/thunks.hpp>
#include <assay/errors.hpp>
#include <assay/group.hpp>
#include <assay/memory.hpp>
#include <assay/plugin_host.hpp>
#include <assay/random.hpp>
#include <assay/reporter.hpp>
#include <assay/units.hpp>
#include <assay/verification.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay {

// What people want to know of a plugin.
class About {
 public:
  About& vendor(std::string text) {
    vendor_ = std::move(text);
    return *this;
  }
  // An SPDX expression, or "proprietary".
  About& license(std::string text) {
    license_ = std::move(text);
    return *this;
  }
  About& summary(std::string line) {
    summary_ = std::move(line);
    return *this;
  }
  // A shared library that the plugin opens by itself, and what to install for it.
  About& needs(std::string soname, std::string hint) {
    needs_.emplace_back(std::move(soname), std::move(hint));
    return *this;
  }

  void write(detail::JsonWriter& json) const {
    json.member("vendor", vendor_).member("license", license_).member("summary", summary_);
    json.key("needs").begin_array();
    for (const auto& [soname, hint] : needs_) {
      json.begin_object().member("soname", soname).member("hint", hint).end_object();
    }
    json.end_array();
  }

 private:
  std::string vendor_, license_, summary_;
  std::vector<std::pair<std::string, std::string>> needs_;
};

namespace detail {

template <class Item>
inline constexpr bool kIsBenchmark = std::is_base_of_v<Benchmark, Item>;
template <class Item>
inline constexpr bool kIsBackend = std::is_base_of_v<Backend, Item>;
template <class Item>
inline constexpr bool kIsReporter = std::is_base_of_v<Reporter, Item>;
template <class Item>
inline constexpr bool kIsAbout = !kIsBenchmark<Item> && !kIsBackend<Item> && !kIsReporter<Item>;

template <class Item, class = void>
inline constexpr bool kOpens = false;
template <class Item>
inline constexpr bool kOpens<Item, std::void_t<decltype(Item::open(std::declval<const PluginHost&>()))>> =
    true;

// What every plugin shows at its border. `Functions` has a type State and, as static functions, manifest(),
// opened() and query().
template <class Definition, class Functions>
class PluginEntry {
 public:
  static const assay_plugin_v1* entry() noexcept {
    static constexpr assay_plugin_v1 kEntry = {sizeof(assay_plugin_v1),
                                               ASSAY_ABI_MINOR,
                                               ASSAY_ABI_OLDEST_MINOR,
                                               0,
                                               Definition::id,
                                               Definition::version,
                                               &describe,
                                               &open,
                                               &close,
                                               &Functions::query};
    return &kEntry;
  }

 private:
  static assay_status describe(const assay_text_sink* sink) noexcept {
    SinkReason<assay_text_sink> reason(sink);
    return guarded(reason, [&] {
      const std::string text = Functions::manifest();
      sink->write(sink->context, text.data(), text.size());
    });
  }

  static assay_status open(const assay_host* host, void** plugin) noexcept {
    *plugin = nullptr;
    HostReason reason(host);
    return guarded(reason, [&] {
      auto state = std::make_unique<typename Functions::State>(host);
      Functions::opened(state->host());
      *plugin = state.release();
    });
  }
  static void close(void* plugin) noexcept { delete static_cast<typename Functions::State*>(plugin); }
};

// `Definition` has id, version and backend; `Items` are the plugin's classes.
template <class Definition, class... Items>
class Plugin : public PluginEntry<Definition, Plugin<Definition, Items...>> {
  static_assert((int{kIsBackend<Items>} + ... + 0) <= 1, "a plugin provides one backend at most");
  static_assert((int{kIsAbout<Items>} + ... + 0) <= 1, "a plugin describes itself once");

  friend class PluginEntry<Definition, Plugin>;

  struct State : PluginState {
    explicit State(const assay_host* host) : PluginState(Definition::id, host) {}
    std::unique_ptr<Backend> backend;
  };

  static void opened(const PluginHost& host) { (open_as<Items>(host), ...); }
  template <class Item>
  static void open_as([[maybe_unused]] const PluginHost& host) {
    if constexpr (kIsAbout<Item> && kOpens<Item>) Item::open(host);
  }

  static std::string manifest() {
    JsonWriter json;
    json.begin_object();
    json.member("manifest_version", 1).member("id", Definition::id).member("version", Definition::version);
    About about;
    (describe_about<Items>(about), ...);
    about.write(json);
    std::string_view provided;
    ((provided = backend_name<Items>(provided)), ...);
    json.member("backend", Definition::backend).member("provides_backend", provided);
    json.key("benchmarks").begin_array();
    (write_benchmark<Items>(json), ...);
    json.end_array().key("reporters").begin_array();
    (write_reporter<Items>(json), ...);
    json.end_array().end_object();
    return json.text() + "\n";
  }

  template <class Item>
  static void describe_about([[maybe_unused]] About& about) {
    if constexpr (kIsAbout<Item>) Item::describe(about);
  }
  template <class Item>
  static std::string_view backend_name(std::string_view found) {
    if constexpr (kIsBackend<Item>) return Item::name;
    return found;
  }
  template <class Item>
  static void write_benchmark([[maybe_unused]] JsonWriter& json) {
    if constexpr (kIsBenchmark<Item>) write_json(json, described<Item>().description());
  }
  template <class Item>
  static void write_reporter([[maybe_unused]] JsonWriter& json) {
    if constexpr (kIsReporter<Item>) {
      ReporterDescription is;
      Item::describe(is);
      is.write(json);
    }
  }

  static const void* query(void*, const char* id) noexcept {
    if constexpr ((kIsBenchmark<Items> || ...)) {
      static constexpr assay_benchmark_v1 kBenchmarks = {sizeof(assay_benchmark_v1),
                                                         0,
                                                         &create,
                                                         &BenchmarkThunks::probe,
                                                         &BenchmarkThunks::prepare,
                                                         &BenchmarkThunks::traits,
                                                         &BenchmarkThunks::verify,
                                                         &BenchmarkThunks::iterate,
                                                         &BenchmarkThunks::release,
                                                         &BenchmarkThunks::settle,
                                                         &BenchmarkThunks::reseed,
                                                         &BenchmarkThunks::damage};
      if (std::strcmp(id, ASSAY_FACET_BENCHMARK) == 0) return &kBenchmarks;
    }
    if constexpr ((kIsBackend<Items> || ...)) {
      static constexpr assay_backend_v1 kBackend = {sizeof(assay_backend_v1), 0, &inventory, &read,
                                                    &visibility};
      if (std::strcmp(id, ASSAY_FACET_BACKEND) == 0) return &kBackend;
    }
    if constexpr ((kIsReporter<Items> || ...)) {
      static constexpr assay_reporter_v1 kReporters = {sizeof(assay_reporter_v1), 0, &render};
      if (std::strcmp(id, ASSAY_FACET_REPORTER) == 0) return &kReporters;
    }
    return nullptr;
  }

  static assay_status create(void* plugin, const char* name, const assay_case* host, void** out) noexcept {
    CaseReason reason(host);
    return guarded(reason, [&] {
      auto instance = std::make_unique<Instance>(host, static_cast<State*>(plugin));
      if (!(create_as<Items>(name, host, *instance) || ...)) {
        throw Failure(std::string("the plugin '") + Definition::id + "' has no benchmark '" + name + "'",
                      ASSAY_E_UNSUPPORTED);
      }
      *out = instance.release();
    });
  }

  template <class Item>
  static bool create_as([[maybe_unused]] const char* name, [[maybe_unused]] const assay_case* host,
                        [[maybe_unused]] Instance& instance) {
    if constexpr (kIsBenchmark<Item>) return make_benchmark<Item>(name, host, instance);
    return false;
  }

  // Made at the first use: open() must be cheap.
  static Backend& backend(void* plugin) {
    State& state = *static_cast<State*>(plugin);
    if (!state.backend) (make_backend<Items>(state), ...);
    return *state.backend;
  }
  template <class Item>
  static void make_backend([[maybe_unused]] State& state) {
    if constexpr (kIsBackend<Item> && std::is_constructible_v<Item, const PluginHost&>) {
      state.backend = std::make_unique<Item>(state.host());
    } else if constexpr (kIsBackend<Item>) {
      state.backend = std::make_unique<Item>();
    }
  }

  static assay_status inventory(void* plugin, const assay_text_sink* sink) noexcept {
    SinkReason<assay_text_sink> reason(sink);
    return guarded(reason, [&] {
      Inventory found;
      backend(plugin).inventory(found);
      const std::string text = found.json();
      sink->write(sink->context, text.data(), text.size());
    });
  }
  static assay_status read(void* plugin, const char* const* devices, std::uint32_t count,
                           const assay_reading_sink* sink) noexcept {
    SinkReason<assay_reading_sink> reason(sink);
    return guarded(reason, [&] { backend(plugin).read(names(devices, count), Readings(sink)); });
  }
  static assay_status visibility(void* plugin, const char* const* devices, std::uint32_t count,
                                 const assay_environment_sink* sink) noexcept {
    SinkReason<assay_environment_sink> reason(sink);
    return guarded(reason, [&] { backend(plugin).visibility(names(devices, count), Environment(sink)); });
  }

  static assay_status render(void*, const char* name, const char* document, std::size_t length,
                             const assay_option* options, std::uint32_t count,
                             const assay_file_sink* sink) noexcept {
    SinkReason<assay_file_sink> reason(sink);
    return guarded(reason, [&] {
      if (!(render_item<Items>(name, {document, length}, options, count, sink) || ...)) {
        throw Failure(std::string("the plugin '") + Definition::id + "' has no reporter '" + name + "'",
                      ASSAY_E_UNSUPPORTED);
      }
    });
  }

  template <class Item>
  static bool render_item([[maybe_unused]] const char* name, [[maybe_unused]] std::string_view document,
                          [[maybe_unused]] const assay_option* options, [[maybe_unused]] std::uint32_t count,
                          [[maybe_unused]] const assay_file_sink* sink) {
    if constexpr (kIsReporter<Item>) return render_as<Item>(name, document, options, count, sink);
    return false;
  }
};

}  // namespace detail
}  // namespace assay

// Once in a plugin, at namespace scope. See the top of this file.
#define ASSAY_PLUGIN(plugin_id, plugin_version, plugin_backend, ...)             \
  namespace {                                                                    \
  struct AssayPluginDefinition {                                                 \
    static constexpr const char* id = plugin_id;                                 \
    static constexpr const char* version = plugin_version;                       \
    static constexpr const char* backend = plugin_backend;                       \
  };                                                                             \
  }                                                                              \
  extern "C" const assay_plugin_v1* assay_plugin_entry_v1(void) {                \
    return ::assay::detail::Plugin<AssayPluginDefinition, __VA_ARGS__>::entry(); \
  }

// The same for a plugin of reporters alone.
#define ASSAY_REPORTER_PLUGIN(plugin_id, plugin_version, ...) \
  ASSAY_PLUGIN(plugin_id, plugin_version, "", __VA_ARGS__)
