// SPDX-License-Identifier: Apache-2.0
#include "worker/interface.hpp"

#include <gtest/gtest.h>

namespace assay::worker {
namespace {

TEST(Interface, APreviewServesItsOwnMinorOnly) {
  const Interface preview{2, 2, true};
  EXPECT_EQ(mismatch(preview, 2, 2), "");
  EXPECT_EQ(mismatch(preview, 2, 0), "");
  EXPECT_EQ(mismatch(preview, 1, 1),
            "it was built for the preview interface 1.1, this Assay speaks 1.2; build it again");
  EXPECT_EQ(
      mismatch(preview, 3, 0),
      "it was built for interface 1.3, this Assay speaks 1.2 as a preview, which serves no other minor; "
      "use a newer Assay");
  EXPECT_EQ(mismatch(preview, 3, 3), "it needs interface 1.3, this Assay speaks 1.2; use a newer Assay");
}

TEST(Interface, AfterThePreviewOlderAndNewerPluginsAreServed) {
  const Interface stable{4, 2, false};
  for (std::uint32_t built = 2; built < 9; ++built) {
    for (std::uint32_t needs = 2; needs <= 4; ++needs) EXPECT_EQ(mismatch(stable, built, needs), "");
  }
  EXPECT_EQ(mismatch(stable, 9, 5), "it needs interface 1.5, this Assay speaks 1.4; use a newer Assay");
}

TEST(Interface, AfterThePreviewOnlyItsLastMinorIsServed) {
  const Interface first_stable{2, 2, false};
  EXPECT_EQ(mismatch(first_stable, 2, 2), "");
  EXPECT_EQ(mismatch(first_stable, 1, 0),
            "it was built for the preview interface 1.1, this Assay speaks 1.2; build it again");
}

TEST(Interface, OfThisHostIsConsistent) {
  EXPECT_LE(kThisInterface.oldest_minor, kThisInterface.minor);
  EXPECT_TRUE(!kThisInterface.preview || kThisInterface.oldest_minor == kThisInterface.minor);
}

}  // namespace
}  // namespace assay::worker
