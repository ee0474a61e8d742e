// SPDX-License-Identifier: Apache-2.0
#include "result/journal.hpp"

#include "base/error.hpp"
#include "result/journal_file.hpp"
#include "result/journal_format.hpp"
#include "result/journal_header.hpp"
#include "text/clock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

namespace assay::result {
namespace {

constexpr double kSyncEvery_s = 5;

bool lacks_space(int code) { return code == ENOSPC || code == EDQUOT || code == EFBIG; }

Error unwritable(const std::string& what, int code) {
  return Error("journal.unwritable", what + ": " + std::generic_category().message(code) +
                                         (lacks_space(code) ? "; free space, raise the quota or the limit "
                                                              "of file sizes, or choose another folder "
                                                              "with -o"
                                                            : "; choose another folder with -o"));
}

// The process that holds a lock on the file, as /proc/locks tells: "process 1234"; a holder in another
// container or on another machine has no number here.
std::string holder_of(int descriptor) {
  struct stat mine {};
  if (fstat(descriptor, &mine) != 0) return "another run";
  std::ifstream locks("/proc/locks");
  for (std::string text; std::getline(locks, text);) {
    std::istringstream words(text);
    std::string number, kind, advice, mode, file;
    long process = 0;
    unsigned major_number = 0, minor_number = 0;
    unsigned long long inode = 0;
    words >> number >> kind >> advice >> mode >> process >> file;
    if (kind != "FLOCK" || process <= 0) continue;
    if (std::sscanf(file.c_str(), "%x:%x:%llu", &major_number, &minor_number, &inode) != 3) continue;
    if (inode == mine.st_ino) return "another run, process " + std::to_string(process);
  }
  return "another run";
}

// Two writers would interleave lines. Some network file systems know no locks; there O_EXCL alone keeps two
// new runs apart.
void lock(int descriptor, const std::filesystem::path& path) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  if (code == ENOSYS || code == ENOLCK || code == EOPNOTSUPP) return;
  const std::string holder = code == EWOULDBLOCK ? holder_of(descriptor) : "";
  close(descriptor);
  if (code == EWOULDBLOCK) {
    throw Error("journal.unwritable",
                "'" + path.string() + "' is being written by " + holder + "; wait for it to end");
  }
  throw unwritable("'" + path.string() + "' cannot be locked", code);
}

// So that the file's name outlives the machine, too. Not all file systems can; the file itself is synced.
void sync_folder(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(fsync(descriptor));
  close(descriptor);
}

}  // namespace

JournalWriter::JournalWriter(std::filesystem::path path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), last_sync_s_(monotonic_s()) {}

JournalWriter::JournalWriter(const std::filesystem::path& path, const JournalHeader& header) : path_(path) {
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0 && errno == EEXIST) {
    throw Error("journal.unwritable", "'" + path.string() +
                                          "' is there already: another run has begun in this folder; name "
                                          "another one with -o, or go on with --resume");
  }
  if (descriptor_ < 0) throw unwritable("'" + path.string() + "' cannot be created", errno);
  lock(descriptor_, path);
  try {
    line(to_json(header), true);
  } catch (...) {
    unlink(path.c_str());
    close(descriptor_);
    throw;
  }
  sync_folder(path);
}

JournalWriter JournalWriter::begin_again(const std::filesystem::path& path, const JournalHeader& header) {
  const int descriptor = open_own_journal(path, O_RDWR | O_CREAT | O_APPEND);
  lock(descriptor, path);
  JournalWriter writer(path, descriptor);
  if (begins_with_header(descriptor, path))
    throw Error("journal.unwritable", "'" + path.string() + "' was begun by another run just now");
  if (ftruncate(descriptor, 0) != 0) throw unwritable("'" + path.string() + "' cannot be cut", errno);
  writer.line(to_json(header), true);
  sync_folder(path);
  return writer;
}

JournalWriter JournalWriter::resume(const std::filesystem::path& path) {
  const int descriptor = open_own_journal(path, O_RDWR | O_APPEND);
  lock(descriptor, path);
  JournalWriter writer(path, descriptor);
  if (!begins_with_header(descriptor, path))
    throw Error("journal.malformed", "'" + path.string() + "' has no whole header: start the run anew");
  if (ftruncate(descriptor, end_of_whole_lines(descriptor, path)) != 0) {
    throw unwritable("'" + path.string() + "' cannot be cut", errno);
  }
  return writer;
}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(other.descriptor_),
      last_sync_s_(other.last_sync_s_),
      restored_(other.restored_) {
  other.descriptor_ = -1;
}

JournalWriter::~JournalWriter() {
  if (descriptor_ < 0) return;
  fdatasync(descriptor_);
  close(descriptor_);
}

void JournalWriter::resumed(double at_s, const std::vector<std::string>& command) {
  line(Json{{"type", "resumed"}, {"at_s", at_s}, {"command", command}}, false);
}

void JournalWriter::extended(const Extension& extension, const std::string& plan_hash) {
  // Lost, what was measured behind it would be rounds that nobody planned.
  line(Json{{"type", "extended"},
            {"at_s", extension.at_s},
            {"command", extension.command},
            {"rounds", extension.rounds},
            {"plan_hash", plan_hash}},
       true);
}

void JournalWriter::visit(const Visit& visit) {
  line(Json{{"type", "visit"}, {"visit", result::to_json(visit)}}, false);
}

void JournalWriter::end(const JournalEnd& end) {
  line(Json{{"type", "end"},
            {"finished_at_s", end.finished_at_s},
            {"duration_s", end.duration_s},
            {"interrupted_by", end.interrupted_by}},
       true);
}

void JournalWriter::line(const Json& json, bool sync) {
  // Texts were cleaned when they came in; a byte that is not UTF-8 must still not stop a run.
  std::string text = sealed(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  text += '\n';
  write_whole(text);
  if (!is_still_there()) {
    restore();
    sync = true;
  }
  const double now_s = monotonic_s();
  if (!sync && now_s - last_sync_s_ < kSyncEvery_s) return;
  // Pipes and some network file systems cannot sync (EINVAL); what they hold is then as safe as it gets.
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    throw unwritable("the journal cannot be synced", errno);
  }
  last_sync_s_ = now_s;
}

void JournalWriter::write_whole(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw unwritable("the journal takes no more lines", errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Writing to a removed file succeeds, but nobody can read the lines any more.
bool JournalWriter::is_still_there() const {
  struct stat mine {};
  struct stat named {};
  return fstat(descriptor_, &mine) == 0 && stat(path_.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

// A removed file lives on while it is open: copies it back to its place.
void JournalWriter::restore() {
  const std::string what =
      "'" + path_.string() + "' was removed while the run went on and cannot be made again";
  std::error_code problem;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), problem);
  const int fresh = open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (fresh < 0) throw unwritable(what, errno);
  lock(fresh, path_);
  const int old = descriptor_;
  descriptor_ = fresh;
  std::string block(std::size_t{1} << 16, '\0');
  ssize_t got = 0;
  for (off_t at = 0; (got = pread(old, block.data(), block.size(), at)) > 0; at += got)
    write_whole(std::string_view(block).substr(0, static_cast<std::size_t>(got)));
  const int code = errno;
  close(old);
  if (got < 0) throw unwritable(what, code);
  sync_folder(path_);
  ++restored_;
}

}  // namespace assay::result
