// SPDX-License-Identifier: Apache-2.0
#include "lib/cpu_team.hpp"
#include "lib/nodes.hpp"
#include "lib/rolling_median.hpp"
#include "p2p/copy_roles.hpp"
#include "p2p/copying_cpus.hpp"
#include "p2p/node_buffer.hpp"
#include "p2p/pairs.hpp"
#include "p2p/pattern.hpp"
#include "p2p/ping_pong.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace assay::plugins::p2p {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

TEST(CpuPlaces, ReadsListsOfNumbersAsFarAsTheyAreThat) {
  EXPECT_THAT(numbers_of("0-3,8,10-11\n"), ElementsAre(0, 1, 2, 3, 8, 10, 11));
  EXPECT_THAT(numbers_of("7"), ElementsAre(7));
  EXPECT_THAT(numbers_of(""), ElementsAre());
  EXPECT_THAT(numbers_of("1,x"), ElementsAre(1));
  EXPECT_THAT(numbers_of("3-1"), ElementsAre());
  EXPECT_THAT(numbers_of("-5"), ElementsAre());
  EXPECT_THAT(numbers_of("2,0-2000000000"), ElementsAre(2));
}

TEST(CpuPlaces, WritesListsAsPeopleReadThem) {
  EXPECT_EQ(list_of({}), "");
  EXPECT_EQ(list_of({4}), "4");
  EXPECT_EQ(list_of({0, 1, 2, 5, 7, 8}), "0-2, 5, 7-8");
}

class CpuPlacesOfAMachine : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("p2p_cpus_" + std::to_string(::getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void put(int cpu, int node, const std::string& siblings) const {
    const fs::path folder = root_ / ("sys/devices/system/cpu/cpu" + std::to_string(cpu));
    fs::create_directories(folder / "topology");
    fs::create_directories(folder / ("node" + std::to_string(node)));
    std::ofstream(folder / "topology/thread_siblings_list") << siblings << '\n';
  }

  fs::path root_;
};

TEST_F(CpuPlacesOfAMachine, AreOnNode0WhereTheKernelNamesNone) {
  const fs::path cpus = root_ / "sys/devices/system/cpu";
  fs::create_directories(cpus / "cpu7/node12");
  fs::create_directories(cpus / "cpu7/nodeless");
  fs::create_directories(cpus / "cpu8/cache");
  EXPECT_EQ(place_of(7, root_).node, 12);
  EXPECT_EQ(place_of(8, root_).node, 0);
  EXPECT_EQ(place_of(9, root_).node, 0);
}

TEST_F(CpuPlacesOfAMachine, AreNodeAndCore) {
  put(1, 0, "1,5");
  put(5, 0, "1,5");
  put(6, 12, "6");
  std::vector<CpuPlace> places;
  for (const int cpu : {1, 5, 6}) places.push_back(place_of(cpu, root_));
  EXPECT_EQ(places[0].core, 1);
  EXPECT_EQ(places[1].core, 1);
  EXPECT_EQ(places[2].core, 6);
  EXPECT_EQ(places[2].node, 12);

  const std::vector<Node> nodes = nodes_of_places(places);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].number, 0);
  EXPECT_THAT(nodes[0].cpus, ElementsAre(1, 5));
  EXPECT_EQ(nodes[1].number, 12);
  EXPECT_THAT(nodes[1].cpus, ElementsAre(6));
}

TEST_F(CpuPlacesOfAMachine, AreNodeZeroAndACoreOfItsOwnWhereNothingIsSaid) {
  const CpuPlace place = place_of(9, root_);
  EXPECT_EQ(place.cpu, 9);
  EXPECT_EQ(place.node, 0);
  EXPECT_EQ(place.core, 9);
}

TEST(CpuPlaces, FewOfManyAreSpreadOverAll) {
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(spread(all, 4), ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(spread(all, 3), ElementsAre(0, 2, 5));
  EXPECT_EQ(spread(all, 0), all);
  EXPECT_EQ(spread(all, 9), all);
}

TEST(CopyingCpus, AreTwoForBothWaysWhereTheNodeHasThem) {
  const Node node{0, {3, 5, 7, 9}};
  EXPECT_THAT(copying_cpus(node, 0, true), ElementsAre(3, 5, 7, 9));
  EXPECT_THAT(copying_cpus(node, 2, true), ElementsAre(3, 7));
  EXPECT_THAT(copying_cpus(node, 1, false), ElementsAre(3));
  EXPECT_THAT(copying_cpus(node, 1, true), ElementsAre(3, 5));
  EXPECT_THAT(copying_cpus({0, {4}}, 1, true), ElementsAre(4));
}

TEST(Pairs, AreAllThereAreUpToTheMost) {
  for (std::size_t places = 2; places < 12; ++places) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Pair& pair : pairs_of(places, 11 * 10)) {
      EXPECT_NE(pair.from, pair.to);
      EXPECT_LT(std::max(pair.from, pair.to), places);
      EXPECT_TRUE(seen.emplace(pair.from, pair.to).second);
    }
    EXPECT_EQ(seen.size(), places * (places - 1));
  }
  EXPECT_TRUE(pairs_of(1, 100).empty());
}

TEST(Pairs, BeyondTheMostEveryPlaceTakesPartEquallyOften) {
  for (const std::size_t places : {65u, 96u, 500u}) {
    const std::size_t most = 64 * 63;
    std::vector<std::size_t> from(places), to(places);
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Pair& pair : pairs_of(places, most)) {
      EXPECT_NE(pair.from, pair.to);
      EXPECT_TRUE(seen.emplace(pair.from, pair.to).second);
      ++from[pair.from];
      ++to[pair.to];
    }
    EXPECT_LE(seen.size(), most);
    EXPECT_GT(seen.size(), most * 3 / 4);
    EXPECT_EQ(std::set<std::size_t>(from.begin(), from.end()).size(), 1u);
    EXPECT_EQ(from, to);
  }
  EXPECT_EQ(pairs_of(1000, 10).size(), 1000u);  // each with one other at least
}

TEST(PageStride, GivesEveryLineAPageWhateverTheKernelTakesForOne) {
  EXPECT_EQ(line_stride(4096), 4096u);
  EXPECT_EQ(line_stride(16384), 16384u);
  EXPECT_EQ(line_stride(65536), 65536u);
  EXPECT_EQ(line_stride(1024), 4096u);
}

constexpr auto kNever = [] { return false; };

TEST(HandOver, GoesToAndFroAndCountsItself) {
  const auto line = std::make_unique<CacheLine>(CacheLine{0, 1000});
  constexpr std::uint64_t kFirst = 3, kSecond = 500;
  bool answered = false;
  std::thread other([&] { answered = answer(*line, 0, kFirst + kSecond, kNever); });
  EXPECT_TRUE(lead(*line, 0, kFirst, kNever));
  EXPECT_EQ(line->turn, 2 * kFirst);
  EXPECT_TRUE(lead(*line, 2 * kFirst, kSecond, kNever));
  other.join();
  EXPECT_TRUE(answered);
  EXPECT_EQ(line->turn, 2 * (kFirst + kSecond));
  EXPECT_EQ(line->word, 1000 + 2 * (kFirst + kSecond));
}

TEST(HandOver, EndsOnOneProcessorToo) {
  const auto line = std::make_unique<CacheLine>(CacheLine{0, 0});
  CpuTeam team({allowed_cpus().front(), allowed_cpus().front()});
  team.run([&](int member) { member == 0 ? lead(*line, 0, 20, kNever) : answer(*line, 0, 20, kNever); });
  EXPECT_EQ(line->word, 40u);
}

TEST(HandOver, IsGivenUpWhenTheOtherDoesNotAnswer) {
  const auto line = std::make_unique<CacheLine>(CacheLine{0, 0});
  int asked = 0;
  const auto third_time = [&] { return ++asked == 3; };
  EXPECT_FALSE(lead(*line, 0, 1, third_time));
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(answer(*line, 2, 1, [] { return true; }));
  EXPECT_EQ(line->word, 1u);
}

TEST(HandOver, WordsTellPlacesAndSeedsApart) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (std::uint64_t from = 0; from < 40; ++from) {
      for (std::uint64_t to = 0; to < 40; ++to) seen.insert(word_between(from, to, seed));
    }
  }
  EXPECT_EQ(seen.size(), 3u * 40 * 40);
}

TEST(RollingMedian, TheMiddleIsOfTheLatestOfEach) {
  RollingMedian times(2);
  EXPECT_EQ(times.median(0), 0);
  times.add(1, 5);
  EXPECT_EQ(times.median(0), 0);
  EXPECT_EQ(times.median(1), 5);
  for (const double time : {9, 1, 7}) times.add(0, time);
  EXPECT_EQ(times.median(0), 7);
  times.add(0, 3);
  EXPECT_EQ(times.median(0), 3);
  for (int i = 0; i < 63; ++i) times.add(0, 2);
  EXPECT_EQ(times.median(0), 2);
  times.add(0, 100);
  EXPECT_EQ(times.median(0), 2);
  EXPECT_EQ(times.median(1), 5);
}

TEST(CopyPattern, TellsPlacesNodesWaysAndSeedsApart) {
  std::set<Word> seen;
  std::size_t words = 0;
  for (const std::uint32_t node : {0, 1, 35}) {
    for (const Way way : {Way::there, Way::back}) {
      for (const std::uint64_t seed : {0, 1, 2}) {
        for (std::uint64_t i = 0; i < 5000; ++i, ++words) seen.insert(Pattern{node, way, seed}(i));
      }
    }
  }
  EXPECT_EQ(seen.size(), words);
  EXPECT_EQ(seen.count(kNoWord), 0u);
}

TEST(CopyPattern, ACheckFindsEachWordThatIsNotTheOneThatBelongsThere) {
  const Pattern pattern{3, Way::back, 7};
  std::vector<Word> words(1000, kNoWord);
  write_pattern(words.data(), 100, 600, pattern);
  write_pattern(words.data(), 600, words.size(), pattern);
  EXPECT_EQ(check_pattern(words.data(), 100, words.size(), pattern).wrong, 0u);
  EXPECT_EQ(check_pattern(words.data(), 0, words.size(), pattern).wrong, 100u);
  std::swap(words[117], words[118]);
  words[900] ^= Word{1} << 40;
  const Misses seen = check_pattern(words.data(), 100, words.size(), pattern);
  EXPECT_EQ(seen.wrong, 3u);
  EXPECT_EQ(seen.first, 117u);
}

std::string text_of(const std::vector<Role>& roles) {
  std::string text;
  for (const Role& role : roles) {
    if (!text.empty()) text += ' ';
    if (!role.takes_part) {
      text += '-';
      continue;
    }
    text += role.way == Way::there ? '>' : '<';
    text += std::to_string(role.part) + '/' + std::to_string(role.parts);
  }
  return text;
}

TEST(CopyRoles, TheDestinationPullsOrTheSourcePushes) {
  const std::vector<std::size_t> node_of = {0, 0, 1, 1, 2};
  EXPECT_EQ(text_of(roles_of(node_of, Direction::read, {0, 1})), "- - >0/2 >1/2 -");
  EXPECT_EQ(text_of(roles_of(node_of, Direction::write, {0, 1})), ">0/2 >1/2 - - -");
  EXPECT_EQ(text_of(roles_of(node_of, Direction::read, {1, 1})), "- - >0/2 >1/2 -");
  EXPECT_EQ(text_of(roles_of(node_of, Direction::write, {2, 1})), "- - - - >0/1");
}

TEST(CopyRoles, WithBothWaysEachNodePullsWhatItGets) {
  EXPECT_EQ(text_of(roles_of({0, 0, 1, 2, 2}, Direction::both, {0, 2})), "<0/2 <1/2 - >0/2 >1/2");
  EXPECT_EQ(text_of(roles_of({0, 0, 0}, Direction::both, {0, 0})), ">0/2 <0/1 >1/2");
}

TEST(CopyRoles, PartsAreAllWordsOnceAndCutAtLines) {
  for (const std::size_t words : {8u, 24u, 1000u, 4096u}) {
    for (std::size_t parts = 1; parts < 9; ++parts) {
      std::size_t at = 0;
      for (std::size_t part = 0; part < parts; ++part) {
        const auto [first, last] = words_of({true, Way::there, part, parts}, words);
        EXPECT_EQ(first, at);
        EXPECT_TRUE(first % 8 == 0 || first == words);
        at = last;
      }
      EXPECT_EQ(at, words);
    }
  }
}

TEST(CopyRoles, NodesAreCopiedBetweenBothWaysAndWithinEach) {
  EXPECT_EQ(node_pairs(3, Direction::read).size(), 9u);
  EXPECT_EQ(node_pairs(1, Direction::write).size(), 1u);
  EXPECT_EQ(node_pairs(1, Direction::both).size(), 1u);
  const std::vector<Pair> both = node_pairs(3, Direction::both);  // the same from either side
  ASSERT_EQ(both.size(), 3u);
  for (const Pair& pair : both) EXPECT_LT(pair.from, pair.to);
}

TEST(PagesOfACopy, AreOnNodesOnlyOnceTouched) {
  std::vector<char> memory(1 << 20, 1);
  const std::vector<int> nodes = nodes_under(memory.data(), memory.size());
  if (nodes.empty()) GTEST_SKIP() << "this kernel does not say where pages lie";
  EXPECT_GE(nodes.front(), 0);
  EXPECT_LT(nodes.back(), 1024);
  EXPECT_EQ(std::set<int>(nodes.begin(), nodes.end()).size(), nodes.size());
  EXPECT_TRUE(nodes_under(memory.data(), 0).empty());
}

TEST(CpuTeamOnGivenCpus, HasAMemberOnEach) {
  const std::vector<int> allowed = allowed_cpus();
  const std::vector<int> cpus = {allowed.back(), allowed.front(), allowed.back()};
  CpuTeam team(cpus);
  std::vector<int> seen(cpus.size(), -1);
  team.run([&](int member) { seen[static_cast<std::size_t>(member)] = ::sched_getcpu(); });
  EXPECT_EQ(seen, cpus);
}

}  // namespace
}  // namespace assay::plugins::p2p
