// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/testing/temporary_folder.hpp"
#include "catalog/benchmark_schemas.hpp"
#include "catalog/catalog.hpp"
#include "catalog/catalog_test_world.hpp"
#include "catalog/libraries.hpp"

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

class Folder : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = make_temporary_folder("catalog"); }
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

TEST_F(Folder, IsAskedForAPluginByItsIdentifierOrAFileOfIt) {
  const auto one = put("one/saxpy.assay.json", changed("/version", "1.1.1"));
  const auto two = put("two/saxpy.assay.json", changed("/version", "2.2.2"));
  put("contracts/saxpy-1.json", kContract);

  const Catalog catalog = discover({{one, two}, {}}, folder_ / "contracts", diagnostics_);

  ASSERT_NE(catalog.plugin("com.acme.saxpy"), nullptr);
  EXPECT_EQ(catalog.plugin("com.acme.saxpy")->version, "1.1.1");
  ASSERT_NE(catalog.plugin(two.string()), nullptr);
  EXPECT_EQ(catalog.plugin(two.string())->version, "2.2.2");
  EXPECT_EQ(catalog.plugin((folder_ / "two/saxpy.so").string()), catalog.plugin(two.string()));
  EXPECT_EQ(catalog.plugin((folder_ / "three/saxpy.so").string()), nullptr);
  EXPECT_EQ(catalog.plugin(""), nullptr);
}

TEST_F(Folder, KnowsASecondPluginOfOneIdentifierThatWasNamed) {
  const auto one = put("one/saxpy.assay.json", changed("/version", "1.1.1"));
  const auto two = put("two/saxpy.assay.json", changed("/version", "2.2.2"));
  const auto same = put("same/saxpy.assay.json", changed("/version", "1.1.1"));
  const auto other = put("other/saxpy.assay.json", changed("/version", "1.1.1"));
  for (const char* folder : {"one", "two", "same"}) put(std::string(folder) + "/saxpy.so", "a library");
  put("other/saxpy.so", "another library");
  put("contracts/saxpy-1.json", kContract);

  const Catalog catalog =
      discover({{one, two, same, one, other}, {folder_ / "two"}}, folder_ / "contracts", diagnostics_);

  std::vector<std::string> named;
  for (const Manifest& manifest : catalog.shadowed())
    if (manifest.is_named) named.push_back(manifest.path);
  EXPECT_THAT(named, ElementsAre(two.string(), other.string())) << "not the same files under other names";
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

TEST_F(Folder, RefusesALinkThatEverybodyMayExchange) {
  namespace fs = std::filesystem;
  put("safe/plugins/saxpy.so", "");
  put("safe/plugins/saxpy.assay.json", kSaxpy);
  put("contracts/saxpy-1.json", kContract);
  fs::create_directories(folder_ / "open/below");
  fs::create_directory_symlink(folder_ / "safe/plugins", folder_ / "open/link");
  fs::create_directory_symlink("../open/link", folder_ / "safe/chain");
  fs::create_symlink(folder_ / "open/link/saxpy.assay.json", folder_ / "safe/named.assay.json");
  const std::vector<fs::path> ways = {folder_ / "open/link", folder_ / "safe/chain",
                                      folder_ / "open/below/../link",
                                      folder_ / "open/below/../../safe/plugins"};
  const auto found = [&](const SearchPath& path) {
    diagnostics_ = {};
    return discover(path, folder_ / "contracts", diagnostics_).manifests().size();
  };
  for (const int mode : {0755, 01777}) {  // as /tmp is: what is in it cannot be exchanged
    ASSERT_EQ(::chmod((folder_ / "open").c_str(), static_cast<mode_t>(mode)), 0);
    for (const fs::path& way : ways) {
      EXPECT_EQ(found({{}, {way}}), 1U) << way << all(diagnostics_);
      EXPECT_EQ(found({{way / "saxpy.so"}, {}}), 1U) << way << all(diagnostics_);
    }
  }
  ASSERT_EQ(::chmod((folder_ / "open").c_str(), 0777), 0);
  for (const fs::path& way : ways) {
    EXPECT_EQ(found({{}, {way}}), 0U) << way;
    EXPECT_FALSE(diagnostics_.has_errors());
    EXPECT_THAT(all(diagnostics_), HasSubstr((folder_ / "open").string() + "' may be written by everybody"));
    EXPECT_EQ(found({{way / "saxpy.so"}, {}}), 0U) << way;
    EXPECT_TRUE(diagnostics_.has_errors());
    EXPECT_EQ(found({{}, {way, folder_ / "safe/plugins"}}), 1U) << "the same folder by another way";
  }
  EXPECT_EQ(found({{folder_ / "safe/named.assay.json"}, {}}), 0U);
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
  path.allowed->insert(sha256_of_file(folder_ / "a/one.assay.json"));

  const Catalog catalog = discover(path, folder_ / "contracts", diagnostics_);

  ASSERT_EQ(catalog.manifests().size(), 1U) << all(diagnostics_);
  EXPECT_EQ(catalog.manifests()[0].id, "x.one");
  EXPECT_FALSE(diagnostics_.has_errors());
  EXPECT_THAT(all(diagnostics_), HasSubstr("--plugin-allow does not list"));

  // A manifest says what the numbers mean.
  Json manifest = Json::parse(read_file(folder_ / "a/one.assay.json"));
  manifest["summary"] = "another";
  put("a/one.assay.json", manifest.dump());
  diagnostics_ = {};
  EXPECT_TRUE(discover(path, folder_ / "contracts", diagnostics_).manifests().empty());
  EXPECT_THAT(all(diagnostics_), HasSubstr("does not list '" + (folder_ / "a/one.assay.json").string()));

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
  const std::vector<NeededLibrary> absent = absent_libraries(needing("libnone.so.4"), {"/x"}, folder_);
  ASSERT_EQ(absent.size(), 1U);
  EXPECT_EQ(absent[0].soname, "libnone.so.4");
  EXPECT_EQ(absent[0].hint, "apt-get install it");
}

TEST_F(Folder, FindsWhatAnArchiveBundles) {
  put("lib/assay/bundled/libextra.so.2", "");
  Manifest manifest = needing("libextra.so.2");
  manifest.library = (folder_ / "lib/assay/plugins/some.so").string();
  EXPECT_TRUE(missing_libraries(manifest, {}, folder_).empty());
  manifest.library = (folder_ / "lib/other/plugins/some.so").string();
  EXPECT_EQ(missing_libraries(manifest, {}, folder_).size(), 1U);
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
