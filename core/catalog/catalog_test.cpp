// SPDX-License-Identifier: Apache-2.0
#include "catalog/catalog.hpp"

#include "base/file.hpp"
#include "catalog/libraries.hpp"
#include "catalog/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

namespace assay::catalog {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kSaxpy = R"({
  "manifest_version": 1, "id": "com.acme.saxpy", "version": "1.0.0", "backend": "acme",
  "needs": [{"soname": "libacme.so.3", "hint": "apt-get install acme-runtime"}],
  "benchmarks": [{
    "name": "saxpy", "implements": "saxpy/1", "summary": "y = a·x + y",
    "parameters": [
      {"name": "bytes", "type": "integer", "unit": "B", "default": 1048576, "minimum": 4, "maximum": 1073741824},
      {"name": "dtype", "type": "text", "default": "fp32", "values": ["fp32", "fp64"]},
      {"name": "a", "type": "number"}],
    "metrics": [{"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true,
                 "counting": "3 elements", "peak": "memory_bandwidth"}],
    "facts": [{"name": "algorithm"}],
    "conditions": {"cache": ["hot", "cold"], "gravity": ["low"]},
    "ranks": {"maximum": 0}}],
  "reporters": [{"name": "acme-table", "file": "a.wiki", "options": [
    {"name": "style", "type": "text", "default": "short", "values": ["short", "long"]}]}],
  "library": "saxpy.so", "abi": {"major": 1, "built_minor": 0, "needs_minor": 0}, "unheard_of": 1})";

constexpr const char* kContract = R"({
  "contract_version": 1, "id": "saxpy/1", "verification": "closed form",
  "benchmark": {"name": "saxpy",
    "parameters": [
      {"name": "bytes", "type": "integer", "unit": "B", "minimum": 4},
      {"name": "dtype", "type": "text", "default": "fp32", "values": ["fp32", "fp64", "bf16"]},
      {"name": "a", "type": "number"},
      {"name": "stride", "type": "integer", "default": 1, "optional": true}],
    "metrics": [
      {"name": "bandwidth", "unit": "B/s", "direction": "higher", "kind": "rate", "headline": true, "counting": "3 elements"},
      {"name": "latency", "unit": "s", "direction": "lower", "kind": "duration", "optional": true}],
    "conditions": {"cache": ["hot", "cold"]}}})";

std::string all(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& problem : diagnostics.sorted()) text += to_text(problem);
  return text;
}

// The manifest above with one JSON pointer set to another value.
std::string changed(const std::string& pointer, const Json& value) {
  Json json = Json::parse(kSaxpy);
  json[Json::json_pointer(pointer)] = value;
  return json.dump();
}

std::string problems_of(const std::string& manifest) {
  Diagnostics diagnostics;
  const auto parsed = parse_manifest("m.json", manifest, diagnostics);
  EXPECT_EQ(parsed.has_value(), !diagnostics.has_errors());
  return all(diagnostics);
}

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

TEST(Manifest, HonoursWhatItListsAndWhatTheHostDoes) {
  Diagnostics diagnostics;
  const auto manifest = parse_manifest("m", kSaxpy, diagnostics);
  const Benchmark& saxpy = manifest->benchmarks.at(0);

  EXPECT_TRUE(saxpy.honours("cache", "cold"));
  EXPECT_FALSE(saxpy.honours("cache", "rotating"));
  EXPECT_FALSE(saxpy.honours("launch", "graph"));
  EXPECT_TRUE(saxpy.honours("launch", "default"));
  EXPECT_TRUE(saxpy.honours("thermal", "sustained"));
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
  EXPECT_THAT(problems_of("{\n  \"id\": \"a\",\n  oops\n}"), HasSubstr("m.json:3:3: error: no JSON: "));
  EXPECT_THAT(problems_of(""), HasSubstr("m.json:1:1: error: no JSON: "));
  EXPECT_THAT(problems_of("[]"), HasSubstr("'/' is not an object"));
  EXPECT_THAT(problems_of(std::string(100000, '[')),
              HasSubstr("m.json:1:65: error: this JSON is nested deeper than 64"));
}

TEST(Manifest, WithANumberBeyondAllBoundsIsRefused) {
  Diagnostics diagnostics;
  EXPECT_FALSE(parse_manifest("/x/y.assay.json", R"({"manifest_version": 1e9999})", diagnostics));
  EXPECT_THAT(all(diagnostics), HasSubstr("read: number overflow parsing '1e9999'"));
}

TEST(Manifest, ReportsEveryMistakeOfItsTypesInOnePass) {
  const struct {
    const char* pointer;
    Json value;
    const char* message;
  } rows[] = {
      {"/id", 5, "'/id' is not a text"},
      {"/id", "saxpy", "no reverse-DNS name"},
      {"/id", "com..acme", "no reverse-DNS name"},
      {"/version", nullptr, "'/version' is missing"},
      {"/library", "../evil.so", "not inside the manifest's folder"},
      {"/library", "/abs.so", "not inside the manifest's folder"},
      {"/backend", "", "'/backend' is missing"},
      {"/needs/0/soname", "a/b.so", "is a path"},
      {"/benchmarks", 3, "'/benchmarks' is not an array"},
      {"/benchmarks/0/name", "Saxpy 2", "no name"},
      {"/benchmarks/0/revision", 0, "is not a whole number from 1"},
      {"/benchmarks/0/parameters/0/type", "int", "not one of: integer, number, boolean, text"},
      {"/benchmarks/0/parameters/0/unit", "GB", "no base unit (write 'B')"},
      {"/benchmarks/0/parameters/0/unit", "furlong", "no unit"},
      {"/benchmarks/0/parameters/0/default", "many", "not of type integer"},
      {"/benchmarks/0/parameters/0/default", 1, "outside of minimum and maximum"},
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
            "s.yaml:3:5: error: 'numa' is offered on host, not on cuda (host is no fallback unless it is "
            "listed: backend: "
            "[cuda, host])\n");
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

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "assay-catalog-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write_file(folder_ / path, text);
    return folder_ / path;
  }
  std::filesystem::path folder_;
  Diagnostics diagnostics_;
};

TEST_F(Folder, IsReadInBytewiseOrderAndNotBelow) {
  put("a/B.assay.json", changed("/id", "x.two"));
  put("a/a.assay.json", changed("/id", "x.three"));
  put("a/0.assay.json", changed("/id", "x.one"));
  put("a/below/c.assay.json", changed("/id", "x.four"));
  put("a/other.json", "no");
  put("contracts/saxpy-1.json", kContract);

  const Catalog catalog = discover({{}, {folder_ / "a", folder_ / "missing", folder_ / "a"}},
                                   folder_ / "contracts", diagnostics_);

  EXPECT_EQ(all(diagnostics_), "");
  ASSERT_EQ(catalog.manifests().size(), 3U);
  EXPECT_EQ(catalog.manifests()[0].id, "x.one");
  EXPECT_EQ(catalog.manifests()[1].id, "x.two");
  EXPECT_EQ(catalog.manifests()[2].id, "x.three");
  EXPECT_TRUE(catalog.shadowed().empty());
}

TEST_F(Folder, GivesWayToNamedFilesAndEarlierFolders) {
  put("a/saxpy.assay.json", changed("/version", "1.1.1"));
  put("b/saxpy.assay.json", changed("/version", "2.2.2"));
  put("n/saxpy.so", "");
  put("n/saxpy.assay.json", changed("/version", "3.3.3"));
  put("contracts/saxpy-1.json", kContract);

  const Catalog catalog = discover({{folder_ / "n/saxpy.so"}, {folder_ / "a", folder_ / "b"}},
                                   folder_ / "contracts", diagnostics_);

  ASSERT_EQ(catalog.manifests().size(), 1U);
  EXPECT_EQ(catalog.manifests()[0].version, "3.3.3");
  EXPECT_EQ(catalog.shadowed().size(), 2U);
}

TEST_F(Folder, ThatEverybodyMayWriteToIsRefused) {
  put("a/saxpy.assay.json", kSaxpy);
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 0777), 0);

  const Catalog catalog = discover({{}, {folder_ / "a"}}, {}, diagnostics_);

  EXPECT_TRUE(catalog.manifests().empty());
  EXPECT_FALSE(diagnostics_.has_errors());
  EXPECT_THAT(all(diagnostics_), HasSubstr("may be written by everybody"));
}

TEST_F(Folder, RefusesWhatEverybodyMayExchange) {
  const auto library = put("a/b/saxpy.so", "");
  const auto manifest = put("a/b/saxpy.assay.json", kSaxpy);
  put("contracts/saxpy-1.json", kContract);
  const auto found = [&] {
    diagnostics_ = {};
    return discover({{manifest}, {}}, folder_ / "contracts", diagnostics_).manifests().size();
  };
  ASSERT_EQ(found(), 1U) << all(diagnostics_);
  for (const auto& [place, mode] :
       {std::pair{manifest, 0666}, {library, 0777}, {folder_ / "a/b", 01777}, {folder_ / "a", 0777}}) {
    const auto before = std::filesystem::status(place).permissions();
    ASSERT_EQ(::chmod(place.c_str(), static_cast<mode_t>(mode)), 0);
    EXPECT_EQ(found(), 0U) << place;
    EXPECT_TRUE(diagnostics_.has_errors()) << place;
    EXPECT_THAT(all(diagnostics_), HasSubstr("chmod o-w"));
    std::filesystem::permissions(place, before);
  }
  ASSERT_EQ(::chmod((folder_ / "a").c_str(), 01777), 0);  // as /tmp is: what is in it cannot be exchanged
  EXPECT_EQ(found(), 1U) << all(diagnostics_);
}

TEST_F(Folder, KeepsToTheAllowedLibraries) {
  put("a/one.so", "abc");
  put("a/one.assay.json", [] {
    Json json = Json::parse(changed("/id", "x.one"));
    json["library"] = "one.so";
    return json.dump();
  }());
  put("a/saxpy.so", "other");
  put("a/saxpy.assay.json", kSaxpy);
  put("contracts/saxpy-1.json", kContract);
  SearchPath path{{}, {folder_ / "a"}, {}};
  path.allowed.emplace().insert(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // of "abc"

  const Catalog catalog = discover(path, folder_ / "contracts", diagnostics_);

  ASSERT_EQ(catalog.manifests().size(), 1U) << all(diagnostics_);
  EXPECT_EQ(catalog.manifests()[0].id, "x.one");
  EXPECT_FALSE(diagnostics_.has_errors());
  EXPECT_THAT(all(diagnostics_), HasSubstr("--plugin-allow does not list"));

  path.files = {folder_ / "a/saxpy.so"};
  (void)discover(path, folder_ / "contracts", diagnostics_);
  EXPECT_TRUE(diagnostics_.has_errors()) << "a plugin that was named is no less than an error";
}

TEST_F(Folder, NamesAPluginWithoutAManifest) {
  put("a/lone.so",
      "\x7f"
      "ELF assay_plugin_entry_v1");
  put("a/libhelper.so",
      "\x7f"
      "ELF");

  (void)discover({{}, {folder_ / "a"}, {}}, {}, diagnostics_);

  EXPECT_THAT(all(diagnostics_), HasSubstr("lone.so"));
  EXPECT_THAT(all(diagnostics_), HasSubstr("lone.assay.json"));
  EXPECT_EQ(diagnostics_.sorted().size(), 1U);
}

TEST_F(Folder, RefusesAManifestOverTheLimit) {
  put("a/big.assay.json", std::string((std::size_t{1} << 20) + 1, ' '));

  (void)discover({{folder_ / "a/big.assay.json"}, {}, {}}, {}, diagnostics_);

  EXPECT_THAT(all(diagnostics_), HasSubstr("larger than 1048576 bytes"));
}

TEST_F(Folder, WarnsOfABadManifestWhereANamedOneIsAnError) {
  const auto bad = put("a/bad.assay.json", "{");
  put("a/cheat.assay.json", changed("/benchmarks/0/metrics/0/counting", "9 elements"));
  put("contracts/saxpy-1.json", kContract);

  const Catalog catalog = discover({{}, {folder_ / "a"}}, folder_ / "contracts", diagnostics_);
  EXPECT_TRUE(catalog.manifests().empty());
  EXPECT_FALSE(diagnostics_.has_errors());
  EXPECT_EQ(diagnostics_.sorted().size(), 2U);

  (void)discover({{bad, folder_ / "a/none.so", put("a/lone.so", "")}, {}}, {}, diagnostics_);
  EXPECT_EQ(diagnostics_.error_count(), 3U);
  EXPECT_THAT(all(diagnostics_), HasSubstr("no manifest is beside it"));
}

Manifest needing(const std::string& soname) {
  Manifest manifest;
  manifest.library = "/opt/plugins/a.so";
  manifest.needs = {{soname, "apt-get install it"}};
  return manifest;
}

// A loader cache as glibc writes it, with one 64-bit entry for this machine and one of i386.
std::string cache_with(const std::string& soname, const std::string& path) {
#if defined(__x86_64__)
  constexpr std::uint32_t here = 0x0303;
#else
  constexpr std::uint32_t here = 0x0A03;
#endif
  std::string data = "glibc-ld.so.cache1.1";
  const auto word = [&](std::uint32_t value) {
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const auto strings = static_cast<std::uint32_t>(48 + 2 * 24);
  word(2);
  word(0);
  while (data.size() < 48) data += '\0';
  const auto entry = [&](std::uint32_t flags, std::uint32_t value) {
    for (const std::uint32_t part : {flags, strings, value, 0U, 0U, 0U}) word(part);
  };
  const auto path_at = static_cast<std::uint32_t>(strings + soname.size() + 1);
  entry(0x0003, path_at);
  entry(here, path_at);
  data += soname + '\0' + path + '\0';
  return data;
}

TEST_F(Folder, FindsLibrariesWhereTheLoaderWould) {
  put("lib64/libsystem.so.1", "");
  put("extra/libextra.so.2", "");
  put("odd/libcached.so.3", "");
  put("etc/ld.so.cache", cache_with("libcached.so.3", "/odd/libcached.so.3"));

  EXPECT_TRUE(missing_libraries(needing("libsystem.so.1"), {}, folder_).empty());
  EXPECT_TRUE(missing_libraries(needing("libextra.so.2"), {(folder_ / "extra").string()}, folder_).empty());
  EXPECT_TRUE(missing_libraries(needing("libcached.so.3"), {}, folder_).empty());
  EXPECT_THAT(
      missing_libraries(needing("libnone.so.4"), {"/x"}, folder_),
      ElementsAre(
          "needs libnone.so.4 (searched: /x, /opt/plugins, the loader's cache and folders; apt-get install "
          "it, or give its folder with --library-path)"));
}

TEST_F(Folder, DoesNotTrustACacheEntryWhoseFileIsGone) {
  put("etc/ld.so.cache", cache_with("libgone.so.3", "/odd/libgone.so.3"));

  EXPECT_EQ(missing_libraries(needing("libgone.so.3"), {}, folder_).size(), 1U);
}

TEST_F(Folder, KnowsToolkitAndPythonPackages) {
  put("usr/local/cuda/lib64/x", "");
  put("venv/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.13", "");
  put("usr/lib/python3.11/dist-packages/nvidia/nccl/lib/libnccl.so.2", "");

  EXPECT_THAT(known_library_folders({"", "", (folder_ / "venv").string()}, folder_),
              ElementsAre((folder_ / "usr/local/cuda/lib64").string(),
                          (folder_ / "venv/lib/python3.12/site-packages/nvidia/cublas/lib").string(),
                          (folder_ / "usr/lib/python3.11/dist-packages/nvidia/nccl/lib").string()));
}

TEST(LoaderCache, OfThisMachineHasItsCLibrary) {
  const std::string cache = read_file("/etc/ld.so.cache");
  EXPECT_EQ(cached_paths(cache, "libc.so.6").size(), 1U);
  EXPECT_TRUE(cached_paths(cache, "libnothing.so.0").empty());
}

TEST(LoaderCache, ThatIsMalformedHasNothing) {
  const std::string good = cache_with("liba.so", "/liba.so");
  ASSERT_THAT(cached_paths(good, "liba.so"), ElementsAre("/liba.so"));
  for (std::size_t size = 0; size < good.size(); ++size) (void)cached_paths(good.substr(0, size), "liba.so");
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    std::string changed_bytes = good;
    changed_bytes[20 + random() % (good.size() - 20)] = static_cast<char>(random());
    (void)cached_paths(changed_bytes, "liba.so");
  }
}

}  // namespace
}  // namespace assay::catalog
