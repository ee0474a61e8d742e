// SPDX-License-Identifier: Apache-2.0
#include "judge/claim.hpp"

#include "judge/judge_test_world.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::judge {
namespace {

suite::SuiteFinding claim_finding(const std::string& claim,
                                  const std::vector<std::pair<std::string, std::string>>& more = {}) {
  suite::SuiteFinding made;
  made.claim_text = claim;
  made.claim = World::parse(claim);
  for (const auto& [name, text] : more) made.let.push_back({{name, {}}, World::parse(text)});
  for (const std::string name : {"a", "b", "c"})
    made.let.push_back({{name, {}}, World::parse("membw[kernel=" + name + "].bandwidth")});
  return made;
}

Claim claim_of(const suite::SuiteFinding& finding) {
  std::string problem;
  const std::optional<Claim> claim = read_claim(finding, &problem);
  EXPECT_TRUE(claim) << problem;
  return *claim;
}

TEST(Claims, FactorsAreTakenOutAtAnyDepth) {
  for (const std::string text :
       {"a >= 1.01 * b", "a >= 0.5 * 2.02 * b", "a >= 0.5 * (b * 2.02)", "a >= b / (1 / 1.01)",
        "a / 1.01 >= b", "a >= 101% of b", "2 * a >= (1 + 1.02) * b"}) {
    const suite::SuiteFinding one = claim_finding(text);
    const Claim claim = claim_of(one);
    EXPECT_NEAR(claim.margin, 1.01, 1e-12) << text;
    EXPECT_EQ(to_text(claim.right), "b") << text;
    EXPECT_TRUE(claim.explicit_margin) << text;
    EXPECT_EQ(to_text(claim_verdict(claim, {0.995, 1.005}, 0.02)), "refuted") << text;
  }
}

TEST(Claims, FactorsOfProductsAndOfNamesCount) {
  const suite::SuiteFinding product = claim_finding("a >= 0.9 * b * c");
  EXPECT_DOUBLE_EQ(claim_of(product).margin, 0.9);
  EXPECT_EQ(to_text(claim_of(product).right), "b * c");
  const suite::SuiteFinding named = claim_finding("a >= half", {{"half", "0.5 * membw[kernel=b].bandwidth"}});
  EXPECT_DOUBLE_EQ(claim_of(named).margin, 0.5);
  EXPECT_TRUE(claim_of(named).explicit_margin);
  const suite::SuiteFinding plain = claim_finding("a >= b");
  EXPECT_FALSE(claim_of(plain).explicit_margin);
}

TEST(Claims, FactorsThatCancelAreNone) {
  for (int percent = 1; percent <= 200; ++percent) {
    const std::string factor = std::to_string(percent * 0.01);
    EXPECT_FALSE(claim_of(claim_finding("a * " + factor + " / " + factor + " > b")).explicit_margin)
        << factor;
  }
}

TEST(Claims, NamesStandForWhatIsHeldAgainstTheLimit) {
  const auto measured = [](const std::string& text) {
    const suite::SuiteFinding one =
        claim_finding(text, {{"half", "0.5 * membw[kernel=b].bandwidth"},
                             {"share", "membw[kernel=a].bandwidth / membw[kernel=b].bandwidth"}});
    return claim_of(one).measured;
  };
  EXPECT_EQ(measured("a >= 1.8 * b"), "a / b");
  EXPECT_EQ(measured("a >= 0.9 * b * c"), "a / (b * c)");
  EXPECT_EQ(measured("a >= 95% of b"), "a / b");
  EXPECT_EQ(measured("a >= half"), "a / membw[kernel=b].bandwidth")
      << "a name that hides a factor is written out";
  EXPECT_EQ(measured("share >= share"), "share / share");
  EXPECT_EQ(measured("a >= 412 FLOP/B * b"), "a / b");
  EXPECT_EQ(measured("a / (4 * b) >= 90%"), "a / (4 * b)") << "as written beside a limit of its own";
  EXPECT_EQ(measured("5 GB/s <= a"), "a");
}

TEST(Claims, ADifferenceThatIsShownAndNotItsSizeIsSmall) {
  const auto verdict = [](const std::string& text, const ValueRange& ratio) {
    const suite::SuiteFinding one = claim_finding(text);
    return to_text(claim_verdict(claim_of(one), ratio, 0.02));
  };
  EXPECT_EQ(verdict("a > b", {1.01, 1.03}), "small");
  EXPECT_EQ(verdict("a > b", {0.99, 1.03}), "undecided") << "no difference is possible";
  EXPECT_EQ(verdict("a > b", {1.005, 1.015}), "refuted") << "it asks for more than theta";
  EXPECT_EQ(verdict("a >= b", {0.97, 0.99}), "small");
  EXPECT_EQ(verdict("a == b", {1.01, 1.03}), "small");
  EXPECT_EQ(verdict("a >= 1.02 * b", {1.01, 1.03}), "undecided") << "the suite's own margin has no theta";
}

TEST(Claims, WhatArithmeticRoundsIsWhatIsAskedFor) {
  // b is taken; a is the factor times b.
  for (const double b : {1.0, 3.0, 7.0, 21.0, 1e9})
    for (int tenths = 1; tenths <= 99; ++tenths) {
      const double ratio = std::exp(std::log(b * tenths / 10) - std::log(b));
      const std::string factor = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
      for (const auto& [relation, verdict] : {std::pair(">=", "confirmed"), std::pair("<=", "confirmed"),
                                              std::pair(">", "refuted"), std::pair("<", "refuted")}) {
        const suite::SuiteFinding one =
            claim_finding("a " + std::string(relation) + " 1 * " + factor + " * b");
        const Claim claim = claim_of(one);
        const FindingVerdict of_rounds = claim_verdict(claim, {ratio, std::nextafter(ratio, 2 * ratio)}, 0);
        EXPECT_EQ(to_text(of_rounds), verdict) << relation << factor << " of " << b;
      }
    }
}

TEST(Claims, ADifferenceThatIsItsLimitIsEqualToIt) {
  const auto verdict = [](const std::string& text, double a, double b) {
    const suite::SuiteFinding one = claim_finding(text);
    const Claim claim = claim_of(one);
    const ClaimValues values = evaluate_claim(claim, [&](const suite::Expression& selector) {
      return exact(selector.terms.front().text == "a" ? a : b, {.time = -1, .data = 1});
    });
    EXPECT_EQ(values.problem, "") << text;
    return to_text(difference_verdict(claim, {values.left, values.left}));
  };
  for (const auto& [a, b] : {std::pair(3.3, 3.0), std::pair(1e6 + 0.3, 1e6), std::pair(0.6, 0.3)}) {
    EXPECT_EQ(verdict("a - b >= 0.3 B/s", a, b), "confirmed") << a;
    EXPECT_EQ(verdict("a - b <= 0.3 B/s", a, b), "confirmed") << a;
    EXPECT_EQ(verdict("a - b == 0.3 B/s", a, b), "confirmed") << a;
    EXPECT_EQ(verdict("a - b > 0.3 B/s", a, b), "refuted") << a;
    EXPECT_EQ(verdict("a - b != 0.3 B/s", a, b), "refuted") << a;
    EXPECT_EQ(verdict("a - b - 0.3 B/s > 0 B/s", a, b), "refuted") << a;
  }
  EXPECT_EQ(verdict("a - b > 0 B/s", 2199023255553, 2199023255552), "confirmed") << "a whole byte is one";
}

TEST(Claims, OnlyARatioIsTimesSomething) {
  const auto unit = [](const std::string& text) {
    const suite::SuiteFinding one =
        claim_finding(text, {{"share", "membw[kernel=a].bandwidth / membw[kernel=b].bandwidth"}});
    return limit_of(claim_of(one), 0.02).unit;
  };
  for (const std::string text :
       {"a >= 1.1 * b", "a / b >= 1.1", "a / (4 * b) >= 0.9", "share >= 1.1", "3 <= a / b"})
    EXPECT_EQ(unit(text), "×") << text;
  for (const std::string text : {"a <= 3", "a - b <= 3", "b - a >= -3", "a + b <= 3", "2 * a <= 3",
                                 "a * b <= 3", "3 >= a - b", "a - b - c > 0", "-a < 0"})
    EXPECT_EQ(unit(text), "1") << text;
  EXPECT_EQ(unit("a / b >= 90%"), "%");
  EXPECT_EQ(unit("a - b <= 5 us"), "s");
}

TEST(Claims, FactorsThatNearlyCancelCancel) {
  EXPECT_FALSE(claim_of(claim_finding("0.1 * 3 * a >= 0.3 * b")).explicit_margin);
}

TEST(Claims, AQuantityWithAUnitIsAMarginToo) {
  const suite::SuiteFinding one = claim_finding("a >= 412 FLOP/B * b");
  const Claim claim = claim_of(one);
  EXPECT_TRUE(claim.explicit_margin);
  EXPECT_EQ(claim.margin, 1);
  // 500 operations a second beside 412 a byte times one byte a second.
  const ClaimValues values = evaluate_claim(claim, [](const suite::Expression& selector) {
    return selector.terms.front().text == "a" ? exact(500, {.time = -1, .operations = 1})
                                              : exact(1, {.time = -1, .data = 1});
  });
  EXPECT_EQ(values.problem, "");
  EXPECT_DOUBLE_EQ(values.right, 412);
}

}  // namespace
}  // namespace assay::judge
