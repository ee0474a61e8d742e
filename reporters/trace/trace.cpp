// SPDX-License-Identifier: Apache-2.0
#include "trace/trace.hpp"

#include "lib/escape.hpp"
#include "lib/lanes.hpp"
#include "lib/numbers.hpp"
#include "lib/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace assay::reporters {
namespace {

constexpr const char* kNothing =
    "No timeline was recorded. One is recorded while a suite runs with --report trace, of benchmarks that "
    "can tell when each of their steps began and ended.";

// The format counts in microseconds.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string label_of(const Case& one) {
  std::vector<std::string> parts;
  if (const Metric* headline = one.headline(); headline != nullptr && headline->value)
    parts.push_back(one_line(headline->name) + " " +
                    quantity(*headline->value, headline->unit, half_width(*headline)));
  if (one.outcome != Outcome::passed) parts.emplace_back(outcome_text(one.outcome));
  if (one.timeline->left_out > 0)
    parts.push_back(std::to_string(one.timeline->left_out) + " later spans left out");
  return join(parts, ", ");
}

class Writer {
 public:
  explicit Writer(const std::function<void(std::string_view)>& write) : write_(write) {}

  void document(const Document& document) {
    const bool any = std::any_of(document.cases.begin(), document.cases.end(),
                                 [](const Case& one) { return one.timeline.has_value(); });
    const Run& run = document.run;
    Members about{{"tool", "assay " + scalar(run.tool, "version")}, {"suite", run.suite}, {"run", run.id}};
    if (!run.started_at.empty()) about.emplace_back("started_at", run.started_at);
    if (!any) about.emplace_back("note", kNothing);
    write_("{\"displayTimeUnit\": \"ns\",\n\"otherData\": " + object(about) + ",\n\"traceEvents\": [");
    for (const Case& one : document.cases) {
      if (one.timeline) timeline(one);
    }
    write_("\n]}\n");
  }

 private:
  using Members = std::vector<std::pair<const char*, std::string>>;

  static std::string object(const Members& members) {
    std::vector<std::string> parts;
    for (const auto& [key, text] : members) parts.push_back(json_text(key) + ": " + json_text(text));
    return "{" + join(parts, ", ") + "}";
  }

  void event(const std::string& text) {
    write_((first_ ? "\n{" : ",\n{") + text + "}");
    first_ = false;
  }

  // What a process or thread is called, and where it stands among the others.
  void metadata(const std::string& what, std::uint64_t process, std::uint64_t thread,
                const std::string& arguments) {
    event(fmt::format(R"("ph": "M", "pid": {}, "tid": {}, "name": "{}", "args": {{{}}})", process, thread,
                      what, arguments));
  }

  void timeline(const Case& one) {
    const std::uint64_t process = ++last_number_;
    metadata("process_name", process, process, "\"name\": " + json_text(one_line(one.id)));
    if (const std::string label = label_of(one); !label.empty())
      metadata("process_labels", process, process, "\"labels\": " + json_text(label));
    metadata("process_sort_index", process, process, "\"sort_index\": " + std::to_string(process));
    const std::vector<Track>& tracks = one.timeline->tracks;
    const bool several_ranks = std::any_of(
        tracks.begin(), tracks.end(), [&](const Track& track) { return track.rank != tracks.front().rank; });
    for (const Track& each : tracks) {
      std::string name = one_line(each.name);
      if (several_ranks) name = "rank " + std::to_string(each.rank) + (name.empty() ? "" : ": ") + name;
      track(process, name, each);
    }
  }

  void track(std::uint64_t process, const std::string& name, const Track& track) {
    std::size_t number = 0;
    for (const std::vector<Slice>& lane : lanes_of(track)) {
      const std::uint64_t thread = ++last_number_;
      const std::string shown = ++number == 1 ? name : name + " (" + std::to_string(number) + ")";
      metadata("thread_name", process, thread, "\"name\": " + json_text(shown));
      metadata("thread_sort_index", process, thread, "\"sort_index\": " + std::to_string(thread));
      for (const Slice& slice : lane) {
        event(
            fmt::format(R"("ph": "X", "pid": {}, "tid": {}, "ts": {}, "dur": {}, "cat": "span", "name": )",
                        process, thread, microseconds(slice.begin_ns),
                        microseconds(slice.end_ns - slice.begin_ns)) +
            json_text(one_line(*slice.name)) +
            (slice.iteration ? R"(, "args": {"iteration": )" + std::to_string(*slice.iteration) + "}" : ""));
      }
    }
  }

  const std::function<void(std::string_view)>& write_;
  bool first_ = true;
  // Processes and threads share one series: some viewers take a thread's number for unique over all.
  std::uint64_t last_number_ = 0;
};

}  // namespace

void render_trace(const Document& document, const std::function<void(std::string_view)>& write) {
  Writer(write).document(document);
}

}  // namespace assay::reporters
