// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "base/json_limits.hpp"
#include "result/journal.hpp"
#include "result/journal_format.hpp"

#include <cerrno>
#include <fstream>
#include <map>
#include <system_error>

namespace assay::result {
namespace {

JournalHeader header_from_json(const Json& json) {
  if (json.value("type", "") != "header") {
    throw Error("journal.malformed", "the first line is no header: this file is no journal of a run");
  }
  if (const int format = integer_at<int>(json, "journal"); format != kJournalFormat) {
    throw Error("journal.malformed", "the journal has format " + std::to_string(format) +
                                         ", this program reads format " + std::to_string(kJournalFormat) +
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
  if (const auto earlier = json.find("earlier"); earlier != json.end()) header.earlier = *earlier;
  return header;
}

}  // namespace

bool has_header(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  return std::getline(file, text) && !file.eof() && Json::accept(text);
}

Journal read_journal(const std::filesystem::path& path) {
  std::error_code ignored;
  // Opening a pipe would wait for somebody to write to it.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw Error("journal.malformed", "'" + path.string() + "' cannot be read: it is not a regular file");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error("journal.malformed",
                "'" + path.string() + "' cannot be read: " + std::generic_category().message(errno));
  }
  return parse_journal(file, path.string());
}

Journal parse_journal(std::istream& file, const std::string& name) {
  Journal journal;
  double part_s = 0, whole_s = 0;  // of the visits since the last end; of all parts before
  const auto end_part = [&](double duration_s) {
    whole_s += duration_s;
    part_s = 0;
  };
  // The last attempt at each visit. One that was cancelled gives way to the next; one that was measured again
  // because it was throttled is kept.
  std::map<std::pair<std::string, int>, std::size_t> known;
  std::string text;
  std::size_t number = 0;
  const auto malformed = [&](const std::string& problem) {
    return Error("journal.malformed", name + ":" + std::to_string(number) + ": " + problem);
  };
  while (std::getline(file, text)) {
    ++number;
    const bool cut_off = file.eof();  // no newline behind it
    const auto excess = json_excess(text);
    if (excess && number == 1) throw malformed("the line " + excess->text);
    const Json json = excess ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
    if (cut_off || json.is_discarded()) {
      // A machine that dies may have written later blocks of a file and not earlier ones.
      if (number > 1 && !cut_off && file.peek() != std::istream::traits_type::eof()) {
        journal.unreadable_lines.push_back(number);
        continue;
      }
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
        part_s += visit.duration_s;
        const auto [place, is_new] = known.try_emplace({visit.case_id, visit.round}, journal.visits.size());
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
      } else if (type == "end") {
        journal.has_end = true;
        json.at("finished_at_s").get_to(journal.end.finished_at_s);
        json.at("interrupted_by").get_to(journal.end.interrupted_by);
        end_part(json.value("duration_s", part_s));
      } else if (type == "resumed") {
        journal.has_end = false;
        journal.header.options["resumed"] = true;
        end_part(part_s);
      }
    } catch (const Json::exception& error) {
      throw malformed(error.what());
    } catch (const Error& error) {
      throw malformed(error.what());
    }
  }
  if (number == 0 || (number == 1 && journal.torn_bytes > 0)) {
    throw Error("journal.malformed",
                "'" + name + "' has no whole header: the run ended before it began; run the suite anew");
  }
  journal.end.duration_s = whole_s + part_s;
  return journal;
}

}  // namespace assay::result
