// SPDX-License-Identifier: Apache-2.0
//
// A suite as it was written: values with positions, defaults merged, nothing resolved against plugins or
// devices.
#pragma once

#include "base/diagnostics.hpp"
#include "base/json.hpp"
#include "base/quantity.hpp"
#include "model/measure_options.hpp"
#include "suite/expression.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::suite {

template <typename T>
struct Located {
  T value{};
  Position position;
};

// A scalar as YAML had it, before the catalog says what type it should be.
struct Scalar {
  enum class Kind { null, boolean, integer, number, text } kind = Kind::null;  // `~` is null
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text;  // as written, always
  Position position;
  bool quoted = false;  // text whatever it looks like: "5" in quotes, and every environment variable
};

// {from, to, factor|step}: the other of the two is null. Checked to hit its end.
struct Range {
  Scalar from, to, factor, step;
};

// All values of a range, ends included and as written: 1KiB, 32KiB, 1MiB. Empty for a range that misses its
// end, which parse_suite has reported.
[[nodiscard]] std::vector<Scalar> expand(const Range& range);

struct DeviceChoice {
  enum class Kind { unset, each, all, pairs, count, list } kind = Kind::unset;
  int count = 0;
  std::vector<Located<std::string>> list;
  Position position;
};

struct Bind {
  enum class Kind { none, inherit, local, remote, explicit_nodes } kind = Kind::none;
  std::string cpu;     // "node:1" when explicit
  std::string memory;  // "node:1" when explicit
  Position position;
  friend bool operator==(const Bind& a, const Bind& b) {
    return a.kind == b.kind && a.cpu == b.cpu && a.memory == b.memory;
  }
};

// One value of an axis: a scalar for the axis' own name, or a map that sets several parameters.
struct AxisValue {
  Scalar scalar;  // of a variant its name
  // Not empty: the axis is a named bundle, or a variant.
  std::vector<std::pair<Located<std::string>, Scalar>> map;
  // Of a variant.
  std::optional<Bind> bind;
  DeviceChoice devices;
  Located<std::string> plugin;  // "" if it says nothing of it
};

// The axis of `variants`.
inline constexpr const char* kVariant = "variant";

struct SuiteAxis {
  // A parameter, "env.NAME", a reserved word ("bind", "load", "devices", "ranks", "cache", …), a bundle's name, or kVariant.
  Located<std::string> name;
  std::vector<AxisValue> values;
  std::optional<Range> range;
  bool of_variants = false;  // its values replace what the case says, and each has a name
};
// Its values set what other axes could be of, so that its own name is free.
[[nodiscard]] inline bool is_bundle(const SuiteAxis& axis) {
  return axis.of_variants ||
         (axis.name.value != "bind" && !axis.values.empty() && !axis.values.front().map.empty());
}

// One entry of include or exclude: axis → values.
struct Match {
  std::vector<std::pair<Located<std::string>, std::vector<Scalar>>> terms;
  Position position;
};

struct Matrix {
  std::vector<SuiteAxis> axes;  // in the order written, that of the variants last
  std::vector<Match> exclude;
  std::vector<Match> include;
  bool broken = false;  // an axis was wrong and is left out; what refers to it can't be checked
};

// What a variant says in place of its case.
struct Variant {
  std::vector<std::pair<Located<std::string>, Scalar>> with, env;
  std::optional<Bind> bind;
  DeviceChoice devices;
  Located<std::string> plugin;
};

// How to measure.
struct Measure {
  model::MeasureOptions values;                       // as built in where the suite says nothing
  std::vector<Located<model::MeasureMember>> stated;  // by the suite, and where

  // nullptr if the suite does not say.
  [[nodiscard]] const Position* where(model::MeasureMember member) const {
    for (const auto& one : stated)
      if (one.value == member) return &one.position;
    return nullptr;
  }
  void state(const model::MeasureKey& key, const Json& value, const Position& position);
  template <typename T>
  void unstate(T model::MeasureOptions::*member) {
    values.*member = model::MeasureOptions{}.*member;
    std::erase_if(stated, [&](const auto& one) { return one.value == model::MeasureMember(member); });
  }
};

// What a machine must have, or, under `when`, what a case needs to be run at all.
struct Requires {
  std::vector<Located<std::string>> backends;   // one, or several in order of preference
  std::optional<Located<std::string>> devices;  // "4", ">=2"
  std::optional<Located<std::string>> memory;   // least memory of each device, a quantity
  std::optional<Located<std::string>> driver;   // version of the backend's driver: "580.65.06", ">=580"
  std::vector<Located<std::string>> libraries;  // "nccl" for libnccl.so of any version
  Position position;

  [[nodiscard]] bool names_something() const {
    return !backends.empty() || devices || memory || driver || !libraries.empty();
  }
};

// What holds for a run of the suite, whatever the command line says.
struct Policy {
  bool strict = false;     // undecided and skipped are failures, too
  bool decided = false;    // undecided is
  Located<bool> complete;  // every device that the machine has must be there
  Located<bool> stated;    // somebody must have stated how many devices there are
  Located<bool> alone;     // no other run may use the same processors
};

struct SuiteExpectation {
  std::string text;  // as written
  ExpressionPtr that;
  std::vector<std::pair<Located<std::string>, std::vector<Scalar>>> where;  // only points that match
  std::string say;             // next step, printed when it fails
  bool skipped_alone = false;  // a comparison of rows where there is one only
  Position position;
};

// A number of an external command's output. One of json, pattern and exit_status says where it is.
struct ExternalMetric {
  Located<std::string> name;
  std::optional<Located<std::string>> json, pattern;
  bool exit_status = false;
  std::string take;           // first, last, all; "": there must be one
  Located<std::string> unit;  // of the number as printed; "": a plain one
  std::string direction;      // higher, lower, none; "": by the unit
  std::string as;             // observed, measured; "": by the unit
};

struct ExternalExit {
  std::vector<int> passed, skipped;  // exit statuses; passed is empty if the suite says nothing
};

// What shows that the program checked its results.
struct ExternalVerify {
  std::optional<Located<std::string>> pattern;
  std::optional<int> exit;
};

// What a case that uses `external` runs, and how its end and output are read.
struct External {
  std::vector<Located<std::string>> command;  // program and arguments, with placeholders
  std::optional<Located<std::string>> shell;  // a command line for /bin/sh instead
  std::optional<Located<std::string>> directory;
  ExternalExit exit;
  ExternalVerify verify;
  std::vector<ExternalMetric> metrics;          // in the order written
  std::vector<Located<std::string>> keys_used;  // with their values' positions
};

struct SuiteCase {
  Located<std::string> id;
  Located<std::string> uses;                   // "gemm", "gemm@cuda", "gemm@cuda:com.acme.fastgemm"
  std::vector<Located<std::string>> backends;  // empty: what the suite requires
  std::vector<std::pair<Located<std::string>, Scalar>> with;
  Matrix matrix;
  std::vector<std::pair<Located<std::string>, Scalar>> env;  // null removes the variable
  DeviceChoice devices;
  Located<std::string> load;  // alone | together; "" if not set
  std::optional<Located<int>> ranks;
  std::optional<Bind> bind;
  std::optional<Located<int>> processes;
  Measure measure;
  std::optional<Located<double>> timeout_s;
  Requires requires_;
  // What the files require that include the case, whatever the case requires itself.
  std::vector<Requires> of_includes;
  Requires when;
  std::vector<std::pair<Located<std::string>, Scalar>> reference;  // axis → value
  std::vector<SuiteExpectation> expect;
  External external;
  Position position;
};

struct VerdictWords {  // of a finding: what to say and do
  std::string say;
  std::string because;
  std::string act;  // `do`
  Position position;
};

struct Expected {  // what somebody says that would come out
  Scalar value;
  std::string source;
};

struct SuiteFinding {
  Located<std::string> id;
  Located<std::string> question;
  std::string background;
  std::optional<Expected> expected;
  std::vector<Located<std::string>> notes;
  std::vector<std::pair<Located<std::string>, std::string>> labels;  // of names of `let`
  std::vector<std::pair<Located<std::string>, ExpressionPtr>> let;
  ExpressionPtr claim;
  std::string claim_text;
  Position claim_position;
  bool let_is_valid = false;  // without errors
  double over = 0.02;         // θ
  std::string decided_by;     // "all", "any" or "worst" of its rows; "": each is told for itself
  bool assert_confirmed = false;
  std::optional<VerdictWords> confirmed, refuted, mixed, undecided;
  Position position;
};

struct Derive {
  Located<std::string> name;
  ExpressionPtr expression;
  std::string text;
};

// Rows of a table: those of a case, or those of them with these values.
struct TableRows {
  Located<std::string> case_id;
  std::vector<std::pair<Located<std::string>, std::vector<Scalar>>> where;
  Position position;
};

// Rows of several cases side by side.
struct SuiteTable {
  Located<std::string> id;
  std::string title;
  std::vector<TableRows> rows;
  std::vector<Derive> columns;  // an expression about the row's case under the name of its column
  // Each row is compared with the row of this case that has these values and equals it in all others.
  std::optional<TableRows> reference;
  Position position;
};

struct Suite {
  std::string file;    // path as the user gave it
  std::string source;  // whole text
  std::string name;
  std::string description;
  Requires requires_;
  Policy policy;
  std::vector<SuiteCase> cases;  // defaults already merged in
  std::vector<Derive> derive;
  std::vector<SuiteFinding> findings;
  std::vector<SuiteTable> tables;
  std::vector<std::pair<std::string, std::string>> includes;  // file, text, in order; part of the hash
};

// Parses the text, merges `defaults`, resolves each `include` relative to the file by `read` (so that tests and
// journals need no files), and checks everything that needs no catalog. All problems are reported in one pass;
// the suite is usable only if none of them is an error. `read` throws Error for a file that cannot be read,
// which is reported at the `include`.
using ReadFile = std::function<std::string(const std::string& path)>;
[[nodiscard]] Suite parse_suite(const std::string& file, const std::string& text, const ReadFile& read,
                                Diagnostics& diagnostics);

// Applies `--set case.param=value`, which replaces a `with` value or any key of a case
// ("gemm.measure.samples=5"). Diagnostics point at the command line: the option that the setting comes from, and the
// column of the value.
inline constexpr const char* kSetOption = "--set";
void apply_override(Suite& suite, const std::string& assignment, Diagnostics& diagnostics,
                    const std::string& option = kSetOption);

}  // namespace assay::suite
