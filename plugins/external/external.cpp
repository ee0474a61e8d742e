// SPDX-License-Identifier: Apache-2.0
//
// Any command as a benchmark: one iteration is one run of it. The case says what runs and which numbers of
// its output are metrics; Assay measures the run's duration alone.
#include "external/command.hpp"

#include <assay/host.hpp>
#include <assay/plugin.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace assay::plugins::external {
namespace {

constexpr double kTick_s = 1e-9;

std::string quoted_line(const Output& output) {
  const std::string line = last_line(output);
  return line.empty() ? ", and wrote nothing" : "; its last line: " + line;
}

class External final : public Benchmark {
 public:
  struct Params {
    std::string definition;
  };

  static void describe(Description<Params>& is) {
    is.named("external")
        .summary("a command of your own: its duration, and numbers from its output")
        .doc(
            "One iteration is one run of the command. `time` is how long it ran, by the host's clock; every "
            "other metric is a number that the command printed, read as the case's `metrics` say, and is the "
            "command's word, not a measurement of Assay's. Everything that the command starts ends with it.")
        .devices(1, 0);
    is.param("definition", &Params::definition)
        .required()
        .help(
            "text that Assay makes from the case's 'command', 'exit', "
            "'verify' and 'metrics'; not to be written");
  }

  External(const Params& params, Case& run)
      : Benchmark(run), definition_(parse_definition(params.definition)) {}

  void prepare() override { program_ = find_program(definition_); }

  Traits traits() override {
    Traits traits;
    traits.tick_s = kTick_s;
    traits.maximum = 1;
    traits.parts = true;  // starting the command and reading what it printed are not part of its time
    return traits;
  }

  Verification verification(VerifyPhase) override {
    Verification seen;
    if (!definition_.verify_pattern && !definition_.verify_exit) return seen;
    seen.method(definition_.verify_pattern ? "a line of the command's output" : "the command's exit status");
    seen.count(verified_, 0);
    return seen;
  }

  void iterate(Mode, std::uint64_t, Sample& sample) override {
    const Finished finished = run_command(definition_, program_, [this] { return context().cancelled(); });
    if (finished.end.left > 0)
      context().info("the command ended and left " + std::to_string(finished.end.left) +
                     " processes, which were killed");
    check_end(finished);
    verify(finished.output);
    for (const Metric& metric : definition_.metrics) {
      const std::vector<Value> values = read_metric(metric, finished.output);
      compare_indices(metric.name, values);
      for (const Value& value : values) record(metric.name, value);
    }
    sample.begin_ns = finished.end.begin_ns;
    sample.end_ns = finished.end.end_ns;
    sample.host_s = sample.device_s =
        std::max(static_cast<double>(sample.end_ns - sample.begin_ns) * 1e-9, kTick_s);
  }

 private:
  void check_end(const Finished& finished) const {
    if (finished.signal != 0) {
      const char* name = sigabbrev_np(finished.signal);
      throw Failure("the command died of signal " + std::to_string(finished.signal) +
                        (name != nullptr ? std::string(" (SIG") + name + ")" : "") +
                        quoted_line(finished.output),
                    ASSAY_E_INTERNAL, "external.signal", finished.signal);
    }
    const int status = finished.output.status;
    const auto is_in = [&](const std::vector<int>& list) {
      return std::find(list.begin(), list.end(), status) != list.end();
    };
    const std::string text = "exit status " + std::to_string(status) + quoted_line(finished.output);
    if (is_in(definition_.skipped)) throw Skip("the command says that it cannot run here, by " + text);
    if (definition_.passed && !is_in(*definition_.passed))
      throw Failure("the command ended with " + text, ASSAY_E_INTERNAL, "external.exit", status);
  }

  void verify(const Output& output) {
    if (definition_.verify_exit && output.status != *definition_.verify_exit)
      throw Failure("the command ended with exit status " + std::to_string(output.status) + ", and only " +
                        std::to_string(*definition_.verify_exit) + " says that its results are right",
                    ASSAY_E_VERIFY);
    if (definition_.verify_pattern && !matches(*definition_.verify_pattern, output))
      throw Failure("no line of the command's output matches '" + *definition_.verify_pattern +
                        "', which would show that its results are right",
                    ASSAY_E_VERIFY);
    if (definition_.verify_exit || definition_.verify_pattern) ++verified_;
  }

  // Every run of the command has to give a value wherever the first one did.
  void compare_indices(const std::string& name, const std::vector<Value>& values) {
    std::set<std::vector<std::uint32_t>> indices;
    for (const Value& value : values) indices.insert(value.indices);
    const auto [first, is_new] = indices_.emplace(name, indices);
    if (is_new || first->second == indices) return;
    throw Failure("the command gave " + std::to_string(indices.size()) + " indices of '" + name +
                      "' in one run and others, " + std::to_string(first->second.size()) +
                      ", in an earlier one; a value is missing",
                  ASSAY_E_INTERNAL, "external.output");
  }

  void record(const std::string& name, const Value& value) const {
    const Case& run = context();
    run.host()->value(run.host(), name.c_str(), static_cast<std::uint32_t>(value.indices.size()),
                      value.indices.data(), value.value);
  }

  Definition definition_;
  std::string program_;
  std::map<std::string, std::set<std::vector<std::uint32_t>>> indices_;  // of the first run, by metric
  std::uint64_t verified_ = 0;
};

struct AboutExternal {
  static void describe(About& about) {
    about.vendor("Assay").license("Apache-2.0").summary("runs commands and reads numbers from their output");
    about.needs(ASSAY_RE2_SONAME, "apt-get install libre2-dev");
  }
};

}  // namespace
}  // namespace assay::plugins::external

ASSAY_PLUGIN("org.assay.external", "0.1.0", assay::host::backend, assay::plugins::external::External,
             assay::plugins::external::AboutExternal)
