// SPDX-License-Identifier: Apache-2.0
#include "result/journal.hpp"

#include "base/error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <system_error>

namespace assay::result {
namespace {

constexpr int kFormat = 1;
constexpr double kSyncEvery_s = 5;

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Error unwritable(const std::string& what, int code) {
  return Error("journal.unwritable", what + ": " + std::generic_category().message(code) +
                                         "; free space or choose another folder with -o");
}

Json to_json(const JournalHeader& header) {
  Json includes = Json::array();
  for (const auto& [file, text] : header.includes) includes.push_back(Json{{"file", file}, {"text", text}});
  return Json{{"type", "header"},
              {"journal", kFormat},
              {"run_id", header.run_id},
              {"started_at_s", header.started_at_s},
              {"tool", header.tool},
              {"command", header.command},
              {"suite_file", header.suite_file},
              {"suite_text", header.suite_text},
              {"includes", std::move(includes)},
              {"overrides", header.overrides},
              {"options", header.options},
              {"inventory", header.inventory},
              {"system", header.system},
              {"environment", header.environment},
              {"manifests", header.manifests},
              {"contracts", header.contracts},
              {"peaks", header.peaks},
              {"plan_hash", header.plan_hash}};
}

JournalHeader header_from_json(const Json& json) {
  if (json.value("type", "") != "header") {
    throw Error("journal.malformed", "the first line is no header: this file is no journal of a run");
  }
  if (const int format = json.at("journal").get<int>(); format != kFormat) {
    throw Error("journal.malformed", "the journal has format " + std::to_string(format) +
                                         ", this program reads format " + std::to_string(kFormat) +
                                         ": use the version that wrote it");
  }
  JournalHeader header;
  json.at("run_id").get_to(header.run_id);
  json.at("started_at_s").get_to(header.started_at_s);
  header.tool = json.at("tool");
  json.at("command").get_to(header.command);
  json.at("suite_file").get_to(header.suite_file);
  json.at("suite_text").get_to(header.suite_text);
  for (const Json& include : json.at("includes")) {
    header.includes.emplace_back(include.at("file").get<std::string>(),
                                 include.at("text").get<std::string>());
  }
  json.at("overrides").get_to(header.overrides);
  header.options = json.at("options");
  header.inventory = json.at("inventory");
  header.system = json.at("system");
  header.environment = json.at("environment");
  header.manifests = json.at("manifests");
  header.contracts = json.at("contracts");
  header.peaks = json.at("peaks");
  json.at("plan_hash").get_to(header.plan_hash);
  return header;
}

// Two writers would interleave lines.
void lock(int descriptor, const std::filesystem::path& path) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return;
  const int code = errno;
  close(descriptor);
  if (code == EWOULDBLOCK) {
    throw Error("journal.unwritable",
                "'" + path.string() + "' is being written by another run; wait for it to end");
  }
  throw unwritable("'" + path.string() + "' cannot be locked", code);
}

// Where the whole lines end: behind the last newline, and before the last line if that is not JSON.
off_t end_of_whole_lines(int descriptor, const std::filesystem::path& path) {
  constexpr std::size_t kBlock = 1 << 16;
  const auto last_newline_before = [&](off_t end) -> off_t {
    std::string block(kBlock, '\0');
    while (end > 0) {
      const off_t begin = end > static_cast<off_t>(kBlock) ? end - static_cast<off_t>(kBlock) : 0;
      const ssize_t got = pread(descriptor, block.data(), static_cast<std::size_t>(end - begin), begin);
      if (got != end - begin)
        throw unwritable("'" + path.string() + "' cannot be read", got < 0 ? errno : EIO);
      const std::size_t found = std::string_view(block.data(), static_cast<std::size_t>(got)).rfind('\n');
      if (found != std::string_view::npos) return begin + static_cast<off_t>(found);
      end = begin;
    }
    return -1;
  };
  const off_t size = lseek(descriptor, 0, SEEK_END);
  const off_t newline = last_newline_before(size);
  if (newline < 0)
    throw Error("journal.malformed", "'" + path.string() + "' holds no whole line: start the run anew");
  const off_t line = last_newline_before(newline) + 1;
  std::string text(static_cast<std::size_t>(newline - line), '\0');
  if (pread(descriptor, text.data(), text.size(), line) != static_cast<ssize_t>(text.size())) {
    throw unwritable("'" + path.string() + "' cannot be read", errno);
  }
  return Json::accept(text) ? newline + 1 : line;
}

}  // namespace

JournalWriter::JournalWriter(int descriptor) : descriptor_(descriptor), last_sync_s_(monotonic_s()) {}

JournalWriter::JournalWriter(const std::filesystem::path& path, const JournalHeader& header) {
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) throw unwritable("'" + path.string() + "' cannot be created", errno);
  lock(descriptor_, path);
  try {
    line(to_json(header), true);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

JournalWriter JournalWriter::resume(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) throw unwritable("'" + path.string() + "' cannot be opened", errno);
  lock(descriptor, path);
  JournalWriter writer(descriptor);
  if (ftruncate(descriptor, end_of_whole_lines(descriptor, path)) != 0) {
    throw unwritable("'" + path.string() + "' cannot be cut", errno);
  }
  return writer;
}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept
    : descriptor_(other.descriptor_), last_sync_s_(other.last_sync_s_) {
  other.descriptor_ = -1;
}

JournalWriter::~JournalWriter() {
  if (descriptor_ < 0) return;
  fdatasync(descriptor_);
  close(descriptor_);
}

void JournalWriter::visit(const Visit& visit) {
  line(Json{{"type", "visit"}, {"visit", result::to_json(visit)}}, false);
}

void JournalWriter::end(const JournalEnd& end) {
  line(Json{{"type", "end"}, {"finished_at_s", end.finished_at_s}, {"interrupted_by", end.interrupted_by}},
       true);
}

void JournalWriter::line(const Json& json, bool sync) {
  // Texts were cleaned when they came in; a byte that is no UTF-8 must still not stop a run.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw unwritable("the journal takes no more lines", errno);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const double now_s = monotonic_s();
  if (!sync && now_s - last_sync_s_ < kSyncEvery_s) return;
  // Pipes and some network file systems cannot sync (EINVAL); what they hold is then as safe as it gets.
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    throw unwritable("the journal cannot be synced", errno);
  }
  last_sync_s_ = now_s;
}

Journal read_journal(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error("journal.malformed",
                "'" + path.string() + "' cannot be read: " + std::generic_category().message(errno));
  }
  Journal journal;
  // Of a visit that was run again the last record counts.
  std::map<std::pair<std::string, int>, std::size_t> known;
  std::string text;
  std::size_t number = 0;
  const auto malformed = [&](const std::string& problem) {
    return Error("journal.malformed", path.string() + ":" + std::to_string(number) + ": " + problem);
  };
  while (std::getline(file, text)) {
    ++number;
    const bool cut_off = file.eof();  // no newline behind it
    const Json json = Json::parse(text, nullptr, false);
    if (cut_off || json.is_discarded()) {
      if (!cut_off && file.peek() != std::ifstream::traits_type::eof())
        throw malformed("the line is no JSON");
      journal.torn_bytes = text.size() + (cut_off ? 0 : 1);
      break;
    }
    try {
      if (number == 1) {
        journal.header = header_from_json(json);
        continue;
      }
      const std::string type = json.at("type").get<std::string>();
      if (type == "visit") {
        Visit visit = visit_from_json(json.at("visit"));
        const auto [place, is_new] = known.try_emplace({visit.case_id, visit.round}, journal.visits.size());
        if (is_new) {
          journal.visits.push_back(std::move(visit));
        } else {
          journal.visits[place->second] = std::move(visit);
        }
        journal.has_end = false;  // a resumed run goes on behind the end of the interrupted one
      } else if (type == "end") {
        journal.has_end = true;
        json.at("finished_at_s").get_to(journal.end.finished_at_s);
        json.at("interrupted_by").get_to(journal.end.interrupted_by);
      }
    } catch (const Json::exception& error) {
      throw malformed(error.what());
    } catch (const Error& error) {
      throw malformed(error.what());
    }
  }
  if (number == 0 || (number == 1 && journal.torn_bytes > 0)) {
    throw Error(
        "journal.malformed",
        "'" + path.string() + "' has no whole header: the run ended before it began; run the suite anew");
  }
  return journal;
}

}  // namespace assay::result
