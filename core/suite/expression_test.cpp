// SPDX-License-Identifier: Apache-2.0
#include "suite/expression.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace assay::suite {
namespace {

const Position kPlace{"suite.yaml", 7, 11};

ExpressionPtr parse(const std::string& text) {
  Diagnostics diagnostics;
  ExpressionPtr found = parse_expression(text, kPlace, diagnostics);
  for (const Diagnostic& one : diagnostics.sorted()) ADD_FAILURE() << text << "\n" << to_text(one);
  return found;
}

std::string canonical(const std::string& text) {
  const ExpressionPtr found = parse(text);
  return found ? to_text(*found) : "";
}

// "column: text (hint)" of the one error.
std::string expression_problem(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_EQ(parse_expression(text, kPlace, diagnostics), nullptr) << text;
  const auto all = diagnostics.sorted();
  if (all.size() != 1) return std::to_string(all.size()) + " problems";
  EXPECT_EQ(all[0].position.line, kPlace.line);
  return std::to_string(all[0].position.column - kPlace.column) + ": " + all[0].text;
}

TEST(Expression, BindsProductsTighterThanSumsAndSumsTighterThanComparisons) {
  EXPECT_EQ(canonical("a+b*c>=d-e/f"), "a + b * c >= d - e / f");
  EXPECT_EQ(canonical("(a+b)*c"), "(a + b) * c");
  EXPECT_EQ(canonical("a-(b-c)"), "a - (b - c)");
  EXPECT_EQ(canonical("(a-b)-c"), "a - b - c");
  EXPECT_EQ(canonical("a/(b*c)"), "a / (b * c)");
  EXPECT_EQ(canonical("-a*b"), "-a * b");
  EXPECT_EQ(canonical("-(a*b)"), "-(a * b)");
  EXPECT_EQ(canonical("--a"), "--a");
  EXPECT_EQ(canonical("((a))"), "a");
}

TEST(Expression, ReadsQuantitiesWithTheirUnits) {
  const auto quantity = [](const std::string& text) { return parse(text)->quantity; };

  EXPECT_DOUBLE_EQ(quantity("64MiB").value, 67108864);
  EXPECT_DOUBLE_EQ(quantity("335 GB/s").value, 335e9);
  EXPECT_EQ(quantity("335 GB/s").dimension, (Dimension{.time = -1, .data = 1}));
  EXPECT_DOUBLE_EQ(quantity("3µs").value, 3e-6);
  EXPECT_DOUBLE_EQ(quantity("3 μs").value, 3e-6);
  EXPECT_DOUBLE_EQ(quantity("700 TFLOP/s").value, 700e12);
  EXPECT_DOUBLE_EQ(quantity("85 C").value, 85);
  EXPECT_DOUBLE_EQ(quantity("2min").value, 120);
  EXPECT_DOUBLE_EQ(quantity("1.5e-3").value, 1.5e-3);
  EXPECT_TRUE(quantity("5%").percent);
  EXPECT_TRUE(quantity("5 %").percent);
}

TEST(Expression, TakesTheLongestUnitAndDividesByTheRest) {
  EXPECT_EQ(canonical("5 GB/s"), "5GB/s");
  EXPECT_EQ(canonical("5s/x"), "5s / x");
  EXPECT_EQ(canonical("5 s/epoch"), "5s/items");
  EXPECT_EQ(canonical("5 J/token"), "5J/items");
  EXPECT_EQ(canonical("5 s/epochs"), "5s / epochs");
  EXPECT_EQ(canonical("5 GB / s"), "5GB / s");
  EXPECT_EQ(canonical("10%/x"), "10% / x");
  EXPECT_EQ(canonical("2 * min(time)"), "2 * min(time)");
}

TEST(Expression, ReadsSharesOfNamedValues) {
  const ExpressionPtr found = parse("throughput >= 60% of peak");

  const Expression& share = *found->operands[1];
  EXPECT_EQ(share.kind, Expression::Kind::percent_of);
  EXPECT_EQ(share.name, "peak");
  EXPECT_DOUBLE_EQ(share.quantity.value, 0.6);
  EXPECT_EQ(canonical("x < 5 % of baseline"), "x < 5% of baseline");
  EXPECT_EQ(canonical("x < 5% of algbw * 2"), "x < 5% of algbw * 2");
}

TEST(Expression, ReadsBandsWhoseEndIsTheMetricsToSay) {
  const ExpressionPtr found = parse("throughput within band");

  EXPECT_TRUE(is_relation(*found));
  EXPECT_TRUE(has_share_of(*found, "band"));
  EXPECT_EQ(names(*found).size(), 1U);
  EXPECT_EQ(canonical("throughput  within band"), "throughput within band");
  EXPECT_EQ(expression_problem("x within 5%"), "11: 'of' must stand before the end");
  EXPECT_EQ(expression_problem("x within band > 2"), "14: a second comparison");
  EXPECT_EQ(expression_problem("x > 5% of band"), "10: 'band' is out of place");
  EXPECT_EQ(expression_problem("within > 5"), "0: 'within' is out of place");
}

TEST(Expression, ReadsFunctionsAndTheirAxis) {
  const ExpressionPtr found = parse("spread(throughput over env.NCCL_ALGO) <= 5%");

  EXPECT_EQ(found->operands[0]->kind, Expression::Kind::call);
  EXPECT_EQ(found->operands[0]->name, "spread");
  EXPECT_EQ(found->operands[0]->axis, "env.NCCL_ALGO");
  EXPECT_EQ(canonical("p99( time )<1ms"), "p99(time) < 1ms");
  EXPECT_EQ(canonical("max(a+b over device)"), "max(a + b over device)");
}

TEST(Expression, NamesQuantitiesOutsideOfShares) {
  const auto named = [](const std::string& text) {
    std::string list;
    const ExpressionPtr found = parse(text);
    for (const Expression* each : named_quantities(*found)) list += to_text(*each) + ";";
    return list;
  };
  EXPECT_EQ(named("p99(time) - 2 * time <= 5% of reference + 3% of latency"), "p99(time);time;");
  EXPECT_EQ(named("90% of peak <= max(a + b)"), "max(a + b);");
  EXPECT_EQ(named("min(50% of a) <= 1"), "");
}

TEST(Expression, KnowsPercentiles) {
  EXPECT_TRUE(has_percentile(*parse("1 ms >= 2 * p999(time)")));
  EXPECT_FALSE(has_percentile(*parse("peak_use <= 5 * p9")));
}

TEST(Expression, ReadsSelectors) {
  const ExpressionPtr found =
      parse("h2d-local[env.X=~, env.Y=*, bytes=64MiB, device=cuda:0, algo=\"a b\"].bandwidth");

  ASSERT_EQ(found->kind, Expression::Kind::selector);
  EXPECT_EQ(found->name, "h2d-local");
  EXPECT_EQ(found->metric, "bandwidth");
  ASSERT_EQ(found->terms.size(), 5U);
  EXPECT_EQ(found->terms[0].kind, SelectorTerm::Kind::unset);
  EXPECT_EQ(found->terms[1].kind, SelectorTerm::Kind::any);
  EXPECT_EQ(found->terms[2].text, "64MiB");
  EXPECT_EQ(found->terms[2].position.column, kPlace.column + 28);
  EXPECT_EQ(found->terms[2].value_position.column, kPlace.column + 34);
  EXPECT_EQ(found->terms[3].text, "cuda:0");
  EXPECT_EQ(found->terms[4].text, "a b");
  EXPECT_EQ(to_text(*found),
            "h2d-local[env.X=~, env.Y=*, bytes=64MiB, device=cuda:0, algo=\"a b\"].bandwidth");
  EXPECT_EQ(canonical("best(all[ ].x)"), "best(all[].x)");
}

TEST(Expression, SubtractsUnlessASelectorFollows) {
  EXPECT_EQ(canonical("a-b"), "a - b");
  EXPECT_EQ(canonical("a-b[].c"), "a-b[].c");
  EXPECT_EQ(canonical("a - b[].c"), "a - b[].c");
}

TEST(Expression, KeepsADifferenceBetweenQuotedTilde) {
  const ExpressionPtr found = parse("c[x=\"~\"].m");

  EXPECT_EQ(found->terms[0].kind, SelectorTerm::Kind::value);
  EXPECT_EQ(to_text(*found), "c[x=\"~\"].m");
}

TEST(Expression, ComparesTextWithANameOnly) {
  const ExpressionPtr found = parse("dtype == \"bf16\"");

  EXPECT_TRUE(found->operands[1]->is_text);
  EXPECT_EQ(found->operands[1]->text, "bf16");
  EXPECT_EQ(canonical("'a \"b\"' != name"), "'a \"b\"' != name");
  EXPECT_EQ(expression_problem("\"a\""), "0: a text alone says nothing");
  EXPECT_EQ(expression_problem("dtype + \"a\""), "6: '+' can't be used with text");
  EXPECT_EQ(expression_problem("1 == \"a\""), "2: text can only be compared with a name");
  EXPECT_EQ(expression_problem("min(\"a\") < 1"), "4: min() of a text");
}

TEST(Expression, PointsAtTheErrorInsideTheText) {
  EXPECT_EQ(expression_problem("a < b < c"), "6: a second comparison");
  EXPECT_EQ(expression_problem("(a < b)"), "3: a comparison can't stand in parentheses");
  EXPECT_EQ(expression_problem("a <= 3 usec"), "7: 'usec' is not a unit");
  EXPECT_EQ(expression_problem("a >"), "3: a number, a name or '(' must follow");
  EXPECT_EQ(expression_problem(""), "0: a number, a name or '(' must follow");
  EXPECT_EQ(expression_problem("a b"), "2: an operator must stand before 'b'");
  EXPECT_EQ(expression_problem("median(a)"), "0: 'median' is not a function");
  EXPECT_EQ(expression_problem("c[a=1]"), "6: a selector must end with a metric");
  EXPECT_EQ(expression_problem("c[a=1"), "5: ',' or ']' must follow a value");
  EXPECT_EQ(expression_problem("c [a=1].x"), "2: '[' must follow a case's id without a space");
  EXPECT_EQ(expression_problem("a > 60 of peak"), "7: 'of' must follow a percentage");
  EXPECT_EQ(expression_problem("1e999 > a"), "0: '1e999' is not a number that a double can hold");
  EXPECT_EQ(expression_problem("a < 9007199254740993"),
            "4: '9007199254740993' is not a number that a double can hold");
  EXPECT_EQ(canonical("a < 9007199254740992"), "a < 9007199254740992");
}

TEST(Expression, PutsTheOperatorsPlaceOnTheNode) {
  const ExpressionPtr found = parse("throughput >= 60% of peak");

  EXPECT_EQ(found->position.column, kPlace.column + 11);
  EXPECT_EQ(found->operands[0]->position.column, kPlace.column);
  EXPECT_EQ(found->operands[1]->position.column, kPlace.column + 14);
}

TEST(Expression, RefusesWhatIsTooDeepOrTooLong) {
  const std::string deep(kMaximumExpressionDepth, '(');
  EXPECT_NE(expression_problem(deep + "a" + std::string(kMaximumExpressionDepth, ')'))
                .find("nested deeper than 64"),
            std::string::npos);
  EXPECT_NE(expression_problem(std::string(1000, '-') + "a").find("nested deeper than 64"),
            std::string::npos);
  EXPECT_NE(
      expression_problem(std::string(kMaximumExpressionLength + 1, 'a')).find("more than the limit of 4096"),
      std::string::npos);
  std::string chain = "a";
  while (chain.size() + 2 <= kMaximumExpressionLength) chain += "+a";
  EXPECT_NE(parse(chain), nullptr);
}

TEST(Expression, ListsTheNamesThatMustResolve) {
  const ExpressionPtr found = parse("a + p99(b) >= 5% of c + 60% of peak - d[x=1].e");

  std::vector<std::string> seen;
  for (const Expression* one : names(*found)) seen.push_back(one->name);

  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b", "c", "d"}));
}

// A random tree within the grammar.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string relation() {
    static const char* const kSigns[] = {"<", "<=", ">", ">=", "==", "!="};
    if (pick(6) == 0) return name() + " == \"" + name() + "\"";
    return sum(0) + " " + kSigns[pick(6)] + " " + sum(0);
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::string name() {
    static const char* const kNames[] = {"a", "busbw", "throughput", "e3", "x_1", "GB", "s"};
    return kNames[pick(7)];
  }
  std::string sum(int depth) {
    static const char* const kSigns[] = {" + ", "-", " * ", "/ ", " - "};
    if (depth > 4) return operand(depth);
    switch (pick(5)) {
      case 0:
        return "(" + sum(depth + 1) + ")";
      case 1:
        return "-" + operand(depth + 1);
      case 2:
        return operand(depth);
      default:
        return sum(depth + 1) + " " + kSigns[pick(5)] + sum(depth + 1);
    }
  }
  std::string operand(int depth) {
    static const char* const kQuantities[] = {"64MiB",       "3.25 µs", "1e-3",        "0",
                                              "12 tokens/s", "5%",      "0.1 TFLOP/s", "2min"};
    static const char* const kFunctions[] = {"min", "max", "mean", "sum", "spread"};
    switch (pick(7)) {
      case 0:
        return kQuantities[pick(8)];
      case 1:
        return "60% of " + name();
      case 2:
        return std::string(kFunctions[pick(5)]) + "(" + (depth < 4 ? sum(depth + 1) : name()) +
               (pick(2) ? " over device)" : ")");
      case 3:
        return "p99(" + name() + ")";
      case 4:
        return "ca-se[a=~, env.B=*, c=64MiB, d='x y'].m";
      case 5:
        return "best(c[].m)";
      default:
        return name();
    }
  }
  std::mt19937 random_;
};

bool same(const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.name != b.name || a.metric != b.metric || a.axis != b.axis || a.text != b.text ||
      a.quantity.value != b.quantity.value || a.quantity.percent != b.quantity.percent ||
      !(a.quantity.dimension == b.quantity.dimension) || a.terms.size() != b.terms.size() ||
      a.operands.size() != b.operands.size())
    return false;
  for (std::size_t i = 0; i < a.terms.size(); ++i)
    if (a.terms[i].axis != b.terms[i].axis || a.terms[i].kind != b.terms[i].kind ||
        a.terms[i].text != b.terms[i].text)
      return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (!same(*a.operands[i], *b.operands[i])) return false;
  return true;
}

TEST(Expression, ReadsItsCanonicalTextAsTheSameTree) {
  Generator generator(20);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = generator.relation();
    const ExpressionPtr first = parse(text);
    ASSERT_NE(first, nullptr) << text;
    const std::string written = to_text(*first);

    const ExpressionPtr second = parse(written);

    ASSERT_NE(second, nullptr) << text << "\n" << written;
    ASSERT_TRUE(same(*first, *second)) << text << "\n" << written << "\n" << to_text(*second);
    ASSERT_EQ(to_text(*second), written);
  }
}

TEST(Expression, WritesUnitsWithoutANameSoThatTheyReadBack) {
  for (const char* text : {"a - 4 Hz/s", "a < 4 s/W", "a < 3 B/J - 2", "a > 2 MHz/ms", "a > 5 items/C"}) {
    const ExpressionPtr first = parse(text);
    ASSERT_NE(first, nullptr) << text;
    const ExpressionPtr second = parse(to_text(*first));
    ASSERT_NE(second, nullptr) << to_text(*first);
    EXPECT_TRUE(same(*first, *second)) << to_text(*first);
  }
}

TEST(Expression, SurvivesAnyBytesAndPlacesEachErrorInTheText) {
  static const char* const kWords[] = {
      "a",  "[", "]", "(", ")", "=",  "~", "*", "%",   " of ", " over ", "peak", "p99", "best", "64MiB",
      "\"", "'", ".", ",", "<", ">=", "-", "/", "1e9", "µ",    "\xff",   "\0x",  " ",   "_"};
  std::mt19937 random(21);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = random() % 12; n > 0; --n) {
      if (random() % 8 == 0)
        text += static_cast<char>(random());
      else
        text += kWords[random() % std::size(kWords)];
    }
    Diagnostics diagnostics;

    const ExpressionPtr found = parse_expression(text, kPlace, diagnostics);

    ASSERT_EQ(found == nullptr, diagnostics.has_errors()) << text;
    for (const Diagnostic& one : diagnostics.sorted()) {
      ASSERT_GE(one.position.column, kPlace.column) << text;
      ASSERT_LE(one.position.column, kPlace.column + static_cast<int>(text.size())) << text;
    }
    if (found) {
      Diagnostics again;
      ASSERT_NE(parse_expression(to_text(*found), kPlace, again), nullptr) << text << "\n" << to_text(*found);
    }
  }
}

}  // namespace
}  // namespace assay::suite
