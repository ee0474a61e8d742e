// SPDX-License-Identifier: Apache-2.0
#include "process/orphan_reaper.hpp"

#include "text/clock.hpp"
#include "text/text.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>

namespace assay::process {
namespace {

constexpr int kLastLooks = 200;  // a hundredth of a second apart
constexpr int kLooksAgain =
    200;  // a thousandth of a second apart: to die, or to become another program, takes less

struct ProcessIds {
  std::mutex mutex;
  std::set<int> living;    // guarded by mutex
  std::set<int> sessions;  // of all that were started; guarded by mutex
};

ProcessIds& ids() {
  static ProcessIds all;
  return all;
}

// Of no interface: not recorded, and looked at by no plugin.
constexpr std::string_view kMark = "_ASSAY_STARTED_BY=";

// Another one in each process that starts some, also after a fork.
std::string own_mark() {
  static const std::int64_t begun = monotonic_ns();
  return std::to_string(getpid()) + "-" + std::to_string(begun);
}

bool is_ours(int id) {
  const std::lock_guard lock(ids().mutex);
  return ids().living.contains(id);
}

bool in_a_session_of_ours(int id) {
  const std::lock_guard lock(ids().mutex);
  return ids().sessions.contains(getsid(id));
}

// Entries whose names are numbers. Not std::filesystem's iterator, which may throw.
std::vector<int> numbers_in(const char* folder) {
  std::vector<int> found;
  DIR* directory = opendir(folder);
  if (directory == nullptr) return found;
  while (const dirent* entry = readdir(directory)) {
    if (const int number = std::atoi(entry->d_name); number > 0) found.push_back(number);
  }
  closedir(directory);
  return found;
}

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The rest of /proc/ID/stat after the name, which may hold anything; its first field is the third, the state.
std::string stat_after_name(int id) {
  const std::string stat = read_line("/proc/" + std::to_string(id) + "/stat");
  const std::size_t end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() ? "" : stat.substr(end + 2);
}

bool is_child_of_this(int id) {
  const std::string stat = stat_after_name(id);  // "S 1234 …": the state, then the parent
  return stat.size() > 2 && std::atoi(stat.c_str() + 2) == getpid();
}

std::set<int> children() {
  std::set<int> found;
  bool listed = false;
  for (const int task : numbers_in("/proc/self/task")) {
    std::ifstream file("/proc/self/task/" + std::to_string(task) + "/children");
    listed = listed || file.good();
    for (int id = 0; file >> id;) found.insert(id);
  }
  if (listed) return found;
  // A kernel without that list.
  for (const int id : numbers_in("/proc")) {
    if (is_child_of_this(id)) found.insert(id);
  }
  return found;
}

// Whether it has an environment, in which nothing stands. A process that dies, or is about to be another program, has
// none for a moment.
bool is_environment_empty(int id) {
  constexpr int kBegin = 50;  // the field of proc(5); the next is the end
  std::istringstream fields(stat_after_name(id));
  std::string begin, end;
  for (int i = 3; i <= kBegin; ++i) fields >> begin;
  fields >> end;
  return !fields.fail() && end != "0" && begin == end;
}

enum class MarkOwner { ours, none, unknown };

// As it was when the process was executed: what it does to it later is not seen there.
MarkOwner mark_of(int id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/environ");
  if (!file) return MarkOwner::none;  // of another user
  const std::string mark = own_mark();
  bool is_empty = true;
  for (std::string variable; std::getline(file, variable, '\0'); is_empty = false) {
    if (!variable.starts_with(kMark)) continue;
    std::istringstream marks(variable.substr(kMark.size()));
    for (std::string one; std::getline(marks, one, ',');) {
      if (one == mark) return MarkOwner::ours;
    }
  }
  return is_empty && !is_environment_empty(id) ? MarkOwner::unknown : MarkOwner::none;
}

bool is_zombie(int id) {
  const std::string stat = stat_after_name(id);
  return stat.empty() || stat.front() == 'Z';
}

}  // namespace

void remember_process(int id) {
  const std::lock_guard lock(ids().mutex);
  ids().living.insert(id);
  ids().sessions.insert(id);
}

void forget_process(int id) {
  const std::lock_guard lock(ids().mutex);
  ids().living.erase(id);
}

std::vector<std::string> marked(std::vector<std::string> environment) {
  for (std::string& variable : environment) {
    if (!variable.starts_with(kMark)) continue;
    variable += "," + own_mark();
    return environment;
  }
  environment.push_back(std::string(kMark) + own_mark());
  return environment;
}

OrphanReaper::OrphanReaper() {
  for (const int id : children()) {
    if (!is_ours(id)) theirs_.insert(id);
  }
  alone_ = theirs_.empty();
  prctl(PR_GET_CHILD_SUBREAPER, &before_);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

OrphanReaper::~OrphanReaper() {
  const timespec moment{0, 10'000'000};
  for (int look = 0; look < kLastLooks; ++look) {
    end();
    bool left = false;
    for (const int id : children()) left = left || (!is_ours(id) && !theirs_.contains(id));
    if (!left) break;
    nanosleep(&moment, nullptr);
  }
  prctl(PR_SET_CHILD_SUBREAPER, before_);
}

OrphanReaper::Origin OrphanReaper::origin_of(int id) const {
  // A dead one has no mark any more, and wants to be reaped whosever it was.
  if (is_zombie(id) || alone_ || killed_.contains(id) || in_a_session_of_ours(id)) return Origin::here;
  switch (mark_of(id)) {
    case MarkOwner::ours:
      return Origin::here;
    case MarkOwner::none:
      return Origin::elsewhere;
    case MarkOwner::unknown:
      break;
  }
  return Origin::unknown;
}

// The death of one can bring its own children here.
OrphanReaper::Looked OrphanReaper::look(std::vector<std::string>& ended) {
  Looked looked = Looked::all;
  for (bool news = true; news;) {
    news = false;
    looked = Looked::all;
    for (const int id : children()) {
      if (is_ours(id) || theirs_.contains(id)) continue;
      const Origin origin = origin_of(id);
      if (origin == Origin::elsewhere) theirs_.insert(id);
      if (origin == Origin::unknown) looked = Looked::unsure;
      if (origin != Origin::here) continue;
      if (!is_zombie(id) && !in_a_session_of_ours(id) && killed_.insert(id).second)
        ended.push_back(std::to_string(id) + " (" +
                        printable(read_line("/proc/" + std::to_string(id) + "/comm")) + ")");
      ::kill(id, SIGKILL);
      if (waitpid(id, nullptr, WNOHANG) != id) continue;
      killed_.erase(id);
      news = true;
    }
  }
  return looked;
}

std::vector<std::string> OrphanReaper::end() {
  std::vector<std::string> ended;
  const timespec moment{0, 1'000'000};
  for (int looks = 0; look(ended) == Looked::unsure && looks < kLooksAgain; ++looks)
    nanosleep(&moment, nullptr);
  return ended;
}

}  // namespace assay::process
