// SPDX-License-Identifier: Apache-2.0
#include "report/place.hpp"

#include "base/error.hpp"
#include "base/file.hpp"
#include "text/text.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace assay::report {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& text) { throw Error("reporter.failed", text); }

// Relative, without "..", and without a character that hides what it names.
bool is_plain(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute() || !path.has_filename() || printable(name) != name) return false;
  if (name.find_first_of("\n\t\\") != std::string::npos) return false;
  return std::none_of(path.begin(), path.end(),
                      [](const fs::path& part) { return part == ".." || part == "."; });
}

// A device, pipe or link that was named is written through: renaming a file over it would replace it. A pipe
// that nobody reads is refused; it would be waited for.
void write_through(const fs::path& path, const std::string& data) {
  const int file = open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  std::size_t written = 0;
  bool good = file >= 0;
  while (good && written < data.size()) {
    const ssize_t count = write(file, data.data() + written, data.size() - written);
    if (count > 0) written += static_cast<std::size_t>(count);
    good = count > 0 || (count < 0 && errno == EINTR);
  }
  const int code = errno;
  if (file >= 0) close(file);
  if (!good) {
    throw Error("file.unwritable", "'" + path.string() + "' cannot be written: " +
                                       (code == ENXIO ? "nobody reads from it" : std::strerror(code)) +
                                       "; give another path with --report NAME=PATH");
  }
}

// In a run's folder, where nobody named the file, a link is not followed but replaced.
void put(const fs::path& path, const std::string& data, bool named) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (named && fs::exists(status) && !fs::is_regular_file(status)) {
    write_through(path, data);
    return;
  }
  if (path.has_parent_path())
    fs::create_directories(path.parent_path(), ignored);  // write_file says what is wrong
  write_file(path, data);
}

struct ReportTarget {
  bool output = false;  // the main output is text for standard output
  fs::path main;
  fs::path others;  // folder of the other files
};

ReportTarget target_of(const ReportRequest& request, const catalog::Reporter& reporter,
                       const fs::path& folder) {
  const std::string name =
      reporter.file.empty() || reporter.file == "-" ? reporter.name + ".txt" : reporter.file;
  if (request.path == "-" || (request.path.empty() && reporter.file == "-")) return {true, {}, folder};
  if (request.path.empty()) return {false, folder / name, folder};
  const fs::path path(request.path);
  std::error_code ignored;
  if (request.path.back() == '/' || fs::is_directory(path, ignored)) return {false, path / name, path};
  return {false, path, path.parent_path()};
}

// The same file, by whatever name: a link to the journal is the journal.
bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored) ||
         fs::absolute(one).lexically_normal() == fs::absolute(other).lexically_normal();
}

void refuse_source(const fs::path& path, const std::string& reporter, const Sources& sources) {
  const auto is_it = [&](const fs::path& source) { return !source.empty() && is_same_file(path, source); };
  const bool is_source = std::any_of(sources.files.begin(), sources.files.end(), is_it);
  if (!is_source && (reporter == "json" || !is_it(sources.result))) return;
  refuse(
      "'" + printable(path.string()) +
      "' is not replaced by a report: it is the run's journal, result or suite; give another path: --report " +
      reporter + "=PATH");
}

}  // namespace

void place(const std::vector<ReportFile>& files, const ReportRequest& request,
           const catalog::Reporter& reporter, const fs::path& folder, const Sources& sources,
           std::set<fs::path>& taken, WrittenReport& written) {
  const ReportTarget target = target_of(request, reporter, folder);
  std::vector<std::pair<fs::path, const ReportFile*>> places;
  bool has_main = false;
  std::set<fs::path> own;
  for (const ReportFile& file : files) {
    fs::path path = target.main;
    if (file.name) {
      if (!is_plain(*file.name)) {
        refuse("the reporter '" + reporter.name + "' asked for the file '" + printable(*file.name) +
               "', which is not a plain relative name; report it to the plugin's vendor");
      }
      path = target.others / *file.name;
    } else {
      if (has_main)
        refuse("the reporter '" + reporter.name +
               "' opened its main output twice; report it to the plugin's vendor");
      has_main = true;
      if (target.output) {
        places.emplace_back(fs::path(), &file);
        continue;
      }
    }
    refuse_source(path, request.reporter, sources);
    const fs::path normal = fs::absolute(path).lexically_normal();
    // Two reports of one result in one folder share what stands beside them, such as a picture.
    if (file.name && taken.count(normal) > 0 && own.count(normal) == 0 && read_file(path) == file.data)
      continue;
    if (!own.insert(normal).second || taken.count(normal) > 0) {
      refuse("'" + path.string() +
             "' was already written by another report; give this one a path of its own: --report " +
             request.reporter + "=PATH");
    }
    places.emplace_back(path, &file);
  }
  for (const auto& [path, file] : places) {
    if (path.empty()) {
      written.output = file->data;
      continue;
    }
    put(path, file->data, !request.path.empty());
    taken.insert(fs::absolute(path).lexically_normal());
    written.files.push_back(path);
  }
}

}  // namespace assay::report
