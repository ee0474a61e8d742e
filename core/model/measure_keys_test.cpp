// SPDX-License-Identifier: Apache-2.0
#include "model/measure_keys.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <gtest/gtest.h>

namespace assay::model {
namespace {

// Something that is not built in.
Json other_value(const MeasureKey& key) {
  if (!key.words.empty()) return key.words.back();
  return key.unit.empty() ? Json(3) : Json(0.25);
}

TEST(MeasureOptions, GivesEachMemberBackAsItWasSet) {
  MeasureOptions options;
  for (const MeasureKey& key : kMeasureKeys) set_value(options, key, other_value(key));

  for (const MeasureKey& key : kMeasureKeys) EXPECT_EQ(value_of(options, key), other_value(key)) << key.name;
  EXPECT_EQ(options.hold_s, 0.25);
  EXPECT_EQ(options.thermal, Thermal::sustained);
  EXPECT_EQ(options.throttle, Throttle::fail);
}

TEST(MeasureOptions, RefusesAValueOfAnotherTypeAndStaysAsItWas) {
  MeasureOptions options;
  EXPECT_THROW(set_value(options, *find_measure_key("samples"), -1), Error);
  EXPECT_THROW(set_value(options, *find_measure_key("samples"), 0.5), Error);
  EXPECT_THROW(set_value(options, *find_measure_key("precision"), "1%"), Error);
  EXPECT_THROW(set_value(options, *find_measure_key("thermal"), "lukewarm"), Error);
  EXPECT_THROW(set_value(options, *find_measure_key("cache"), 1), Error);

  EXPECT_EQ(to_json(options), to_json(MeasureOptions{}));
}

// A row of the table tells its default to users.
TEST(MeasureOptions, HasTheDefaultsThatItTells) {
  const MeasureOptions built_in;
  EXPECT_EQ(find_measure_key("precision")->fallback, "0.5%");
  EXPECT_EQ(built_in.precision, 0.005);
  EXPECT_EQ(find_measure_key("max_time")->fallback, "10s");
  EXPECT_EQ(built_in.max_time_s, 10);
  for (const MeasureKey& key : kMeasureKeys) {
    const Json value = value_of(built_in, key);
    EXPECT_TRUE(!value.is_string() || value == kDefaultWord || value == key.fallback) << key.name;
  }
}

TEST(MeasureOptions, GivesEachToAPlanThatIsNotAsBuiltIn) {
  for (const MeasureKey& key : kMeasureKeys) {
    MeasureOptions options;
    set_value(options, key, other_value(key));
    const bool planned =
        to_plan_json(options) != to_plan_json({}) || conditions_to_json(options) != conditions_to_json({});
    EXPECT_TRUE(planned) << key.name;
  }
}

}  // namespace
}  // namespace assay::model
