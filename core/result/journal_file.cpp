// SPDX-License-Identifier: Apache-2.0
#include "result/journal_file.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "result/journal.hpp"
#include "result/journal_format.hpp"
#include "text/text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace assay::result {
namespace {

constexpr std::size_t kBlock = 1 << 16;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw Error("journal.malformed", "'" + path.string() + "' is left as it is: " + why);
}

[[noreturn]] void unreadable(const std::filesystem::path& path, int code) {
  throw Error("journal.malformed",
              "'" + path.string() + "' cannot be read: " + std::generic_category().message(code));
}

// This many bytes from there, or fewer at the file's end.
std::string bytes_at(int descriptor, off_t at, std::size_t count, const std::filesystem::path& path) {
  std::string bytes(count, '\0');
  std::size_t got = 0;
  while (got < count) {
    const ssize_t more = pread(descriptor, bytes.data() + got, count - got, at + static_cast<off_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) unreadable(path, errno);
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

struct FirstLine {
  std::string text;      // its bytes, as far as they may belong to a header
  bool whole = false;    // a newline ends it
  bool zeros = true;     // nothing but zeros: the machine died before the bytes were there
  bool is_long = false;  // longer than any line may be
};

// Reads on as long as this may be a header.
FirstLine first_line(int descriptor, const std::filesystem::path& path) {
  FirstLine line;
  for (off_t at = 0;;) {
    const std::string block = bytes_at(descriptor, at, kBlock, path);
    const std::size_t end = std::min(block.find('\n'), block.size());
    line.whole = end < block.size();
    line.zeros = line.zeros && block.find_first_not_of('\0') >= block.size();
    if (!line.zeros || line.whole) line.text.append(block, 0, end);
    at += static_cast<off_t>(block.size());
    line.is_long = line.text.size() > kLongestJournalLine;
    const bool ours = line.text.starts_with(kHeaderBegin) || kHeaderBegin.starts_with(line.text);
    if (line.whole || line.is_long || !ours || block.size() < kBlock) return line;
  }
}

// Why a first line without a right sum is not a header that can be gone on with.
std::string why_no_header(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  const Json format = json.is_object() ? json.value("journal", Json()) : Json();
  if (format.is_number_integer() && format != kJournalFormat) return other_format(format);
  return kDamagedHeader;
}

// The place of the last newline before `end`, or -1.
off_t last_newline_before(int descriptor, off_t end, const std::filesystem::path& path) {
  while (end > 0) {
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(kBlock));
    const std::string block = bytes_at(descriptor, begin, static_cast<std::size_t>(end - begin), path);
    const std::size_t found = block.rfind('\n');
    if (found != std::string::npos) return begin + static_cast<off_t>(found);
    end = begin;
  }
  return -1;
}

}  // namespace

int open_own_journal(const std::filesystem::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
  if (file < 0) {
    const int code = errno;
    if (code == ELOOP) refuse(path, "it is a link; give the folder in which the run's own journal is");
    if (code == EISDIR || code == ENXIO) refuse(path, "it is not a regular file");
    throw Error("journal.unwritable",
                "'" + path.string() + "' cannot be opened: " + std::generic_category().message(code));
  }
  struct stat status {};
  std::string why;
  if (fstat(file, &status) != 0) {
    why = std::generic_category().message(errno);
  } else if (!S_ISREG(status.st_mode)) {
    why = "it is not a regular file";
  } else if (status.st_uid != geteuid()) {
    why = "it belongs to another user, number " + std::to_string(status.st_uid) +
          "; who began a run goes on with it";
  }
  if (why.empty()) return file;
  close(file);
  refuse(path, why);
}

bool begins_with_header(int descriptor, const std::filesystem::path& path) {
  const FirstLine line = first_line(descriptor, path);
  if (line.is_long)
    refuse(path, "its first line is longer than " + std::to_string(kLongestJournalLine) + " bytes");
  if (!line.whole && (line.zeros || kHeaderBegin.starts_with(line.text))) return false;
  if (!line.text.starts_with(kHeaderBegin)) {
    refuse(path,
           "it begins like no journal of a run, or its beginning is damaged; take it from a backup, or name "
           "another folder");
  }
  if (!line.whole) return false;
  if (is_sealed(line.text)) return true;
  refuse(path, why_no_header(line.text));
}

off_t end_of_whole_lines(int descriptor, const std::filesystem::path& path) {
  const off_t newline = last_newline_before(descriptor, lseek(descriptor, 0, SEEK_END), path);
  const off_t line = last_newline_before(descriptor, newline, path) + 1;
  const auto size = static_cast<std::size_t>(newline - line);
  if (size > kLongestJournalLine) return line;
  return is_sealed(bytes_at(descriptor, line, size, path)) ? newline + 1 : line;
}

bool has_header(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return false;
  const int file = open_own_journal(path, O_RDONLY);
  try {
    const bool found = begins_with_header(file, path);
    close(file);
    return found;
  } catch (...) {
    close(file);
    throw;
  }
}

}  // namespace assay::result
