// SPDX-License-Identifier: Apache-2.0
#include "lib/document.hpp"

#include "lib/older_results.hpp"
#include "lib/text.hpp"
#include "text/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay::reporters {
namespace {

std::string scalar(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return fmt::format("{}", json.get<double>());
  return json.is_number() || json.is_boolean() ? json.dump() : std::string();
}

void tidy(UnitText& unit) {
  unit.base = one_line(unit.base);
  unit.as_written.unit = one_line(unit.as_written.unit);
  if (!(unit.as_written.scale > 0)) unit.as_written = {};
}

void tidy(Timeline& timeline) {
  for (Track& track : timeline.tracks) {
    for (Span& span : track.spans) {
      span.begin_s = std::max(0.0, span.begin_s);
      span.end_s = std::max(span.begin_s, span.end_s);
    }
    std::stable_sort(track.spans.begin(), track.spans.end(),
                     [](const Span& a, const Span& b) { return a.begin_s < b.begin_s; });
  }
}

// What was asked when the figures were known says so wherever it is shown.
void mark(const std::optional<bool>& post_hoc, std::string& text) {
  if (post_hoc.value_or(false)) text += " (post hoc)";
}

void tidy(Case& one) {
  for (Metric& metric : one.metrics) {
    tidy(metric.unit);
    if (metric.interval && !(metric.interval->low <= metric.interval->high)) metric.interval.reset();
  }
  for (Expectation& expectation : one.expectations) {
    tidy(expectation.unit);
    mark(expectation.post_hoc, expectation.text);
  }
  if (one.timeline) tidy(*one.timeline);
  std::erase_if(one.flags, tells_nothing);
  for (Flag& flag : one.flags) flag.text = in_todays_words(flag.text);
}

// Documents of older versions had no word for an answer that depends on the row: a question whose rows are all decided was
// undecided like one that noise keeps open.
void tidy(Finding& finding) {
  mark(finding.post_hoc, finding.question.empty() ? finding.claim : finding.question);
  add_what_is_asked(finding);
  if (finding.asks) tidy(finding.asks->unit);
  finding.why = with_few_names(finding.why);
  for (FindingRow& row : finding.rows) {
    row.why = with_few_names(row.why);
    tidy(row.left.unit);
    tidy(row.right.unit);
  }
  const bool all_decided = std::all_of(finding.rows.begin(), finding.rows.end(),
                                       [](const FindingRow& row) { return model::is_answered(row.verdict); });
  if (finding.verdict == FindingVerdict::undecided && finding.decided_by.empty() && !finding.left_out &&
      !finding.rows.empty() && all_decided)
    finding.verdict = FindingVerdict::mixed;
}

}  // namespace

Document read_document(std::string_view json) {
  Document out = model::read_document(json);
  for (Case& one : out.cases) tidy(one);
  for (Group& group : out.groups) {
    tidy(group.unit);
    mark(group.post_hoc, group.text);
    for (Member& member : group.members) tidy(member.unit);
  }
  for (model::Table& table : out.tables)
    for (model::TableRow& row : table.rows)
      for (model::TableCell& cell : row.cells) tidy(cell.unit);
  for (Finding& finding : out.findings) tidy(finding);
  for (VerdictReason& reason : out.verdict.reasons) reason.next = in_todays_words(reason.next);
  return out;
}

std::string to_text(const Position& position) {
  if (position.file.empty() || position.line <= 0) return position.file;
  std::string out = position.file + ":" + std::to_string(position.line);
  if (position.column > 0) out += ":" + std::to_string(position.column);
  return out;
}

std::string outcome_text(Outcome outcome) { return in_words(assay::to_text(outcome)); }

bool is_device_axis(std::string_view name) { return name == "device" || name == "pair"; }

std::optional<double> half_width(const Metric& metric) {
  if (!metric.interval) return std::nullopt;
  return metric.interval->half_width();
}

bool is_about(const Expectation& expectation, std::string_view metric) {
  return expectation.limit.is_number() && asks_of(expectation, metric);
}

bool asks_of(const Expectation& expectation, std::string_view metric) {
  const std::string_view text = expectation.text;
  if (!text.starts_with(metric)) return false;
  const std::string_view rest = text.substr(metric.size());
  const std::size_t next = rest.find_first_not_of(' ');
  return next != std::string_view::npos &&
         std::string_view("<>=!").find(rest[next]) != std::string_view::npos;
}

// Documents of older versions do not say how severe a flag is; of these three they were the first to have any.
bool is_note(const Flag& flag) {
  return flag.severity.empty()
             ? flag.code == "work_declared" || flag.code == "time_in_parts" || flag.code == "unlike_ranks"
             : flag.severity == "note";
}

std::string diagnostics_text(const Case& one) {
  return one.diagnostics.is_string() ? one.diagnostics.get<std::string>() : one.diagnostics.dump(1);
}

std::vector<Parameter> parameters_of(const Case& one) {
  std::vector<Parameter> out;
  for (const auto& [name, value] : one.parameters.items()) {
    Parameter parameter{name, scalar(value), std::nullopt, false};
    if (value.is_number()) parameter.number = value.get<double>();
    const std::string* const unit = find_value(one.units, name);
    const std::string* const written = find_value(one.written, name);
    if (parameter.number && written != nullptr && !written->empty())
      parameter.text = written_text(one_line(*written));
    else if (parameter.number && unit != nullptr && !unit->empty())
      parameter.text = reporters::parameter(*parameter.number, *unit);
    parameter.is_default = contains(one.defaults, name);
    out.push_back(std::move(parameter));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> scalars(const Json& object) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [key, value] : object.items())
    if (std::string shown = scalar(value); !shown.empty()) out.emplace_back(key, std::move(shown));
  return out;
}

std::string scalar(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::string() : scalar(*found);
}

}  // namespace assay::reporters
