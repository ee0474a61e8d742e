// SPDX-License-Identifier: Apache-2.0
#include "engine/surroundings.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "engine/folder.hpp"
#include "engine/plugin_search.hpp"
#include "engine/recorded_environment.hpp"
#include "engine/secrets.hpp"
#include "engine/suite_search.hpp"
#include "text/testing/folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace assay::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Surroundings context_with(bool privileged) {
  Surroundings context;
  context.program = "/opt/assay/bin/assay";
  context.privileged = privileged;
  context.environment = {{"ASSAY_PLUGIN_PATH", "/evil/plugins"},
                         {"XDG_DATA_HOME", "/evil/data"},
                         {"HOME", "/evil/home"},
                         {"ASSAY_SUITE_PATH", "/evil/suites"},
                         {"LD_LIBRARY_PATH", "/evil/lib"},
                         {"CUDA_HOME", "/evil/cuda"},
                         {"VIRTUAL_ENV", "/evil/venv"},
                         {"ASSAY_LOCK_FOLDER", "/evil/locks"}};
  return context;
}

TEST(Context, LooksForPluginsInDocumentedPlacesInOrder) {
  PluginOptions options;
  options.plugin_folders = {"/named"};
  EXPECT_THAT(
      search_path(context_with(false), options).folders,
      ElementsAre("/named", "/evil/plugins", "/evil/data/assay/plugins", "/opt/assay/lib/assay/plugins",
                  "/usr/local/lib/assay/plugins", "/usr/lib/assay/plugins"));
}

TEST(Context, IgnoresPathsFromTheEnvironmentWhenPrivileged) {
  const Surroundings context = context_with(true);
  const auto none_is_evil = [](const auto& paths) {
    for (const auto& path : paths) EXPECT_THAT(std::filesystem::path(path).string(), Not(HasSubstr("evil")));
  };
  none_is_evil(search_path(context, {}).folders);
  none_is_evil(suite_folders(context));
  none_is_evil(library_path(context, {}));
  EXPECT_NE(lock_folder(context), "/evil/locks");
}

TEST(Context, TakesAllowedLibrariesAsHashesAndAsFiles) {
  const std::string one(64, 'a'), two(64, 'B');
  const std::string file = ::testing::TempDir() + "assay-allowed.txt";
  write_file(file, "# ours\n" + two + "  x.so\n\n");
  PluginOptions options;
  options.allowed = {one, file};
  EXPECT_THAT(*search_path(context_with(false), options).allowed, ElementsAre(one, std::string(64, 'b')));
  write_file(file, one + "  x.so\nnonsense\n");
  EXPECT_THROW((void)search_path(context_with(false), options), Error);
  write_file(file, std::string((std::size_t{1} << 20) + 1, '\n'));
  EXPECT_THROW((void)search_path(context_with(false), options), Error) << "over 1 MiB";
  options.allowed = {"nonsense"};
  EXPECT_THROW((void)search_path(context_with(false), options), Error);
  std::filesystem::remove(file);
}

TEST(Environment, RecordsTheAllowListWithoutSecrets) {
  const Json recorded = recorded_environment({{"NCCL_ALGO", "Ring"},
                                              {"NCCL_AUTH_TOKEN", "x"},
                                              {"CUDA_KEY", "x"},
                                              {"ASSAY_Password", "x"},
                                              {"EDITOR", "x"},
                                              {"OMP_A\x1b", "\x1b[31m"}});
  EXPECT_EQ(recorded.size(), 2U) << recorded.dump();
  EXPECT_EQ(recorded.value("NCCL_ALGO", ""), "Ring");
  EXPECT_EQ(recorded.dump().find('\x1b'), std::string::npos);
}

TEST(Environment, LeavesOutRequirementsOfImagesAndKeepsChoicesOfDevices) {
  const Json recorded = recorded_environment({{"NVIDIA_VISIBLE_DEVICES", "0"},
                                              {"NVIDIA_TF32_OVERRIDE", "0"},
                                              {"CUDA_VISIBLE_DEVICES", "0,1"},
                                              {"LD_LIBRARY_PATH", "/usr/local/cuda/lib64"},
                                              {"NVIDIA_REQUIRE_CUDA", std::string(4000, 'x')},
                                              {"NVIDIA_PRODUCT_NAME", "CUDA"}});
  EXPECT_EQ(recorded.size(), 4U) << recorded.dump();
  EXPECT_FALSE(recorded.contains("NVIDIA_REQUIRE_CUDA"));
}

TEST(Environment, TheReferenceListsWhatIsRecorded) {
  std::string names;
  for (const std::string& name : recorded_names()) names += (names.empty() ? "`" : " `") + name + "`";
  const std::string page = read_file(source_folder() / "docs/reference/result.md", 1 << 20);
  EXPECT_THAT(page, HasSubstr(names));
}

TEST(Environment, KnowsSecretsByNameAndByValue) {
  for (const char* name :
       {"SLURM_JWT", "DOCKER_AUTH_CONFIG", "SSHPASS", "MYSQL_PWD", "MY_PAT", "CI_JOB_JWT", "API_KEYS",
        "NCCL_SSHPASS", "ASSAY_DB_PWD", "UCX_PAT", "PGPASSWORD", "GPG_KEY", "npm_config_authToken",
        "SESSION_COOKIE", "KEY", "SSH_KEY_FILE", "git_credentials", "STRIPE_SECRETKEY", "DB_LOGIN"})
    EXPECT_TRUE(is_secret(name, "x")) << name;
  for (const char* value :
       {"ghp_abcdefghijklmnopqrstuvwxyz0123456789", "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
        "AKIAIOSFODNN7EXAMPLE", "-----BEGIN RSA PRIVATE KEY-----", "postgres://me:hunter2@db/x",
        "https://:secret@example.org", "a=b glpat-abcdefghijklmnopqrst"})
    EXPECT_TRUE(is_secret("HARMLESS", value)) << value;
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"PWD", "/home"},
                                                        {"OLDPWD", "/"},
                                                        {"PATH", "/bin"},
                                                        {"NCCL_ALGO", "Ring"},
                                                        {"CUDA_PATH", "/usr"},
                                                        {"ACME_BYPASS", "1"},
                                                        {"KEYBOARD", "us"},
                                                        {"XAUTHORITY", "/x"},
                                                        {"MONKEY_COUNT", "3"},
                                                        {"HTTP_PROXY", "http://proxy:3128/"},
                                                        {"URL", "https://example.org/a:b@c"},
                                                        {"SSH_AUTH_SOCK", "/run/s"}})
    EXPECT_FALSE(is_secret(name, value)) << name;
}

TEST(Environment, RecordsWhatManifestsDeclare) {
  const Json recorded = recorded_environment(
      {{"ACME_ALGO", "x"}, {"ACME_TOKEN", "x"}, {"ACM", "x"}, {"OTHER", "1"}, {"OTHERS", "1"}},
      {"ACME_*", "OTHER"});
  EXPECT_EQ(recorded, (Json{{"ACME_ALGO", "x"}, {"OTHER", "1"}}));
}

TEST(Environment, HandsNoSecretToWorkers) {
  const auto handed_on = worker_environment(
      {{"PATH", "/bin"}, {"aws_secret_access_key", "x"}, {"CI_JOB_TOKEN", "x"}, {"SSH_AUTH_SOCK", "/run/s"}});
  EXPECT_THAT(handed_on, ElementsAre("PATH=/bin", "SSH_AUTH_SOCK=/run/s"));
}

}  // namespace
}  // namespace assay::engine
