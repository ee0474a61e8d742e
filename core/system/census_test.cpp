// SPDX-License-Identifier: Apache-2.0
#include "system/census.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

namespace assay::system {
namespace {

Backend with(const char* census) {
  Backend backend;
  backend.name = "acme";
  backend.facts["census"] = Json::parse(census);
  return backend;
}

std::string text_of(const char* census, std::size_t listed) {
  return to_text(*census_of(with(census)), listed);
}

TEST(Census, IsNoneOfABackendThatDoesNotSay) { EXPECT_FALSE(census_of(Backend()).has_value()); }

TEST(Census, SaysWhoKnowsSoMany) {
  EXPECT_EQ(text_of(R"({"kind":"GPU","known":[{"by":"PCI","devices":8},{"by":"driver","devices":8},
                       {"by":"CUDA","devices":8}]})",
                    8),
            "8 GPUs, as PCI, driver and CUDA know them");
  EXPECT_EQ(text_of(R"({"kind":"GPU","known":[{"by":"CUDA","devices":1}]})", 1), "1 GPU, as CUDA knows it");
  EXPECT_EQ(text_of("{}", 2), "2 devices");
}

TEST(Census, SaysWhoKnowsOfOthersAndWhatWasWithheld) {
  EXPECT_EQ(text_of(R"({"kind":"GPU","known":[{"by":"PCI","devices":4},{"by":"CUDA","devices":2}],
                       "withheld":[{"device":"a","why":"a variable leaves it out"},
                                   {"device":"b","why":"a variable leaves it out"}]})",
                    2),
            "2 GPUs, as CUDA knows them; PCI knows 4; 2 more are withheld: a variable leaves it out");
}

TEST(Census, ThatIsNotWholeIsRefusedWithTheInventory) {
  for (const char* broken :
       {R"(7)", R"({"known":7})", R"({"known":[{"devices":1}]})", R"({"known":[{"by":"x","devices":-1}]})",
        R"({"missing":[{"why":"w"}]})", R"({"withheld":["x"]})"}) {
    const Json inventory = {{"backends", {{{"name", "acme"}, {"facts", {{"census", Json::parse(broken)}}}}}}};
    EXPECT_THROW(static_cast<void>(inventory_from_json(inventory)), Error) << broken;
  }
}

}  // namespace
}  // namespace assay::system
