// SPDX-License-Identifier: Apache-2.0
#include <assay/engine.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace assay::engine {
namespace {

TEST(Engine, SaysThatTheProgramIsNotWhereItIsSaidToBe) {
  Request request;
  request.surroundings.program = "/no/such/folder/assay";
  const SuiteText suite{"s.yaml", "version: 1\nsuite: s\ncases: [{id: copy, uses: membw@host}]\n"};
  const auto says_so = ::testing::ThrowsMessage<std::runtime_error>(
      ::testing::HasSubstr("Surroundings::program is '/no/such/folder/assay', and there is no such file"));
  EXPECT_THAT([&] { (void)plan(request, suite); }, says_so);
  EXPECT_THAT([&] { (void)run(request, suite); }, says_so);
}

}  // namespace
}  // namespace assay::engine
