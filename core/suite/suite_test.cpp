// SPDX-License-Identifier: Apache-2.0
#include "suite/suite.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace assay::suite {
namespace {

using Files = std::map<std::string, std::string>;

Suite parse(const std::string& text, Diagnostics& diagnostics, const Files& files = {}) {
  const auto read = [&](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) throw Error("file.unreadable", "there is no such file");
    return found->second;
  };
  return parse_suite("dir/suite.yaml", text, read, diagnostics);
}

Suite parse_good(const std::string& text, const Files& files = {}) {
  Diagnostics diagnostics;
  Suite suite = parse(text, diagnostics, files);
  for (const Diagnostic& one : diagnostics.sorted()) ADD_FAILURE() << to_text(one, text);
  return suite;
}

// "line:column: text", one a line.
std::string problems(const std::string& text, const Files& files = {}) {
  Diagnostics diagnostics;
  (void)parse(text, diagnostics, files);
  std::string all;
  for (const Diagnostic& one : diagnostics.sorted())
    all += std::to_string(one.position.line) + ":" + std::to_string(one.position.column) + ": " + one.text +
           "\n";
  return all;
}

const std::string kHead = "version: 1\nsuite: s\n";

TEST(Suite, ReadsACaseWithAllItsParts) {
  const Suite suite = parse_good(kHead + R"(
requires: {backend: [cuda, host], devices: ">= 2", memory: 40GiB}
cases:
  - id: h2d
    uses: hostcopy@cuda
    with: {direction: h2d, bytes: 256MiB, pinned: true, n: 5}
    env: {A: 1, B: ~, C: yes}
    matrix: {bind: [none, {cpu: node:0, memory: node:1}], dtype: [fp32, "5"]}
    devices: [cuda:0, cuda:2]
    processes: 10
    measure: {precision: 0.5%, max_time: 5s, warmup: 0, seed: 9223372036854775807}
    timeout: 2min
    reference: {bind: none}
    expect:
      - {that: bandwidth >= 10 GB/s, where: {dtype: [fp32]}, say: Check the slot.}
)");

  ASSERT_EQ(suite.cases.size(), 1U);
  const SuiteCase& one = suite.cases[0];
  EXPECT_EQ(suite.requires_.backends[1].value, "host");
  EXPECT_EQ(suite.requires_.devices->value, ">=2");
  EXPECT_EQ(suite.requires_.memory->value, "40GiB");
  EXPECT_EQ(one.uses.value, "hostcopy@cuda");
  EXPECT_EQ(one.uses.position, (Position{"dir/suite.yaml", 7, 11}));
  EXPECT_EQ(one.with[1].second.text, "256MiB");
  EXPECT_EQ(one.with[1].second.kind, Scalar::Kind::text);
  EXPECT_TRUE(one.with[2].second.boolean);
  EXPECT_EQ(one.with[3].second.integer, 5);
  EXPECT_EQ(one.env[0].second.text, "1");
  EXPECT_EQ(one.env[1].second.kind, Scalar::Kind::null);
  EXPECT_EQ(one.env[2].second.text, "yes");
  ASSERT_EQ(one.matrix.axes.size(), 2U);
  EXPECT_EQ(one.matrix.axes[0].values[1].map[1].second.text, "node:1");
  EXPECT_TRUE(one.matrix.axes[1].values[1].scalar.quoted);
  EXPECT_EQ(one.matrix.axes[1].values[1].scalar.kind, Scalar::Kind::text);
  EXPECT_EQ(one.devices.kind, DeviceChoice::Kind::list);
  EXPECT_EQ(one.devices.list[1].value, "cuda:2");
  EXPECT_EQ(one.processes->value, 10);
  EXPECT_DOUBLE_EQ(one.measure.values.precision, 0.005);
  EXPECT_EQ(one.measure.values.warmup, 0U);
  EXPECT_EQ(one.measure.values.seed, 9223372036854775807U);
  EXPECT_DOUBLE_EQ(one.timeout_s->value, 120);
  EXPECT_EQ(one.reference[0].second.text, "none");
  EXPECT_EQ(one.expect[0].say, "Check the slot.");
  EXPECT_EQ(one.expect[0].where[0].second[0].text, "fp32");
  EXPECT_EQ(to_text(*one.expect[0].that), "bandwidth >= 10GB/s");
  EXPECT_EQ(one.expect[0].that->position, (Position{"dir/suite.yaml", 17, 26}));
}

TEST(Suite, MergesMapsOfDefaultsKeyByKeyAndReplacesTheRest) {
  const Suite suite = parse_good(kHead + R"(
defaults:
  with: {a: 1, b: 2}
  env: {X: 1}
  measure: {precision: 1%, max_time: 2s}
  devices: [cuda:0, cuda:1]
  expect: [time < 1s, time < 2s]
  timeout: 5s
cases:
  - id: x
    uses: u
    with: {b: 3, c: 4}
    env: {Y: 2}
    measure: {max_time: 3s}
    devices: each
    expect: [time < 3s]
  - {id: y, uses: u}
)");

  const SuiteCase& x = suite.cases[0];
  ASSERT_EQ(x.with.size(), 3U);
  std::map<std::string, std::string> with;
  for (const auto& [name, value] : x.with) with[name.value] = value.text;
  EXPECT_EQ(with, (std::map<std::string, std::string>{{"a", "1"}, {"b", "3"}, {"c", "4"}}));
  EXPECT_EQ(x.env.size(), 2U);
  EXPECT_DOUBLE_EQ(x.measure.values.precision, 0.01);
  EXPECT_DOUBLE_EQ(x.measure.values.max_time_s, 3);
  EXPECT_EQ(x.devices.kind, DeviceChoice::Kind::each);
  ASSERT_EQ(x.expect.size(), 1U);
  EXPECT_EQ(x.expect[0].text, "time < 3s");
  EXPECT_DOUBLE_EQ(x.timeout_s->value, 5);
  const SuiteCase& y = suite.cases[1];
  EXPECT_EQ(y.expect.size(), 2U);
  EXPECT_EQ(y.devices.list.size(), 2U);
}

TEST(Suite, LetsACaseSweepWhatDefaultsFixAndTheOtherWayRound) {
  const Suite suite = parse_good(kHead + R"(
defaults:
  with: {dtype: fp32}
  bind: local
  env: {X: 1}
  measure: {precision: 1%, cache: hot}
  matrix: {n: [1, 2]}
cases:
  - id: sweeps
    uses: u
    matrix: {dtype: [fp32, bf16], bind: [none, local], env.X: [~, 1], cache: [hot, cold]}
  - id: fixes
    uses: u
    with: {n: 5}
    measure: {samples: 5}
)");

  const SuiteCase& sweeps = suite.cases[0];
  EXPECT_TRUE(sweeps.with.empty());
  EXPECT_TRUE(sweeps.env.empty());
  EXPECT_FALSE(sweeps.bind.has_value());
  EXPECT_EQ(sweeps.measure.where(&model::MeasureOptions::cache), nullptr);
  EXPECT_EQ(sweeps.matrix.axes.size(), 5U);
  EXPECT_EQ(sweeps.matrix.axes[0].name.value, "n");
  const SuiteCase& fixes = suite.cases[1];
  EXPECT_TRUE(fixes.matrix.axes.empty());
  EXPECT_EQ(fixes.with.size(), 2U);
  EXPECT_EQ(fixes.measure.where(&model::MeasureOptions::precision), nullptr);
  EXPECT_EQ(fixes.measure.values.samples, 5U);
}

TEST(Suite, ReportsAProblemInDefaultsOnce) {
  EXPECT_EQ(problems(kHead + "defaults: {timeout: 5}\ncases:\n  - {id: a, uses: u}\n  - {id: b, uses: u}\n"),
            "3:21: 'timeout' needs a unit after '5'\n");
  EXPECT_EQ(problems(kHead + "defaults: {id: x}\ncases:\n  - {id: a, uses: u}\n"),
            "3:12: 'id' can't have a default\n");
}

TEST(Suite, ExpandsRangesWithBothEndsAsWritten) {
  const Suite suite = parse_good(kHead + R"(
cases:
  - id: a
    uses: u
    matrix:
      bytes: {from: 1KiB, to: 1GiB, factor: 32}
      n: {from: 1, to: 9, step: 4}
      x: {from: 0.1, to: 0.5, step: 0.1}
      t: {from: 1ms, to: 4ms, step: 1ms}
      p: {from: 10%, to: 30%, step: 10%}
      k: {from: 1000, to: 1000000, factor: 10}
      d: {from: 128 kB, to: 1024 kB, factor: 2}
      s: {from: 960KiB, to: 1152KiB, step: 64KiB}
      m: {from: 1MiB, to: 1536KiB, step: 256KiB}
      h: {from: 0.1s, to: 0.4s, step: 0.1s}
      w: {from: 1s, to: 2s, step: 500ms}
      q: {from: 14%, to: 16%, step: 1%}
)");
  const auto texts = [&](std::size_t axis) {
    std::string all;
    for (const Scalar& value : expand(*suite.cases[0].matrix.axes[axis].range)) all += value.text + " ";
    return all;
  };

  EXPECT_EQ(texts(0), "1KiB 32KiB 1MiB 32MiB 1GiB ");
  EXPECT_EQ(texts(1), "1 5 9 ");
  EXPECT_EQ(texts(2), "0.1 0.2 0.3 0.4 0.5 ");
  EXPECT_EQ(texts(3), "1ms 2ms 3ms 4ms ");
  EXPECT_EQ(texts(4), "10% 20% 30% ");
  EXPECT_EQ(texts(5), "1000 10000 100000 1000000 ");
  EXPECT_EQ(texts(6), "128 kB 256kB 512kB 1024 kB ") << "and not 250KiB";
  EXPECT_EQ(texts(7), "960KiB 1024KiB 1088KiB 1152KiB ") << "and not 1MiB 1114112B";
  EXPECT_EQ(texts(8), "1MiB 1280KiB 1536KiB ");
  EXPECT_EQ(texts(9), "0.1s 0.2s 0.3s 0.4s ");
  EXPECT_EQ(texts(10), "1s 1500ms 2s ");
  EXPECT_EQ(texts(11), "14% 15% 16% ");
  EXPECT_EQ(expand(*suite.cases[0].matrix.axes[1].range)[1].kind, Scalar::Kind::integer);
}

TEST(Suite, ExpandsNothingFromARangeThatMissesItsEnd) {
  Diagnostics diagnostics;
  const Suite suite =
      parse(kHead + "cases: [{id: a, uses: u, matrix: {n: {from: 1, to: 10, factor: 2}}}]\n", diagnostics);

  EXPECT_TRUE(diagnostics.has_errors());
  for (const SuiteAxis& axis : suite.cases[0].matrix.axes)
    if (axis.range) {
      EXPECT_TRUE(expand(*axis.range).empty());
    }
}

TEST(Suite, ReadsIncludedFilesFirstAndInheritsTheirDefaults) {
  const Files files = {
      {"dir/a.yaml", "include: sub/b.yaml\ndefaults: {timeout: 1s}\ncases: [{id: a, uses: u}]\n"},
      {"dir/sub/b.yaml",
       "requires: {backend: host}\ndefaults: {timeout: 2s, processes: 3}\n"
       "cases: [{id: b, uses: u}]\nderive: {d: time * 2}\n"}};
  const Suite suite = parse_good(kHead + "cases: [{id: c, uses: u}]\ninclude: [a.yaml, sub/b.yaml]\n", files);

  ASSERT_EQ(suite.cases.size(), 3U);
  EXPECT_EQ(suite.cases[0].id.value, "b");
  EXPECT_EQ(suite.cases[0].backends[0].value, "host");
  EXPECT_EQ(suite.cases[1].id.value, "a");
  EXPECT_DOUBLE_EQ(suite.cases[1].timeout_s->value, 1);
  EXPECT_EQ(suite.cases[1].processes->value, 3);
  EXPECT_EQ(suite.cases[2].id.value, "c");
  EXPECT_DOUBLE_EQ(suite.cases[2].timeout_s->value, 2) << "the last file named wins";
  EXPECT_TRUE(suite.cases[2].backends.empty());
  ASSERT_EQ(suite.includes.size(), 2U);
  EXPECT_EQ(suite.includes[0].first, "dir/a.yaml");
  EXPECT_EQ(suite.includes[1].first, "dir/sub/b.yaml");
  EXPECT_EQ(suite.derive.size(), 1U);
}

TEST(Suite, KeepsWhatOneIncludedFileAsksOfTheRun) {
  const auto policy = [](const std::string& own, const std::string& first, const std::string& second) {
    return parse_good(kHead + own + "include: [a.yaml, b.yaml]\n",
                      {{"dir/a.yaml", "policy: {" + first + "}\ncases: [{id: a, uses: u}]\n"},
                       {"dir/b.yaml", "policy: {" + second + "}\ncases: [{id: b, uses: u}]\n"}})
        .policy;
  };
  EXPECT_TRUE(policy("", "strict: true", "strict: false").strict);
  EXPECT_TRUE(policy("", "strict: false", "strict: true").strict);
  EXPECT_TRUE(policy("", "complete: true", "complete: false").complete.value);
  EXPECT_TRUE(policy("policy: {decided: true}\n", "strict: true", "alone: true").strict);
  EXPECT_FALSE(policy("policy: {strict: false}\n", "strict: true", "strict: true").strict)
      << "the suite itself says so";
}

TEST(Suite, ReportsAnErrorOfAnIncludedFileInThatFile) {
  Diagnostics diagnostics;
  (void)parse(kHead + "include: a.yaml\n", diagnostics, {{"dir/a.yaml", "cases:\n  - id: a\n"}});

  const auto all = diagnostics.sorted();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].position, (Position{"dir/a.yaml", 2, 5}));
}

TEST(Suite, RefusesAnIncludeThatComesBack) {
  const std::string found =
      problems(kHead + "include: a.yaml\n", {{"dir/a.yaml", "include: ../dir/./suite.yaml\n"}});

  EXPECT_EQ(
      found,
      "1:10: the include goes in a circle: dir/suite.yaml includes dir/a.yaml includes dir/suite.yaml\n");
}

TEST(Suite, RefusesMoreFilesThanTheLimit) {
  Files files;
  for (int i = 0; i < 100; ++i)
    files["dir/" + std::to_string(i)] =
        "include: \"" + std::to_string(i + 1) + "\"\ncases: [{id: c" + std::to_string(i) + ", uses: u}]\n";

  EXPECT_NE(problems(kHead + "include: \"0\"\n", files).find("more than 64 files"), std::string::npos);
}

TEST(Suite, FollowsFoldedAndQuotedExpressionsToTheirPlace) {
  const std::string text = kHead +
                           "cases:\n  - id: a\n    uses: u\n    expect:\n"
                           "      - >-\n        time <\n          nonsense(time)\n"
                           "      - \"x == \\\"a\\\" + 1\"\n"
                           "      - 'x == ''a'' + 1'\n"
                           "      - |\n        time <\n        3 usec\n"
                           "      - time <\n         3 usec\n"
                           "      - &anchor time < 3 usec\n";

  EXPECT_EQ(problems(text),
            "9:11: 'nonsense' is not a function\n"
            "10:21: '+' can't be used with text\n"
            "11:21: '+' can't be used with text\n"
            "14:11: 'usec' is not a unit\n"
            "16:12: 'usec' is not a unit\n"
            "17:26: 'usec' is not a unit\n");
}

TEST(Suite, CountsColumnsInBytesAndSkipsAByteOrderMark) {
  EXPECT_EQ(problems("\xEF\xBB\xBFversion: 1\nsuite: s\ncases: [{id: a, uses: u, µ: 1}]\n"),
            "3:26: unknown key 'µ' in a case\n");
  EXPECT_EQ(problems("\xEF\xBB\xBF"
                     "vers: 1\nversion: 1\nsuite: s\ncases: [{id: a, uses: u}]\n"),
            "1:1: unknown key 'vers' in a suite\n");
  EXPECT_EQ(problems("version: 1\r\nsuite: s\r\ncases:\r\n  - id: a\r\n    uses: u\r\n    timout: 5s\r\n"),
            "6:5: unknown key 'timout' in a case\n");
}

TEST(Suite, RefusesANameOverTheLimit) {
  const auto named = [](std::size_t length) {
    return problems("version: 1\nsuite: " + std::string(length, 'a') + "\ncases: [{id: a, uses: u}]\n");
  };
  EXPECT_EQ(named(64), "");
  EXPECT_NE(named(65).find("more than the limit of 64"), std::string::npos);
}

TEST(External, EndsAtItsLimits) {
  const auto of_case = [](const std::string& text) {
    return problems("version: 1\nsuite: s\ncases:\n  - {id: a, uses: external, backend: [host], " + text +
                    "}\n");
  };
  const auto command = [&](std::size_t words) {
    std::string list;
    for (std::size_t i = 0; i < words; ++i) list += (i == 0 ? "" : ", ") + std::string("x");
    return of_case("command: [" + list + "]");
  };
  EXPECT_EQ(command(1024), "");
  EXPECT_NE(command(1025).find("has 1025 entries"), std::string::npos);
  const auto pattern = [&](const std::string& text) {
    return of_case("command: [x], metrics: {m: {pattern: '" + text + "', unit: s}}");
  };
  EXPECT_EQ(pattern(std::string(1021, 'x') + "(.)"), "");
  EXPECT_NE(pattern(std::string(1022, 'x') + "(.)").find("1025 characters, more than 1024"),
            std::string::npos);
  EXPECT_EQ(pattern("(.)(.)(.)"), "");
  EXPECT_NE(pattern("(.)(.)(.)(.)").find("has 4 groups"), std::string::npos);
}

TEST(External, NoWordHasAZeroByte) {
  for (const char* key : {"command: [\"a\\0b\"]", "shell: \"a\\0b\"", "command: [a], directory: \"a\\0b\""})
    EXPECT_NE(problems("version: 1\nsuite: s\ncases:\n  - {id: a, uses: external, backend: [host], " +
                       std::string(key) + "}\n")
                  .find("a value can't hold a zero byte"),
              std::string::npos)
        << key;
}

TEST(External, AnExitStatusWithTwoMeaningsIsRefused) {
  const auto of_case = [](const std::string& text) {
    return problems(
        "version: 1\nsuite: s\ncases:\n  - {id: a, uses: external, backend: [host], command: [x], " + text +
        "}\n");
  };
  EXPECT_NE(of_case("exit: {passed: [0, 3], skipped: [77, 3]}")
                .find("exit status 3 means both 'passed' and 'skipped'"),
            std::string::npos);
  EXPECT_NE(of_case("exit: {skipped: 0}").find("exit status 0 means both"), std::string::npos);
  EXPECT_EQ(of_case("exit: {passed: 3, skipped: 0}"), "");
  EXPECT_EQ(of_case("exit: {skipped: 0}, metrics: {s: {from: exit}}"), "");
}

TEST(Expectations, ThatAlwaysHoldAreRefused) {
  for (const char* nothing : {"1 == 1", "100 GB/s >= 5 GB/s", "time == time", "2 * time <= 2 * time"})
    EXPECT_NE(problems("version: 1\nsuite: s\ncases:\n  - {id: a, uses: u, expect: ['" +
                       std::string(nothing) + "']}\n")
                  .find("this is the same whatever is measured"),
              std::string::npos)
        << nothing;
}

TEST(Range, EndsAtItsLimit) {
  const std::string head =
      "version: 1\nsuite: s\ncases:\n  - {id: a, uses: u, matrix: {n: {from: 1, step: 1, to: ";
  EXPECT_EQ(problems(head + "10000}}}\n"), "");
  EXPECT_NE(problems(head + "10001}}}\n").find("more values than the limit of 10000"), std::string::npos);
}

TEST(Suite, RefusesWhatCostsTooMuch) {
  EXPECT_NE(problems(std::string(1048577, '#'))
                .find("1:1: the file has 1048577 bytes, more than the limit of 1048576"),
            std::string::npos);
  EXPECT_NE(problems("a: " + std::string(40, '[') + std::string(40, ']')).find("nested deeper than 32"),
            std::string::npos);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_NE(problems(bomb).find("more than 100000 values, aliases included"), std::string::npos);
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i)
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_NE(problems(chain).find("nested deeper than 32"), std::string::npos);
}

TEST(Suite, AllowsAliasesForWholeValues) {
  const Suite suite =
      parse_good(kHead + "cases:\n  - {id: a, uses: u, with: &w {m: 1}}\n  - {id: b, uses: u, with: *w}\n");

  EXPECT_EQ(suite.cases[1].with[0].second.integer, 1);
}

TEST(Suite, DoesNotBlameWhatRefersToABrokenAxis) {
  EXPECT_EQ(
      problems(kHead + "cases:\n  - {id: a, uses: u, matrix: {dtype: [yes]}, reference: {dtype: fp32}}\n"
                       "findings:\n  - id: f\n    question: Q?\n    let: {x: \"a[dtype=fp32].time\"}\n    "
                       "claim: x < 1s\n"),
      "4:39: 'yes' is a boolean to some YAML readers and text to others\n");
}

TEST(Suite, ReadsAFindingWithItsTexts) {
  const Suite suite = parse_good(kHead + R"(
cases: [{id: c, uses: u, matrix: {bytes: [1MiB, 2MiB], on: ["yes", "no"]}}]
findings:
  - id: f
    question: Is it?
    let: {a: "c[bytes=1024KiB].m", b: "c[on=yes].m"}
    claim: a > b
    over: 3%
    assert: confirmed
    confirmed: {say: "By {effect} of {left} on H200.", do: run 5 times}
    undecided: {say: Look again.}
)");

  const SuiteFinding& finding = suite.findings.at(0);
  EXPECT_DOUBLE_EQ(finding.over, 0.03);
  EXPECT_TRUE(finding.assert_confirmed);
  EXPECT_EQ(finding.confirmed->act, "run 5 times");
  EXPECT_FALSE(finding.refuted.has_value());
  EXPECT_EQ(finding.claim_text, "a > b");
  EXPECT_EQ(finding.let[1].second->terms[0].text, "yes");
}

TEST(Suite, KnowsThePlaceholdersOfAFindingsTexts) {
  const std::string finding =
      kHead +
      "cases: [{id: c, uses: u, matrix: {on: [a, b]}}]\nfindings:\n  - id: f\n    question: Is it?\n"
      "    let: {a: \"c[on=a].m\", b: \"c[on=b].m\"}\n    claim: a > b\n    confirmed: {say: \"By ";
  EXPECT_EQ(problems(finding + "{efect}.\"}\n"), "9:26: there is no placeholder '{efect}'\n");
  EXPECT_EQ(problems(finding + "{effect} {interval} {theta} {rounds} {left} {right} {at}.\"}\n"), "");
  EXPECT_EQ(problems(kHead + "cases: [{id: c, uses: u, expect: [{that: m > 1 s, say: \"{effect}\"}]}]\n"),
            "3:57: nothing is filled in here\n");
}

TEST(Suite, SaysWhereANumberOfOnesOwnMayStand) {
  const auto hint = [](const std::string& rest) {
    Diagnostics diagnostics;
    (void)parse(kHead + rest, diagnostics);
    return diagnostics.sorted().empty() ? "" : diagnostics.sorted().front().hint;
  };
  EXPECT_EQ(hint("cases: [{id: c, uses: u, expect: [{that: m > 1 s, say: \"Take 8.\"}]}]\n"),
            "the report has the value and the limit beside it: leave the number out");
  const std::string of_finding = hint(
      "cases: [{id: c, uses: u, matrix: {on: [a, b]}}]\nfindings: [{id: f, question: q, let: {a: "
      "\"c[on=a].m\"}, claim: a > 1 s, confirmed: {say: Take 8.}}]\n");
  EXPECT_NE(of_finding.find("'do', 'background' or 'expected'"), std::string::npos) << of_finding;
}

TEST(Suite, NeedsACase) {
  EXPECT_EQ(problems(kHead), "1:1: a suite needs 'cases'\n");
  EXPECT_EQ(problems(kHead + "cases: []\n"), "3:8: 'cases' is an empty list\n");
  EXPECT_EQ(problems(kHead + "include: a.yaml\n", {{"dir/a.yaml", "defaults: {}\n"}}),
            "1:1: the suite has no case\n");
}

TEST(Suite, CanBeReadWithoutAWayToReadIncludes) {
  Diagnostics diagnostics;
  (void)parse_suite("s.yaml", kHead + "include: a.yaml\n", nullptr, diagnostics);

  EXPECT_EQ(diagnostics.error_count(), 1U);
}

}  // namespace
}  // namespace assay::suite
