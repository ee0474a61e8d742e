// SPDX-License-Identifier: Apache-2.0
#include "recording_host.hpp"

#include <assay/data.hpp>
#include <assay/group.hpp>
#include <assay/memory.hpp>
#include <assay/random.hpp>
#include <assay/verification.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace {

using assay::testing::RecordingHost;

// The known answers that come with Random123 1.14 (kat_vectors).
TEST(Random, GivesTheKnownAnswersOfPhilox) {
  const auto words = [](const assay::RandomBlock& block) {
    return std::vector<std::uint32_t>(block.word, block.word + 4);
  };
  using Words = std::vector<std::uint32_t>;

  EXPECT_EQ(words(assay::philox({{0, 0, 0, 0}}, 0, 0)),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(assay::philox({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u)),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(assay::philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0)),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, DependsOnSeedStreamAndIndexAlone) {
  const assay::Random random(1, 2);
  EXPECT_EQ(random.bits(5), assay::Random(1, 2).bits(5));
  EXPECT_EQ((std::set<std::uint64_t>{random.bits(5), random.bits(6), assay::Random(1, 3).bits(5),
                                     assay::Random(2, 2).bits(5), random.bits(5 + (1ull << 40))})
                .size(),
            5u);
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  const assay::Random random(42);
  constexpr int kCount = 100000;
  double sum = 0, squares = 0, uniform_sum = 0;
  for (int i = 0; i < kCount; ++i) {
    const double z = random.normal(i), u = random.uniform(i);
    sum += z;
    squares += z * z;
    uniform_sum += u;
    ASSERT_TRUE(u >= -1 && u < 1);
    const std::int64_t whole = random.integer(i, -3, 3);
    ASSERT_TRUE(whole >= -3 && whole <= 3);
  }

  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(uniform_sum / kCount, 0, 5 * std::sqrt(1.0 / 3 / kCount));
}

TEST(Random, CoversTheWholeRangeOfIntegers) {
  const assay::Random random(3);
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min(),
                 kHigh = std::numeric_limits<std::int64_t>::max();
  std::set<std::int64_t> small;
  bool negative = false, positive = false;
  for (int i = 0; i < 200; ++i) {
    small.insert(random.integer(i, -1, 1));
    (random.integer(i, kLow, kHigh) < 0 ? negative : positive) = true;
  }
  EXPECT_EQ(small, (std::set<std::int64_t>{-1, 0, 1}));
  EXPECT_TRUE(negative && positive);
}

TEST(Data, FollowsTheCondition) {
  const assay::Random random(9);
  EXPECT_EQ(assay::element(assay::Data::zeros, random, 4), 0);
  EXPECT_EQ(assay::element(assay::Data::ones, random, 4), 1);
  EXPECT_EQ(assay::element(assay::Data::standard, random, 4), assay::element(assay::Data::normal, random, 4));
  EXPECT_EQ(assay::element(assay::Data::uniform, random, 4), random.uniform(4));
  const double whole = assay::element(assay::Data::integer, random, 4);
  EXPECT_EQ(whole, std::round(whole));
}

TEST(Verification, MeasuresErrorsInTheTermsOfTheTolerance) {
  assay::Verification seen;
  seen.expect_close(std::nextafter(1.0f, 2.0f), 1.0, assay::ulps(2), 0);
  EXPECT_DOUBLE_EQ(seen.largest_error(), 1);
  EXPECT_EQ(seen.wrong(), 0u);

  seen.expect_close(1.0f + 3 * std::numeric_limits<float>::epsilon(), 1.0, assay::ulps(2), 1);
  EXPECT_EQ(seen.wrong(), 1u);
  EXPECT_DOUBLE_EQ(seen.largest_error(), 3);
  EXPECT_FALSE(seen.exact());

  assay::Verification relative;
  relative.expect_close(110.0, 100.0, assay::relative(0.05), 0);
  EXPECT_EQ(relative.wrong(), 1u);
  EXPECT_DOUBLE_EQ(relative.largest_error(), 0.1);
}

TEST(Verification, TellsTheErrorBesideItsOwnTolerance) {
  assay::Verification seen;
  seen.expect_close(10.0, 9.0, assay::absolute(2), 0);
  seen.expect_close(1.0, 1.0, assay::relative(1e-9), 1);
  EXPECT_EQ(seen.largest_error(), 1);
  EXPECT_EQ(seen.tolerance(), 2);
  seen.expect_close(1.0 + 8e-10, 1.0, assay::relative(1e-9), 2);
  EXPECT_NEAR(seen.largest_error(), 8e-10, 1e-12);
  EXPECT_EQ(seen.tolerance(), 1e-9);
  EXPECT_EQ(seen.wrong(), 0u);
}

TEST(Verification, CallsWhatIsNotANumberWrongAndStaysFinite) {
  assay::Verification seen;
  seen.expect_close(std::nan(""), 1.0, assay::absolute(1e9), 0);
  seen.expect_close(1.0, 0.0, assay::relative(0.5), 1);
  seen.expect_close(std::numeric_limits<double>::infinity(), 1.0, assay::ulps(4), 2);
  EXPECT_EQ(seen.wrong(), 3u);
  EXPECT_EQ(seen.checked(), 3u);
  EXPECT_TRUE(std::isfinite(seen.largest_error()));
}

TEST(Verification, NamesTheFirstWrongValue) {
  assay::Verification seen;
  for (int i = 0; i < 10; ++i) seen.expect_equal(i >= 4 ? 0 : i, i, static_cast<std::uint64_t>(i));
  EXPECT_EQ(seen.reason(), "6 of 10 values are wrong; element 4 is 0, expected 4");
  EXPECT_TRUE(seen.exact());
}

TEST(Verification, TellsTwoValuesApartHoweverCloseTheyAre) {
  assay::Verification checksums;
  checksums.expect_equal(std::uint32_t{4294967295}, std::uint32_t{4294967294}, 3);
  EXPECT_EQ(checksums.reason(), "1 of 1 values are wrong; element 3 is 4294967295, expected 4294967294");
  assay::Verification large;
  large.expect_equal(std::int64_t{9007199254740993}, std::int64_t{9007199254740992}, 0);
  EXPECT_EQ(large.reason(),
            "1 of 1 values are wrong; element 0 is 9007199254740993, expected 9007199254740992");
  assay::Verification close;
  close.expect_close(1.0 + 1e-12, 1.0, assay::absolute(1e-15), 0);
  EXPECT_EQ(close.reason(), "1 of 1 values are wrong; element 0 is 1.0000000000010001, expected 1");
  assay::Verification far;
  far.expect_close(0.1F, 0.2, assay::absolute(1e-3), 0);
  EXPECT_EQ(far.reason(), "1 of 1 values are wrong; element 0 is 0.100000001, expected 0.2");
}

TEST(HostBuffer, IsCountedByTheHostAndFreedOnce) {
  RecordingHost host;
  const assay::Case run(host.get(), nullptr);
  {
    assay::HostBuffer<double> first(run, 1000, 128);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first.data()) % 128, 0u);
    assay::HostBuffer<double> second(std::move(first));
    EXPECT_EQ(first.data(), nullptr);
    EXPECT_EQ(second.size(), 1000u);
    EXPECT_EQ(second.bytes(), 8000u);
    assay::HostBuffer<double> third(run, 5);
    third = std::move(second);
    EXPECT_EQ(host.live_allocations, 1);
    EXPECT_EQ(third.size(), 1000u);
  }
  EXPECT_EQ(host.live_allocations, 0);
}

TEST(HostBuffer, WorksWithoutTheServiceAndRefusesTheImpossible) {
  RecordingHost host;
  host.offers_memory = false;
  const assay::Case run(host.get(), nullptr);
  assay::HostBuffer<int> buffer(run, 3);
  buffer[2] = 5;
  EXPECT_EQ(buffer[2], 5);
  EXPECT_EQ(host.live_allocations, 0);
  EXPECT_EQ(assay::HostBuffer<int>(run, 0).data(), nullptr);
  EXPECT_THROW(assay::HostBuffer<double>(run, std::numeric_limits<std::size_t>::max() / 4), assay::Failure);
}

assay_status lost(const assay_group_v1*) { return ASSAY_E_COMMUNICATION; }
assay_status stopped(const assay_group_v1*, void*, std::uint64_t, std::uint32_t) { return ASSAY_CANCELLED; }
assay_status doubled(const assay_group_v1*, const void* mine, void* all, std::uint64_t bytes) {
  EXPECT_EQ(bytes, sizeof(int));
  static_cast<int*>(all)[0] = *static_cast<const int*>(mine);
  static_cast<int*>(all)[1] = 2 * *static_cast<const int*>(mine);
  return ASSAY_OK;
}

assay_status late(const assay_group_v1*, std::uint32_t, const void*, std::uint64_t,
                  std::int64_t deadline_ns) {
  EXPECT_EQ(deadline_ns, 1);
  return ASSAY_E_TIMEOUT;
}
assay_status halved(const assay_group_v1*, std::uint32_t color, std::uint32_t, const assay_group_v1** out) {
  static assay_group_v1 half{};
  EXPECT_EQ(color, 7u);
  half.size = sizeof half;
  half.rank_count = 1;
  *out = &half;
  return ASSAY_OK;
}

TEST(Group, IsOneRankWithoutTheService) {
  RecordingHost host;
  const assay::Group group{assay::Case(host.get(), nullptr)};
  EXPECT_EQ(group.size(), 1u);
  EXPECT_EQ(group.rank(), 0u);
  group.barrier();
  EXPECT_EQ(group.allgather(5), std::vector<int>{5});
}

TEST(Group, TurnsStatusesIntoExceptions) {
  RecordingHost host;
  assay_group_v1 service{};
  service.size = sizeof(service);
  service.rank = service.local_rank = service.node_count = 1;
  service.rank_count = 2;
  service.barrier = &lost;
  service.broadcast = &stopped;
  service.allgather = &doubled;
  service.send = &late;
  service.split = &halved;
  host.group = &service;
  const assay::Group group{assay::Case(host.get(), nullptr)};
  int value = 4;

  EXPECT_EQ(group.rank(), 1u);
  EXPECT_EQ(group.allgather(value), (std::vector<int>{4, 8}));
  EXPECT_THROW(group.broadcast(value), assay::Cancelled);
  try {
    group.send(value, 0, 1);
    FAIL() << "a deadline went unnoticed";
  } catch (const assay::Failure& failure) {
    EXPECT_EQ(failure.status(), ASSAY_E_TIMEOUT);
  }
  EXPECT_EQ(group.split(7).size(), 1u);
  try {
    group.barrier();
    FAIL() << "a lost rank went unnoticed";
  } catch (const assay::Failure& failure) {
    EXPECT_EQ(failure.status(), ASSAY_E_COMMUNICATION);
    EXPECT_STREQ(failure.what(), "the ranks' barrier did not complete");
  }
}

}  // namespace
