// SPDX-License-Identifier: Apache-2.0
#include "junit/model.hpp"

#include "lib/answer.hpp"
#include "lib/compared.hpp"
#include "lib/every_limit.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/row_texts.hpp"
#include "lib/stable_name.hpp"
#include "lib/text.hpp"
#include "lib/wording.hpp"
#include "text/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

namespace assay::reporters {
namespace {

constexpr std::size_t kOutputLimit = 900;  // Jenkins keeps 500 + 500 characters of a passing case
constexpr std::size_t kLogLines = 60, kLogBytes = 8000;
constexpr std::size_t kMessageLimit = 1000;

std::uint32_t fnv1a(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string type_of(const Case& one) {
  const std::string_view code = one.reason ? std::string_view(one.reason->code) : std::string_view();
  switch (one.outcome) {
    case Outcome::failed:
      return starts(code, "verify.") ? "verify" : starts(code, "check.") ? "check" : "threshold";
    case Outcome::invalid:
      return "invalid";
    case Outcome::crashed:
      return "crash";
    case Outcome::timeout:
      return "timeout";
    case Outcome::not_run:
      return "not_run";
    case Outcome::cancelled:
      return "cancelled";
    default:
      break;
  }
  if (starts(code, "device.")) return "device";
  if (starts(code, "rank.")) return "communication";
  return code == "plugin.parameter" ? "config" : "internal";
}

std::string metric_line(const Metric& metric) {
  std::string name = metric.name;
  for (const std::uint64_t index : metric.indices) name += "[" + std::to_string(index) + "]";
  std::string out = name + " " + quantity(*metric.value, metric.unit, half_width(metric));
  std::vector<std::string> notes;
  if (metric.peak && metric.peak->share) notes.push_back(percent(*metric.peak->share) + " of peak");
  const bool over_rounds = metric.interval && metric.interval->kind == "between_process";
  // Next to an interval over rounds the number of samples would pass for what it is made of.
  if (metric.n > 0 && !(metric.interval && over_rounds)) notes.push_back("n=" + std::to_string(metric.n));
  if (const auto beside = bounds_beside(metric)) {
    notes.push_back(
        bounds_heading(metric) + " " +
        interval(*metric.value, beside->low, beside->high, scale_for(metric.unit, *metric.value)));
  } else if (const std::string why = no_interval_words(metric); !why.empty()) {
    notes.push_back("no interval: " + why);
  }
  return one_line(notes.empty() ? out : out + " (" + join(notes, ", ") + ")");
}

std::string expectation_line(const Expectation& expectation, bool with_why = true) {
  std::string out = one_line(expectation.text) + ": " + std::string(to_text(expectation.status));
  if (expectation.value.is_number())
    out += ", measured " + quantity(expectation.value.get<double>(), expectation.unit);
  if (expectation.limit.is_number()) {
    const double limit = expectation.limit.get<double>();
    const Scale beside =
        scale_for(expectation.unit, expectation.value.is_number() ? expectation.value.get<double>() : limit);
    out += ", limit " + quantity(limit, scale_beside(beside, expectation.unit, limit));
  }
  if (with_why && !expectation.why.empty()) out += ", " + one_line(expectation.why);
  return out;
}

// What is neither passed nor a failure. All of it is named, and where that leaves room for their reasons those are.
std::vector<std::string> open_lines(const Case& one) {
  if (one.outcome != Outcome::passed) return {};
  std::vector<std::string> full, brief;
  std::size_t size = 0;
  for (const Expectation& expectation : one.expectations) {
    if (expectation.status == ExpectationStatus::passed) continue;
    full.push_back(expectation_line(expectation));
    brief.push_back(expectation_line(expectation, false));
    size += full.back().size() + 1;
  }
  return size <= kOutputLimit ? full : brief;
}

// The headline first: consumers cut long output.
std::string output_of(const Case& one) {
  std::string out;
  const auto add = [&](const std::string& line) {
    const std::string more = (out.empty() ? "" : "\n") + line;
    if (out.size() + more.size() <= kOutputLimit) out += more;
  };
  if (no_limit_judged(one)) add(kLimitsNotJudged);
  // They are said before any figure.
  for (const std::string& line : open_lines(one)) add(line);
  for (const bool headline : {true, false}) {
    for (const Metric& metric : one.metrics) {
      if (metric.headline == headline && metric.value) add(metric_line(metric));
    }
  }
  for (const Flag& flag : one.flags) add("flag " + one_line(flag.code) + ": " + one_line(flag.text));
  if (!one.checks.empty()) add(count_of(one.checks.size(), "check"));
  return out;
}

std::string message_of(const Case& one) {
  std::string message = one.reason ? one_line(one.reason->text) : std::string();
  if (message.empty()) message = outcome_text(one.outcome);
  return shorten(message, kMessageLimit);
}

// Message, then what was expected and measured, then where, then the log.
std::string text_of(const Case& one, const std::string& message) {
  std::vector<std::string> lines{message};
  for (const Expectation& expectation : one.expectations) {
    if (expectation.status == ExpectationStatus::passed) continue;
    lines.push_back(expectation_line(expectation));
    if (expectation.status == ExpectationStatus::failed && !expectation.say.empty())
      lines.push_back("next: " + one_line(expectation.say));
  }
  for (const Check& check : one.checks) {
    if (!check.passed)
      lines.push_back(one_line("check " + check.name + " of " + check.subject + ": " + check.text));
  }
  if (one.reason) {
    std::vector<std::string> where;
    if (!one.reason->phase.empty()) where.push_back("phase " + one.reason->phase);
    if (one.reason->rank >= 0) where.push_back("rank " + std::to_string(one.reason->rank));
    if (!one.reason->device.empty()) where.push_back("device " + one.reason->device);
    if (!where.empty()) lines.push_back(one_line(join(where, ", ")));
    if (!one.reason->code.empty()) lines.push_back("code " + one_line(one.reason->code));
  }
  const Position& place = one.reason && one.reason->position.line > 0 ? one.reason->position : one.position;
  if (!to_text(place).empty()) lines.push_back(one_line(to_text(place)));
  if (!one.reproduce.empty()) lines.push_back("again: " + one_line(one.reproduce));
  if (!one.log.empty()) lines.push_back("log:\n" + last_lines(one.log, kLogLines, kLogBytes));
  if (!one.diagnostics.empty())
    lines.push_back("measured all the same:\n" + last_lines(diagnostics_text(one), kLogLines, kLogBytes));
  return join(lines, "\n");
}

std::string flaky_of(const Case& one) {
  const auto* const earlier =
      find_in(one.visits, [](const Visit& visit) { return visit.outcome != Outcome::passed; });
  if (one.outcome != Outcome::passed || earlier == nullptr) return {};
  const Flag* const retried = model::find_flag(one.flags, "retried");
  const std::string seen = retried == nullptr ? std::string() : ": " + one_line(retried->text);
  return "attempt " + std::to_string(earlier->attempt) + " of round " + std::to_string(earlier->round) +
         " was " + outcome_text(earlier->outcome) + seen;
}

TestCase test_case(const Case& one, const std::string& suite) {
  TestCase out;
  out.class_name = portable_name(suite + "." + one.plugin + "." + one.benchmark);
  out.name = stable_name(one);
  out.source = &one;
  out.time_s = one.duration_s.value_or(0);
  out.element = element_of(one.outcome);
  out.position = one.position;
  out.assertions = one.expectations.size() + one.checks.size();
  if (out.element != Element::none) {
    out.type = type_of(one);
    out.message = message_of(one);
    out.text = out.element == Element::skipped ? out.message : text_of(one, out.message);
  }
  out.flaky = flaky_of(one);
  out.output = output_of(one);
  out.properties.emplace_back("status", outcome_text(one.outcome));
  for (const Metric& metric : one.metrics) {
    if (metric.value && metric.indices.empty())
      out.properties.emplace_back(metric.name, fmt::format("{}", *metric.value));
  }
  return out;
}

TestCase test_case(const Group& group, const Case* owner, const std::string& suite) {
  TestCase out;
  out.class_name = portable_name(owner != nullptr ? suite + "." + owner->plugin + "." + owner->benchmark
                                                  : suite + ".groups");
  out.name = group.id;
  out.element = element_of(group.outcome);
  out.position = group.position;
  out.assertions = 1;
  const std::string value = group.value ? quantity(*group.value, group.unit) : std::string("no value");
  out.output = one_line(group.text) + ": " + value;
  if (group.status == ExpectationStatus::undecided)
    out.output += ", undecided" + (group.why.empty() ? "" : ": " + one_line(group.why));
  out.properties.emplace_back("status", outcome_text(group.outcome));
  if (out.element == Element::none) return out;
  out.type = group.outcome == Outcome::not_run ? "not_run" : "threshold";
  out.message = one_line(group.text) + ": " + in_words(group.status) + ", " + value +
                (group.why.empty() ? "" : ", " + one_line(group.why));
  std::vector<std::string> lines{out.message};
  for (const Member& member : group.members) {
    lines.push_back(one_line(member.label) + " " +
                    (member.value ? quantity(*member.value, member.unit) : "–"));
  }
  if (group.status == ExpectationStatus::failed && !group.say.empty())
    lines.push_back("next: " + one_line(group.say));
  if (!to_text(group.position).empty()) lines.push_back(to_text(group.position));
  out.text = join(lines, "\n");
  return out;
}

TestCase test_case(const Document& document, const Finding& finding, const std::string& suite) {
  TestCase out;
  out.class_name = portable_name(suite + ".findings");
  out.name = finding.id;
  out.position = finding.position;
  out.assertions = 1;
  const std::string measured = measured_text(finding), asked = asked_text(finding);
  const std::string figures = measured.empty() ? std::string()
                                               : compared_name(finding) + " = " + measured +
                                                     (asked.empty() ? "" : "; asked: " + asked);
  out.output =
      one_line(finding.question) + "\n" + finding_verdict(finding) + (figures.empty() ? "" : "\n" + figures);
  if (const std::string expected = expected_text(finding); !expected.empty())
    out.output += "\nexpected: " + expected;
  out.properties.emplace_back("status", to_text(finding.verdict));
  if (finding.asserted && nothing_ran(document)) {
    out.element = Element::skipped;
    out.message = out.text = "nothing ran, so that it is not answered";
  }
  if (!assertion_failed(document, finding)) return out;
  out.element = Element::failure;
  out.type = "finding";
  out.message = "'" + one_line(finding.claim) + "' is " + finding_verdict(finding) +
                "; the suite asserts that it is confirmed" +
                (finding_why(finding).empty() ? "" : ": " + one_line(finding_why(finding)));
  out.text = out.message + (figures.empty() ? "" : "\n" + figures) +
             (to_text(finding.position).empty() ? "" : "\n" + to_text(finding.position));
  return out;
}

std::string hint_of(const VerdictReason& reason) {
  return one_line(reason.text) + (reason.next.empty() ? "" : "\nnext: " + one_line(reason.next));
}

// A run that did not pass must not look green because no test case says so.
std::optional<TestSuite> unexplained(const Document& document, const std::vector<TestSuite>& suites,
                                     const std::string& suite) {
  const bool said = std::any_of(suites.begin(), suites.end(), [](const TestSuite& one) {
    return one.count(Element::failure) + one.count(Element::error) > 0;
  });
  if (said || (document.verdict.outcome == RunOutcome::passed && document.verdict.exit_code == 0))
    return std::nullopt;
  TestCase out;
  out.class_name = portable_name(suite + ".run");
  out.name = "verdict";
  out.time_s = document.run.duration_s.value_or(0);
  out.element = Element::error;
  out.type = document.verdict.outcome == RunOutcome::unmet         ? "unmet"
             : document.verdict.outcome == RunOutcome::nothing_ran ? "nothing_ran"
                                                                   : "run";
  const std::string verdict = verdict_word(document) + ": " + tally_text(document);
  out.message = document.verdict.reasons.empty() ? verdict : one_line(document.verdict.reasons.front().text);
  std::vector<std::string> lines;
  for (const VerdictReason& reason : with_every_limit(document)) lines.push_back(hint_of(reason));
  lines.push_back(verdict);
  out.text = join(lines, "\n");
  if (!document.verdict.reasons.empty()) out.position = document.verdict.reasons.front().position;
  return TestSuite{portable_name(suite + ".run"), "run", {std::move(out)}};
}

// Makes names portable, and unique inside a class: consumers drop or merge what has the same.
void settle_names(std::vector<TestSuite>& suites) {
  std::set<std::pair<std::string, std::string>> seen;
  std::map<std::pair<std::string, std::string>, int> last;  // number of each name: those before it are taken
  for (TestSuite& suite : suites) {
    for (TestCase& one : suite.cases) {
      const std::string name = portable_name(one.name);
      std::string candidate = name;
      int& number = last.try_emplace({one.class_name, name}, 1).first->second;
      while (!seen.emplace(one.class_name, candidate).second) {
        const std::string suffix = "#" + std::to_string(++number);
        candidate = name.substr(0, kNameLimit - suffix.size()) + suffix;
      }
      one.name = candidate;
    }
  }
}

}  // namespace

std::size_t TestSuite::count(Element element) const {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [element](const TestCase& one) { return one.element == element; }));
}

Element element_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return Element::none;
    case Outcome::failed:
    case Outcome::invalid:
      return Element::failure;
    case Outcome::skipped:
      return Element::skipped;
    default:
      return Element::error;
  }
}

std::string portable_name(std::string_view text) {
  const std::string flat = one_line(text);
  std::string out;
  for (std::size_t at = 0; at < flat.size();) {
    const Character character = decode(flat, at);
    out += character.code < 0x80 ? static_cast<char>(character.code) : '?';
    at += character.length;
  }
  if (out == text && out.size() <= kNameLimit && !out.empty()) return out;
  const std::string suffix = fmt::format("~{:08x}", fnv1a(text));
  return out.substr(0, kNameLimit - suffix.size()) + suffix;
}

std::vector<TestSuite> test_suites(const Document& document) {
  const std::string suite = document.run.suite.empty() ? "suite" : document.run.suite;
  std::vector<TestSuite> out;
  const auto suite_for = [&](const std::string& package) -> TestSuite& {
    if (auto* const found = find_in(out, [&](const TestSuite& one) { return one.package == package; }))
      return *found;
    return out.emplace_back(TestSuite{portable_name(suite + "." + package), package, {}});
  };
  for (const Case& one : document.cases) suite_for(one.plugin).cases.push_back(test_case(one, suite));
  for (const Group& group : document.groups) {
    const Case* const found =
        find_in(document.cases, [&](const Case& one) { return one.name == group.case_name; });
    suite_for(found != nullptr ? found->plugin : "groups").cases.push_back(test_case(group, found, suite));
  }
  for (const Finding& finding : document.findings) {
    suite_for("findings").cases.push_back(test_case(document, finding, suite));
  }
  if (auto run = unexplained(document, out, suite)) out.push_back(std::move(*run));
  settle_names(out);
  return out;
}

}  // namespace assay::reporters
