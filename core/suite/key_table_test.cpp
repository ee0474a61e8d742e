// SPDX-License-Identifier: Apache-2.0
#include "suite/key_table.hpp"

#include "suite/schema.hpp"
#include "suite/suite.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace assay::suite {
namespace {

const std::set<std::string_view> kOfCommands = {"command", "shell", "directory", "exit", "verify", "metrics"};

constexpr const char* kSuiteHead = "version: 1\nsuite: s\n";

std::string command_case(bool without_command) {
  return std::string("cases:\n  - id: run\n    uses: external\n") +
         (without_command ? "" : "    command: [run]\n");
}

// A suite that is right and uses the key with its example.
std::string suite_with(const Key& key) {
  const std::string entry = std::string(key.name) + ": " + std::string(key.example);
  const std::string cases = "cases:\n  - id: gemm\n    uses: gemm\n";
  switch (key.place) {
    case KeyScope::suite:
      if (key.name == "version") return entry + "\nsuite: s\n" + cases;
      if (key.name == "suite") return "version: 1\n" + entry + "\n" + cases;
      return kSuiteHead + entry + "\n" + (key.name == "cases" ? "" : cases);
    case KeyScope::one_case: {
      if (key.name == "id") return std::string(kSuiteHead) + "cases: [{" + entry + ", uses: gemm}]\n";
      if (key.name == "uses") return std::string(kSuiteHead) + "cases: [{id: gemm, " + entry + "}]\n";
      if (kOfCommands.contains(key.name))
        return kSuiteHead + command_case(key.name == "command" || key.name == "shell") + "    " + entry +
               "\n";
      std::string text = std::string(kSuiteHead) + cases + "    " + entry + "\n";
      if (key.name == "load") text += "    devices: each\n";
      if (key.name == "reference") text += "    matrix: {env.NCCL_ALGO: [~, Ring]}\n";
      return text;
    }
    case KeyScope::requirement:
      return std::string(kSuiteHead) + "requires: {" + entry + "}\n" + cases;
    case KeyScope::policy:
      return std::string(kSuiteHead) + "policy: {" + entry + "}\n" + cases;
    case KeyScope::measure:
      return kSuiteHead + cases + "    measure: {" + entry + "}\n";
    case KeyScope::matrix:
      return kSuiteHead + cases +
             "    matrix:\n      dtype: [fp32, bf16]\n      bytes: [1MiB, 2MiB]\n      " + entry + "\n";
    case KeyScope::variant:
      return kSuiteHead + cases + "    variants: {before: {}, after: {" + entry + "}}\n";
    case KeyScope::range: {
      if (key.name == "from")
        return kSuiteHead + cases + "    matrix: {b: {" + entry + ", to: 4KiB, factor: 2}}\n";
      if (key.name == "to")
        return kSuiteHead + cases + "    matrix: {b: {from: 1KiB, " + entry + ", factor: 32}}\n";
      const std::string to = key.name == "step" ? "1GiB" : "256GiB";
      return kSuiteHead + cases + "    matrix: {b: {from: 256MiB, to: " + to + ", " + entry + "}}\n";
    }
    case KeyScope::bind:
      return kSuiteHead + cases + "    bind: {" + entry +
             (key.name == "cpu" ? ", memory: node:0" : ", cpu: node:0") + "}\n";
    case KeyScope::expectation:
      return kSuiteHead + cases + "    matrix: {dtype: [fp32, tf32]}\n    expect:\n      - {" + entry +
             (key.name == "that" ? "" : ", that: time < 1s") + "}\n";
    case KeyScope::exit:
      return kSuiteHead + command_case(false) + "    exit: {" + entry + "}\n";
    case KeyScope::verify:
      return kSuiteHead + command_case(false) + "    verify: {" + entry + "}\n";
    case KeyScope::metric: {
      const bool source = key.name == "json" || key.name == "pattern" || key.name == "from";
      return kSuiteHead + command_case(false) + "    metrics:\n      m: {" + entry +
             (source ? "" : ", pattern: \"(x)\"") + "}\n";
    }
    case KeyScope::table:
    case KeyScope::table_rows: {
      const std::string head =
          std::string(kSuiteHead) +
          "cases: [{id: gemm, uses: gemm, matrix: {dtype: [fp32, bf16]}}, {id: fused, uses: gemm}]\ntables:\n  - ";
      std::string table = entry;
      if (key.place == KeyScope::table_rows)
        table = "rows: {" + entry + (key.name == "case" ? "}" : ", case: gemm}");
      if (key.name != "id") table += "\n    id: t";
      if (key.name != "rows" && key.place == KeyScope::table) table += "\n    rows: gemm";
      if (key.name != "columns") table += "\n    columns: {rate: throughput}";
      return head + table + "\n";
    }
    case KeyScope::finding:
    case KeyScope::expected:
    case KeyScope::verdict:
      break;
  }
  std::string finding = std::string(kSuiteHead) +
                        "cases: [{id: h2d, uses: copy, matrix: {bind: [none, local]}}]\nfindings:\n  - ";
  std::string rest = entry;
  if (key.place == KeyScope::verdict) rest = "confirmed: {" + entry + "}";
  if (key.place == KeyScope::expected)
    rest = "expected: {" + entry + (key.name == "value" ? "}" : ", value: 2}");
  if (key.name != "id") rest += "\n    id: f";
  if (key.name != "question") rest += "\n    question: Is it?";
  if (key.name == "claim")
    rest += "\n    let: {bound: \"h2d[].a\", free: \"h2d[].b\"}";
  else if (key.name != "let")
    rest += "\n    let: {bound: \"h2d[bind=local].a\"}";
  if (key.name != "claim") rest += "\n    claim: bound > 1";
  return finding + rest + "\n";
}

TEST(KeyTable, HasAReaderForEachKeyThatTakesItsExample) {
  for (const Key& key : keys()) {
    Diagnostics diagnostics;
    const std::string text = suite_with(key);
    const auto read = [](const std::string&) { return std::string("defaults: {}\n"); };

    const Suite suite = parse_suite("s.yaml", text, read, diagnostics);

    std::string problems;
    for (const Diagnostic& one : diagnostics.sorted()) problems += to_text(one, text);
    EXPECT_EQ(problems, "") << "key '" << key.name << "' in " << describe(key.place) << "\n" << text;
  }
}

TEST(KeyTable, HasEachNameOfAPlaceOnce) {
  std::set<std::pair<KeyScope, std::string_view>> names;

  for (const Key& key : keys()) {
    EXPECT_TRUE(names.emplace(key.place, key.name).second) << key.name;
  }
}

TEST(KeyTable, DocumentsEachKeyInOneSentenceOrMore) {
  for (const Key& key : keys()) {
    EXPECT_TRUE(key.doc.ends_with('.')) << key.name;
    EXPECT_EQ(key.doc.find('\n'), std::string_view::npos) << key.name;
    EXPECT_FALSE(key.since.empty()) << key.name;
    EXPECT_FALSE(key.example.empty()) << key.name;
    EXPECT_FALSE(describe(key).empty()) << key.name;
  }
}

TEST(KeyTable, ReservesWhatACaseAndAnExpressionMean) {
  EXPECT_TRUE(is_reserved("bind"));
  EXPECT_TRUE(is_reserved("precision"));
  EXPECT_TRUE(is_reserved("device"));
  EXPECT_TRUE(is_reserved("spread"));
  EXPECT_FALSE(is_reserved("dtype"));
  EXPECT_FALSE(is_reserved("bytes"));
  for (const std::string& word : axis_words()) EXPECT_TRUE(is_reserved(word)) << word;
}

TEST(Schema, KnowsEachKeyOfTheTableWithItsDescription) {
  const Json schema = suite_schema({});
  const auto properties = [&](KeyScope place) -> const Json& {
    const Json& definitions = schema.at("definitions");
    switch (place) {
      case KeyScope::suite:
        return schema.at("properties");
      case KeyScope::one_case:
        return definitions.at("case").at("properties");
      case KeyScope::requirement:
        return definitions.at("requires").at("properties");
      case KeyScope::policy:
        return definitions.at("policy").at("properties");
      case KeyScope::measure:
        return definitions.at("measure").at("properties");
      case KeyScope::matrix:
        return definitions.at("matrix").at("properties");
      case KeyScope::variant:
        return definitions.at("variant").at("properties");
      case KeyScope::range:
        return definitions.at("range").at("properties");
      case KeyScope::bind:
        return definitions.at("bind").at("properties");
      case KeyScope::expectation:
        return definitions.at("expectation").at("properties");
      case KeyScope::exit:
        return definitions.at("exit").at("properties");
      case KeyScope::verify:
        return definitions.at("verify").at("properties");
      case KeyScope::metric:
        return definitions.at("metric").at("properties");
      case KeyScope::finding:
        return definitions.at("finding").at("properties");
      case KeyScope::expected:
        return definitions.at("expected").at("properties");
      case KeyScope::table:
        return definitions.at("table").at("properties");
      case KeyScope::table_rows:
        return definitions.at("table_rows").at("properties");
      case KeyScope::verdict:
        break;
    }
    return definitions.at("verdict").at("properties");
  };

  for (const Key& key : keys()) {
    const Json& all = properties(key.place);
    ASSERT_TRUE(all.contains(std::string(key.name))) << key.name;
    const std::string description = all.at(std::string(key.name)).at("description");
    EXPECT_TRUE(std::string_view(description).starts_with(key.doc)) << key.name;
  }
}

TEST(Schema, BringsABenchmarksParametersToWithAndMatrix) {
  const Json schema =
      suite_schema({{"gemm", "Product.", {{"m", {{"type", "integer"}, {"description", "rows"}}}}}});

  const Json& rule = schema.at("definitions").at("case").at("allOf").at(0);
  EXPECT_EQ(rule.at("if").at("properties").at("uses").at("pattern"), "^gemm(@.*)?$");
  const Json& then = rule.at("then").at("properties");
  EXPECT_EQ(then.at("with").at("properties").at("m").at("description"), "rows");
  EXPECT_EQ(then.at("with").at("additionalProperties"), false);
  EXPECT_EQ(then.at("matrix").at("properties").at("m").at("anyOf").at(0).at("items").at("type"), "integer");
  EXPECT_EQ(schema.at("definitions").at("benchmark").at("anyOf").at(0).at("const"), "gemm");
}

TEST(Schema, HasNoReferenceThatLeadsNowhere) {
  const Json schema = suite_schema({});
  std::vector<const Json*> open = {&schema};
  while (!open.empty()) {
    const Json& here = *open.back();
    open.pop_back();
    if (here.is_object() && here.contains("$ref") && here.at("$ref").is_string()) {
      const std::string target = here.at("$ref");
      EXPECT_TRUE(schema.contains(Json::json_pointer(target.substr(1)))) << target;
    }
    if (here.is_structured())
      for (const Json& inner : here) open.push_back(&inner);
  }
}

}  // namespace
}  // namespace assay::suite
