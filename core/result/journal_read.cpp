// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/json_limits.hpp"
#include "base/json_words.hpp"
#include "result/journal.hpp"
#include "result/journal_format.hpp"
#include "result/journal_header.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <istream>
#include <map>
#include <streambuf>
#include <utility>
#include <vector>

namespace assay::result {
namespace {

// The bytes of a file that was opened already, so that what was looked at is what is read.
class FileBuffer : public std::streambuf {
 public:
  explicit FileBuffer(Descriptor file) : file_(std::move(file)), block_(std::size_t{1} << 16) {}

 protected:
  int_type underflow() override {
    ssize_t count = 0;
    do {
      count = read(file_.get(), block_.data(), block_.size());
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return traits_type::eof();
    setg(block_.data(), block_.data(), block_.data() + count);
    return traits_type::to_int_type(block_.front());
  }

 private:
  Descriptor file_;
  std::vector<char> block_;
};

enum class Ended { newline, file, limit };

// The next line; of one beyond the limit nothing is kept.
Ended next_line(std::istream& file, std::string& text) {
  text.clear();
  bool is_long = false;
  std::array<char, std::size_t{1} << 14> part{};
  for (;;) {
    file.getline(part.data(), static_cast<std::streamsize>(part.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    const bool goes_on = file.fail() && !file.eof() && count > 0;
    const bool ended = !goes_on && !file.eof();
    if (!is_long) text.append(part.data(), ended ? count - 1 : count);
    if (text.size() > kLongestJournalLine) {
      is_long = true;
      text.clear();
    }
    if (goes_on) {
      file.clear();
      continue;
    }
    if (is_long) return Ended::limit;
    return ended ? Ended::newline : Ended::file;
  }
}

// Takes the lines one by one.
class JournalReader {
 public:
  Journal journal;
  bool has_header = false;
  bool begins_another_run = false;

  void header(const std::string& text) {
    if (const auto excess = json_excess(text)) throw Error("journal.malformed", "the line " + excess->text);
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_discarded()) journal.header = header_from_json(json);
    if (!is_sealed(text)) throw Error("journal.malformed", kDamagedHeader);
    has_header = true;
  }

  // False for a line that is damaged, or that this program cannot have written.
  bool line(const std::string& text) {
    if (!is_sealed(text) || json_excess(text)) return false;
    try {
      const Json json = Json::parse(text);
      const std::string type = json.at("type").get<std::string>();
      if (type == "header") begins_another_run = true;
      if (type == "visit") visit(visit_from_json(json.at("visit")));
      if (type == "end") end(json);
      if (type == "resumed") {
        journal.has_end = false;
        journal.header.resumed = true;
        end_part(part_s_);
      }
      if (type == "extended") extended(json);
      return true;
    } catch (const Json::exception&) {
      return false;
    } catch (const Error&) {
      return false;
    }
  }

  [[nodiscard]] Journal finished() {
    journal.end.duration_s = whole_s_ + part_s_;
    return std::move(journal);
  }

 private:
  double part_s_ = 0, whole_s_ = 0;  // of the visits since the last end; of all parts before
  // The last attempt at each visit. One that was cancelled gives way to the next; one that was measured again
  // because it was throttled is kept.
  std::map<std::pair<std::string, int>, std::size_t> known_;

  void end_part(double duration_s) {
    whole_s_ += duration_s;
    part_s_ = 0;
  }

  void extended(const Json& json) {
    Extension extension;
    extension.at_s = json.at("at_s").get<double>();
    extension.command = json.at("command").get<std::vector<std::string>>();
    for (const auto& [id, value] : json.at("rounds").items()) {
      const int rounds = integer_at<int>(json.at("rounds"), id.c_str());
      if (rounds < 1 || rounds > kMostRoundsOfACase)
        throw Error("journal.malformed", "'" + id + "' has rounds that no case can have");
      extension.rounds[id] = rounds;
    }
    journal.header.plan_hash = json.at("plan_hash").get<std::string>();
    journal.header.options.extensions.push_back(std::move(extension));
    journal.has_end = false;
    end_part(part_s_);
  }

  void end(const Json& json) {
    const auto finished_at_s = json.at("finished_at_s").get<double>();
    journal.end.interrupted_by = integer_at<int>(json, "interrupted_by");
    journal.end.finished_at_s = finished_at_s;
    journal.has_end = true;
    end_part(json.value("duration_s", part_s_));
  }

  void visit(Visit visit) {
    part_s_ += visit.duration_s;
    const auto [place, is_new] = known_.try_emplace({visit.case_id, visit.round}, journal.visits.size());
    const auto gives_way = [&](const Visit& before) {
      return before.outcome == Outcome::cancelled || before.attempt == visit.attempt;
    };
    if (!is_new && gives_way(journal.visits[place->second])) {
      journal.visits[place->second] = std::move(visit);
    } else {
      place->second = journal.visits.size();
      journal.visits.push_back(std::move(visit));
    }
    journal.has_end = false;  // a resumed run goes on behind the end of the interrupted one
  }
};

}  // namespace

Journal read_journal(const std::filesystem::path& path) {
  try {
    FileBuffer buffer(open_regular(path, O_RDONLY));
    std::istream file(&buffer);
    return parse_journal(file, path.string());
  } catch (const Error& error) {
    if (error.code() == "file.unreadable") throw Error("journal.malformed", error.what());
    throw;
  }
}

Journal parse_journal(std::istream& file, const std::string& name) {
  JournalReader reader;
  std::string text;
  std::size_t number = 0;
  const auto malformed = [&](const std::string& problem) {
    return Error("journal.malformed", name + ":" + std::to_string(number) + ": " + problem);
  };
  for (;;) {
    const Ended ended = next_line(file, text);
    if (ended == Ended::file && text.empty()) break;
    ++number;
    const bool cut_off = ended == Ended::file;
    if (number == 1) {
      if (cut_off) break;
      try {
        reader.header(text);
      } catch (const Json::exception& error) {
        throw malformed("the first line is not a header: " + in_words(error));
      } catch (const Error& error) {
        throw malformed(error.what());
      }
      continue;
    }
    if (!cut_off && ended != Ended::limit && reader.line(text)) {
      if (reader.begins_another_run)
        throw malformed("another run begins here: two journals are in one file; take them apart");
      continue;
    }
    // A machine that dies may have written later blocks of a file and not earlier ones.
    if (!cut_off && file.peek() != std::istream::traits_type::eof()) {
      reader.journal.unreadable_lines.push_back(number);
      continue;
    }
    reader.journal.torn_bytes = text.size() + (cut_off ? 0 : 1);
    break;
  }
  if (number == 0 || (number == 1 && !reader.has_header)) {
    throw Error("journal.malformed",
                "'" + name + "' has no whole header: the run ended before it began; run the suite anew");
  }
  return reader.finished();
}

}  // namespace assay::result
