// SPDX-License-Identifier: Apache-2.0
#include "run/device_lock.hpp"

#include "base/error.hpp"
#include "run/lock_folder.hpp"
#include "text/text.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

namespace assay::run {
namespace {

// A UUID comes from a plugin; as a file's name it is letters, digits and dashes.
std::string file_name(std::string uuid) {
  std::replace_if(
      uuid.begin(), uuid.end(), [](unsigned char c) { return std::isalnum(c) == 0 && c != '-'; }, '_');
  return uuid.substr(0, 200) + ".lock";
}

std::string holder(int file) {
  char text[32];
  const ssize_t got = pread(file, text, sizeof text, 0);
  std::string number;
  for (ssize_t i = 0; i < got && std::isdigit(static_cast<unsigned char>(text[i])) != 0; ++i)
    number += text[i];
  return number.empty() ? "another process" : "process " + number;
}

[[noreturn]] void refuse_other_than_file(const std::filesystem::path& path) {
  throw Error("device.lock-unavailable",
              "the lock '" + path.string() +
                  "' cannot be taken: a link, a pipe or something else that is not a "
                  "file is in its place; have it removed");
}

// Of another user's file only the lock is needed, not the right to write. Anybody may put a pipe there, which must
// not be waited for.
Descriptor open_lock(const std::filesystem::path& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  Descriptor file(open(path.c_str(), kFlags | O_RDWR | O_CREAT, 0644));
  if (!file.open() && errno == EACCES) file = Descriptor(open(path.c_str(), kFlags | O_RDONLY));
  if (!file.open() && (errno == ELOOP || errno == EISDIR || errno == ENXIO)) refuse_other_than_file(path);
  if (!file.open()) lock_unavailable(path, errno);
  return file;
}

// For the message of the one who comes second only; a file that cannot be written is locked all the same. One that has
// another name, too, may be anybody's.
void write_holder(int file, const struct stat& status) {
  if (status.st_nlink > 1) return;
  if (status.st_uid == geteuid() && fchmod(file, 0644) != 0) return;  // others read it, whatever the mask
  const std::string number = std::to_string(getpid()) + "\n";
  if (ftruncate(file, 0) != 0) return;
  [[maybe_unused]] const ssize_t ignored = pwrite(file, number.data(), number.size(), 0);
}

// Whoever ends removes the file, so the one that was locked may have lost its name meanwhile.
bool still_named(int file, const std::filesystem::path& path) {
  struct stat mine {};
  struct stat named {};
  return fstat(file, &mine) == 0 && stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

}  // namespace

DeviceLocks::DeviceLocks(const std::filesystem::path& folder,
                         const std::vector<const system::Device*>& devices) {
  if (folder.empty()) return;
  try {
    for (const system::Device* device : devices) {
      if (device->uuid.empty()) continue;
      make_lock_folder(folder);
      const std::filesystem::path path = folder / file_name(device->uuid);
      const auto same = [&](const Lock& lock) { return lock.path == path; };
      if (std::any_of(locks_.begin(), locks_.end(), same)) continue;  // two names of one device
      Descriptor file;
      struct stat status {};
      do {
        file = open_lock(path);
        if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) refuse_other_than_file(path);
        if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
          if (errno != EWOULDBLOCK) lock_unavailable(path, errno);
          throw Error("device.locked", "device '" + device->name + "' (" + printable(device->uuid) +
                                           ") is being used by " + holder(file.get()) +
                                           " for another run; wait for it to end, or choose other devices");
        }
      } while (!still_named(file.get(), path));
      write_holder(file.get(), status);
      locks_.push_back({path, std::move(file)});
    }
  } catch (...) {
    release();
    throw;
  }
}

DeviceLocks::~DeviceLocks() { release(); }

void DeviceLocks::release() {
  for (const Lock& lock : locks_) unlink(lock.path.c_str());
  locks_.clear();
}

}  // namespace assay::run
