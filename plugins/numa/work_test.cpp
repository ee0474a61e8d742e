// SPDX-License-Identifier: Apache-2.0
//
// What experiments record and verify, beside a host that keeps what it is told. Whatever machine this is, all
// memory is on the node of the first CPU, whose threads take the parts of several nodes.
#include "lib/cpu_team.hpp"
#include "lib/testing/recording_host.hpp"
#include "numa/chase_work.hpp"
#include "numa/experiment.hpp"
#include "numa/plan.hpp"
#include "numa/stream_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay::plugins::numa {
namespace {

using ::testing::HasSubstr;
using Host = RecordingHost;
using stream::Kernel;

constexpr std::uint64_t kBytes = 3 * 64 * 1024 + 128;
constexpr std::uint64_t kElements = kBytes / sizeof(double);

int home() { return place_of(allowed_cpus().front()).node; }
Machine machine_of(std::size_t nodes) {
  const int cpu = allowed_cpus().front();
  Machine machine;
  machine.cpu_nodes.assign(nodes, {home(), {cpu, cpu}});
  machine.memory_nodes = {home()};
  return machine;
}
std::string cell(const char* metric) {
  return std::string(metric) + "[" + std::to_string(home()) + "][" + std::to_string(home()) + "]";
}
bool pages_are_shown() {
  std::vector<char> touched(1 << 20, 1);
  return count_pages(touched.data(), touched.size()).error == 0;
}

struct Streams {
  Streams(const Case& run, std::size_t nodes, Placement placement, Kernel kernel)
      : machine(machine_of(nodes)),
        experiment(run, machine, plan_of(machine, placement, Pairs::all, false), 0, arrays_of(kernel),
                   bytes_of_array(kBytes)),
        work(experiment, kernel, kBytes) {}
  Machine machine;
  Experiment experiment;
  StreamWork work;
};

class StreamsOf : public ::testing::TestWithParam<Kernel> {};

TEST_P(StreamsOf, PairsInTurnAreCountedAndVerified) {
  Host host;
  const Case run = host.run();
  Streams streams(run, 2, Placement::bound, GetParam());
  const double bytes = stream::bytes_per_element(GetParam()) * static_cast<double>(kElements);
  EXPECT_EQ(host.work["bandwidth"], 2 * bytes);
  EXPECT_EQ(streams.work.verification(VerifyPhase::before, false).wrong(), 0u);
  EXPECT_EQ(host.values["placed"], 1);
  // Nothing is left of what was verified before the samples.
  EXPECT_NE(streams.work.verification(VerifyPhase::last, false).wrong(), 0u);

  EXPECT_DOUBLE_EQ(streams.work.run(3), 2 * Host::kStep_s);
  EXPECT_DOUBLE_EQ(host.values[cell("bandwidth_matrix")], 3 * bytes / Host::kStep_s);
  EXPECT_EQ(host.values.count("bandwidth_by_node[" + std::to_string(home()) + "]"), 0u);
  EXPECT_EQ(streams.work.verification(VerifyPhase::last, false).wrong(), 0u);
  EXPECT_GE(streams.work.verification(VerifyPhase::last, true).wrong(), kElements);
}

TEST_P(StreamsOf, NodesAtOnceHaveTheirOwnFigures) {
  Host host;
  const Case run = host.run();
  Streams streams(run, 2, Placement::first_touch, GetParam());
  EXPECT_EQ(streams.work.verification(VerifyPhase::before, false).wrong(), 0u);
  streams.work.run(1);
  EXPECT_GT(host.values["bandwidth_by_node[" + std::to_string(home()) + "]"], 0);
  EXPECT_EQ(host.values.count(cell("bandwidth_matrix")), 0u);
  const Verification last = streams.work.verification(VerifyPhase::last, false);
  EXPECT_EQ(last.wrong(), 0u);
  EXPECT_GE(last.checked(), 2 * kElements);
}

TEST_P(StreamsOf, ResultsFollowTheSeed) {
  Host host;
  const Case run = host.run();
  Streams streams(run, 2, Placement::bound, GetParam());
  streams.work.run(1);
  host.seed(8);
  EXPECT_NE(streams.work.verification(VerifyPhase::last, false).wrong(), 0u);  // old ones are seen to be old
  streams.work.restore();
  streams.work.run(1);
  EXPECT_EQ(streams.work.verification(VerifyPhase::last, false).wrong(), 0u);
}

TEST_P(StreamsOf, EndWhenCancelled) {
  Host host;
  const Case run = host.run();
  host.cancel_at(1);
  EXPECT_THROW(Streams(run, 2, Placement::bound, GetParam()), Cancelled);
  host.cancel_at(0);
  Streams streams(run, 2, Placement::bound, GetParam());
  host.cancel_at(5);
  EXPECT_THROW(streams.work.run(std::uint64_t{1} << 40), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(All, StreamsOf, ::testing::Values(Kernel::read, Kernel::write, Kernel::triad));

TEST(StreamWork, TellsWhoseThreadsWrote) {
  Host host;
  const Case run = host.run();
  Streams streams(run, 2, Placement::bound, Kernel::write);
  streams.work.run(1);
  const auto* written = reinterpret_cast<const double*>(streams.experiment.memory(0, 0));
  EXPECT_EQ(written[0], 1 + 7 + 1024);  // the second node's, which came last
}

TEST(Chase, WalksAreCountedAndVerified) {
  Host host;
  const Case run = host.run();
  const Machine machine = machine_of(2);
  Experiment experiment(run, machine, plan_of(machine, Placement::bound, Pairs::all, true), 1, 1, kBytes);
  ChaseWork work(experiment, kBytes);
  EXPECT_EQ(host.work["latency"], 2.0 * ChaseWork::kLoads);
  EXPECT_EQ(host.facts["threads"], "1 of a node");
  EXPECT_EQ(work.verification(VerifyPhase::before, false).wrong(), 0u);
  EXPECT_DOUBLE_EQ(work.run(3), 2 * Host::kStep_s);
  EXPECT_DOUBLE_EQ(host.values[cell("latency_matrix")], Host::kStep_s / 3 / ChaseWork::kLoads);
  EXPECT_EQ(work.verification(VerifyPhase::after, false).wrong(), 0u);
  EXPECT_EQ(work.verification(VerifyPhase::before, true).wrong(), 2u);  // both walks
  EXPECT_EQ(work.verification(VerifyPhase::before, false).wrong(), 0u);

  // A chain with a short cut is none.
  auto* nodes = reinterpret_cast<chase::Node*>(experiment.memory(0, 0));
  nodes[0].next = nodes[0].next->next;
  EXPECT_GE(work.verification(VerifyPhase::after, false).wrong(), kBytes / sizeof(chase::Node));
}

TEST(Experiment, IsSkippedWherePagesLieElsewhere) {
  if (!pages_are_shown()) GTEST_SKIP() << "this kernel does not say where pages lie";
  Host host;
  const Case run = host.run();
  Machine machine = machine_of(1);
  machine.memory_nodes = {1000};
  try {
    const Experiment none(run, machine, plan_of(machine, Placement::bound, Pairs::all, false), 0, 1, kBytes);
    FAIL() << "memory on node 1000";
  } catch (const Skip& skip) {
    EXPECT_THAT(skip.what(), HasSubstr("pages for node 1000 lie on node " + std::to_string(home())));
  }
}

TEST(PlacedMemory, FindsPagesThatAreElsewhereByNow) {
  if (!pages_are_shown()) GTEST_SKIP() << "this kernel does not say where pages lie";
  Host host;
  const Case run = host.run();
  const Machine machine = machine_of(1);
  Crew crew(machine.cpu_nodes, 0);
  Region region = plan_of(machine, Placement::first_touch, Pairs::all, false).regions.front();
  PlacedMemory memory(run, crew, region, kBytes, true);
  Verification good, wrong;
  EXPECT_EQ(memory.check(good), 1);
  EXPECT_EQ(good.wrong(), 0u);
  EXPECT_EQ(good.checked(), (kBytes + page_bytes() - 1) / page_bytes());
  region.expected = {1000};
  EXPECT_EQ(memory.check(wrong), 0);
  EXPECT_EQ(wrong.wrong(), wrong.checked());
}

TEST(PlacedMemory, MovesPages) {
  std::vector<char> touched(1 << 20, 1);
  if (!pages_are_shown()) GTEST_SKIP() << "this kernel does not say where pages lie";
  EXPECT_EQ(move_pages_to(touched.data(), touched.size(), home()), 0);
  const int absent = move_pages_to(touched.data(), touched.size(), 1000);
  EXPECT_NE(absent, 0);
  EXPECT_GE(count_pages(touched.data(), touched.size()).on(home()), (1 << 20) / page_bytes());
}

TEST(Crew, FindsAThreadThatIsNotBound) {
  const std::vector<int> cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "with one CPU no thread can be anywhere else";
  Crew crew({{0, cpus}}, 0);
  Verification bound, loose;
  crew.check_affinity(bound);
  EXPECT_EQ(bound.checked(), cpus.size());
  EXPECT_EQ(bound.wrong(), 0u);
  crew.run([&](std::size_t member) {
    if (member == 0) bind_to_cpu(cpus[1]);
  });
  crew.check_affinity(loose);
  EXPECT_EQ(loose.wrong(), 1u);
  EXPECT_THAT(loose.reason(), HasSubstr("CPU " + std::to_string(cpus[0]) + " is not bound"));
}

TEST(Crew, SharesAreOfANodesMembers) {
  Crew crew({{0, {0, 0}}, {1, {0, 0, 0}}}, 2);
  EXPECT_EQ(crew.size(), 4u);
  EXPECT_EQ(crew.share(0, 100, 8), (std::pair<std::size_t, std::size_t>{0, 48}));
  EXPECT_EQ(crew.share(1, 100, 8), (std::pair<std::size_t, std::size_t>{48, 100}));
  EXPECT_EQ(crew.share(3, 100, 8), (std::pair<std::size_t, std::size_t>{48, 100}));
}

}  // namespace
}  // namespace assay::plugins::numa
