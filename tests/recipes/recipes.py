# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md, each followed: what a contributor writes, as data. A recipe's new files lie beside this one, in the folder of
its name and as they stand in the repository; its edits put lines after the last line that matches."""

import dataclasses
import pathlib
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Edit:
    path: str
    after: str  # a regular expression for one line
    text: str   # whole lines


@dataclasses.dataclass
class Recipe:
    title: str  # its heading in CONTRIBUTING.md
    name: str   # what NAME stands for there
    edits: list
    targets: list   # to build
    tests: str      # to run: a regular expression of ctest
    made: dict = dataclasses.field(default_factory=dict)  # what the build or a test writes: file in the repository → file in the build folder, or None

    @property
    def folder(self):
        return HERE / self.title.split()[-1]

    def written(self):
        """The files that somebody writes by hand, relative to the repository."""
        new = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()} if self.folder.is_dir() else set()
        return new | {edit.path for edit in self.edits}

    def follow(self, root):
        """In a copy of the repository. Raises ValueError if a line that an edit stands after is not there."""
        if self.folder.is_dir():
            shutil.copytree(self.folder, root, dirs_exist_ok=True)
        for edit in self.edits:
            path = root / edit.path
            lines = path.read_text(encoding="utf-8").split("\n")
            found = [i for i, line in enumerate(lines) if re.search(edit.after, line)]
            if not found:
                raise ValueError(f"{edit.path}: no line matches '{edit.after}', after which the recipe '{self.title}' puts its own")
            lines[found[-1] + 1:found[-1] + 1] = edit.text.rstrip("\n").split("\n")
            path.write_text("\n".join(lines), encoding="utf-8")


RECIPES = [
    Recipe("A reporter", "tally", [
        Edit("reporters/CMakeLists.txt", r"^assay_reporter\(prometheus\)", "assay_reporter(tally)"),
        Edit("reporters/golden_test.cpp", r'^#include "prometheus/', '#include "tally/tally.hpp"'),
        Edit("reporters/golden_test.cpp", r'^      \{"prom", render_prometheus\},', '      {"tally.txt", render_tally},'),
        Edit("docs/reference/reporters.md", r"^\| `prometheus` \| `assay\.prom`", "| `tally` | `tally.txt` | a line for a chat |"),
    ], ["reporter_tally", "assay_reporters_test"], r"^reporter_tally\.manifest$|Golden.*EveryReportIsAsApproved",
        {"reporters/tally/tally.assay.json": "lib/assay/plugins/reporter_tally.assay.json", "tests/golden/reporters": None}),
    Recipe("A plugin", "twice", [
        Edit("plugins/CMakeLists.txt", r"^add_subdirectory\(external\)", "add_subdirectory(twice)"),
    ], ["twice_host", "twice_cuda", "assay_plugin_twice_test", "assay", "host"], r"^twice_(host|cuda)\.manifest$|^plugins\.Twice",
        {"plugins/twice/twice_host.assay.json": "lib/assay/plugins/twice_host.assay.json",
         "plugins/twice/twice_cuda.assay.json": "lib/assay/plugins/twice_cuda.assay.json"}),
    Recipe("A suite key", "least_samples", [
        Edit("core/model/measure_options.hpp", r"^  std::uint64_t samples = 0;", "  std::uint64_t least_samples = 0;  // not fewer, however precise; 0: as the precision needs"),
        Edit("core/model/measure_keys.hpp", r"^        \.between\(0, 1e9\),",
             '    MeasureKey{"least_samples", &MeasureOptions::least_samples, "least_samples",\n'
             '               "Not fewer samples than this, however precise they are.", "100"}\n        .between(1, 1e9),'),
        Edit("core/measure/leader.cpp", r"^  options\.tick_s = traits_\.tick_s;",
             "  options.minimum_samples = std::max(options.minimum_samples, settings_.least_samples);"),
        Edit("core/measure/loop_test.cpp", r"^namespace \{$",
             "\nTEST(LeastSamples, AreTakenHoweverPreciseTheyAre) {\n  SimulatedRegion region;\n  VisitSettings settings;\n  settings.least_samples = 500;\n"
             "  settings.max_time_s = 1e6;\n  const LoopResult result = measure_alone(region, simulated_traits(), settings);\n"
             "  EXPECT_GE(result.series.device_s.size(), 500U);\n}\n"),
    ], ["assay_measure_test", "assay_model_test", "assay_suite_test"], r"LeastSamples|^model\.|^suite\.Key"),
    Recipe("A published field", "longest_visit_s", [
        Edit("core/model/document_case.hpp", r"^  std::optional<double> duration_s;", "  double longest_visit_s = 0;"),
        Edit("core/model/document_case_fields.hpp", r'^      field\("reason", &Case::reason\)', '      field("longest_visit_s", &Case::longest_visit_s).if_any(),'),
        Edit("core/judge/document_case.cpp", r"^  for \(const result::Visit\* visit : result\.visits\) \*out\.duration_s \+= visit->duration_s;",
             "  for (const result::Visit* visit : result.visits)\n    out.longest_visit_s = std::max(out.longest_visit_s, visit->duration_s);"),
        Edit("core/judge/judge_test.cpp", r"^namespace \{$",
             "\nTEST(Judge, TellsHowLongTheLongestVisitTook) {\n  World world;\n  const std::string id = world.planned(world.suite_case(\"membw\"), {}, 2);\n"
             "  world.visit(id, World::around(0.02));\n  world.visit(id, World::around(0.02), 2).duration_s = 4;\n"
             '  EXPECT_EQ(world.judged().at("longest_visit_s"), 4);\n}\n'),
    ], ["assay_judge_test"], r"TellsHowLongTheLongestVisitTook"),
    Recipe("A judge rule", "guard.tick-above-sample", [
        Edit("core/result/reasons.cpp", r'"Check the counting rule in `assay describe NAME` and the peak\'s source in the result\."\},$',
             '    {"guard.tick-above-sample", S::invalid, "Samples are shorter than the tick of their clock, so they tell nothing.",\n'
             '     "Let an iteration do more work."},'),
        Edit("core/judge/guards.cpp", r"^namespace \{$",
             "\nstd::string sample_below_tick(const CaseResult& result) {\n"
             "  for (std::size_t i = 0; i < result.times.size(); ++i) {\n"
             "    const double tick_s = result.last_attempts[i]->measurement.tick_s;\n"
             "    const double sample_s = statistics::median(result.times[i].sample_s);\n"
             "    if (sample_s < tick_s)\n"
             '      return "a sample takes " + quantity_text(sample_s, "s") + ", and the clock ticks every " + quantity_text(tick_s, "s");\n'
             "  }\n  return {};\n}"),
        Edit("core/judge/guards.cpp", r'^  add\("guard\.conditions-differ"', '  add("guard.tick-above-sample", sample_below_tick(result));'),
        Edit("core/judge/judge_test.cpp", r"^namespace \{$",
             "\nTEST(Judge, CallsSamplesBelowTheTickInvalid) {\n  World world;\n  const std::string id = world.planned(world.suite_case(\"membw\"), {});\n"
             "  world.visit(id, World::around(0.02)).measurement.tick_s = 0.1;\n"
             '  EXPECT_EQ(world.judged().at("reason").at("code"), "guard.tick-above-sample");\n}\n'),
        Edit("docs/reference/guards.md", r"^\| G17 \|",
             "| G18 | No sample is shorter than its clock's tick. | `guard.tick-above-sample` | `Judge, CallsSamplesBelowTheTickInvalid` |"),
    ], ["assay_judge_test", "assay_result_test"], r"CallsSamplesBelowTheTickInvalid|^result\.Reasons\.EveryRow"),  # pages are made by ./dev docs, afterwards
]
