// SPDX-License-Identifier: Apache-2.0
#include "system/peaks.hpp"

#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::system {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable = R"(version: 1
devices:
  - name: H200 SXM
    source: NVIDIA H200 datasheet, dense
    match: {model: NVIDIA H200, multiprocessors: 132, memory_bytes: {min: 138GB, max: 155GB}, compute_capability: "9.0"}
    peaks:
      memory_bandwidth: 4800 GB/s
      throughput: {bf16: 989.4 TFLOP/s, fp8_e4m3: 1979 TFLOP/s}
)";

Device h200() {
  Device device;
  device.name = "cuda:0";
  device.model = "NVIDIA H200";
  device.facts = {{"multiprocessors", 132}, {"memory_bytes", 150123456789}, {"compute_capability", "9.0"}};
  return device;
}

Json table() {
  Diagnostics diagnostics;
  Json parsed = parse_peaks("h200.yaml", kTable, diagnostics);
  for (const Diagnostic& problem : diagnostics.sorted()) ADD_FAILURE() << to_text(problem);
  return parsed;
}

TEST(Peaks, AreFoundByTheDevicesFacts) {
  const auto peak = find_peak(table(), h200(), "memory_bandwidth", "");

  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->value, 4.8e12);
  EXPECT_EQ(peak->unit, "B/s");
  EXPECT_EQ(peak->source, "NVIDIA H200 datasheet, dense");
}

TEST(Peaks, DifferByDataType) {
  EXPECT_EQ(find_peak(table(), h200(), "throughput", "bf16")->value, 989.4e12);
  EXPECT_FALSE(find_peak(table(), h200(), "throughput", "fp4"));
  EXPECT_FALSE(find_peak(table(), h200(), "throughput", ""));
}

TEST(Peaks, AreUnknownForADeviceThatDiffersInOneFact) {
  Device device = h200();
  device.facts["multiprocessors"] = 114;
  EXPECT_FALSE(find_peak(table(), device, "memory_bandwidth", ""));

  device = h200();
  device.facts["memory_bytes"] = 80e9;
  EXPECT_FALSE(find_peak(table(), device, "memory_bandwidth", ""));

  device = h200();
  device.facts.erase("compute_capability");
  EXPECT_FALSE(find_peak(table(), device, "memory_bandwidth", ""));
}

TEST(Peaks, ThatABackendMeasuredComeFirst) {
  Device device = h200();
  device.facts["peaks"] = {{"memory_bandwidth", {{"value", 4.6e12}, {"source", "measured: read of 8 GiB"}}}};

  const auto peak = find_peak(table(), device, "memory_bandwidth", "");

  EXPECT_EQ(peak->value, 4.6e12);
  EXPECT_EQ(peak->source, "measured: read of 8 GiB");
  EXPECT_EQ(find_peak(table(), device, "throughput", "bf16")->value, 989.4e12);
}

TEST(Peaks, ThatAreNoNumberAboveZeroAreUnknown) {
  Device device;
  for (const Json& value : {Json(0), Json(-1), Json("5"), Json()}) {
    device.facts["peaks"] = {{"memory_bandwidth", {{"value", value}}}};
    EXPECT_FALSE(find_peak(Json::array(), device, "memory_bandwidth", "")) << value;
  }
}

TEST(Peaks, ThatABackendCannotMeanAreSaidAndNotUsed) {
  Device device = h200();
  const auto refused = [&](const Json& peak) {
    device.facts["peaks"] = {{"memory_bandwidth", peak}};
    std::string why;
    const auto found = find_peak(table(), device, "memory_bandwidth", "", "B/s", &why);
    EXPECT_EQ(found->value, 4.8e12) << "the cited one";
    EXPECT_EQ(wrong_peaks(device.facts["peaks"], [](const std::string&) { return "B/s"; }),
              std::vector<std::string>{why});
    return why;
  };
  EXPECT_EQ(refused({{"value", 5e12}, {"unit", "FLOP/s"}}),
            "peak 'memory_bandwidth' is in 'FLOP/s', but the metric that it limits is in 'B/s'");
  EXPECT_EQ(refused({{"value", -1}, {"unit", "B/s"}}),
            "peak 'memory_bandwidth' is -1, which is not above zero");
  EXPECT_EQ(refused({{"value", nullptr}}), "peak 'memory_bandwidth' has no number as its 'value'");
  EXPECT_EQ(refused({{"value", 5}, {"unit", "GB/s"}}),
            "peak 'memory_bandwidth' is in 'GB/s', which is not a base unit");
  EXPECT_EQ(refused(7), "peak 'memory_bandwidth' is not an object with 'value', 'unit' and 'source'");
  device.facts["peaks"] = {{"memory_bandwidth", {{"by_dtype", {{"bf16", {{"value", 0}}}}}}}};
  EXPECT_EQ(wrong_peaks(device.facts["peaks"], [](const std::string&) { return ""; }).size(), 1u);
}

TEST(Peaks, ReportEveryMistakeAtItsPlace) {
  Diagnostics diagnostics;
  (void)parse_peaks("p.yaml",
                    "version: 1\n"
                    "devices:\n"
                    "  - name: A\n"
                    "    match: {model: A}\n"
                    "    paeks: {}\n"
                    "    peaks: {memory_bandwidth: 4800, other: -1 GB/s}\n",
                    diagnostics);

  std::string all;
  for (const Diagnostic& problem : diagnostics.sorted()) all += to_text(problem);
  EXPECT_EQ(all,
            "p.yaml:3:5: error: an entry needs 'source' with a text\n"
            "p.yaml:5:5: error: unknown key 'paeks' in an entry (did you mean 'peaks'?)\n"
            "p.yaml:6:31: error: peak 'memory_bandwidth' is not a quantity with a unit (write for example "
            "4800 GB/s)\n"
            "p.yaml:6:44: error: peak 'other' is not above zero (leave out what is unknown)\n");
}

TEST(Peaks, SayWhichVersionTheyRead) {
  Diagnostics diagnostics;
  EXPECT_TRUE(parse_peaks("p.yaml", "version: 2\ndevices: []\n", diagnostics).empty());
  EXPECT_THAT(diagnostics.sorted().at(0).text, HasSubstr("version 1"));
}

TEST(Peaks, OfNoYamlAreADiagnostic) {
  for (const char* text : {"", "[", "a: b: c", "- 1", "version: [1]\ndevices: 3", "devices: {a: 1}"}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(parse_peaks("p.yaml", text, diagnostics).empty());
    EXPECT_TRUE(diagnostics.has_errors()) << text;
  }
}

TEST(Peaks, AreReadAsStrictlyAsSuites) {
  Diagnostics diagnostics;
  (void)parse_peaks(
      "p.yaml",
      "version: 1\n"
      "devices:\n"
      "  - {name: A, name: B, source: C, match: {model: A}, peaks: {memory_bandwidth: !x 1 GB/s}}\n",
      diagnostics);
  const std::vector<Diagnostic> problems = diagnostics.sorted();
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].code, "peaks.duplicate-key");
  EXPECT_EQ(to_text(problems[0]),
            "p.yaml:3:15: error: key 'name' is there twice, first in line 3 (keep one of them)\n");
  EXPECT_EQ(problems[1].code, "peaks.tag");
}

TEST(Peaks, ThatAreShippedAreWhole) {
  Diagnostics diagnostics;
  const Json tables = read_peaks(source_folder() / "suites/devices", diagnostics);
  for (const Diagnostic& problem : diagnostics.sorted()) ADD_FAILURE() << to_text(problem);
  Device device;
  device.model = "NVIDIA H200";
  device.facts = {{"architecture", "sm_90"}, {"memory_bytes", 150754820096}};

  ASSERT_TRUE(find_peak(tables, device, "memory_bandwidth", ""));
  EXPECT_EQ(find_peak(tables, device, "memory_bandwidth", "")->value, 4.8e12);
  EXPECT_EQ(find_peak(tables, device, "matrix_throughput", "fp8_e4m3")->value, 1.979e15);
  device.model = "NVIDIA H200 MIG 1g.18gb";
  EXPECT_FALSE(find_peak(tables, device, "memory_bandwidth", ""));
}

TEST(Peaks, OfAFolderThatIsNotThereAreNone) {
  Diagnostics diagnostics;
  EXPECT_TRUE(read_peaks("/nonexistent", diagnostics).empty());
  EXPECT_FALSE(diagnostics.has_errors());
}

}  // namespace
}  // namespace assay::system
