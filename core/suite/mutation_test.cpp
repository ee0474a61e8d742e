// SPDX-License-Identifier: Apache-2.0
//
// Whatever happens to a suite's bytes, the parser ends, and each error has a place in the file.
#include "base/error.hpp"
#include "base/file.hpp"
#include "suite/suite.hpp"
#include "text/testing/folders.hpp"
#include "yaml/node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace assay::suite {
namespace {

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const char* folder : {"good", "bad"}) {
    const auto path = source_folder() / "tests/golden/suite" / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".yaml") texts.push_back(read_file(entry.path()));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string mutated(std::string text, std::mt19937& random) {
  static const std::string kPieces[] = {"&a ",
                                        "*a",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        ": ",
                                        "- ",
                                        "\n",
                                        "\n  ",
                                        "\t",
                                        "yes",
                                        "~",
                                        "\xff",
                                        "<<: *a",
                                        "|",
                                        ">-",
                                        "\"",
                                        "'",
                                        "#",
                                        "%",
                                        "!!str ",
                                        "env.X: ",
                                        "of peak",
                                        "1e999",
                                        "---\n",
                                        "? ",
                                        ",",
                                        "cases:",
                                        "with:",
                                        "{from: 1, to: 2, factor: 2}",
                                        "00",
                                        ".inf",
                                        std::string(1, '\0'),
                                        "\xEF\xBB\xBF",
                                        "\r",
                                        "999999999999999999999",
                                        "\\"};
  for (auto n = 1 + random() % 4; n > 0; --n) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    switch (random() % 5) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        text.insert(at, kPieces[random() % std::size(kPieces)]);
        break;
      case 3: {  // a piece of itself elsewhere
        const std::string piece = text.substr(at, random() % 60);
        text.insert(text.empty() ? 0 : random() % text.size(), piece);
        break;
      }
      default:
        if (random() % 8 == 0) text.resize(at);
    }
  }
  return text;
}

void expect_places(const Diagnostics& diagnostics, const std::string& text) {
  const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Diagnostic& one : diagnostics.sorted()) {
    ASSERT_TRUE(one.position.known()) << one.text << "\n" << text;
    ASSERT_LE(one.position.line, lines + 1) << one.text << "\n" << text;
    ASSERT_GE(one.position.column, 1) << one.text << "\n" << text;
    ASSERT_FALSE(one.text.empty());
    ASSERT_EQ(one.text.find('\n'), std::string::npos) << one.text;
  }
}

TEST(Mutation, LeavesNoErrorWithoutAPlace) {
  const auto texts = seeds();
  ASSERT_FALSE(texts.empty());
  std::mt19937 random(1);
  const ReadFile read = [&](const std::string&) -> std::string {
    if (random() % 2 == 0) throw Error("file.unreadable", "there is no such file");
    return mutated(texts[random() % texts.size()], random);
  };
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutated(texts[random() % texts.size()], random);
    Diagnostics diagnostics;

    Suite suite = parse_suite("s.yaml", text, read, diagnostics);

    std::string all = text;
    for (const auto& [name, included] : suite.includes) all += "\n" + included;
    ASSERT_NO_FATAL_FAILURE(expect_places(diagnostics, all));
    if (!suite.cases.empty()) {
      Diagnostics overriding;
      apply_override(suite, mutated(suite.cases[0].id.value + ".measure.samples=[5, {a: b}]", random),
                     overriding);
      for (const Diagnostic& one : overriding.sorted()) ASSERT_TRUE(one.position.known());
    }
  }
}

TEST(Mutation, TakesNoInputOfTheLargestSizeBadly) {
  for (const char* piece :
       {"[",      "{",   "- ",    "? ",         "a: ", "&a ", "*a ", "!a ", "'",      "\"",
        "\"\\\"", "|\n", "#",     ",",          "]",   "\n",  " ",   "a",   "a: b\n", "[a,",
        "{a: b,", "a\n", "- a\n", "- [a, b]\n", "µ",   "\\",  "%",   "@",   "~\n"}) {
    std::string text;
    while (text.size() + 8 < yaml::kMaximumBytes / 4) text += piece;
    Diagnostics diagnostics;

    (void)parse_suite("s.yaml", text, nullptr, diagnostics);

    EXPECT_TRUE(diagnostics.has_errors()) << piece;
  }
}

}  // namespace
}  // namespace assay::suite
