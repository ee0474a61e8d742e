// SPDX-License-Identifier: Apache-2.0
//
// The C++ layer seen as the host sees it: through the exported function and the C structs alone.
#include "recording_host.hpp"

#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using assay::testing::RecordingHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

enum class Kernel { plain, wide };

std::vector<std::string> closed;  // what PluginState destroyed, in order
struct Kept {
  explicit Kept(std::string text) : name(std::move(text)) {}
  ~Kept() { closed.push_back(name); }
  std::string name;
};

// Adds one to each element; what it does wrong is a parameter.
class Adder final : public assay::host::Benchmark {
 public:
  struct Params {
    std::uint64_t elements = 8;
    std::int32_t offset = -1;
    double scale = 0.5;
    bool pinned = true;
    std::string mistake = "none";
    Kernel kernel = Kernel::wide;
  };

  static void describe(assay::Description<Params>& is) {
    is.named("adder").implements("add/1").revision(3).summary("adds \"one\"").doc("a\nb\t\\");
    is.param("elements", &Params::elements).unit(assay::unit::bytes).range(1, 1ull << 36).help("how many");
    is.param("offset", &Params::offset).required();
    is.param("scale", &Params::scale).at_least(0);
    is.param("pinned", &Params::pinned);
    is.param("mistake", &Params::mistake);
    is.param("kernel", &Params::kernel).choices({{"plain", Kernel::plain}, {"wide", Kernel::wide}});
    is.value("memory", assay::unit::bytes).dimensions(1);
    is.rate("bandwidth", assay::unit::bytes_per_second).counting("bytes").peak("memory_bandwidth");
    is.duration("latency");
    is.fact("chosen", "which").check("link");
    is.supports({assay::Cache::standard, assay::Cache::hot}).supports({assay::Data::zeros});
    is.ranks(1, 4).devices(0, 0);
  }

  Adder(const Params& params, assay::Case& run) : Benchmark(run), params_(params) {
    run.keep<Kept>("a", [] { return std::make_unique<Kept>("a"); });
    run.keep<Kept>("b", [] { return std::make_unique<Kept>("b"); });
  }

  void prepare() override {
    if (params_.mistake == "skip") throw assay::Skip("not here");
    if (params_.mistake == "cancel") throw assay::Cancelled();
    if (params_.mistake == "failure") throw assay::Failure("device lost", ASSAY_E_DEVICE, "cuda", 719);
    if (params_.mistake == "lost") throw assay::Lost("fake:3", "no answer", "nvml", 15);
    if (params_.mistake == "parameter") throw assay::BadParameter("scale", "too small");
    if (params_.mistake == "memory") throw std::bad_alloc();
    if (params_.mistake == "system") throw std::system_error(ENOENT, std::generic_category(), "open");
    if (params_.mistake == "exception") throw std::out_of_range("index 9");
    if (params_.mistake == "number") throw 42;
    values_.assign(params_.elements, 0);
    context().value("memory", 2, 16);
    context().fact("chosen", params_.kernel == Kernel::wide ? "wide" : "plain");
    context().check("link", "link 0", params_.pinned, "seen");
    work("bandwidth", 8.0 * static_cast<double>(params_.elements));
    idempotent();
    if (params_.mistake == "changeable") inputs_follow_seed();
    quantum(2);
    done(ASSAY_DONE_HOT);
  }

  void restore() override { values_.assign(params_.elements, 10); }
  void run(std::uint64_t n) override {
    if (params_.mistake == "idle" && total_ > 0) return;
    total_ += n;
    for (int& value : values_) value = params_.mistake == "wrong" ? 99 : 11;
  }
  void verify() override {
    checks().method("closed form");
    expect_equal(
        params_.elements, [&](std::size_t i) { return values_[i]; }, [](std::size_t) { return 11; });
    context().info("iterations " + std::to_string(total_));
  }

 private:
  Params params_;
  std::vector<int> values_;
  std::uint64_t total_ = 0;
};

class Devices final : public assay::Backend {
 public:
  static constexpr const char* name = "acme";
  static inline bool broken = false;

  void inventory(assay::Inventory& found) override {
    if (broken) throw assay::Failure("the driver is not loaded", ASSAY_E_DEVICE);
    found.fact("driver", "1.2")
        .device("acme:0")
        .uuid("u0")
        .model("A \"1\"")
        .numa_node(1)
        .fact("memory_bytes", 1ull << 34)
        .peak("memory_bandwidth", 2e12, assay::unit::bytes_per_second, "datasheet");
  }
  void read(const std::vector<std::string>& devices, const assay::Readings& out) override {
    for (const auto& device : devices) out.reading(device, "power", 12.5);
    out.reason(devices.at(0), "thermal");
  }
  void visibility(const std::vector<std::string>& devices, const assay::Environment& out) override {
    out.set("ACME_VISIBLE", devices.at(0));
  }
};

struct About {
  static inline std::string opening;  // what is wrong with it
  static inline std::string folder;   // where the plugin lies, as it was told

  static void describe(assay::About& is) {
    is.vendor("Acme").license("MIT").needs("libacme.so.1", "install acme");
  }
  static void open(const assay::PluginHost& host) {
    folder = host.folder();
    host.warning("opened");
    if (opening == "failure") throw assay::Failure("the licence ended", ASSAY_E_RESOURCE, "flexlm", 5);
    if (opening == "number") throw 42;
  }
};

}  // namespace

ASSAY_PLUGIN("com.acme.test", "2.1.0", "acme", About, Devices, Adder)

namespace {

void collect(void* context, const char* text, std::size_t length) {
  static_cast<std::string*>(context)->append(text, length);
}
void collect_reason(void* context, const char* text) {
  *static_cast<std::string*>(context) += std::string("!") + text;
}

// One that ends before what was added to it.
assay_host host_of_first_minors() {
  assay_host host{};
  host.size = offsetof(assay_host, library_path);
  host.abi_minor = ASSAY_ABI_MINOR;
  host.name = "test";
  host.version = "1.0.0";
  return host;
}

class Layer : public ::testing::Test {
 protected:
  Layer() {
    const assay_host host = host_of_first_minors();
    EXPECT_EQ(entry->open(&host, &plugin), ASSAY_OK);
    benchmark = static_cast<const assay_benchmark_v1*>(entry->query(plugin, ASSAY_FACET_BENCHMARK));
    backend = static_cast<const assay_backend_v1*>(entry->query(plugin, ASSAY_FACET_BACKEND));
    host_.parameters = {
        {"elements", std::int64_t{8}}, {"offset", std::int64_t{1}}, {"scale", 1.5}, {"pinned", false},
        {"mistake", "none"},           {"kernel", "plain"}};
  }
  ~Layer() override {
    if (instance) benchmark->release(instance);
    entry->close(plugin);
  }

  assay_status create() { return benchmark->create(plugin, "adder", host_.get(), &instance); }

  RecordingHost host_;
  const assay_plugin_v1* entry = assay_plugin_entry_v1();
  void* plugin = nullptr;
  const assay_benchmark_v1* benchmark = nullptr;
  const assay_backend_v1* backend = nullptr;
  void* instance = nullptr;
};

TEST_F(Layer, DescribesItselfAsTheManifestWantsIt) {
  std::string text;
  const assay_text_sink sink = {sizeof(sink), 0, &text, &collect, &collect_reason};

  ASSERT_EQ(entry->describe(&sink), ASSAY_OK);
  const Json manifest = Json::parse(text);

  EXPECT_EQ(manifest["manifest_version"], 1);
  EXPECT_EQ(manifest["id"], "com.acme.test");
  EXPECT_EQ(manifest["version"], "2.1.0");
  EXPECT_EQ(manifest["vendor"], "Acme");
  EXPECT_EQ(manifest["backend"], "acme");
  EXPECT_EQ(manifest["provides_backend"], "acme");
  EXPECT_EQ(manifest["needs"][0]["soname"], "libacme.so.1");
  EXPECT_EQ(manifest["reporters"], Json::array());
  const Json& adder = manifest["benchmarks"][0];
  EXPECT_EQ(adder["name"], "adder");
  EXPECT_EQ(adder["implements"], "add/1");
  EXPECT_EQ(adder["revision"], 3);
  EXPECT_EQ(adder["summary"], "adds \"one\"");
  EXPECT_EQ(adder["doc"], "a\nb\t\\");
  const Json& parameters = adder["parameters"];
  EXPECT_EQ(parameters[0],
            Json::parse(R"({"name": "elements", "type": "integer", "unit": "B", "default": 8, "minimum": 1,
                            "maximum": 68719476736, "help": "how many"})"));
  EXPECT_FALSE(parameters[1].contains("default")) << "required";
  EXPECT_EQ(parameters[1]["minimum"], -2147483648) << "what the member can hold";
  EXPECT_EQ(parameters[2]["type"], "number");
  EXPECT_EQ(parameters[2]["default"], 0.5);
  EXPECT_EQ(parameters[3]["type"], "boolean");
  EXPECT_EQ(parameters[3]["default"], true);
  EXPECT_EQ(parameters[4]["default"], "none");
  EXPECT_EQ(parameters[5]["type"], "text");
  EXPECT_EQ(parameters[5]["values"], Json::parse(R"(["plain", "wide"])"));
  EXPECT_EQ(parameters[5]["default"], "wide");
  const Json& metrics = adder["metrics"];
  EXPECT_EQ(metrics[0]["kind"], "value");
  EXPECT_EQ(metrics[0]["headline"], false);
  EXPECT_EQ(metrics[0]["dimensions"], 1);
  EXPECT_EQ(metrics[1]["kind"], "rate");
  EXPECT_EQ(metrics[1]["direction"], "higher");
  EXPECT_EQ(metrics[1]["headline"], true) << "the first with samples leads";
  EXPECT_EQ(metrics[1]["peak"], "memory_bandwidth");
  EXPECT_EQ(metrics[2]["unit"], "s");
  EXPECT_EQ(metrics[2]["direction"], "lower");
  EXPECT_EQ(metrics[2]["headline"], false);
  EXPECT_EQ(adder["conditions"], Json::parse(R"({"cache": ["hot"], "data": ["zeros"]})"));
  EXPECT_EQ(adder["ranks"], Json::parse(R"({"minimum": 1, "maximum": 4})"));
  EXPECT_EQ(adder["devices"], Json::parse(R"({"minimum": 0, "maximum": 0})"));
  EXPECT_EQ(adder["facts"][0]["name"], "chosen");
  EXPECT_EQ(adder["checks"][0], "link");
}

TEST_F(Layer, AnswersUnknownFacetsWithNull) {
  EXPECT_EQ(entry->query(plugin, "assay.benchmark/2"), nullptr);
  EXPECT_EQ(entry->query(plugin, ASSAY_FACET_REPORTER), nullptr);
  EXPECT_EQ(entry->query(plugin, ""), nullptr);
}

TEST_F(Layer, AnswersModesAndPhasesThatItDoesNotKnow) {
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  assay_sample sample{};
  assay_verification seen{};
  for (const std::int32_t unknown : {-1, 4, 1000}) {
    EXPECT_EQ(benchmark->iterate(instance, unknown, 2, &sample), ASSAY_E_UNSUPPORTED);
    EXPECT_EQ(benchmark->verify(instance, unknown, &seen), ASSAY_E_UNSUPPORTED);
  }
  EXPECT_EQ(sample.device_s, 0);
}

TEST_F(Layer, SettlesAndChangesItsInputs) {
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  EXPECT_EQ(benchmark->settle(instance), ASSAY_OK);
  EXPECT_EQ(benchmark->reseed(instance, 9), ASSAY_E_UNSUPPORTED) << "it did not say that its inputs follow";
  benchmark->release(instance);
  host_.parameters["mistake"] = "changeable";
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  ASSERT_EQ(benchmark->reseed(instance, 9), ASSAY_OK);
  assay_verification seen{};
  EXPECT_EQ(benchmark->verify(instance, ASSAY_VERIFY_LAST, &seen), ASSAY_E_VERIFY)
      << "old results are destroyed";
}

TEST_F(Layer, RefusesABenchmarkThatItDoesNotHave) {
  EXPECT_EQ(benchmark->create(plugin, "adder2", host_.get(), &instance), ASSAY_E_UNSUPPORTED);
  EXPECT_EQ(instance, nullptr);
  EXPECT_THAT(host_.reasons.at(0).text, HasSubstr("'adder2'"));
}

TEST_F(Layer, RunsACaseFromCreateToRelease) {
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->probe(instance), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  EXPECT_EQ(host_.declared_work["bandwidth"], 64);
  EXPECT_EQ(host_.values["memory[2]"], 16);
  EXPECT_EQ(host_.facts["chosen"], "plain");
  EXPECT_THAT(host_.checks, ElementsAre("link|link 0|no|seen"));

  assay_traits traits{};
  ASSERT_EQ(benchmark->traits(instance, &traits), ASSAY_OK);
  EXPECT_EQ(traits.clock, ASSAY_CLOCK_HOST);
  EXPECT_DOUBLE_EQ(traits.tick_s, 50e-9);
  EXPECT_EQ(traits.quantum, 2u);
  EXPECT_EQ(traits.flags, static_cast<std::uint32_t>(ASSAY_TRAIT_IDEMPOTENT));

  assay_verification seen{};
  ASSERT_EQ(benchmark->verify(instance, ASSAY_VERIFY_BEFORE, &seen), ASSAY_OK);
  EXPECT_EQ(seen.checked, 8u);
  EXPECT_EQ(seen.exact, 1u);
  EXPECT_STREQ(seen.method, "closed form");
  EXPECT_EQ(host_.lines.back(), "iterations 2") << "one quantum";

  assay_sample sample{};
  ASSERT_EQ(benchmark->iterate(instance, ASSAY_MODE_MEASURE, 6, &sample), ASSAY_OK);
  EXPECT_DOUBLE_EQ(sample.device_s, 50e-9);
  EXPECT_EQ(sample.end_ns - sample.begin_ns, 50);
  EXPECT_EQ(sample.done, static_cast<std::uint32_t>(ASSAY_DONE_HOT));

  seen = {};
  ASSERT_EQ(benchmark->verify(instance, ASSAY_VERIFY_LAST, &seen), ASSAY_OK);
  EXPECT_EQ(host_.lines.back(), "iterations 8") << "nothing is run before the last output is checked";
  EXPECT_TRUE(host_.reasons.empty());
}

TEST_F(Layer, NeverReportsATimeOfZero) {
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  assay_traits traits{};
  ASSERT_EQ(benchmark->traits(instance, &traits), ASSAY_OK);
  host_.step_ns = 0;
  assay_sample sample{};
  ASSERT_EQ(benchmark->iterate(instance, ASSAY_MODE_MEASURE, 2, &sample), ASSAY_OK);
  EXPECT_DOUBLE_EQ(sample.device_s, traits.tick_s);
}

TEST_F(Layer, SaysWhichResultIsWrong) {
  host_.parameters["mistake"] = "wrong";
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  assay_verification seen{};
  EXPECT_EQ(benchmark->verify(instance, ASSAY_VERIFY_AFTER, &seen), ASSAY_E_VERIFY);
  EXPECT_EQ(seen.wrong, 8u);
  EXPECT_EQ(host_.reasons.at(0).text, "8 of 8 values are wrong; element 0 is 99, expected 11");
}

TEST_F(Layer, DoesNotTakeAnOldResultForThatOfTheLastSample) {
  host_.parameters["mistake"] = "idle";  // but for the first time
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  assay_verification seen{};
  ASSERT_EQ(benchmark->verify(instance, ASSAY_VERIFY_BEFORE, &seen), ASSAY_OK);
  assay_sample sample{};
  ASSERT_EQ(benchmark->iterate(instance, ASSAY_MODE_MEASURE, 2, &sample), ASSAY_OK);
  seen = {};
  EXPECT_EQ(benchmark->verify(instance, ASSAY_VERIFY_LAST, &seen), ASSAY_E_VERIFY);
  EXPECT_EQ(seen.wrong, 8u);
}

TEST_F(Layer, TurnsEveryExceptionIntoAStatusAndAReason) {
  struct Expected {
    const char* mistake;
    assay_status status;
    const char* domain;
    std::int64_t code;
    const char* text;
  };
  for (const Expected& expected :
       {Expected{"skip", ASSAY_SKIPPED, "", 0, "not here"},
        {"failure", ASSAY_E_DEVICE, "cuda", 719, "device lost"},
        {"memory", ASSAY_E_RESOURCE, "", 0, "not enough host memory"},
        {"system", ASSAY_E_RESOURCE, "errno", ENOENT, "open: No such file or directory"},
        {"exception", ASSAY_E_INTERNAL, "", 0, "index 9"},
        {"number", ASSAY_E_INTERNAL, "", 0, "the plugin threw something that is not a std::exception"}}) {
    SCOPED_TRACE(expected.mistake);
    RecordingHost host;
    host.parameters = host_.parameters;
    host.parameters["mistake"] = expected.mistake;
    void* made = nullptr;
    ASSERT_EQ(benchmark->create(plugin, "adder", host.get(), &made), ASSAY_OK);
    EXPECT_EQ(benchmark->prepare(made), expected.status);
    ASSERT_EQ(host.reasons.size(), 1u);
    EXPECT_EQ(host.reasons[0].domain, expected.domain);
    EXPECT_EQ(host.reasons[0].code, expected.code);
    EXPECT_EQ(host.reasons[0].text, expected.text);
    benchmark->release(made);
  }
}

TEST_F(Layer, NamesTheDeviceThatIsLost) {
  host_.parameters["mistake"] = "lost";
  ASSERT_EQ(create(), ASSAY_OK);
  EXPECT_EQ(benchmark->prepare(instance), ASSAY_E_LOST);
  EXPECT_THAT(host_.lost, ElementsAre("fake:3"));
  ASSERT_EQ(host_.reasons.size(), 1u);
  EXPECT_EQ(host_.reasons[0].domain, "nvml");
  EXPECT_EQ(host_.reasons[0].code, 15);
}

TEST_F(Layer, SpoilsWhatTheNextVerificationComparesAndNothingElse) {
  ASSERT_EQ(create(), ASSAY_OK);
  ASSERT_EQ(benchmark->prepare(instance), ASSAY_OK);
  assay_verification seen{};
  assay_sample sample{};
  for (const assay_verify_phase phase : {ASSAY_VERIFY_BEFORE, ASSAY_VERIFY_LAST, ASSAY_VERIFY_AFTER}) {
    ASSERT_EQ(benchmark->iterate(instance, ASSAY_MODE_MEASURE, 2, &sample), ASSAY_OK);
    ASSERT_EQ(benchmark->damage(instance), ASSAY_OK);
    seen = {};
    EXPECT_EQ(benchmark->verify(instance, phase, &seen), ASSAY_E_VERIFY) << phase;
    EXPECT_EQ(seen.wrong, 8u);
    EXPECT_EQ(benchmark->verify(instance, ASSAY_VERIFY_AFTER, &seen), ASSAY_OK) << phase;
  }
}

TEST_F(Layer, OpensWithAReasonWhyNot) {
  struct Heard {
    std::string lines, reason;
  } heard;
  assay_host host = host_of_first_minors();
  host.size = sizeof host;
  host.library_path = "/opt/acme/lib/acme.so";
  host.manifest_path = "/opt/acme/lib/acme.assay.json";
  host.host = &heard;
  host.log = [](const assay_host* self, assay_log_level level, const char* text) {
    static_cast<Heard*>(self->host)->lines += std::to_string(level) + text + "\n";
  };
  host.fail = [](const assay_host* self, const char* domain, std::int64_t code, const char* text) {
    static_cast<Heard*>(self->host)->reason += std::string(domain) + std::to_string(code) + text;
  };
  const auto open = [&](const char* how) {
    heard = {};
    About::opening = how;
    void* own = nullptr;
    const assay_status status = entry->open(&host, &own);
    EXPECT_EQ(own != nullptr, status == ASSAY_OK);
    if (own) entry->close(own);
    About::opening.clear();
    return status;
  };
  EXPECT_EQ(open(""), ASSAY_OK);
  EXPECT_EQ(heard.lines, "2opened\n");
  EXPECT_EQ(About::folder, "/opt/acme/lib");
  EXPECT_EQ(open("failure"), ASSAY_E_RESOURCE);
  EXPECT_EQ(heard.reason, "flexlm5the licence ended");
  EXPECT_EQ(open("number"), ASSAY_E_INTERNAL);
  EXPECT_EQ(heard.reason, "0the plugin threw something that is not a std::exception");
}

TEST_F(Layer, TellsCancelFromFailure) {
  host_.parameters["mistake"] = "cancel";
  ASSERT_EQ(create(), ASSAY_OK);
  EXPECT_EQ(benchmark->prepare(instance), ASSAY_CANCELLED);
  EXPECT_TRUE(host_.reasons.empty());
}

TEST_F(Layer, NamesTheParameterThatABenchmarkRefuses) {
  host_.parameters["mistake"] = "parameter";
  ASSERT_EQ(create(), ASSAY_OK);
  EXPECT_EQ(benchmark->prepare(instance), ASSAY_E_INVALID);
  EXPECT_EQ(host_.reasons.at(0).parameter, "scale");
}

TEST_F(Layer, RefusesParametersThatItCannotHold) {
  const auto refused = [&](const char* name, RecordingHost::Value value) {
    const auto before = host_.parameters;
    host_.parameters[name] = std::move(value);
    host_.reasons.clear();
    const assay_status status = create();
    host_.parameters = before;
    return status == ASSAY_E_INVALID && instance == nullptr && host_.reasons.size() == 1 &&
           host_.reasons[0].parameter == name;
  };
  EXPECT_TRUE(refused("elements", std::int64_t{-1}));
  EXPECT_TRUE(refused("offset", std::int64_t{1} << 31));
  EXPECT_TRUE(refused("kernel", std::string("narrow")));
  EXPECT_TRUE(refused("scale", std::string("1.5")));
  EXPECT_TRUE(refused("pinned", std::int64_t{1}));
}

TEST_F(Layer, KeepsObjectsBetweenCasesUntilThePluginIsClosed) {
  closed.clear();
  void* own = nullptr;
  const assay_host host = host_of_first_minors();
  ASSERT_EQ(entry->open(&host, &own), ASSAY_OK);
  for (int round = 0; round < 2; ++round) {
    void* made = nullptr;
    ASSERT_EQ(benchmark->create(own, "adder", host_.get(), &made), ASSAY_OK);
    benchmark->release(made);
  }
  EXPECT_TRUE(closed.empty());
  entry->close(own);
  EXPECT_THAT(closed, ElementsAre("b", "a")) << "one of each, the newest first";
}

TEST_F(Layer, WritesTheInventoryAsJson) {
  std::string text;
  const assay_text_sink sink = {sizeof(sink), 0, &text, &collect, &collect_reason};
  ASSERT_EQ(backend->inventory(plugin, &sink), ASSAY_OK);
  EXPECT_EQ(Json::parse(text),
            Json::parse(R"({"devices": [{"name": "acme:0", "uuid": "u0", "model": "A \"1\"",
      "numa_node": 1, "facts": {"memory_bytes": 17179869184, "peaks": {"memory_bandwidth":
      {"value": 2e12, "unit": "B/s", "source": "datasheet"}}}}], "facts": {"driver": "1.2"}})"));
}

TEST_F(Layer, SaysWhyThereIsNoInventory) {
  Devices::broken = true;
  std::string text;
  assay_text_sink sink = {sizeof(sink), 0, &text, &collect, &collect_reason};
  EXPECT_EQ(backend->inventory(plugin, &sink), ASSAY_E_DEVICE);
  EXPECT_EQ(text, "!the driver is not loaded");

  sink.size = offsetof(assay_text_sink, fail);  // an older host, whose struct ends here
  text.clear();
  EXPECT_EQ(backend->inventory(plugin, &sink), ASSAY_E_DEVICE);
  EXPECT_EQ(text, "");
  Devices::broken = false;
}

TEST_F(Layer, PassesReadingsAndEnvironmentOn) {
  std::vector<std::string> seen;
  assay_reading_sink readings{};
  readings.size = sizeof(readings);
  readings.context = &seen;
  readings.reading = [](void* context, const char* device, const char* quantity, double value) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(device) + " " + quantity + " " +
                                                               std::to_string(value));
  };
  readings.reason = [](void* context, const char* device, const char* reason) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(device) + " " + reason);
  };
  const char* devices[] = {"acme:0", "acme:1"};
  ASSERT_EQ(backend->read(plugin, devices, 2, &readings), ASSAY_OK);
  EXPECT_THAT(seen, ElementsAre("acme:0 power 12.500000", "acme:1 power 12.500000", "acme:0 thermal"));
  EXPECT_EQ(backend->read(plugin, devices, 0, &readings), ASSAY_E_INTERNAL) << "its own mistake stays inside";

  assay_environment_sink environment{};
  environment.size = sizeof(environment);
  environment.context = &seen;
  environment.set = [](void* context, const char* name, const char* value) {
    static_cast<std::vector<std::string>*>(context)->push_back(std::string(name) + "=" + value);
  };
  ASSERT_EQ(backend->visibility(plugin, devices, 2, &environment), ASSAY_OK);
  EXPECT_EQ(seen.back(), "ACME_VISIBLE=acme:0");
}

}  // namespace
