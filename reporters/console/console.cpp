// SPDX-License-Identifier: Apache-2.0
#include "console/console.hpp"

#include "console/blocks.hpp"
#include "lib/acceptance.hpp"
#include "lib/answer.hpp"
#include "lib/compared.hpp"
#include "lib/diagnosis_texts.hpp"
#include "lib/finding_texts.hpp"
#include "lib/numbers.hpp"
#include "lib/pivot.hpp"
#include "lib/reason_groups.hpp"
#include "lib/row_texts.hpp"
#include "lib/suite_table.hpp"
#include "lib/text.hpp"
#include "lib/unknown_peaks.hpp"
#include "lib/wording.hpp"
#include "text/quote.hpp"

#include <vector>

namespace assay::reporters {
namespace {

constexpr std::size_t kMostSubjects = 10;  // of one reason
constexpr std::size_t kMostLimits = 8;     // of one of them
constexpr std::size_t kFooterLabel = 11;

class Printer : private ConsoleText {
 public:
  Printer(const Document& document, const ConsoleOptions& options)
      : ConsoleText(options.style), document_(document), options_(options) {}

  std::string print() {
    header();
    top();
    const AlignedTable cases = case_table(pivot(document_), style_);
    if (!cases.empty()) out_ += "\n" + cases.render(style_);
    findings();
    tables();
    diagnoses();
    flags();
    verdict();
    reasons();
    footer();
    return out_;
  }

 private:
  void header() {
    const std::string suite = one_line(document_.run.suite);
    const std::string system = join(system_parts(document_), " · ");
    const std::size_t used = display_width(suite) + 4;
    const std::vector<std::string> parts =
        wrap(one_line(system), style_.width > used + 20 ? style_.width - used : 20);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string left = i == 0 ? toned(style_.ascii ? to_ascii(suite) : suite, Tone::strong, style_)
                                      : std::string(display_width(suite), ' ');
      out_ += left + (parts[i].empty() ? "" : "    " + (style_.ascii ? to_ascii(parts[i]) : parts[i])) + "\n";
    }
    for (const std::string& note : run_notes(document_)) wrapped(note, 0, Tone::warning);
  }

  // What was found and what to do about it; each finding follows the tables.
  void top() {
    if (is_said_once(document_)) return;
    const std::string answers = what_was_found(document_);
    if (answers.empty()) return;
    out_ += "\n";
    wrapped(answers, 0, Tone::strong);
    for (const std::string& act : what_to_do(document_)) line("  do: " + one_line(act));
  }

  void findings() {
    if (document_.findings.empty()) return;
    out_ += "\n";
    if (is_said_once(document_)) {
      line(count_of(document_.findings.size(), "finding") +
               "   not answered: " + why_nothing_is_answered(document_),
           Tone::strong);
      return;
    }
    line("findings", Tone::strong);
    for (const Finding& finding : document_.findings) {
      const bool failed = assertion_failed(document_, finding);
      wrapped((failed ? "✗ " : "") + (finding.question.empty() ? finding.id : finding.question), 2,
              failed ? Tone::bad : Tone::plain);
      std::string answer = finding_verdict(finding);
      if (failed) answer += "; the suite asserts that it is confirmed";
      wrapped(answer, 4, Tone::strong);
      const std::string measured = measured_text(finding), asked = asked_text(finding);
      if (!measured.empty())
        wrapped(compared_name(finding) + " = " + measured + (asked.empty() ? "" : "; asked: " + asked), 4);
      if (const std::string expected = expected_text(finding); !expected.empty())
        wrapped("expected: " + expected, 4);
      if (const std::string why = finding_why(finding); !why.empty()) wrapped(why, 4);
      if (!finding.say.empty()) wrapped(fill(finding.say, finding), 4);
      if (!finding.because.empty()) wrapped("because: " + fill(finding.because, finding), 4);
      if (!finding.act.empty()) line("    do: " + fill(one_line(finding.act), finding));
    }
  }

  // What rules know of symptoms that this run shows.
  void diagnoses() {
    if (document_.diagnoses.empty()) return;
    out_ += "\n";
    line("symptoms", Tone::strong);
    for (const model::Diagnosis& diagnosis : document_.diagnoses) {
      wrapped(diagnosis.symptom, 2, Tone::warning);
      wrapped("seen: " + shown_by(diagnosis), 4);
      wrapped("cause: " + diagnosis.cause, 4);
      wrapped("do: " + diagnosis.remedy, 4);
    }
  }

  // What rows do not show: flags, the fixed cost of samples, and the slowest iterations.
  void flags() {
    if (!options_.verbose) return;
    out_ += "\n";
    line("flags", Tone::strong);
    bool any = false;
    for (const Case& one : document_.cases) {
      const std::string cost = fixed_cost_text(one), tail = tail_text(one);
      if (one.flags.empty() && cost.empty() && tail.empty()) continue;
      any = true;
      line("  " + one_line(one.id));
      for (const Flag& flag : one.flags)
        wrapped(one_line(flag.code) + ": " + flag.text, 4,
                flag.severity == to_text(ReasonSeverity::note) ? Tone::dim : Tone::warning);
      if (!cost.empty()) wrapped(cost, 4, Tone::dim);
      if (!tail.empty()) wrapped("time " + tail, 4, Tone::dim);
    }
    if (!any) line("  none");
    if (const std::string unknown = unknown_peaks(document_); !unknown.empty())
      wrapped(unknown, 2, Tone::dim);
  }

  void tables() {
    for (const SuiteTable& asked : suite_tables(document_)) {
      out_ += "\n";
      line(asked.title, Tone::strong);
      std::vector<Column> columns;
      std::vector<Cell> head;
      for (std::size_t i = 0; i < asked.head.size(); ++i) {
        const int keep = i == 0 ? 0 : static_cast<int>(asked.head.size() - i);
        columns.push_back({i == 0 ? Align::left : Align::right, keep,
                           style_.ascii ? to_ascii(asked.head[i]) : asked.head[i]});
        head.push_back({asked.head[i], Tone::dim});
      }
      AlignedTable table(std::move(columns));
      table.add_cells(std::move(head));
      for (const std::vector<std::string>& row : asked.rows) {
        std::vector<Cell> cells;
        for (const std::string& text : row) cells.push_back({text});
        table.add_cells(std::move(cells));
      }
      out_ += table.render(style_);
      for (const std::string& note : asked.notes) wrapped(note, 2, Tone::dim);
    }
  }

  void verdict() {
    const bool passed = document_.verdict.outcome == RunOutcome::passed;
    // A command with a verdict of its own, such as one that the machine is not fit, says it: cases that passed are no praise.
    const bool is_contradicted = passed && !options_.exit.empty() && options_.exit.front() != '0';
    const std::string word = is_contradicted ? "" : verdict_word(document_);
    const std::string time = duration(document_.run.duration_s.value_or(0));
    const std::string host = one_line(scalar(document_.run.host, "hostname"));
    const std::string place = host.empty() ? "" : (word.empty() ? "" : "  ") + host;
    const std::size_t used = word.size() + display_width(place) + 3;
    const std::size_t room =
        style_.width > used + time.size() + 23 ? style_.width - used - time.size() - 3 : 20;
    const std::vector<std::string> parts = wrap(tally_text(document_), room);
    out_ += "\n" + toned(word, passed ? Tone::good : Tone::bad, style_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string left = i == 0 ? place + "   " : std::string(used, ' ');
      const bool is_last = i + 1 == parts.size();
      line(left + (is_last ? pad(parts[i], room) + "   " + time : parts[i]));
    }
    for (const auto& devices : document_.verdict.devices) wrapped(one_line(devices.text), 2);
  }

  // What happened and where, then what to do; the code is last, for `assay explain`.
  void reasons() {
    for (const ReasonGroup& group : grouped_reasons(document_)) {
      const Tone tone = group.severity >= ReasonSeverity::warning ? Tone::warning : Tone::bad;
      lines_of(group, tone);
      if (!group.places.empty()) wrapped("at " + group.places, 4, Tone::dim);
      const std::string next = one_line(group.next), code = "[" + one_line(group.code) + "]";
      wrapped(next.empty() ? code : "→ " + next + " " + code, 4);
    }
  }

  // Of a case some of its limits, of many cases the first: the other reports have all.
  void lines_of(const ReasonGroup& group, Tone tone) {
    std::size_t subjects = 0, limits = 0, left_out = 0;
    const std::string* last = nullptr;
    const auto say_more = [&] {
      if (left_out > 0) line("  … " + std::to_string(left_out) + " more, see report.md", Tone::dim);
      left_out = 0;
    };
    for (std::size_t i = 0; i < group.lines.size(); ++i) {
      const ReasonLine& reason = group.lines[i];
      const bool is_new = last == nullptr || *last != reason.subject || reason.subject.empty();
      if (is_new) {
        say_more();
        limits = 0;
        if (subjects++ == kMostSubjects) {
          line("  … " + std::to_string(group.lines.size() - i) + " more, see the other reports", Tone::dim);
          return;
        }
      }
      last = &reason.subject;
      if (limits++ < kMostLimits)
        subject(reason, group.place_of(reason), tone);
      else
        ++left_out;
    }
    say_more();
  }

  void subject(const ReasonLine& reason, const std::string& place, Tone tone) {
    const std::string name = one_line(reason.subject), text = one_line(reason.text);
    std::vector<std::string> parts;
    for (const std::string& part : {name, text, place}) {
      if (!part.empty()) parts.push_back(part);
    }
    const std::string whole = "  " + join(parts, "   ");
    if (display_width(whole) <= style_.width) {
      line(whole, tone);
      return;
    }
    const bool both = !name.empty() && !place.empty() && display_width(name + place) + 5 <= style_.width;
    if (both || !name.empty()) line("  " + name + (both ? "   " + place : ""), tone);
    if (!text.empty()) wrapped(text, 4);
    if (!both && !place.empty()) line("    " + place, Tone::dim);
  }

  void footer() {
    out_ += "\n";
    if (!options_.continued && !options_.results.empty())
      line(pad("results", kFooterLabel) + one_line(options_.results));
    if (!document_.verdict.reasons.empty() && !document_.verdict.reasons.front().code.empty()) {
      line(pad("why", kFooterLabel) + "assay explain " +
           shell_word(one_line(document_.verdict.reasons.front().code)));
    }
    if (options_.continued) return;
    if (const std::string again = again_command(); !again.empty()) line(pad("again", kFooterLabel) + again);
    line("exit " + (options_.exit.empty() ? std::to_string(document_.verdict.exit_code) : options_.exit));
  }

  // The command that goes on, runs what did not pass once more, or adds rounds to what is undecided.
  [[nodiscard]] std::string again_command() const {
    if (!options_.again.empty()) return one_line(options_.again);
    const Run& run = document_.run;
    if (options_.folder.empty() || run.suite_file.empty()) return {};
    const std::string command =
        options_.repeat.empty() ? "assay run " + shell_word(run.suite_file) : options_.repeat;
    if (document_.verdict.outcome == RunOutcome::interrupted)
      return command + " --resume " + shell_word(options_.folder);
    if (document_.verdict.outcome == RunOutcome::passed && has_open_verdicts(document_))
      return command + " --extend " + shell_word(options_.folder);
    if (document_.verdict.outcome != RunOutcome::failed && document_.verdict.outcome != RunOutcome::error)
      return {};
    const Case* only = nullptr;
    for (const Case& one : document_.cases) {
      if (one.outcome == Outcome::passed || one.outcome == Outcome::skipped) continue;
      if (only != nullptr)
        return options_.repeat.empty() ? "" : command + " --failed " + shell_word(options_.folder);
      only = &one;
    }
    return only != nullptr ? one_line(only->reproduce) : std::string();
  }

  const Document& document_;
  const ConsoleOptions& options_;
};

}  // namespace

void ConsoleText::line(const std::string& text, Tone tone) {
  out_ += toned(style_.ascii ? to_ascii(text) : text, tone, style_) + "\n";
}

void ConsoleText::wrapped(const std::string& text, std::size_t indent, Tone tone) {
  const std::size_t room = style_.width > indent + 20 ? style_.width - indent : 20;
  // Spelled out before it is wrapped: "→" is two columns of ASCII.
  const std::string whole = style_.ascii ? to_ascii(one_line(text)) : one_line(text);
  for (const std::string& part : wrap(whole, room)) line(std::string(indent, ' ') + part, tone);
}

ConsoleOptions console_options(const OptionList& list) {
  OptionReader reader(list);
  ConsoleOptions out;
  out.style.color = reader.boolean("color", false);
  out.style.ascii = reader.boolean("ascii", false);
  out.style.width = static_cast<std::size_t>(reader.integer("width", 120, 40, 1000));
  out.results = reader.text("results", "");
  out.folder = reader.text("folder", "");
  out.verbose = reader.boolean("verbose", false);
  out.repeat = reader.text("repeat", "");
  out.exit = one_line(reader.text("exit", ""));
  out.again = reader.text("again", "");
  out.continued = reader.boolean("continued", false);
  reader.finish();
  return out;
}

std::string render_console(const Document& document, const ConsoleOptions& options) {
  return Printer(document, options).print();
}

}  // namespace assay::reporters
