// SPDX-License-Identifier: Apache-2.0
#include "engine/folder.hpp"

#include "base/error.hpp"
#include "text/text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <random>

namespace assay::engine {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_folder(const fs::path& folder, const std::string& why) {
  throw Error("usage.output", "the folder '" + folder.string() + "' cannot be used for results: " + why);
}

}  // namespace

std::string make_run_id(double unix_time_s) {
  const auto seconds = static_cast<std::time_t>(std::floor(unix_time_s));
  std::random_device random;
  return fmt::format("{:%Y%m%dT%H%M%SZ}-{:04x}", fmt::gmtime(seconds), random() & 0xFFFFU);
}

ResultsFolder make_results_folder(const std::string& asked, const std::string& suite, const std::string& id) {
  std::error_code error;
  if (!asked.empty()) {
    const bool made = fs::create_directories(asked, error);
    if (error) refuse_folder(asked, error.message());
    const bool empty = fs::is_empty(asked, error);
    if (error) refuse_folder(asked, error.message());
    if (!empty) refuse_folder(asked, "it is not empty; name another one, or go on with --resume");
    const fs::path whole = fs::canonical(asked, error);
    return {error ? fs::path(asked) : whole, made};
  }
  fs::create_directories("assay-results", error);
  if (error) refuse_folder("assay-results", error.message() + "; -o names another place");
  const fs::path folder = fs::path("assay-results") / (suite + "-" + id);
  if (!fs::create_directory(folder, error))
    refuse_folder(folder, error ? error.message() : "it exists already");
  return {folder, true};
}

// Replaces the link in one step, so that no reader finds `latest` missing. Leaves a file that is not a link, because
// somebody else made it.
void link_latest(const Surroundings& surroundings, const fs::path& folder) {
  const fs::path latest = folder.parent_path() / "latest";
  const fs::path temporary = folder.parent_path() / (".latest-" + folder.filename().string());
  std::error_code error;
  const fs::file_status there = fs::symlink_status(latest, error);
  if (fs::exists(there) && !fs::is_symlink(there)) {
    tell(surroundings, "'" + printable(latest.string()) + "' is not a link, and stays as it is\n");
    return;
  }
  fs::create_directory_symlink(folder.filename(), temporary, error);
  if (!error) fs::rename(temporary, latest, error);
  if (error) fs::remove(temporary, error);
}

fs::path folder_to_resume(const std::string& named) {
  std::error_code error;
  fs::path folder = fs::canonical(named, error);
  if (error) throw Error("usage.resume", "there is no folder '" + printable(named) + "' to go on in");
  if (!fs::is_directory(folder, error))
    throw Error("usage.resume",
                "'" + printable(named) + "' is not a folder; --resume takes the folder of a run");
  if (!fs::exists(folder / "journal.jsonl", error) && !fs::is_empty(folder, error)) {
    throw Error("usage.resume",
                "there is no journal.jsonl in '" + printable(named) + "': it is not the folder of a run");
  }
  return folder;
}

fs::path lock_folder(const Surroundings& surroundings) {
  fs::path named = variable(surroundings, "ASSAY_LOCK_FOLDER");
  if (named.is_absolute() && !surroundings.privileged) return named;
  const fs::path runtime = variable(surroundings, "XDG_RUNTIME_DIR");
  std::error_code error;
  for (const fs::path& base : {fs::path("/run/lock"), runtime, fs::temp_directory_path(error)}) {
    if (base.is_absolute() && fs::is_directory(base, error)) return base / "assay";
  }
  return "/tmp/assay";
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t') {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) throw Error("usage.wrap", "a quote is open in '" + text + "'");
  if (inside) words.push_back(word);
  return words;
}

}  // namespace assay::engine
