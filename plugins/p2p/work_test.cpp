// SPDX-License-Identifier: Apache-2.0
//
// What the two kinds of work record, verify and do when cancelled, beside a host that keeps what it is told.
#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"
#include "lib/testing/recording_host.hpp"
#include "p2p/cache_line_transfers.hpp"
#include "p2p/node_copies.hpp"

#include <assay/case.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::plugins::p2p {
namespace {

using Host = RecordingHost;
constexpr double kStep_s = Host::kStep_s;

// A place on the first and on the last CPU, each a core of its own; with one CPU it is both.
std::vector<CpuPlace> two_places() {
  const std::vector<int> cpus = allowed_cpus();
  return {{cpus.front(), 0, 0}, {cpus.back(), 0, 1}};
}
std::string cell(const char* metric, int row, int column) {
  return std::string(metric) + "[" + std::to_string(row) + "][" + std::to_string(column) + "]";
}

TEST(LineTransfers, KeepBothWaysAndVerifyWhatArrived) {
  Host host;
  const Case run = host.run();
  const std::vector<CpuPlace> places = two_places();
  LineTransfers lines(run, places);
  EXPECT_EQ(lines.verification(VerifyPhase::before).wrong(), 0u);
  // Nothing is left of what was verified before the samples.
  EXPECT_EQ(lines.verification(VerifyPhase::last).wrong(), 2u);
  EXPECT_DOUBLE_EQ(lines.run(1), 2 * kStep_s);
  EXPECT_DOUBLE_EQ(host.values[cell("latency_matrix", places[0].cpu, places[1].cpu)], kStep_s / 8192);
  EXPECT_DOUBLE_EQ(host.values[cell("latency_matrix", places[1].cpu, places[0].cpu)], kStep_s / 8192);
  EXPECT_EQ(host.work["latency"], 2 * 2 * 4096.0);
  EXPECT_EQ(host.facts["pairs"], "2 of 2");
  const Verification good = lines.verification(VerifyPhase::last);
  EXPECT_EQ(good.checked(), 2u);
  EXPECT_EQ(good.wrong(), 0u);

  lines.run(1);
  host.disturb();
  EXPECT_EQ(lines.verification(VerifyPhase::last).wrong(), 2u);
}

TEST(LineTransfers, LeaveSiblingsOutOfTheHeadline) {
  Host host;
  const Case run = host.run();
  std::vector<CpuPlace> places = two_places();
  places.push_back({places[0].cpu, 0, places[0].core});
  LineTransfers lines(run, places);
  EXPECT_EQ(host.work["latency"], 4 * 2 * 1365.0);  // of six pairs two are of one core
  EXPECT_DOUBLE_EQ(lines.run(1), 4 * kStep_s);
  EXPECT_EQ(host.facts["pairs"], "6 of 6, 2 of one core, which only the matrix has");
}

TEST(LineTransfers, AreOfSiblingsWhereThereIsNothingElse) {
  Host host;
  const Case run = host.run();
  std::vector<CpuPlace> places = two_places();
  places[1].core = places[0].core;
  LineTransfers lines(run, places);
  EXPECT_EQ(host.work["latency"], 2 * 2 * 4096.0);
  EXPECT_DOUBLE_EQ(lines.run(1), 2 * kStep_s);
  EXPECT_EQ(host.facts["pairs"], "2 of 2, all of one core: no line goes from core to core");
}

TEST(LineTransfers, EndWhenCancelled) {
  Host host;
  const Case run = host.run();
  LineTransfers lines(run, two_places());
  host.cancel_at(1);
  EXPECT_THROW(lines.run(1), Cancelled);
  host.cancel_at(3);  // among the round trips of the first pair
  EXPECT_THROW(lines.run(1u << 30), Cancelled);
}

// Two groups of two threads that copy as two nodes would, whatever the machine has.
std::vector<Node> two_nodes() {
  const CpuPlace place = place_of(allowed_cpus().front());
  return {{place.node, {place.cpu, place.cpu}}, {place.node, {place.cpu, place.cpu}}};
}
constexpr std::uint64_t kBytes = 3 * 64 * 1024 + 64;

class NodeCopiesOf : public testing::TestWithParam<Direction> {};

TEST_P(NodeCopiesOf, CountDifferentNodesAndVerifyWhatArrived) {
  const bool both = GetParam() == Direction::both;
  Host host;
  const Case run = host.run();
  NodeCopies copies(run, two_nodes(), GetParam(), kBytes);
  EXPECT_EQ(host.work["bandwidth"], 2.0 * kBytes);  // there and back, at once or in turn
  const Verification before = copies.verification(VerifyPhase::before);
  EXPECT_EQ(before.checked(), (both ? 2 : 4) * kBytes / 8);
  EXPECT_EQ(before.wrong(), 0u);
  EXPECT_EQ(copies.verification(VerifyPhase::last).checked(), 0u);  // nothing is left of that

  const double time_s = copies.run(3);
  const Verification last = copies.verification(VerifyPhase::last);
  EXPECT_EQ(last.checked(), 2 * kBytes / 8);
  EXPECT_EQ(last.wrong(), 0u);
  const int node = place_of(allowed_cpus().front()).node;
  const double bandwidth = host.values[cell("bandwidth_matrix", node, node)];
  if (both) {
    EXPECT_GT(time_s, kStep_s);  // each thread looks at the clock for its way
    EXPECT_GT(host.values["directions[1]"], bandwidth / 2);
    EXPECT_LE(host.values["directions[1]"], kBytes / kStep_s);
  } else {
    EXPECT_DOUBLE_EQ(time_s, 2 * kStep_s);  // of four pairs two are of different nodes
    EXPECT_DOUBLE_EQ(bandwidth, 3 * kBytes / kStep_s);
  }
  EXPECT_EQ(host.values.count("directions[1]"), both ? 1u : 0u);

  host.disturb();
  EXPECT_EQ(copies.verification(VerifyPhase::last).wrong(), 2 * kBytes / 8);
}

TEST_P(NodeCopiesOf, OneNodeAreOfItselfAndSayThat) {
  Host host;
  const Case run = host.run();
  const CpuPlace place = place_of(allowed_cpus().front());
  NodeCopies copies(run, {{place.node, {place.cpu}}}, GetParam(), kBytes);
  EXPECT_EQ(host.work["bandwidth"], (GetParam() == Direction::both ? 2.0 : 1.0) * kBytes);
  EXPECT_NE(host.facts["pairs"].find("the only one"), std::string::npos);
  EXPECT_EQ(copies.verification(VerifyPhase::after).wrong(), 0u);
}

TEST_P(NodeCopiesOf, EndWhenCancelledAmongCopies) {
  Host host;
  const Case run = host.run();
  NodeCopies copies(run, two_nodes(), GetParam(), kBytes);
  host.cancel_at(5);
  EXPECT_THROW(copies.run(std::uint64_t{1} << 40), Cancelled);
}

TEST_P(NodeCopiesOf, LookWhetherToStopWithinACopy) {
  constexpr std::uint64_t kBlock = 4096, kBlocks = kBytes / kBlock;
  Host host;
  const Case run = host.run();
  host.cancel_at(3);  // while memory is filled for the first time
  EXPECT_THROW(NodeCopies(run, two_nodes(), GetParam(), kBytes, kBlock), Cancelled);

  host.cancel_at(0);
  NodeCopies copies(run, two_nodes(), GetParam(), kBytes, kBlock);
  EXPECT_EQ(copies.verification(VerifyPhase::before).wrong(), 0u);
  constexpr int kNever = 1 << 30;
  host.cancel_at(kNever);
  copies.run(1);
  EXPECT_GT(host.asked(), static_cast<int>(2 * kBlocks));  // of two copies or more
  host.cancel_at(kNever);
  EXPECT_EQ(copies.verification(VerifyPhase::last).wrong(), 0u);
  EXPECT_GE(host.asked(), static_cast<int>(2 * kBlocks));
  host.cancel_at(static_cast<int>(kBlocks) / 2);
  EXPECT_THROW(copies.verification(VerifyPhase::last), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(All, NodeCopiesOf,
                         testing::Values(Direction::read, Direction::write, Direction::both));

TEST(NodeCopies, AreSkippedWhereMemoryLiesElsewhere) {
  Host host;
  const Case run = host.run();
  const CpuPlace place = place_of(allowed_cpus().front());
  std::vector<char> touched(1 << 20, 1);
  if (nodes_under(touched.data(), touched.size()).empty())
    GTEST_SKIP() << "this kernel does not say where pages lie";
  constexpr int kNoNode = 1000;
  EXPECT_THROW(NodeCopies(run, {{kNoNode, {place.cpu}}}, Direction::read, kBytes), Skip);
}

}  // namespace
}  // namespace assay::plugins::p2p
