// SPDX-License-Identifier: Apache-2.0
#include "run/run_registry.hpp"

#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "run/lock_folder.hpp"
#include "system/topology.hpp"
#include "text/text.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <random>
#include <utility>

namespace assay::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "run-";
constexpr const char* kSuffix = ".lock";
constexpr const char* kBeginning = ".new";  // the name of one that is not announced yet
constexpr std::size_t kLargestNotice = std::size_t{64} << 10;
// More than a machine runs: a folder that somebody filled is not read to its end.
constexpr std::size_t kMostFiles = 4096;
constexpr std::time_t kOldBeginning_s = 60;

std::string clock_text(double unix_s) {
  const auto seconds = static_cast<std::time_t>(unix_s);
  std::tm parts{};
  char text[32] = "an unknown time";
  if (gmtime_r(&seconds, &parts) != nullptr) std::strftime(text, sizeof text, "%H:%M:%S UTC", &parts);
  return text;
}

std::string described(const RunNotice& run) {
  return "process " + std::to_string(run.pid) + " with suite '" + printable(run.suite) + "' since " +
         clock_text(run.since_s);
}

Json notice_json(const RunNotice& notice, bool measures) {
  return {{"pid", notice.pid},         {"suite", notice.suite},
          {"since_s", notice.since_s}, {"cpus", system::to_cpu_list(notice.cpus)},
          {"alone", notice.alone},     {"measures", measures}};
}

// What is not a notice counts for nothing: anybody may put files there.
std::optional<std::pair<RunNotice, bool>> notice_of(const std::string& text) {
  try {
    const Json json = parse_json(text, "run.notice", "a notice");
    RunNotice notice;
    notice.pid = json.at("pid").get<int>();
    notice.suite = printable(json.at("suite").get<std::string>());
    notice.since_s = json.at("since_s").get<double>();
    notice.alone = json.at("alone").get<bool>();
    const auto cpus = system::parse_cpu_list(json.at("cpus").get<std::string>());
    if (!cpus || notice.pid <= 0 || !(notice.since_s > 0) || !(notice.since_s < 1e11)) return std::nullopt;
    notice.cpus = *cpus;
    return std::make_pair(std::move(notice), json.at("measures").get<bool>());
  } catch (const Error&) {
    return std::nullopt;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::string content_of(int file) {
  std::string text(kLargestNotice, '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

bool is_regular(int file, struct stat& status) {
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

// A file that nobody holds is what a killed run left. Its owner takes it away.
void remove_stale(const fs::path& path, const struct stat& status) {
  if (status.st_uid == geteuid()) unlink(path.c_str());
}

}  // namespace

bool overlap(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.empty() || b.empty()) return true;
  return std::any_of(a.begin(), a.end(),
                     [&](int cpu) { return std::binary_search(b.begin(), b.end(), cpu); });
}

RunRegistry::RunRegistry(fs::path folder, RunNotice mine)
    : folder_(std::move(folder)), mine_(std::move(mine)) {
  if (folder_.empty()) {
    problem_ = "there is no folder for locks";
  } else {
    try {
      announce();
    } catch (const Error& error) {
      problem_ = error.what();
    }
  }
  if (!problem_.empty()) {
    if (!mine_.alone) return;
    throw Error("run.not-alone",
                "the suite wants its processors for itself ('policy: {alone: true}'), and whether "
                "another run uses them cannot be seen: " +
                    problem_);
  }
  // Both of two that begin at once are written down before either of them looks, so one at least sees the
  // other.
  for (const RegisteredRun& other : look()) {
    if (!mine_.alone && !other.notice.alone) continue;
    const std::string who = described(other.notice);
    unlink(path_.c_str());
    throw Error(
        "run.not-alone",
        mine_.alone
            ? "the suite wants its processors for itself ('policy: {alone: true}'), and " + who +
                  " uses some of them; wait for it to end, or take others (taskset, with 'bind: inherit')"
            : who +
                  " wants its processors for itself ('policy: {alone: true}' there), and this run "
                  "would use some of them; wait for it to end, or take others (taskset, with 'bind: inherit')");
  }
  write(true);
}

RunRegistry::~RunRegistry() {
  if (!path_.empty()) unlink(path_.c_str());
}

// The file has its content and its lock before it has its name.
void RunRegistry::announce() {
  make_lock_folder(folder_);
  std::random_device random;
  for (int attempt = 0; attempt < 8; ++attempt) {
    const std::string stem = kPrefix + std::to_string(mine_.pid) + "-" + std::to_string(random());
    const fs::path beginning = folder_ / (stem + kBeginning);
    Descriptor file(open(beginning.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file.open() && errno == EEXIST) continue;
    if (!file.open()) lock_unavailable(beginning, errno);
    // Others of any user read it, whatever the mask.
    if (fchmod(file.get(), 0644) != 0 || flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      const int code = errno;
      unlink(beginning.c_str());
      lock_unavailable(beginning, code);
    }
    file_ = std::move(file);
    write(false);
    path_ = folder_ / (stem + kSuffix);
    if (rename(beginning.c_str(), path_.c_str()) == 0) return;
    const int code = errno;
    unlink(beginning.c_str());
    path_.clear();
    lock_unavailable(beginning, code);
  }
  lock_unavailable(folder_, EEXIST);
}

void RunRegistry::write(bool measures) const {
  if (!file_.open()) return;
  std::string text = notice_json(mine_, measures).dump(-1, ' ', false, Json::error_handler_t::replace);
  text += measures ? "\n \n" : "\n";  // never shorter than what it replaces
  [[maybe_unused]] const ssize_t ignored = pwrite(file_.get(), text.data(), text.size(), 0);
}

std::vector<RunRegistry::RegisteredRun> RunRegistry::look() const {
  std::vector<RegisteredRun> seen;
  std::error_code problem;
  std::size_t files = 0;
  for (fs::directory_iterator entry(folder_, problem), end; !problem && entry != end && files < kMostFiles;
       entry.increment(problem)) {
    const fs::path path = entry->path();
    const std::string name = path.filename().string();
    const bool begins = name.ends_with(kBeginning);
    if (!name.starts_with(kPrefix) || path == path_ || !(begins || name.ends_with(kSuffix))) continue;
    ++files;
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file.open() || !is_regular(file.get(), status)) continue;
    if (begins) {
      const bool is_old = status.st_mtime < std::time(nullptr) - kOldBeginning_s;
      if (is_old && flock(file.get(), LOCK_SH | LOCK_NB) == 0) remove_stale(path, status);
      continue;
    }
    if (flock(file.get(), LOCK_SH | LOCK_NB) == 0) {
      remove_stale(path, status);
      continue;
    }
    auto notice = notice_of(content_of(file.get()));
    if (!notice || !overlap(notice->first.cpus, mine_.cpus)) continue;
    seen.push_back({std::move(notice->first), notice->second});
  }
  return seen;
}

std::vector<result::OtherRun> RunRegistry::others() const {
  std::vector<result::OtherRun> all;
  if (!problem_.empty()) return all;
  for (const RegisteredRun& other : look())
    if (other.measures) all.push_back({other.notice.pid, other.notice.suite, other.notice.since_s});
  return all;
}

}  // namespace assay::run
