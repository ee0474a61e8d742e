// SPDX-License-Identifier: Apache-2.0
#include "result/glossary.hpp"

namespace assay::result {

const std::vector<GlossaryRow>& glossary() {
  static const std::vector<GlossaryRow> rows = {
      {"axis",
       "A parameter, condition or variable with several values in a suite. Every combination of a case's axes is measured."},
      {"backend",
       "A kind of hardware that benchmarks run on: cuda, host, or a vendor's own. It lists its devices and what is known of them."},
      {"benchmark", "A named measurement with parameters and metrics, such as membw."},
      {"case",
       "One benchmark with one choice of parameters, environment, devices and conditions. A row of a report."},
      {"check", "A yes or no that a plugin or a rule reports about a subject, such as a link of a device."},
      {"claim", "The comparison that a finding tests: between rows, or of rows with a limit."},
      {"condition",
       "A circumstance under which a case was measured: state of the caches, way of submitting work, data, temperature, seed."},
      {"contract",
       "The agreement of all plugins that offer a benchmark under the same name: parameters, metrics, and what counts as work."},
      {"device", "One GPU or another accelerator, or the host's processors together."},
      {"expectation",
       "A relation that a case's metrics must satisfy, written in the suite. The case fails if it does not hold."},
      {"fact",
       "A statement of a plugin or a backend about a run, beside its metrics, such as a library's version."},
      {"finding", "A question in a suite, the claim that answers it, and the verdict."},
      {"flag",
       "A code that says what a reader should know about a case's numbers. 'assay explain CODE' has each."},
      {"guard",
       "A rule of physics or bookkeeping that Assay applies by itself: nothing is faster than the hardware."},
      {"host", "The machine's processors and memory, as a backend."},
      {"interval",
       "The range that holds the long-run value with 95 % confidence, taken over rounds. With fewer than three rounds reports show p5–p95 instead."},
      {"inventory", "Devices, topology and software of this machine, as 'assay system' prints them."},
      {"iteration", "One repetition of a benchmark's work. A sample holds one or more."},
      {"journal", "The file that a run writes as it goes, and that 'run --resume' and 'judge' read."},
      {"manifest",
       "The description of a plugin as JSON beside its library. Suites are validated by it without loading the plugin."},
      {"margin", "The smallest change that counts, 2 % unless the suite says otherwise ('over')."},
      {"mark",
       "The worst flag of a row: '!' for a figure that is disturbed or unsteady, '~' for a wide interval or a single run."},
      {"metric", "A quantity that a benchmark declares, with its unit and the better direction."},
      {"mixed", "The verdict of a finding whose rows are all decided, and not all alike."},
      {"peak",
       "The best that a device can do, with its source: a data sheet, or a measurement beside the work."},
      {"plugin", "A shared library that provides benchmarks, a backend or a reporter."},
      {"precision", "The half-width of the interval, relative to the value, at which sampling ends."},
      {"rank", "One process of a case that runs on several devices, each with its own."},
      {"reason", "The code and the sentence that say why a case did not simply pass."},
      {"reference", "The row of a matrix that the case's other rows are compared with."},
      {"reporter",
       "The part of a plugin that makes a report from a result: console, markdown, html, junit, json and others."},
      {"result",
       "The document of a run: every case, value, interval, verdict and setting. Reports are made from it alone."},
      {"round", "One pass over all cases with fresh processes, in a new order."},
      {"sample", "One timed region of one or more iterations."},
      {"small", "A change that is shown to be there, and not shown to exceed the margin."},
      {"suite", "A file that says what to measure, what to expect and what is to be found out."},
      {"undecided",
       "The verdict where the interval does not tell. More rounds would; reports say how many, and `assay run SUITE --extend RUN` adds them."},
      {"verdict", "The decision on an expectation, a comparison or a finding."},
      {"visit", "One case in one round. It ends by itself, by its timeout, or with its process."},
      {"worker",
       "The process that loads a plugin and runs its visits. If it dies, only the visit that it ran is lost."},
  };
  return rows;
}

std::string glossary_markdown() {
  std::string text =
      "<!-- Made from core/result/glossary.cpp; a test compares. -->\n# Glossary\n\n"
      "Each word has one sense in suites, reports, messages and these pages; `assay explain WORD` prints it. The words of "
      "[outcomes](outcomes.md) and the codes of [reasons and flags](reasons.md) have pages of their own.\n\n"
      "| word | meaning |\n|---|---|\n";
  for (const GlossaryRow& row : glossary())
    text += "| " + std::string(row.word) + " | " + std::string(row.meaning) + " |\n";
  return text;
}

}  // namespace assay::result
