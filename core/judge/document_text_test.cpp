// SPDX-License-Identifier: Apache-2.0
#include "judge/document_text.hpp"

#include "base/text.hpp"
#include "statistics/testing/random.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Anything at all, at most four levels deep.
Json anything(statistics::Random& random, int depth = 0) {
  switch (random.next() % (depth < 4 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.normal();
    case 3:
      return random.next();
    case 4:
      return "a\nb\"\\ {[,:]} \xc3\xa4";
    case 5:
      return "";
    default:
      break;
  }
  Json json = random.chance(0.5) ? Json::array() : Json::object();
  for (std::uint64_t i = random.next() % 4; i > 0; --i) {
    if (json.is_array())
      json.push_back(anything(random, depth + 1));
    else
      json["key" + std::to_string(i)] = anything(random, depth + 1);
  }
  return json;
}

TEST(DocumentText, IsWhatTheWholeTreeWouldGiveByteForByte) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    statistics::Random random(seed);
    Json whole = Json::object();
    DocumentText text;
    whole["one"] = anything(random);
    text.add("one", whole["one"]);
    whole["list"] = Json::array();
    text.begin_list("list");
    for (std::uint64_t i = random.next() % 4; i > 0; --i) {
      whole["list"].push_back(anything(random));
      text.element(whole["list"].back());
    }
    text.end();
    whole["object"] = Json::object();
    text.begin_object("object");
    if (random.chance(0.5)) {
      const Json members = {{"a", anything(random)}, {"b", anything(random)}};
      whole["object"] = members;
      text.add_members(members);
      whole["object"]["inner"] = Json::array({anything(random)});
      text.begin_list("inner");
      text.element(whole["object"]["inner"][0]);
      text.end();
    }
    text.end();
    EXPECT_EQ(text.take(), whole.dump(1) + "\n") << "seed " << seed;
  }
  EXPECT_EQ(DocumentText().take(), "{}\n");
}

TEST(DocumentText, MakesTextsPrintable) {
  const std::string hostile = "\xff\x1b[31m";
  DocumentText text;
  text.add("a", {{"list", {hostile}}, {hostile, 1}});
  EXPECT_EQ(Json::parse(text.take()),
            Json({{"a", {{"list", {printable(hostile)}}, {printable(hostile), 1}}}}));
}

}  // namespace
}  // namespace assay::judge
