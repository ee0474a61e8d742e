// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include "base/error.hpp"
#include "base/unique_name.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace assay {
namespace {

[[noreturn]] void unreadable(const std::filesystem::path& path, const std::string& why) {
  throw Error("file.unreadable", "'" + path.string() + "' cannot be read: " + why);
}

[[noreturn]] void unwritable(const std::filesystem::path& path, int error) {
  throw Error("file.unwritable", "'" + path.string() + "' cannot be written: " + std::strerror(error));
}

}  // namespace

Descriptor open_regular(const std::filesystem::path& path, int flags) {
  // O_NONBLOCK so that a FIFO in the place of a file is refused instead of waited for.
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK));
  if (!file.open())
    unreadable(path, errno == ELOOP && (flags & O_NOFOLLOW) != 0 ? "it is a link" : std::strerror(errno));
  struct stat status {};
  std::string why;
  if (::fstat(file.get(), &status) != 0) {
    why = std::strerror(errno);
  } else if (S_ISDIR(status.st_mode)) {
    why = "it is a folder";
  } else if (!S_ISREG(status.st_mode)) {
    why = "it is not a regular file";
  }
  if (why.empty()) return file;
  unreadable(path, why);
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const Descriptor file(open_regular(path, O_RDONLY));
  std::string text;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && static_cast<std::uintmax_t>(status.st_size) <= limit)
    text.reserve(static_cast<std::size_t>(status.st_size));
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(file.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) unreadable(path, std::strerror(errno));
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > limit) unreadable(path, "it is larger than " + std::to_string(limit) + " bytes");
  }
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  std::string temporary = unique_name_template(path.string() + ".");
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.open()) unwritable(path, errno);
  const auto give_up = [&] {
    const int error = errno;
    ::unlink(temporary.c_str());
    unwritable(path, error);
  };
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t count = ::write(file.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) give_up();
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  // mkostemp makes it private; a report is as readable as any new file would be.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0 || ::fsync(file.get()) != 0) give_up();
  if (::rename(temporary.c_str(), path.c_str()) != 0) give_up();
}

}  // namespace assay
