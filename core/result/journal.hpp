// SPDX-License-Identifier: Apache-2.0
//
// The journal: JSON Lines. First a header that holds all inputs of the plan, then a line per finished visit,
// then, if the run ended by itself, an end line; a resumed run goes on behind it with a line that says so, and one
// that was extended with a line of which cases have how many rounds from then on. A reader needs nothing else to
// report or to go on.
//
// A visit is finished once its line was handed to the system with write(2): from then on the death of this
// process cannot lose it. The death of the machine can lose what was written since the last sync. Every line
// ends with its sum (journal_format.hpp), so that what a disk changed is left out instead of believed.
#pragma once

#include "base/json.hpp"
#include "result/run_options.hpp"
#include "result/visit.hpp"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace assay::result {

struct JournalHeader {
  std::string run_id;
  double started_at_s = 0;  // unix time
  Json tool;                // name, version, commit
  std::vector<std::string> command;
  std::string suite_file, suite_text;
  std::vector<NamedText> includes;
  std::vector<std::string> overrides;  // --set
  RunOptions options;
  bool resumed = false;  // known once the whole journal was read
  Json inventory;
  Json system;            // host facts
  Json environment;       // allow-listed variables
  Json manifests;         // of the plugins used, as read
  Json peaks;             // the peaks tables used
  Json rules;             // the bottleneck rules that the run is compared with; null in older journals
  std::string plan_hash;  // with all extensions
  Json earlier;           // --failed: what is known of the attempts before (judge/earlier.hpp); null without
};

struct JournalEnd {
  double finished_at_s = 0;  // unix time, for people
  int interrupted_by = 0;
  // By a monotonic clock: of this part when it is written, of all parts together, without the pauses between
  // them, when it was read.
  double duration_s = 0;
  // What a reader finds out: visits are missing because the run was killed before it could say that it ended;
  // and what cannot be read of the file, as a sentence's part, "" if nothing is missing for it.
  bool killed = false;
  std::string damage{};
  std::string left_out{};  // a sentence, where visits of rounds that nobody planned are not judged
};

struct Journal {
  JournalHeader header;
  std::vector<Visit> visits;
  bool has_end = false;
  JournalEnd end;
  std::size_t torn_bytes = 0;                 // of a last line that was cut off
  std::vector<std::size_t> unreadable_lines;  // numbers of lines in between that are damaged
};

// Appends lines; syncs at most every 5 s and at the end. Throws Error "journal.unwritable". One writer at a
// time: a second one is refused with the process that has the file, where the file system knows locks.
class JournalWriter {
 public:
  // Creates the file, exclusively; leaves none behind if that fails.
  JournalWriter(const std::filesystem::path& path, const JournalHeader& header);
  // The same in a folder where a run was killed before its header was whole. This and resume() take a plain
  // file of the caller only, and write nothing to what begins like no journal or has a damaged header.
  static JournalWriter begin_again(const std::filesystem::path& path, const JournalHeader& header);
  static JournalWriter resume(const std::filesystem::path& path);  // cuts a torn last line off, appends
  JournalWriter(JournalWriter&& other) noexcept;
  ~JournalWriter();
  void resumed(double at_s, const std::vector<std::string>& command);
  // `plan_hash`: of the plan with these rounds.
  void extended(const Extension& extension, const std::string& plan_hash);
  void visit(const Visit& visit);
  void end(const JournalEnd& end);
  // How often the file was removed by somebody and written again, whole, at its place.
  [[nodiscard]] int restored() const { return restored_; }

 private:
  JournalWriter(std::filesystem::path path, int descriptor);
  void line(const Json& json, bool sync);
  void write_whole(std::string_view text);
  [[nodiscard]] bool is_still_there() const;
  void restore();
  std::filesystem::path path_;
  int descriptor_ = -1;
  double last_sync_s_ = 0;
  int restored_ = 0;
};

// False if there is no journal or one that was cut off before its first line was whole: nothing was measured.
// Throws Error "journal.malformed" if it is not a plain file of the caller or no journal, or if its header is
// damaged.
[[nodiscard]] bool has_header(const std::filesystem::path& path);

// What can be read of it. A last line that was cut off, and lines that a machine's death left as rubbish or
// whose sum is wrong, are left out and told. Throws Error "journal.malformed" if there is no header.
[[nodiscard]] Journal read_journal(const std::filesystem::path& path);
// The same for an open stream; `name` is for messages.
[[nodiscard]] Journal parse_journal(std::istream& stream, const std::string& name);

}  // namespace assay::result
