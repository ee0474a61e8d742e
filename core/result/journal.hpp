// SPDX-License-Identifier: Apache-2.0
//
// The journal: JSON Lines. First a header that holds all inputs of the plan, then a line per finished visit,
// then, if the run ended by itself, an end line. A reader needs nothing else to report or to go on.
#pragma once

#include "base/json.hpp"
#include "result/visit.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace assay::result {

struct JournalHeader {
  std::string run_id;
  double started_at_s = 0;  // unix time
  Json tool;                // name, version, commit
  std::vector<std::string> command;
  std::string suite_file, suite_text;
  std::vector<std::pair<std::string, std::string>> includes;
  std::vector<std::string> overrides;  // --set
  Json options;                        // filters, seed, quick, strict, isolation, wrap
  Json inventory;
  Json system;       // host facts
  Json environment;  // allow-listed variables
  Json manifests;    // of the plugins used, as read
  Json contracts;
  Json peaks;  // the peaks tables used
  std::string plan_hash;
};

struct JournalEnd {
  double finished_at_s = 0;
  int interrupted_by = 0;
};

struct Journal {
  JournalHeader header;
  std::vector<Visit> visits;
  bool has_end = false;
  JournalEnd end;
  std::size_t torn_bytes = 0;  // of a last line that was cut off; the rest is whole
};

// Appends lines; syncs at most every 5 s and at the end. Throws Error "journal.unwritable".
class JournalWriter {
 public:
  JournalWriter(const std::filesystem::path& path, const JournalHeader& header);  // creates, exclusively
  static JournalWriter resume(const std::filesystem::path& path);  // cuts a torn last line off, appends
  JournalWriter(JournalWriter&& other) noexcept;
  ~JournalWriter();
  void visit(const Visit& visit);
  void end(const JournalEnd& end);

 private:
  explicit JournalWriter(int descriptor);
  void line(const Json& json, bool sync);
  int descriptor_ = -1;
  double last_sync_s_ = 0;
};

// Throws Error "journal.malformed" with the line that is not whole (unless it is the last).
[[nodiscard]] Journal read_journal(const std::filesystem::path& path);

}  // namespace assay::result
