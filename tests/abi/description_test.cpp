// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark's description becomes, and which mistakes of its author are told when the manifest is made.
#include <assay/description.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

enum class Kernel { plain, wide, deep };

struct Params {
  Kernel kernel = Kernel::wide;
  double scale = 1;
  double unbounded = std::numeric_limits<double>::infinity();
};
using Description = assay::Description<Params>;

Json described(const Description& is) {
  assay::detail::JsonWriter json;
  assay::detail::write_json(json, is.description());
  return Json::parse(json.text());
}

std::string refusal_of(const Description& is) {
  try {
    (void)described(is);
  } catch (const assay::Failure& failure) {
    return failure.what();
  }
  return "it was described";
}

TEST(Description, RequiresWhatSaysSoInWhateverOrder) {
  Description before, after;
  before.param("kernel", &Params::kernel).required().choices({{"wide", Kernel::wide}});
  after.param("kernel", &Params::kernel).choices({{"wide", Kernel::wide}}).required();
  EXPECT_FALSE(described(before)["parameters"][0].contains("default"));
  EXPECT_EQ(described(before), described(after));
}

TEST(Description, RefusesADefaultThatIsNoneOfTheChoices) {
  Description is;
  auto kernel = is.param("kernel", &Params::kernel);
  EXPECT_THAT(refusal_of(is), HasSubstr("parameter 'kernel' cannot be described: it is an enumeration"));
  kernel.choices({{"plain", Kernel::plain}, {"deep", Kernel::deep}});
  EXPECT_THAT(refusal_of(is),
              HasSubstr("parameter 'kernel' cannot be described: its default is none of its"));
  kernel.required();
  EXPECT_EQ(described(is)["parameters"][0]["values"], Json::parse(R"(["plain", "deep"])"));
}

TEST(Description, RefusesNumbersThatJsonDoesNotHaveByName) {
  Description is;
  is.param("scale", &Params::scale).range(0, std::numeric_limits<double>::infinity());
  EXPECT_THAT(refusal_of(is), HasSubstr("parameter 'scale' cannot be described: a limit of its range"));
  Description other;
  auto unbounded = other.param("unbounded", &Params::unbounded);
  EXPECT_THAT(refusal_of(other), HasSubstr("parameter 'unbounded' cannot be described: its default"));
  unbounded.required();
  EXPECT_FALSE(described(other)["parameters"][0].contains("default"));
}

TEST(Description, LeadsWithTheFirstRateOrDuration) {
  Description is;
  is.part("waiting");
  is.value("memory", assay::unit::bytes);
  is.duration("step");
  is.rate("throughput", assay::unit::items_per_second);
  const Json metrics = described(is)["metrics"];
  std::string leading;
  for (const Json& metric : metrics)
    if (metric["headline"] == true) leading += metric["name"].get<std::string>() + " ";
  EXPECT_EQ(leading, "step ");
}

}  // namespace
