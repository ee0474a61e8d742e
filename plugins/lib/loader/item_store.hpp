// SPDX-License-Identifier: Apache-2.0
//
// The sources of a loader's items: memory, or one file for each item.
#pragma once

#include "lib/loader/scratch_folder.hpp"
#include "lib/loader/shared_region.hpp"

#include <assay/errors.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

namespace assay::plugins::loader {

// Holds items of the same size. Several threads or forked processes may write different items, and read any items,
// at the same time.
class ItemStore {
 public:
  virtual ~ItemStore() = default;
  // Throws Failure, which says what is wrong with the item's source.
  virtual void write(std::uint64_t item, const std::uint8_t* bytes) = 0;
  // Returns the item's bytes, either in place or copied into `scratch`, which has room for them. Throws Failure.
  virtual const std::uint8_t* read(std::uint64_t item, std::uint8_t* scratch) const = 0;
};

class MemoryStore final : public ItemStore {
 public:
  // Throws Failure (ASSAY_E_RESOURCE).
  MemoryStore(std::uint64_t items, std::uint64_t item_bytes)
      : item_bytes_(item_bytes), region_(static_cast<std::size_t>(items * item_bytes)) {}

  void write(std::uint64_t item, const std::uint8_t* bytes) override {
    std::memcpy(region_.data() + item * item_bytes_, bytes, item_bytes_);
  }
  const std::uint8_t* read(std::uint64_t item, std::uint8_t*) const override {
    return reinterpret_cast<const std::uint8_t*>(region_.data() + item * item_bytes_);
  }

 private:
  std::uint64_t item_bytes_;
  SharedRegion region_;
};

// Keeps each item in its own file; every read opens that file, reads it and closes it.
class FileStore final : public ItemStore {
 public:
  // Creates a folder in `parent`, but no files yet. Throws Skip if the files would not fit there.
  FileStore(const std::filesystem::path& parent, std::uint64_t items, std::uint64_t item_bytes)
      : item_bytes_(item_bytes), folder_(parent) {
    struct statvfs seen {};
    if (::fstatvfs(folder_.descriptor(), &seen) != 0) return;  // writing will say what is wrong
    const std::uint64_t block = seen.f_frsize == 0 ? 4096 : seen.f_frsize;
    const std::uint64_t blocks_of_item = (item_bytes + block - 1) / block;
    const double needed = static_cast<double>(items) * static_cast<double>(blocks_of_item * block);
    const double free = static_cast<double>(seen.f_bavail) * static_cast<double>(block);
    if (needed > free) {
      throw Skip("the files need " + bytes_text(needed) + ", but only " + bytes_text(free) +
                 " are free in '" + parent.string() + "'");
    }
    // File systems that allocate inodes on demand report 0.
    if (seen.f_files != 0 && static_cast<double>(items) > static_cast<double>(seen.f_favail)) {
      throw Skip(std::to_string(items) + " files are needed, but only " + std::to_string(seen.f_favail) +
                 " more can be created in '" + parent.string() + "'");
    }
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  static std::string name_of(std::uint64_t item) { return "item-" + std::to_string(item); }

  void write(std::uint64_t item, const std::uint8_t* bytes) override {
    const std::string name = name_of(item);
    const Descriptor file(::openat(folder_.descriptor(), name.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!file.open()) throw failure(name, "cannot be created", errno);
    for (std::uint64_t at = 0; at < item_bytes_;) {
      const ssize_t count = ::write(file.get(), bytes + at, item_bytes_ - at);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw failure(name, "cannot be written", errno);
      at += static_cast<std::uint64_t>(count);
    }
  }

  const std::uint8_t* read(std::uint64_t item, std::uint8_t* scratch) const override {
    char name[32];  // the text of name_of(), without allocating memory for each item
    std::snprintf(name, sizeof(name), "item-%llu", static_cast<unsigned long long>(item));
    // O_NONBLOCK: if somebody put a pipe in the file's place, opening it would block the worker for ever.
    const Descriptor file(
        ::openat(folder_.descriptor(), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file.open()) throw failure(name, "cannot be opened", errno);
    struct stat seen {};
    if (::fstat(file.get(), &seen) != 0) throw failure(name, "cannot be examined", errno);
    if (!S_ISREG(seen.st_mode)) throw failure(name, "is no longer a regular file", 0);
    if (static_cast<std::uint64_t>(seen.st_size) != item_bytes_)
      throw changed(name, static_cast<std::uint64_t>(seen.st_size));
    for (std::uint64_t at = 0; at < item_bytes_;) {
      const ssize_t count = ::read(file.get(), scratch + at, item_bytes_ - at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw failure(name, "cannot be read", errno);
      if (count == 0) throw changed(name, at);
      at += static_cast<std::uint64_t>(count);
    }
    return scratch;
  }

 private:
  Failure failure(const std::string& name, const std::string& what, int error) const {
    const bool ran_out =
        error == ENOSPC || error == EDQUOT || error == ENOMEM || error == EMFILE || error == ENFILE;
    return Failure("the file '" + (folder_.path() / name).string() + "' " + what +
                       (error == 0 ? "" : std::string(": ") + std::strerror(error)),
                   ran_out ? ASSAY_E_RESOURCE : ASSAY_E_INTERNAL, error == 0 ? "" : "errno", error);
  }
  Failure changed(const std::string& name, std::uint64_t bytes) const {
    return Failure("the file '" + (folder_.path() / name).string() + "' has " + std::to_string(bytes) +
                   " bytes, but was written with " + std::to_string(item_bytes_) +
                   ": something changed it while the case ran");
  }
  static std::string bytes_text(double bytes) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.1f MiB", bytes / 0x1p20);
    return text;
  }

  std::uint64_t item_bytes_;
  ScratchFolder folder_;
};

}  // namespace assay::plugins::loader
