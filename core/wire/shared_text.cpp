// SPDX-License-Identifier: Apache-2.0
#include "wire/shared_text.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace assay::wire {
namespace {

// Without the first two a reader could be killed by what another process does.
constexpr int kSealed = F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL;

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

SharedText::SharedText(std::string_view text)
    : file_(::memfd_create("assay-text", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const bool is_there = file_.open() && write_all(file_.get(), text) &&
                        ::ftruncate(file_.get(), static_cast<off_t>(text.size() + 1)) == 0 &&
                        ::fcntl(file_.get(), F_ADD_SEALS, kSealed) == 0;
  if (is_there) return;
  throw Error("wire.unavailable", "no shared memory for a text of " + std::to_string(text.size()) +
                                      " bytes: " + std::strerror(errno) +
                                      "; check the memory limit and the limit of open files");
}

MappedText::MappedText(int descriptor) {
  struct stat status {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals != -1 && (seals & kSealed) == kSealed && ::fstat(descriptor, &status) == 0 &&
      status.st_size > 0) {
    size_ = static_cast<std::size_t>(status.st_size) - 1;
    memory_ = ::mmap(nullptr, size_ + 1, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    if (memory_ != MAP_FAILED) return;
  }
  throw Error("wire.malformed", "descriptor " + std::to_string(descriptor) +
                                    " is not a text that another process of assay shares");
}

MappedText::~MappedText() { ::munmap(memory_, size_ + 1); }

}  // namespace assay::wire
