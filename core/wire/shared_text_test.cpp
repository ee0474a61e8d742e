// SPDX-License-Identifier: Apache-2.0
#include "wire/shared_text.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

namespace assay::wire {
namespace {

TEST(SharedText, IsTheSameForItsReaderAndEndsWithAZeroByte) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, std::size_t{5} << 20}) {
    const std::string text(size, 'x');
    const SharedText shared(text);
    const MappedText mapped(shared.descriptor());
    EXPECT_EQ(mapped.text(), text);
    EXPECT_EQ(mapped.text().data()[size], '\0');
  }
}

TEST(SharedText, CannotBeChangedByWhoInheritsIt) {
  const SharedText shared("abc");
  EXPECT_EQ(::pwrite(shared.descriptor(), "x", 1, 0), -1);
  EXPECT_EQ(::ftruncate(shared.descriptor(), 0), -1);
  EXPECT_EQ(::mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, shared.descriptor(), 0), MAP_FAILED);
  EXPECT_EQ(MappedText(shared.descriptor()).text(), "abc");
}

TEST(MappedText, IsRefusedOfAnythingElse) {
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor changeable(::memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(changeable.get(), 4), 0);
  for (const int descriptor : {-1, null.get(), changeable.get()})
    EXPECT_THROW(MappedText{descriptor}, Error) << descriptor;
}

}  // namespace
}  // namespace assay::wire
