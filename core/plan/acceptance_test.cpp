// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_test_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kComplete =
    "requires: {backend: cuda}\npolicy: {complete: true}\ncases:\n  - {id: a, uses: gemm}\n";
constexpr const char* kStated = "policy: {stated: true}\ncases:\n  - {id: a, uses: gemm@cuda}\n";

system::Backend& cuda_of(system::Inventory& inventory) {
  return *std::find_if(inventory.backends.begin(), inventory.backends.end(),
                       [](const auto& backend) { return backend.name == "cuda"; });
}

system::Inventory counted(const char* census) {
  system::Inventory inventory = example_inventory(2);
  cuda_of(inventory).facts["census"] = Json::parse(census);
  return inventory;
}

std::vector<std::string> codes_of(const Planned& planned) {
  EXPECT_EQ(planned.problems, "");
  std::vector<std::string> codes;
  for (const Unmet& unmet : planned.plan.unmet) codes.push_back(unmet.code);
  return codes;
}

TEST(Acceptance, OfAMachineThatMissesADeviceIsUnmetAndNamesIt) {
  const system::Inventory inventory = counted(
      R"({"kind":"GPU","known":[{"by":"PCI","devices":3}],"missing":[{"device":"0000:1c:00.0","why":"PCI knows it, CUDA does not"}]})");
  const Planned planned = plan_suite(kComplete, &inventory);
  EXPECT_THAT(codes_of(planned), ElementsAre("devices.missing"));
  EXPECT_EQ(planned.plan.unmet[0].text, "GPU 0000:1c:00.0 is missing: PCI knows it, CUDA does not");
  EXPECT_EQ(planned.plan.unmet[0].position.line, 4);
  EXPECT_THAT(planned.plan.complete, ElementsAre("cuda"));
}

TEST(Acceptance, OfAMachineThatIsWholeIsMet) {
  for (const char* census : {R"({"known":[{"by":"PCI","devices":2}]})",
                             R"({"withheld":[{"device":"x","why":"a variable leaves it out"}]})"}) {
    const system::Inventory inventory = counted(census);
    EXPECT_THAT(codes_of(plan_suite(kComplete, &inventory)), IsEmpty()) << census;
  }
}

TEST(Acceptance, OfABackendThatDoesNotSayIsUnmet) {
  const system::Inventory inventory = example_inventory(2);
  EXPECT_THAT(codes_of(plan_suite(kComplete, &inventory)), ElementsAre("devices.unknown"));
}

TEST(Acceptance, IsNotAskedOfASuiteThatDoesNotAskForIt) {
  const system::Inventory inventory = counted(R"({"missing":[{"device":"x","why":"gone"}]})");
  const Planned planned = plan_suite("cases:\n  - {id: a, uses: gemm@cuda}\n", &inventory);
  EXPECT_THAT(codes_of(planned), IsEmpty());
  EXPECT_THAT(planned.plan.complete, IsEmpty());
}

TEST(Acceptance, IsHeldByTheBackendsOfItsCases) {
  system::Inventory inventory = counted(R"({"missing":[{"device":"x","why":"gone"}]})");
  for (system::Backend& backend : inventory.backends)
    if (backend.name == "host") backend.facts["census"] = Json::object();
  EXPECT_THAT(
      codes_of(plan_suite("policy: {complete: true}\ncases:\n  - {id: a, uses: membw@host}\n", &inventory)),
      IsEmpty());
  EXPECT_THAT(
      codes_of(plan_suite("policy: {complete: true}\ncases:\n  - {id: a, uses: gemm@cuda}\n", &inventory)),
      ElementsAre("devices.missing"));
}

TEST(Acceptance, ThatWantsANumberIsUnmetUntilSomebodyStatesOne) {
  const system::Inventory inventory = example_inventory(2);
  const Planned planned = plan_suite(kStated, &inventory);
  EXPECT_THAT(codes_of(planned), ElementsAre("devices.unstated"));
  EXPECT_THAT(planned.plan.unmet[0].text, HasSubstr("--require devices=2"));
  EXPECT_THAT(codes_of(plan_suite(std::string("requires: {devices: \">=1\"}\n") + kStated, &inventory)),
              ElementsAre("devices.unstated"))
      << "that leaves the number open";
  EXPECT_THAT(codes_of(plan_suite(std::string("requires: {devices: 2}\n") + kStated, &inventory)), IsEmpty());
  EXPECT_THAT(
      codes_of(plan_suite(std::string("requires: {backend: cuda, devices: 3}\n") + kStated, &inventory)),
      ElementsAre("requires.unmet"));
  EXPECT_THAT(codes_of(plan_suite(
                  "policy: {stated: true}\ncases:\n  - {id: a, uses: gemm@cuda, requires: {devices: 2}}\n",
                  &inventory)),
              IsEmpty());
}

// ---- A site file

Planned at_site(const std::string& text, system::Inventory inventory, const std::string& body = kStated,
                const Json& host = {
                    {"threads", 8}, {"cpu", "Example CPU"}, {"memory_bytes", std::int64_t{64} << 30}}) {
  Diagnostics problems;
  PlanOptions options;
  options.site = std::make_shared<const Site>(parse_site("site.yaml", "version: 1\n" + text, problems));
  options.host = host;
  Planned planned = plan_suite(body, &inventory, options);
  for (const Diagnostic& problem : problems.sorted()) planned.problems += to_text(problem) + "\n";
  return planned;
}

std::string difference(const std::string& text) {
  system::Inventory inventory = example_inventory(2);
  cuda_of(inventory).facts["driver"] = "580.65.06";
  cuda_of(inventory).devices[0].facts["ecc"] = true;
  cuda_of(inventory).devices[1].facts["ecc"] = false;
  const Planned planned = at_site(text, inventory, "cases:\n  - {id: a, uses: gemm@cuda}\n");
  EXPECT_EQ(planned.problems, "");
  std::string all;
  for (const Unmet& unmet : planned.plan.unmet) all += unmet.text + "\n";
  return all;
}

TEST(Site, ThatTheMachineIsLikeAddsNothing) {
  EXPECT_EQ(difference("host: {threads: 8, cpu: Example CPU, memory_bytes: \">=63GiB\"}\n"
                       "backends:\n  cuda:\n    devices: 2\n    driver: 580.65\n"),
            "");
}

TEST(Site, SaysBothValuesOfADifference) {
  EXPECT_EQ(difference("host: {threads: 16}\n"), "threads of the host is 8; the site file says 16\n");
  EXPECT_EQ(difference("host: {cpu: Other}\n"), "cpu of the host is Example CPU; the site file says Other\n");
  EXPECT_EQ(difference("host: {memory_bytes: \">=65GiB\"}\n"),
            "memory_bytes of the host is 68719476736; the site file says >=65GiB\n");
  EXPECT_EQ(difference("backends: {cuda: {devices: 8}}\n"), "devices of cuda is 2; the site file says 8\n");
  EXPECT_EQ(difference("backends: {cuda: {driver: \">=581\"}}\n"),
            "driver of the backend cuda is 580.65.06; the site file says >=581\n");
  EXPECT_EQ(difference("backends: {cuda: {driver: \"<=580\"}}\n"),
            "driver of the backend cuda is 580.65.06; the site file says <=580\n");
}

TEST(Site, TakesANameForNoVersion) {
  system::Inventory inventory = example_inventory(1);
  cuda_of(inventory).facts["driver"] = "open 1.0";
  const std::string body = "cases:\n  - {id: a, uses: gemm@cuda}\n";
  EXPECT_THAT(codes_of(at_site("backends: {cuda: {driver: open 1.0}}\n", inventory, body)), IsEmpty());
  EXPECT_THAT(codes_of(at_site("backends: {cuda: {driver: open 2.0}}\n", inventory, body)),
              ElementsAre("site.differs"));
}

TEST(Site, NamesTheDevicesThatDiffer) {
  const std::string model = example_inventory(2).backends[1].devices[0].model;
  EXPECT_EQ(difference("backends: {cuda: {models: [{model: \"" + model + "\", devices: 2, ecc: true}]}}\n"),
            "ecc of cuda:1 is false; the site file says true\n");
  EXPECT_THAT(difference("backends: {cuda: {models: [{model: Other, devices: 2}]}}\n"),
              HasSubstr("no device of cuda is 'Other', which the site file has; here are '" + model + "'"));
}

TEST(Site, HoldsToWhatIsNotKnownHere) {
  EXPECT_EQ(difference("host: {thread: 8}\n"),
            "thread of the host is unknown; the site file says 8 (is 'threads' meant?)\n");
  EXPECT_THAT(difference("backends: {rocm: {devices: 8}}\n"), HasSubstr("no rocm device is there"));
}

TEST(Site, StatesTheNumberOfDevices) {
  EXPECT_THAT(codes_of(at_site("backends: {cuda: {devices: 2}}\n", example_inventory(2))), IsEmpty());
  EXPECT_THAT(codes_of(at_site("backends: {cuda: {devices: 4}}\n", example_inventory(2))),
              ElementsAre("site.differs"));
  EXPECT_THAT(codes_of(at_site("backends: {cuda: {devices: \">=1\"}}\n", example_inventory(2))),
              ElementsAre("devices.unstated"));
}

TEST(Site, ThatIsWrittenHereIsMetHere) {
  system::Inventory inventory = example_inventory(4);
  cuda_of(inventory).facts["driver"] = "580.65.06";
  for (system::Device& device : cuda_of(inventory).devices) device.facts["serial"] = "S" + device.name;
  cuda_of(inventory).devices[2].facts["ecc"] = true;
  const Json host = {
      {"hostname", "n1"}, {"cpu", "A \"quoted\" CPU: 8"}, {"threads", 8}, {"numa_nodes", {1, 2}}};
  const std::string text = site_text(inventory, host);
  EXPECT_THAT(text, HasSubstr("devices: 4"));
  EXPECT_THAT(text, HasSubstr("# ecc differs from device to device"));
  EXPECT_THAT(text, HasSubstr("numa_nodes: 2"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("serial")));
  Diagnostics problems;
  const Site site = parse_site("site.yaml", text, problems);
  EXPECT_FALSE(problems.has_errors()) << text;
  EXPECT_THAT(differences(site, inventory, host), IsEmpty()) << text;
  cuda_of(inventory).devices.pop_back();
  EXPECT_FALSE(differences(site, inventory, host).empty());
}

TEST(Site, ThatIsWrongIsRefusedWithItsPlace) {
  for (const char* broken :
       {"host: [1]\n", "hosts: {threads: 8}\n", "backends: {cuda: {devices: many}}\n",
        "backends: {cuda: {models: {a: 1}}}\n", "backends: {cuda: {models: [{devices: 1}]}}\n",
        "host: {threads: ~}\n", "host: {threads: \">=\"}\n", "", "host: {threads: yes}\n"}) {
    Diagnostics problems;
    static_cast<void>(parse_site("site.yaml", std::string("version: 1\n") + broken, problems));
    EXPECT_TRUE(problems.has_errors()) << broken;
  }
  Diagnostics problems;
  static_cast<void>(parse_site("site.yaml", "host: {threads: 8}\n", problems));
  EXPECT_TRUE(problems.has_errors());
}

}  // namespace
}  // namespace assay::plan
