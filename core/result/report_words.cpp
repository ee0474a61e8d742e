// SPDX-License-Identifier: Apache-2.0
#include "result/report_words.hpp"

#include "text/lookup.hpp"

#include <algorithm>
#include <cctype>

namespace assay::result {
namespace {

// A number is any number: "worst of 4" is "worst of N".
std::string folded(std::string_view word) {
  std::string lower;
  while (!word.empty()) {
    const std::size_t number = std::min(word.find_first_not_of("0123456789"), word.size());
    lower += number > 0 ? 'n' : static_cast<char>(std::tolower(static_cast<unsigned char>(word.front())));
    word.remove_prefix(std::max<std::size_t>(number, 1));
  }
  return lower == "θ" ? "theta" : lower;
}

// What a heading says in fewer words where it has less room: "95 %, 3 rounds" and "95 %", and as it says more: "p5–p95 of samples".
std::string in_full(const std::string& one) {
  constexpr std::string_view kOfSamples = " of samples";
  if (one == "n %") return "n % interval";
  for (const char* const what : {"no peak", "no baseline"})
    if (one == what) return "no reference";
  if (one.starts_with("n %, ")) return "n % over " + one.substr(std::string_view("n %, ").size());
  return one.ends_with(kOfSamples) ? one.substr(0, one.size() - kOfSamples.size()) : one;
}

const GlossaryRow* find_folded(const std::string& word) {
  for (const auto* rows : {&report_words(), &glossary()}) {
    if (const auto* found = find_in(*rows, [&](const auto& row) { return folded(row.word) == word; }))
      return found;
  }
  return nullptr;
}

}  // namespace

const std::vector<GlossaryRow>& report_words() {
  static const std::vector<GlossaryRow> rows = {
      {"!",
       "The figure is to be doubted: it was disturbed, throttled or unsteady, or one rank lagged behind. The words beside it say which."},
      {"95 % interval",
       "The interval that holds the value with 95 % confidence; a heading that rows of several kinds share."},
      {"95 % over N rounds",
       "The interval that holds the value with 95 % confidence, whatever changes from round to round included."},
      {"?", "The change is undecided: the interval holds both no change and a change that counts."},
      {"ERROR", "The run's verdict if a case could not be measured to its end. The exit code is 5."},
      {"FAIL", "The run's verdict if an expectation, a check or a case failed. The exit code is 1."},
      {"INTERRUPTED",
       "The run's verdict if it was ended before all was measured. `assay run SUITE --resume RUN` goes on."},
      {"NOTHING RAN", "The run's verdict if every case was skipped or none was left over. It is not a pass."},
      {"PASS", "The run's verdict if everything that was asked for was measured, and held."},
      {"UNMET", "The run's verdict if the machine lacks what the suite requires. The exit code is 6."},
      {"again",
       "The command that goes on, repeats what did not pass, or takes more rounds for what is undecided."},
      {"answer",
       "What came out of a finding: confirmed, refuted, mixed, undecided, not comparable or not answered."},
      {"asked", "What a claim or a limit demands, beside what was measured."},
      {"at", "The point of the axes that a row of a finding is about."},
      {"band",
       "The range in which healthy devices lie, from `assay baseline`. `METRIC within band` holds a row to it."},
      {"baseline",
       "A file of what healthy devices reach, made by `assay baseline` from eight results or more."},
      {"because", "Why the answer came out as it did, in the words that the suite has for it."},
      {"bimodal",
       "A flag that results of earlier versions have: the samples lay about two values, half a percent or more apart. No verdict depends on it."},
      {"cause", "What a symptom most likely comes from, as the rule that recognised it says."},
      {"change", "The same as to reference: how far the row is from the one that it is compared with."},
      {"closest", "The check whose value lies nearest to its limit."},
      {"confirmed", "A finding's answer if its claim holds in every row that it is about."},
      {"confounded",
       "Said of a comparison whose sides differ in several settings: nothing tells which of them changed a row."},
      {"different",
       "A comparison's verdict for a metric without a better direction: the change is shown to be larger than the margin."},
      {"do", "What the suite advises for the answer that came out."},
      {"drifting",
       "A flag that results of earlier versions have: samples became slower or faster from first to last. Today `unsteady` tells it of the halves of a visit."},
      {"expected",
       "What was expected before anything was measured, and where that was said, as the suite has it."},
      {"faster", "A comparison's verdict if the new side is shown to be better by more than the margin."},
      {"from, to",
       "The two devices or nodes that a value is about: a row is where it comes from, a column where it goes to."},
      {"greatest", "The largest of what was read or measured."},
      {"group check", "A limit over several rows together, such as the spread between devices."},
      {"in samples",
       "In which share of the samples the rank named beside it was the slowest. Equal ranks come to one rank's part each."},
      {"largest", "The largest start skew of all samples."},
      {"least", "The smallest of what was read or measured."},
      {"left", "What stands on the left of a claim's sign, where the suite gives it no name."},
      {"left out",
       "What a table does not show in so few columns. The other reports and a wider terminal show it."},
      {"limit", "The bound that a row is held to, from the suite's `expect`."},
      {"limits not judged",
       "No limit of the row was judged, because its devices do not have what they limit, or it has too few peers. It is no ✓; --strict "
       "ends with 6."},
      {"mean",
       "Stands beside a duration whose median is more than 5 % from it: some samples are much longer than most."},
      {"mean over ranks", "The mean time of an iteration over samples and ranks, as nccl-tests prints it."},
      {"measured", "What the two sides of a claim came to, with the interval of what is compared."},
      {"medians of ranks", "Each rank's own median time of an iteration."},
      {"members", "The rows that a group check is about, each with its value."},
      {"most often slowest", "The rank that was the slowest in more samples than any other."},
      {"new", "What the later side of a comparison has in this row."},
      {"new / old",
       "The value of the new side over that of the old one: 1 is no change. What is better is up to the metric."},
      {"no reference",
       "A limit that refers to a peak, a row, a baseline or peers which this run does not have."},
      {"not answered",
       "Said of a finding for which nothing was measured: a case did not run or failed, or a value is missing. The reason stands beside it."},
      {"not comparable",
       "Said of rows that may not be compared with each other: they differ in more than one thing, or one has no value. The reason stands beside it."},
      {"not judged",
       "An expectation that could not be decided because a value is missing or no row matches; the case fails by it."},
      {"not_steady",
       "A flag that results of earlier versions have: samples began with a transient, or were too few to tell. Today `unsteady` tells it of the halves of a visit."},
      {"of peak",
       "The value as a share of what the device can do at best. The report cites where the peak is from."},
      {"old", "What the earlier side of a comparison has in this row."},
      {"outcome",
       "How a row ended, such as passed, failed or skipped; each of these words has an entry of its own."},
      {"own median", "The median time of an iteration on this rank alone."},
      {"p5–p95",
       "Where nine in ten samples lie. It stands instead of an interval where there are fewer than three rounds."},
      {"peers", "The other devices of the same model in the run."},
      {"points",
       "How many rows of results a case has: one for each point of its axes, on each device or pair."},
      {"post hoc",
       "An expectation or a finding that was written after the run was measured, by `assay judge --suite`."},
      {"quantity", "What a backend reads of its devices while a case runs, such as power or a clock."},
      {"question", "What a finding answers, in the words of the suite."},
      {"range", "From the lowest to the highest value of the devices or pairs that a row stands for."},
      {"refuted", "A finding's answer if its claim holds in none of the rows that it is about."},
      {"reported by the command",
       "The number is what a program of the suite printed. Assay neither measured nor checked it."},
      {"resumed",
       "The run was ended before its end and gone on with later: its parts were measured at different times."},
      {"right", "What stands on the right of a claim's sign, where the suite gives it no name."},
      {"row", "One point of a case's axes on one device, as its id says."},
      {"same", "A comparison's verdict if the change is shown to be smaller than the margin."},
      {"seen", "What was seen that a flag, a plausibility check or a symptom stands on, in figures."},
      {"severity",
       "What follows from a plausibility check that did not hold: `invalid` makes the case so, `warning` is told."},
      {"skewed",
       "A flag that results of earlier versions have: mean and median differed by more than 1 %. Today `mean_differs` tells it from 5 % on."},
      {"slower",
       "A comparison's verdict if the new side is shown to be worse by more than the margin. It is exit code 1."},
      {"slowest in", "In which share of the samples this rank was the slowest."},
      {"spread", "How far the rows of a group lie apart: largest less smallest, over their middle."},
      {"start skew, median",
       "From the first rank's begin of a sample to the last one's, as the median of all samples."},
      {"status", "Whether an expectation held: passed, failed, undecided or not judged."},
      {"subject", "The case, device or run that a plausibility check is about."},
      {"sustained", "Under a load that was held for the time that the suite says, as `for:` does."},
      {"symptom", "What a rule recognised in the results, with its evidence, its likely cause and a remedy."},
      {"their spread", "How far the medians of ranks lie apart: largest less smallest, over their middle."},
      {"theta", "The same as the margin: the smallest change that counts, also written θ."},
      {"to reference", "The change relative to the row that the suite names as the case's reference."},
      {"to the ranks' median", "How far the rank's own median is from the median of all ranks."},
      {"value", "What was measured: the statistic that the metric is published by, in the unit beside it."},
      {"variant", "One of several named sets of settings that a suite, or `--pairs`, measures in turn."},
      {"verified", "The benchmark's own result was checked in this run, and is right."},
      {"weakest", "Of the rows that agree in a finding's answer, the one that supports it least."},
      {"worst of N", "The row stands for that many devices or pairs, and has the value of the worst."},
      {"~", "The figure is known less well than was asked: its interval is wide, or it is of one run."},
      {"–", "There is no value, interval or judgement in this place; the words beside it say why."},
      {"✓", "The row's limits hold, or the checks that its plugin makes."},
      {"✗", "Something about the row failed; the reason stands beside it."},
  };
  return rows;
}

const GlossaryRow* find_printed_word(std::string_view word) {
  const std::string one = in_full(folded(word));
  if (const GlossaryRow* found = find_folded(one)) return found;
  for (const std::string_view ending : {"s", "es"})
    if (one.ends_with(ending))
      if (const GlossaryRow* found = find_folded(one.substr(0, one.size() - ending.size()))) return found;
  // A sign beside what it marks: "!1", "+22 %?".
  for (const char* const sign : {"!", "~", "✓", "✗", "–"})
    if (one.starts_with(sign)) return find_folded(sign);
  return one.ends_with('?') ? find_folded("?") : nullptr;
}

std::string report_words_markdown() {
  std::string text =
      "<!-- Made from core/result/report_words.cpp; a test compares. -->\n# Words and signs of reports\n\n"
      "What reports say of a row, a finding, a comparison or a run; `assay explain WORD` prints it. What measurements are made of has "
      "the [glossary](glossary.md).\n\n"
      "| word or sign | meaning |\n|---|---|\n";
  for (const GlossaryRow& row : report_words())
    text += "| " + std::string(row.word) + " | " + std::string(row.meaning) + " |\n";
  return text;
}

}  // namespace assay::result
