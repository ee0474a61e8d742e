// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.hpp"

#include "base/file.hpp"
#include "catalog/benchmark_schemas.hpp"
#include "catalog/catalog_test_world.hpp"
#include "catalog/libraries.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

namespace assay::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Manifest, IsReadWhole) {
  Diagnostics diagnostics;
  const auto manifest = parse_manifest("/plugins/saxpy.assay.json", kSaxpy, diagnostics);
  ASSERT_TRUE(manifest) << all(diagnostics);

  EXPECT_EQ(manifest->library, "/plugins/saxpy.so");
  EXPECT_EQ(manifest->needs.at(0).soname, "libacme.so.3");
  const Benchmark& saxpy = *manifest->benchmark("saxpy");
  EXPECT_EQ(saxpy.parameter("bytes")->maximum, 1073741824);
  EXPECT_TRUE(saxpy.parameter("a")->default_value.is_null());
  EXPECT_EQ(saxpy.metric("bandwidth")->kind, MetricKind::rate);
  EXPECT_EQ(saxpy.metric("time")->unit, "s");
  EXPECT_EQ(saxpy.metric("nothing"), nullptr);
  EXPECT_EQ(saxpy.ranks.maximum, 0);
  EXPECT_EQ(saxpy.devices.maximum, 1);
  EXPECT_EQ(manifest->reporters.at(0).options.at(0).default_value, "short");
}

TEST(Manifest, SupportsWhatItListsAndWhatTheHostDoes) {
  Diagnostics diagnostics;
  const auto manifest = parse_manifest("m", kSaxpy, diagnostics);
  const Benchmark& saxpy = manifest->benchmarks.at(0);

  EXPECT_TRUE(saxpy.supports("cache", "cold"));
  EXPECT_FALSE(saxpy.supports("cache", "rotating"));
  EXPECT_FALSE(saxpy.supports("launch", "graph"));
  EXPECT_TRUE(saxpy.supports("launch", "default"));
  EXPECT_TRUE(saxpy.supports("thermal", "sustained"));
}

TEST(Manifest, OfAnotherVersionNamesBothAndTheFile) {
  EXPECT_EQ(problems_of(changed("/manifest_version", 2)),
            "m.json: error: the manifest has version 2; this program reads version 1 (update Assay, or build "
            "the plugin "
            "with an SDK of this version)\n");
  EXPECT_THAT(problems_of(changed("/abi/major", 3)),
              HasSubstr("the plugin speaks ABI 3; this program speaks ABI 1"));
}

TEST(Manifest, ThatIsNoJsonSaysWhere) {
  EXPECT_THAT(problems_of("{\n  \"id\": \"a\",\n  oops\n}"),
              HasSubstr("m.json:3:3: error: not valid JSON: "));
  EXPECT_THAT(problems_of(""), HasSubstr("m.json:1:1: error: not valid JSON: "));
  EXPECT_THAT(problems_of("[]"), HasSubstr("'/' is not an object"));
  EXPECT_THAT(problems_of(std::string(100000, '[')),
              HasSubstr("m.json:1:65: error: this JSON is nested deeper than 64"));
}

TEST(Manifest, WithANumberBeyondAllBoundsIsRefused) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_manifest("/x/y.assay.json", R"({"manifest_version": 1e9999})", diagnostics));
  EXPECT_THAT(all(diagnostics),
              HasSubstr("1:22: error: not valid JSON: a number is larger than numbers can be"));
}

TEST(Manifest, WarnsOfKeysThatAreNearlyOnesThatItHas) {
  const struct {
    const char* pointer;
    const char* warning;
  } rows[] = {
      {"/sumary", "'/sumary' is not a key of a manifest and is ignored (did you mean 'summary'?)"},
      {"/benchmarks/0/metric", "did you mean 'metrics'?"},
      {"/benchmarks/0/parameters/2/defualt", "'/benchmarks/0/parameters/2/defualt' is not a key"},
      {"/benchmarks/0/metrics/0/mechanisms", "did you mean 'mechanism'?"},
      {"/benchmarks/0/ranks/minimun", "did you mean 'minimum'?"},
      {"/benchmarks/0/facts/0/sumary", "did you mean 'summary'?"},
      {"/needs/0/hints", "did you mean 'hint'?"},
      {"/reporters/0/option", "did you mean 'options'?"},
      {"/reporters/0/options/0/vales", "did you mean 'values'?"},
  };
  for (const auto& row : rows) {
    const std::string text = problems_of(changed(row.pointer, 1));
    EXPECT_THAT(text, ::testing::AllOf(HasSubstr("warning"), HasSubstr(row.warning))) << row.pointer;
  }
  EXPECT_EQ(problems_of(kSaxpy), "") << "keys of a later version are none of these";
}

TEST(Manifest, TakesTheLimitsOfIntegersForNone) {
  Json json = Json::parse(kSaxpy);
  Json& bytes = json["benchmarks"][0]["parameters"][0];
  bytes["minimum"] = std::numeric_limits<std::int64_t>::min();
  bytes["maximum"] = std::numeric_limits<std::int64_t>::max();
  Diagnostics diagnostics;
  const auto manifest = parse_manifest("m", json.dump(), diagnostics);
  ASSERT_TRUE(manifest) << all(diagnostics);
  EXPECT_FALSE(manifest->benchmarks.at(0).parameter("bytes")->minimum);
  EXPECT_FALSE(manifest->benchmarks.at(0).parameter("bytes")->maximum);
}

TEST(Manifest, ReportsEveryMistakeOfItsTypesInOnePass) {
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } rows[] = {
      {"/id", 5, "'/id' is not a text"},
      {"/id", "saxpy", "not a reverse-DNS name"},
      {"/id", "com..acme", "not a reverse-DNS name"},
      {"/version", nullptr, "'/version' is missing"},
      {"/library", "../evil.so", "not inside the manifest's folder"},
      {"/library", "/abs.so", "not inside the manifest's folder"},
      {"/backend", "", "'/backend' is missing"},
      {"/needs/0/soname", "a/b.so", "is a path"},
      {"/benchmarks", 3, "'/benchmarks' is not an array"},
      {"/benchmarks/0/name", "Saxpy 2", "not a name"},
      {"/benchmarks/0/revision", 0, "is not a whole number from 1"},
      {"/benchmarks/0/parameters/0/type", "int", "not one of: integer, number, boolean, text"},
      {"/benchmarks/0/parameters/0/unit", "GB", "not a base unit (write 'B')"},
      {"/benchmarks/0/parameters/0/unit", "furlong", "not a unit"},
      {"/benchmarks/0/parameters/0/default", "many", "not of type integer"},
      {"/benchmarks/0/parameters/0/default", 1, "outside of minimum and maximum"},
      {"/benchmarks/0/parameters/0/default", 18446744073709551615U, "integers of 64 bits with a sign"},
      {"/benchmarks/0/parameters/0/minimum", 2e9, "is above the maximum"},
      {"/benchmarks/0/parameters/0/name", "bind", "a word that suites use for something else"},
      {"/benchmarks/0/parameters/0/name", "dtype", "'dtype' twice"},
      {"/benchmarks/0/parameters/1/default", "fp16", "not one of: fp32, fp64"},
      {"/benchmarks/0/parameters/1/unit", "B", "belongs to numbers only"},
      {"/benchmarks/0/metrics/0/kind", "speed", "not one of: rate, duration, value"},
      {"/benchmarks/0/metrics/0/name", "time", "which every benchmark has by itself"},
      {"/benchmarks/0/metrics/0/dimensions", 3, "is above 2"},
      {"/benchmarks/0/conditions/cache", {"warm"}, "has no value 'warm'"},
      {"/benchmarks/0/ranks", {{"minimum", 4}, {"maximum", 2}}, "is below the minimum"},
      {"/benchmarks/0/checks", {"a", "a"}, "has 'a' twice"},
      {"/reporters/0/file", "a/b", "is not a plain file name"},
  };
  for (const auto& row : rows) {
    const std::string text = problems_of(changed(row.pointer, row.value));
    EXPECT_THAT(text, HasSubstr(row.message)) << row.pointer;
  }
  Json json = Json::parse(kSaxpy);
  json["id"] = 1;
  json["version"] = 2;
  EXPECT_THAT(problems_of(json.dump()), ::testing::AllOf(HasSubstr("'/id'"), HasSubstr("'/version'")));
}

TEST(Manifest, SaysNothingTwice) {
  std::string text = kSaxpy;
  const std::size_t end = text.rfind('}');
  EXPECT_THAT(problems_of(text.substr(0, end) + R"(, "library": "other.so"})"),
              HasSubstr("'library' stands twice in one object"));
  EXPECT_THAT(problems_of(R"({"needs": [{"soname": "a", "hint": "b", "soname": "c"}]})"),
              HasSubstr("'soname' stands twice"));
}

std::string backend_with(const char* key, const Json& entry) {
  Json json = Json::parse(kSaxpy);
  json["provides_backend"] = "acme";
  json[key] = Json::array({entry});
  return json.dump();
}

TEST(Manifest, DeclaresWhatABackendReads) {
  Diagnostics diagnostics;
  Json json = Json::parse(kSaxpy);
  json["provides_backend"] = "acme";
  json["telemetry"] = {
      {{"name", "power"}, {"unit", "W"}, {"kind", "gauge"}},
      {{"name", "errors"}, {"kind", "counter"}, {"above_zero", "fail"}, {"summary", "lost bits"}}};
  json["reasons"] = {
      {{"name", "xid_*"}, {"means", "told"}}, {{"name", "xid_79"}, {"means", "fault"}}, {{"name", "odd"}}};
  const auto manifest = parse_manifest("m", json.dump(), diagnostics);
  ASSERT_TRUE(manifest) << all(diagnostics);
  EXPECT_EQ(manifest->quantity("power")->unit, "W");
  EXPECT_EQ(manifest->quantity("errors")->unit, "1");
  EXPECT_EQ(manifest->quantity("errors")->kind, QuantityKind::counter);
  EXPECT_EQ(manifest->quantity("errors")->above_zero, AboveZero::fails);
  EXPECT_EQ(manifest->quantity("energy"), nullptr);
  EXPECT_EQ(meaning_of(&*manifest, "xid_79"), kFault);
  EXPECT_EQ(meaning_of(&*manifest, "xid_13"), kTold);
  EXPECT_EQ(meaning_of(&*manifest, "odd"), "");
  EXPECT_EQ(meaning_of(&*manifest, "lost"), kLost) << "the interface's own word";
  EXPECT_EQ(manifest->reason("heat"), nullptr);
}

TEST(Manifest, RefusesTelemetryThatNobodyCouldUse) {
  EXPECT_THAT(problems_of(backend_with("telemetry", {{"name", "Power Draw!"}, {"kind", "gauge"}})),
              HasSubstr("'/telemetry/0/name' is 'Power Draw!', which is not a name"));
  EXPECT_THAT(problems_of(backend_with("telemetry", {{"name", "p"}, {"unit", "kW"}, {"kind", "gauge"}})),
              HasSubstr("'/telemetry/0/unit' is 'kW', which is not a base unit (write 'W')"));
  EXPECT_THAT(problems_of(backend_with("telemetry", {{"name", "p"}, {"kind", "gage"}})),
              HasSubstr("did you mean 'gauge'?"));
  EXPECT_THAT(problems_of(backend_with("telemetry", {{"name", "peak"}, {"kind", "gauge"}})),
              HasSubstr("a word that expressions use"));
  EXPECT_THAT(problems_of(backend_with("reasons", {{"name", "hot"}, {"means", "throttling"}})),
              HasSubstr("did you mean 'throttled'?"));
  EXPECT_THAT(problems_of(backend_with("reasons", {{"name", "*"}})),
              HasSubstr("not a name or the beginning of names"));
  EXPECT_THAT(problems_of(changed("/telemetry", {{{"name", "power"}, {"kind", "gauge"}}})),
              HasSubstr("belongs to backends"));
}

TEST(Manifest, SurvivesAnyChangedByte) {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string text = kSaxpy;
    const std::size_t changes = 1 + random() % 3;
    for (std::size_t i = 0; i < changes; ++i) text[random() % text.size()] = static_cast<char>(random());
    Diagnostics diagnostics;
    const auto manifest = parse_manifest("m", text, diagnostics);
    ASSERT_EQ(manifest.has_value(), !diagnostics.has_errors());
  }
}

std::string contract_problems(const std::string& manifest_text) {
  Diagnostics diagnostics;
  const auto contract = parse_contract("c.json", kContract, diagnostics);
  EXPECT_TRUE(contract) << all(diagnostics);
  const auto manifest = parse_manifest("m.json", manifest_text, diagnostics);
  EXPECT_TRUE(manifest) << all(diagnostics);
  if (contract && manifest) check_contract("m.json", manifest->benchmarks.at(0), *contract, diagnostics);
  return all(diagnostics);
}

TEST(Contract, AllowsAProviderToNarrowAndToAdd) {
  EXPECT_EQ(contract_problems(kSaxpy), "");
  EXPECT_EQ(contract_problems(changed("/benchmarks/0/parameters/3",
                                      {{"name", "block"}, {"type", "integer"}, {"default", 1}})),
            "");
}

TEST(Contract, RefusesWhatChangesTheMeaning) {
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } rows[] = {
      {"/benchmarks/0/name", "axpy", "another name than 'saxpy'"},
      {"/benchmarks/0/parameters/0/name", "size", "has no parameter 'bytes'"},
      {"/benchmarks/0/parameters/0/unit", "s", "parameter 'bytes' has unit 's', not 'B'"},
      {"/benchmarks/0/parameters/0/minimum", 1, "parameter 'bytes' has a wider range"},
      {"/benchmarks/0/parameters/1/values", {"fp32", "int8"}, "parameter 'dtype' adds value 'int8'"},
      {"/benchmarks/0/parameters/1/values", Json::array(), "parameter 'dtype' takes any text"},
      {"/benchmarks/0/parameters/1/default", "fp64", "parameter 'dtype' has another default"},
      {"/benchmarks/0/parameters/3",
       {{"name", "block"}, {"type", "integer"}},
       "adds parameter 'block' without a default"},
      {"/benchmarks/0/metrics/0/name", "rate", "has no metric 'bandwidth'"},
      {"/benchmarks/0/metrics/0/counting", "2 elements", "counts '2 elements', not '3 elements'"},
      {"/benchmarks/0/metrics/0/direction", "lower", "has another direction"},
      {"/benchmarks/0/metrics/0/kind", "value", "is of another kind"},
      {"/benchmarks/0/conditions/launch", {"graph"}, "condition launch: graph is not in the contract"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(contract_problems(changed(row.pointer, row.value)), HasSubstr(row.message)) << row.pointer;
  }
}

TEST(Contract, OfAnotherVersionOrNameIsRefused) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_contract("c", R"({"contract_version": 7})", diagnostics));
  EXPECT_THAT(all(diagnostics), HasSubstr("version 7; this program reads version 1"));
  Json json = Json::parse(kContract);
  json["id"] = "other/1";
  EXPECT_FALSE(parse_contract("c", json.dump(), diagnostics));
  EXPECT_THAT(all(diagnostics), HasSubstr("not 'saxpy/VERSION'"));
}

Manifest provider(const std::string& id, const std::string& backend, const std::string& benchmark) {
  Manifest manifest;
  manifest.id = id;
  manifest.backend = backend;
  manifest.benchmarks.resize(1);
  manifest.benchmarks[0].name = benchmark;
  return manifest;
}

Catalog example() {
  Catalog catalog;
  catalog.add(provider("org.assay.gemm.cuda", "cuda", "gemm"));
  catalog.add(provider("org.assay.gemm.host", "host", "gemm"));
  catalog.add(provider("org.assay.numa.host", "host", "numa"));
  catalog.add(provider("com.acme.a", "acme", "scan"));
  catalog.add(provider("com.beta.b", "acme", "scan"));
  return catalog;
}

// What `uses` gives: the provider's id, or the problem.
std::string found(const std::string& uses, const std::vector<std::string>& backends) {
  const Catalog catalog = example();
  Diagnostics diagnostics;
  const auto provider = catalog.find(parse_reference(uses), backends, {"s.yaml", 3, 5}, diagnostics);
  EXPECT_NE(provider.has_value(), diagnostics.has_errors());
  return provider ? provider->manifest->id : all(diagnostics);
}

TEST(Catalog, FindsTheProviderOnTheBackendThatIsAskedFor) {
  EXPECT_EQ(found("gemm", {"cuda"}), "org.assay.gemm.cuda");
  EXPECT_EQ(found("gemm", {"cuda", "host"}), "org.assay.gemm.cuda");
  EXPECT_EQ(found("gemm", {"host", "cuda"}), "org.assay.gemm.host");
  EXPECT_EQ(found("gemm@host", {"cuda"}), "org.assay.gemm.host");
  EXPECT_EQ(found("scan@acme:com.beta.b", {}), "com.beta.b");
}

TEST(Catalog, NeverFallsBackToTheHost) {
  EXPECT_EQ(found("gemm", {}), "org.assay.gemm.cuda");
  EXPECT_EQ(found("numa", {}), "org.assay.numa.host");  // nothing else offers it
  EXPECT_EQ(found("numa", {"cuda"}),
            "s.yaml:3:5: error: 'numa' is offered on host, not on cuda (host is not a fallback unless it is "
            "listed: backend: "
            "[cuda, host])\n");
}

TEST(Catalog, SaysHowAPluginElsewhereIsNamedIfNothingIsNear) {
  EXPECT_THAT(found("prefix_sum", {}), HasSubstr("error: unknown benchmark 'prefix_sum' (one of: "));
  EXPECT_THAT(found("prefix_sum", {}), HasSubstr("; name a plugin that is elsewhere with --plugin)\n"));
}

TEST(Catalog, SuggestsAndNamesWhoConflicts) {
  EXPECT_EQ(found("gem", {}), "s.yaml:3:5: error: unknown benchmark 'gem' (did you mean 'gemm'?)\n");
  EXPECT_EQ(found("gemm@cdua", {}), "s.yaml:3:5: error: unknown backend 'cdua' (did you mean 'cuda'?)\n");
  EXPECT_EQ(found("scan@acme:com.beta.c", {}),
            "s.yaml:3:5: error: plugin 'com.beta.c' does not provide 'scan' (did you mean 'com.beta.b'?)\n");
  EXPECT_EQ(found("scan", {}),
            "s.yaml:3:5: error: 'scan' is provided on acme by 'com.acme.a' and 'com.beta.b' (write "
            "scan@acme:com.acme.a)\n");
}

TEST(Catalog, SaysThatThereAreNoPlugins) {
  Diagnostics diagnostics;
  EXPECT_FALSE(Catalog().find(parse_reference("gemm"), {}, {}, diagnostics));
  EXPECT_THAT(all(diagnostics), HasSubstr("no plugin was found; name a folder with --plugin-dir"));
}

TEST(Catalog, KeepsTheFirstOfAnIdAndListsTheOthers) {
  Catalog catalog;
  catalog.add(provider("a.b", "cuda", "one"));
  catalog.add(provider("a.b", "cuda", "two"));

  EXPECT_THAT(catalog.benchmark_names(), ElementsAre("one"));
  EXPECT_EQ(catalog.shadowed().size(), 1U);
}

TEST(Schema, OfABenchmarkTakesWhatAnyProviderTakes) {
  Catalog catalog;
  Diagnostics diagnostics;
  catalog.add(*parse_manifest("a", kSaxpy, diagnostics));
  Json other = Json::parse(changed("/id", "com.beta.saxpy"));
  other["benchmarks"][0]["parameters"][1]["values"] = {"fp32", "bf16"};
  other["benchmarks"][0]["parameters"][0]["maximum"] = nullptr;
  catalog.add(*parse_manifest("b", other.dump(), diagnostics));

  const auto schemas = benchmark_schemas(catalog);

  ASSERT_EQ(schemas.size(), 1U);
  EXPECT_EQ(schemas[0].summary, "y = a·x + y");
  EXPECT_EQ(schemas[0].parameters.at(0).second["anyOf"][0], Json({{"type", "integer"}, {"minimum", 4}}));
  EXPECT_EQ(schemas[0].parameters.at(1).second["enum"], Json({"fp32", "fp64", "bf16"}));
  EXPECT_EQ(schemas[0].parameters.at(2).second, Json({{"type", "number"}}));
}

}  // namespace
}  // namespace assay::catalog
