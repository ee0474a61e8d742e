// SPDX-License-Identifier: Apache-2.0
//
// The registrations of Google Benchmark: which there are, and how one of them is run. Tried with 1.7.1.
//
// The library offers no list of what was registered. The linker hands every registration of the plugin's own
// sources to us first (--wrap), and the library itself then lists the instances of each by name.
#pragma once

#include <assay/errors.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// What the linker calls instead of the library's function, and the function itself.
#define ASSAY_GOOGLE_BENCHMARK_REGISTER _ZN9benchmark8internal25RegisterBenchmarkInternalEPNS0_9BenchmarkE
#define ASSAY_GOOGLE_BENCHMARK_JOIN_AGAIN(a, b) a##b
#define ASSAY_GOOGLE_BENCHMARK_JOIN(a, b) ASSAY_GOOGLE_BENCHMARK_JOIN_AGAIN(a, b)
#define ASSAY_GOOGLE_BENCHMARK_WRAPPED ASSAY_GOOGLE_BENCHMARK_JOIN(__wrap_, ASSAY_GOOGLE_BENCHMARK_REGISTER)
#define ASSAY_GOOGLE_BENCHMARK_REAL ASSAY_GOOGLE_BENCHMARK_JOIN(__real_, ASSAY_GOOGLE_BENCHMARK_REGISTER)
#define ASSAY_GOOGLE_BENCHMARK_WRAP                                            \
  extern "C" ::benchmark::internal::Benchmark* ASSAY_GOOGLE_BENCHMARK_REAL(    \
      ::benchmark::internal::Benchmark*);                                      \
  extern "C" ::benchmark::internal::Benchmark* ASSAY_GOOGLE_BENCHMARK_WRAPPED( \
      ::benchmark::internal::Benchmark* registration) {                        \
    ::assay::detail::google::registrations().push_back(registration);          \
    return ASSAY_GOOGLE_BENCHMARK_REAL(registration);                          \
  }

namespace assay::detail::google {

using Registration = ::benchmark::internal::Benchmark;

// Made at the first registration, which a static constructor makes.
inline std::vector<Registration*>& registrations() {
  static std::vector<Registration*> all;
  return all;
}

// What follows the arguments in an instance's name.
struct Tail {
  std::string min_time;          // "MinTime" or "MinWarmUpTime", or ""
  std::uint64_t iterations = 0;  // of a registration with Iterations(n)
  bool repeats = false;
  std::string rest;  // "/manual_time/threads:2"
};

struct Registered {
  std::vector<std::int64_t> values;  // of the family's parameters
  std::string arguments;             // as in the name: "/8/bytes:64"
  Tail tail;
};

// One registered function.
struct Family {
  Registration* registration = nullptr;
  std::string function;                 // as registered: "BM_copy<int>"
  std::string name;                     // as suites name it: "bm_copy_int"
  std::vector<std::string> parameters;  // arguments in order, then "threads" if any instance has them
  std::vector<Registered> instances;    // at least one

  std::string values_text(std::size_t parameter) const {
    std::vector<std::int64_t> seen;
    std::string text;
    for (const Registered& instance : instances) {
      const std::int64_t value = instance.values[parameter];
      if (std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
      seen.push_back(value);
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    }
    return text;
  }

  // Throws BadParameter for values that were not registered together.
  const Registered& registered_with(const std::vector<std::int64_t>& values) const {
    for (const Registered& instance : instances) {
      if (instance.values == values) return instance;
    }
    std::string all;
    for (std::size_t i = 0; i < instances.size() && i < 20; ++i)
      all += (i == 0 ? "" : ", ") + function + instances[i].arguments + instances[i].tail.rest;
    throw BadParameter(parameters.empty() ? "" : parameters.front(),
                       "'" + function + "' has no registration with these values; it has " + all +
                           (instances.size() > 20 ? " and others" : ""));
  }
};

// Lower case letters, digits and '_'; words that mean something else in suites get a '_' at the end.
inline std::string manifest_name(const std::string& text) {
  static const std::vector<std::string> taken = {
      "backend",   "baseline", "best",      "bind",      "cache",   "case",      "command",  "data",
      "device",    "devices",  "directory", "env",       "exclude", "exit",      "expect",   "for",
      "id",        "include",  "launch",    "load",      "matrix",  "max",       "max_time", "mean",
      "measure",   "metrics",  "min",       "node",      "of",      "over",      "p50",      "p90",
      "p95",       "p99",      "peak",      "precision", "process", "processes", "rank",     "ranks",
      "reference", "requires", "round",     "samples",   "seed",    "shell",     "spread",   "sum",
      "thermal",   "throttle", "time",      "timeout",   "uses",    "verify",    "warmup",   "with"};
  std::string name;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain)
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "b_");
  if (std::find(taken.begin(), taken.end(), name) != taken.end()) name += '_';
  return name;
}

namespace registrations_detail {

// Keeps the library's reports to itself.
class Collector final : public ::benchmark::BenchmarkReporter {
 public:
  Collector() {
    SetOutputStream(&listed_);
    SetErrorStream(&listed_);
  }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& report) override {
    for (const Run& run : report) {
      if (run.run_type == Run::RT_Iteration) runs_.push_back(run);
    }
  }
  const std::vector<Run>& runs() const { return runs_; }
  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::istringstream text(listed_.str());
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }

 private:
  std::ostringstream listed_;
  std::vector<Run> runs_;
};

inline void set_listing(bool on) {
  std::string program = "assay";
  std::string flag = on ? "--benchmark_list_tests=true" : "--benchmark_list_tests=false";
  char* arguments[] = {program.data(), flag.data(), nullptr};
  int count = 2;
  ::benchmark::Initialize(&count, arguments);
}

// Names of all instances, in the order of registration.
inline std::vector<std::string> list() {
  Collector collector;
  set_listing(true);
  ::benchmark::RunSpecifiedBenchmarks(&collector, ".");
  set_listing(false);
  return collector.lines();
}

// How many arguments each instance has is told by a function for derived classes.
struct Access : Registration {
  static int argument_count(const Registration& registration) { return (registration.*(&Access::ArgsCnt))(); }
};

inline std::uint64_t number_after(const std::string& text, const char* word) {
  const std::string_view view(word);
  return text.compare(0, view.size(), view) == 0 ? std::stoull(text.substr(view.size())) : 0;
}

inline bool begins(const std::string& text, const char* word) {
  return text.compare(0, std::string_view(word).size(), word) == 0;
}

// "/8/bytes:64/iterations:5/real_time/threads:2" with two arguments.
struct Parsed {
  std::vector<std::pair<std::string, std::int64_t>> arguments;  // name or "", value
  std::int64_t threads = 0;
  std::string arguments_text;
  Tail tail;
};

inline Parsed parse(const std::string& text, int argument_count) {
  Parsed parsed;
  std::istringstream parts(text);
  std::string part;
  std::getline(parts, part, '/');
  while (std::getline(parts, part, '/')) {
    if (static_cast<int>(parsed.arguments.size()) < argument_count) {
      const std::size_t colon = part.rfind(':');
      const std::string value = colon == std::string::npos ? part : part.substr(colon + 1);
      parsed.arguments.emplace_back(colon == std::string::npos ? "" : part.substr(0, colon),
                                    std::stoll(value));
      parsed.arguments_text += "/" + part;
    } else if (begins(part, "min_time:")) {
      parsed.tail.min_time = "MinTime";
    } else if (begins(part, "min_warmup_time:")) {
      parsed.tail.min_time = "MinWarmUpTime";
    } else if (begins(part, "iterations:")) {
      parsed.tail.iterations = number_after(part, "iterations:");
    } else if (begins(part, "repeats:")) {
      parsed.tail.repeats = true;
    } else {
      if (begins(part, "threads:"))
        parsed.threads = static_cast<std::int64_t>(number_after(part, "threads:"));
      parsed.tail.rest += "/" + part;
    }
  }
  return parsed;
}

inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// The library renamed error_occurred to skipped after 1.7.
template <class Run>
auto error_of(const Run& run, int) -> decltype(run.error_occurred, std::string()) {
  return run.error_occurred ? "the benchmark says: " + run.error_message : std::string();
}
template <class Run>
auto error_of(const Run& run, long) -> decltype(run.skip_message, std::string()) {
  return static_cast<bool>(run.skipped) ? "the benchmark says: " + run.skip_message : std::string();
}

}  // namespace registrations_detail

// All families with their instances. Runs nothing.
inline std::vector<Family> read_families() {
  namespace parts = registrations_detail;
  const std::vector<std::string> names = parts::list();
  std::vector<Family> families;
  // The instances of each are found by giving it a name of its own and back.
  std::size_t first = 0;
  for (std::size_t i = 0; i < registrations().size(); ++i) {
    const std::string token = "assay_" + std::to_string(i);
    Family family;
    family.registration = registrations()[i];
    if (first >= names.size()) break;
    family.registration->Name(token);
    std::vector<std::string> suffixes;
    const std::vector<std::string> renamed = parts::list();
    for (const std::string& line : renamed) {
      if (line == token || line.compare(0, token.size() + 1, token + "/") == 0)
        suffixes.push_back(line.substr(token.size()));
    }
    if (suffixes.empty()) continue;
    // Several registrations may have one name; the order tells them apart.
    while (first < names.size() && renamed[first] == names[first]) ++first;
    const std::string& whole = names[first];
    family.function = whole.substr(0, whole.size() - suffixes.front().size());
    family.registration->Name(family.function);
    first += suffixes.size();

    const int count = parts::Access::argument_count(*family.registration);
    std::vector<parts::Parsed> parsed;
    bool threads = false;
    for (const std::string& suffix : suffixes) {
      parsed.push_back(parts::parse(suffix, count < 0 ? 0 : count));
      threads = threads || parsed.back().threads != 0;
    }
    for (const auto& [name, value] : parsed.front().arguments) {
      std::string parameter =
          name.empty() ? "arg" + std::to_string(family.parameters.size()) : manifest_name(name);
      while (std::find(family.parameters.begin(), family.parameters.end(), parameter) !=
                 family.parameters.end() ||
             (threads && parameter == "threads"))
        parameter += "_";
      family.parameters.push_back(parameter);
    }
    if (threads) family.parameters.emplace_back("threads");
    for (const parts::Parsed& one : parsed) {
      Registered registered;
      for (const auto& [name, value] : one.arguments) registered.values.push_back(value);
      if (threads) registered.values.push_back(std::max<std::int64_t>(one.threads, 1));
      registered.arguments = one.arguments_text;
      registered.tail = one.tail;
      family.instances.push_back(std::move(registered));
    }
    family.name = manifest_name(family.function);
    const auto has_name = [&](const Family& other) { return other.name == family.name; };
    for (int again = 2; std::any_of(families.begin(), families.end(), has_name); ++again)
      family.name = manifest_name(family.function) + "_" + std::to_string(again);
    families.push_back(std::move(family));
  }
  return families;
}

// One run of a registration.
struct Measured {
  bool ran = false;
  std::string error;   // of SkipWithError
  double seconds = 0;  // of all iterations: real time, or what SetIterationTime said
  std::map<std::string, double> counters;
};

inline Measured run_once(const Family& family, const Registered& registered, std::uint64_t n) {
  namespace parts = registrations_detail;
  static const std::string token = "assay_now";
  const auto count = static_cast<::benchmark::IterationCount>(
      std::min<std::uint64_t>(n, std::numeric_limits<::benchmark::IterationCount>::max()));
  // The number becomes part of the name. Sets, not adds: it can be said again and again.
  family.registration->Name(token);
  family.registration->Iterations(count);
  if (registered.tail.repeats) family.registration->Repetitions(1);
  const std::string name = token + registered.arguments + "/iterations:" + std::to_string(count) +
                           (registered.tail.repeats ? "/repeats:1" : "") + registered.tail.rest;
  parts::Collector collector;
  ::benchmark::RunSpecifiedBenchmarks(&collector, "^" + parts::escaped(name) + "$");
  family.registration->Name(family.function);
  Measured measured;
  if (collector.runs().empty()) return measured;
  const auto& run = collector.runs().front();
  measured.ran = true;
  measured.error = parts::error_of(run, 0);
  measured.seconds = run.real_accumulated_time;
  for (const auto& [counter, value] : run.counters) measured.counters[counter] = value.value;
  return measured;
}

}  // namespace assay::detail::google
