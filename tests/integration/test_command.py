# SPDX-License-Identifier: Apache-2.0
"""The command line: usage, lists, help."""

import json
import re
import shutil
import subprocess

import harness
from harness import Assay, HEADER


class Usage(Assay):
    def test_usage_errors_are_exit_2_with_a_suggestion(self):
        for arguments, word in [(["rn"], "run"), (["run", "quick", "--fliter", "x"], "--filter"), (["run", "quik"], "quick"),
                                (["bench", "mebw"], "membw"), (["bench", "membw@host", "kernle=triad"], "kernel"), (["explain", "expectation.faild"], "expectation.failed"),
                                (["run", "quick", "--report", "junti"], "junit"), (["bench", "membw@host", "kernel"], "key=value"),
                                (["run", "quick", "--report", "junit:dialetc=rich"], "dialect"), ([], "Usage"), (["run"], "suite")]:
            with self.subTest(arguments):
                result = self.assay(*arguments)
                self.assertEqual(result.code, 2, result.out + result.err)
                self.assertIn(word, result.err)

    def test_what_is_missing_or_too_much_is_said_in_plain_words(self):
        for arguments, words in [(["describe"], "assay: NAME is missing: benchmark, as in a suite"), (["validate"], "SUITE is missing"), (["plugin"], "one of: new, check, info"),
                                 (["completion"], "SHELL is missing"), (["completion", "tcsh"], "SHELL cannot be 'tcsh' (one of: bash, zsh, fish, suites, benchmarks, parameters, reporters, words)"),
                                 (["run", "quick", "--isolation", "cas"], "--isolation cannot be 'cas' (did you mean 'case'?)"), (["run", "quick", "--seed"], "--seed needs a value: N"),
                                 (["run", "quick", "-o"], "--output needs a value: DIR"), (["run", "quick", "-o", "a", "-o", "b"], "--output is there 2 times and takes one value"),
                                 (["doctor", "--processes", "0"], "--processes cannot be '0' (it is a whole number from 1 to 100)"), (["doctor", "--processes", "two"], "--processes cannot be 'two' (it is a whole number"),
                                 (["run", "quick", "--seed", "-1"], "--seed cannot be '-1' (it is a whole number from 0 to"), (["run", "quick", "--seed", "18446744073709551616"], "--seed cannot be '18446744073709551616' (it is"), (["explain", "a", "b"], "'b' is one argument too many"),
                                 (["list", "gemm", "membw"], "'gemm' is one argument too many")]:
            with self.subTest(arguments):
                result = self.assay(*arguments)
                self.assertEqual(result.code, 2, result.out + result.err)
                self.assertIn(words, result.err)
                self.assertIn(f"'assay {arguments[0]} --help' shows how it is used", result.err)

    def test_a_misspelt_benchmark_keeps_the_backend_that_was_said(self):
        for name, meant in [("colective@host", "collective@host"), ("colective", "collective"), ("membw@hots", "membw@host"), ("memw@cuda", "membw@cuda"), ("colectiv@elsewhere", "collective")]:
            with self.subTest(name):
                result = self.assay("bench", name)
                self.assertEqual((result.code, result.err), (2, f"assay: there is no benchmark '{name}' (did you mean '{meant}'?)\n"))

    def test_a_folder_that_is_named_and_not_there_is_usage(self):
        self.write("file", "")
        for option in ("--plugin-dir", "--library-path"):
            for name in ("nowhere", "file"):
                with self.subTest(option=option, name=name):
                    result = self.assay("list", option, name)
                    self.assertEqual(result.code, 2, result.out + result.err)
                    self.assertIn(f"{option} '{name}' is not a folder", result.err)

    def test_an_unknown_name_of_a_suite_lists_the_suites(self):
        for name in ("other.yaml", "README.md", "other"):
            with self.subTest(name):
                result = self.assay("validate", name)
                self.assertEqual(result.code, 2)
                self.assertIn(f"there is neither a file nor a suite '{name}' (suites that come with assay: ", result.err)
        self.assertIn("there is no file 'where/other.yaml'\n", self.assay("validate", "where/other.yaml").err)

    def test_a_filter_that_matches_nothing_is_told_the_cases(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, matrix: {bytes: [1KiB, 2KiB]}}\n  - {id: b, uses: series}\n")
        for more in ([], ["--dry-run"]):
            with self.subTest(more):
                result = self.assay("run", suite, "--plugin-dir", harness.FIXTURES, "--filter", "c", "--filter", "^d", *more)
                self.assertIn("no case matches --filter 'c' or '^d'; the suite has a, b", result.err)
                self.assertEqual(result.code, 6, "what --dry-run ends with is what the run ends with")
        self.assertNotIn("no case matches", self.assay("run", suite, "--plugin-dir", harness.FIXTURES, "--filter", "b", "--dry-run").err)

    def test_only_takes_rows_by_their_values(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, matrix: {bytes: [1KiB, 2KiB], env.X: [~, 1]}}\n  - {id: b, uses: series}\n")
        run = lambda *only: self.assay("run", suite, "--plugin-dir", harness.FIXTURES, *[word for term in only for word in ("--only", term)], "--dry-run")
        self.assertIn("1 case", run("bytes=2048", "env.X=1").out)
        self.assertIn("2 cases", run("bytes=2KiB").out)
        result = run("byte=2KiB")
        self.assertEqual((result.code, "--only: no case has 'byte' (did you mean 'bytes'?)" in result.err), (2, True), result.err)
        done = self.run_suite((self.folder / "suite.yaml").read_text(), "--only", "bytes=2KiB")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual([case["id"] for case in done.document["cases"]], ["a[bytes=2KiB,env.X=~]", "a[bytes=2KiB,env.X=1]"])
        self.assertNotIn("--only", done.document["cases"][0]["reproduce"])

    def test_a_bad_filter_is_usage(self):
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series}\n")
        result = self.assay("run", suite, "--plugin-dir", harness.FIXTURES, "--filter", "(")
        self.assertEqual(result.code, 2, result.err)

    def test_a_named_plugin_that_is_none_is_exit_4(self):
        self.write("x.so", "no library")
        self.write("y.assay.json", "{}")
        for name in ("x.so", "y.assay.json", "missing.so"):
            with self.subTest(name):
                result = self.assay("list", "--plugin", name)
                self.assertEqual(result.code, 4, result.err)
                self.assertIn(name, result.err)

    def test_help_leads_with_examples_everywhere(self):
        for arguments in ([], ["run"], ["bench"], ["list"], ["describe"], ["validate"], ["report"], ["system"], ["schema"], ["explain"],
                          ["plugin"], ["plugin", "info"], ["plugin", "new"], ["plugin", "check"], ["completion"]):
            with self.subTest(arguments):
                result = self.assay(*arguments, "--help")
                self.assertEqual(result.code, 0)
                self.assertIn("Examples:", result.out)
                self.assertLess(result.out.index("Examples:"), result.out.index("Usage:"))

    def test_help_and_version_are_commands_too(self):
        self.assertEqual(self.assay("help").out, self.assay("--help").out)
        self.assertEqual(self.assay("help", "plugin", "new").out, self.assay("plugin", "new", "--help").out)
        self.assertEqual(self.assay("version").out, self.assay("--version").out)
        for word in ("ASSAY_SUITE_PATH", "docs/README.md", "share/doc/assay"):
            self.assertIn(word, self.assay("help").out)
        unknown = self.assay("help", "rnu")
        self.assertEqual((unknown.code, "did you mean 'run'?" in unknown.err), (2, True), unknown.err)

    # Examples of these are run by tests of their own, where there is a plugin that was built, or take minutes.
    OTHERWISE = ("assay run quick", "assay run suite.yaml --extend", "assay run suite.yaml --budget", "assay run suite.yaml --pairs", "assay doctor", "assay plugin check build", "assay plugin info")

    def test_every_example_of_a_help_works(self):
        case = "{id: gemm, uses: gemm, with: {n: 64, k: 64}, matrix: {m: [64]}, measure: {samples: 5}, expect: [throughput >= 1 kFLOP/s, throughput >= 1 EFLOP/s]}"
        self.write("suite.yaml", f"version: 1\nsuite: own\nrequires: {{backend: host}}\ncases:\n  - {case}\n")
        self.assertEqual(self.assay("run", "suite.yaml", "-q").code, 1)
        shutil.copytree(self.folder / "assay-results/latest", self.folder / "run")
        shutil.copy(self.folder / "run/result.json", self.folder)
        environment = {**self.environment, "PATH": f"{harness.ASSAY.parent}:{self.environment['PATH']}"}
        done = 0
        for command in ([], ["run"], ["bench"], ["list"], ["describe"], ["validate"], ["report"], ["system"], ["schema"], ["explain"], ["plugin"],
                        ["plugin", "new"], ["plugin", "check"]):
            for line in self.assay(*command, "--help").out.split("Usage:")[0].splitlines():
                if not line.startswith("  assay ") or line.strip().startswith(self.OTHERWISE):
                    continue
                example = re.split(r"(?<=\S) {2,}", line.strip())[0]
                with self.subTest(example):
                    if example.startswith("assay bench") and "--yaml" not in example:
                        example = example.replace("bench", "bench --dry-run", 1)
                    elif example.startswith("assay plugin new"):
                        shutil.rmtree(self.folder / "saxpy", ignore_errors=True)
                    ended = subprocess.run(example, shell=True, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                           timeout=harness.PATIENCE_S)
                    # The suite's second limit cannot be met, and what failed is there to run again.
                    self.assertEqual(ended.returncode, 1 if example.startswith("assay run") and "--dry-run" not in example else 0,
                                     ended.stdout + ended.stderr)
                    done += 1
        self.assertGreater(done, 24)

    def test_completions_are_accepted_by_their_shells(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", ["zsh", "-n"])):
            script = self.write(f"completion.{shell}", self.assay("completion", shell).out)
            self.assertIn("validate", script.read_text())
            self.assertRegex(script.read_text(), r"plugin\).*new check info")
            done = subprocess.run([*check, str(script)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("complete -c assay", self.assay("completion", "fish").out)

    def test_a_closed_pipe_is_no_crash(self):
        done = subprocess.run(f"{harness.ASSAY} list | true", shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)


class Looking(Assay):
    def test_list_shows_every_provider(self):
        out = self.assay("list").out
        for word in ("membw@host", "gemm@host", "junit", "markdown", "quick"):
            self.assertIn(word, out)

    def test_list_says_what_suites_are_for(self):
        folder = self.write("mine/soak.yaml", "version: 1\nsuite: soak\ndescription: Does it last a night?\ncases:\n  - {id: a, uses: membw@host}\n").parent
        self.write("mine/broken.yaml", "version: 1\ncases: {\n")
        self.write("mine/quick.yaml", "version: 1\nsuite: quick\ndescription: Mine.\ncases:\n  - {id: a, uses: membw}\n")
        suites = self.assay("list", environment={"ASSAY_SUITE_PATH": str(folder)}).out.partition("\nsuites ('assay run SUITE --dry-run' says how long one takes here)\n")[2]
        self.assertRegex(suites, r"(?m)^  soak +Does it last a night\?$")
        self.assertRegex(suites, r"(?m)^  broken +not valid: 'assay validate broken' says why$")
        self.assertRegex(suites, r"(?m)^  quick +Mine\.$")
        self.assertRegex(suites, r"(?m)^  training-study +host +Do loader workers")
        self.assertRegex(suites, r"(?m)^  links-study +cuda, >=2 devices +What do")
        self.assertEqual(suites.count("  quick "), 1)
        self.assertNotIn(str(folder), suites)
        self.assertIn(str(folder / "soak.yaml"), self.assay("list", "-v", environment={"ASSAY_SUITE_PATH": str(folder)}).out)

    def test_described_suites_run(self):
        listed = self.assay("list").out.partition("\n\n")[0].splitlines()[1:]
        for name in [line.split()[0] for line in listed if "@" in line.split()[0]] + ["membw", "gemm"]:
            with self.subTest(name):
                text = self.assay("describe", name, "--yaml").out
                result = self.assay("validate", self.write(f"{name}.yaml", text))
                self.assertEqual(result.code, 0, result.err)
                # With what is commented out in use: an axis is no longer fixed in 'with'.
                for axis in re.findall(r"# matrix: \{(\w+):", text):
                    text = re.sub(rf"(?m)^      {axis}: .*\n", "", text).replace("    with:\n    #", "    #")
                text = re.sub(r"(?m)^( *)# ((?:matrix|reference|processes|measure|expect|findings|  - id|    question|    let|    claim): ?)", r"\1\2", text)
                self.assertIn("\n    processes: 3", text)
                result = self.assay("validate", self.write(f"{name}.yaml", text))
                self.assertEqual(result.code, 0, result.err + text)
        self.assertIn("\n# findings:", self.assay("describe", "membw@host", "--yaml").out)

    def test_a_parameter_is_looked_up_in_the_backend_asked_for(self):
        refused = self.assay("bench", "p2p@host", "engine=copy", "--dry-run")
        self.assertEqual(refused.code, 2)
        self.assertIn("p2p@host has no parameter 'engine'; 'assay describe p2p@host' shows them", refused.err)

    def test_a_described_suite_says_who_else_has_the_benchmark(self):
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        self.assertIn("# also on cuda: uses: membw@cuda\n", self.assay("describe", "membw", "--yaml", environment=hidden).out)
        self.assertNotIn("# also on", self.assay("describe", "membw@host", "--yaml").out)
        self.assertNotIn("# also on", self.assay("describe", "external", "--yaml").out)

    def test_bench_prints_the_suite_that_it_would_run(self):
        out = self.assay("bench", "membw@host", "kernel=triad,copy", "bytes=1MiB", "samples=5", "--yaml").out
        suite = self.write("bench.yaml", out)
        self.assertEqual(self.assay("validate", suite).code, 0, out)

    def test_bench_takes_booleans(self):
        out = self.assay("bench", "dataloader@host", "persistent=true,false", "worker_kind=thread", "--yaml").out
        self.assertIn("persistent: [true, false]\n", out)
        one = self.assay("bench", "dataloader@host", "persistent=true", "--dry-run")
        self.assertEqual(one.code, 0, one.err)
        wrong = self.assay("bench", "dataloader@host", "persistent=yes", "--dry-run")
        self.assertEqual(wrong.code, 3)
        self.assertIn("is true or false, not 'yes'", wrong.err)

    def test_what_a_machine_lacks_is_said_once(self):
        hidden = {"CUDA_VISIBLE_DEVICES": ""}
        plan = self.assay("run", "nccl-tuning", "--dry-run", environment=hidden)
        lacks = [line.removeprefix("missing here: ") for line in plan.out.splitlines() if line.startswith("missing here: ")]
        self.assertEqual(len(lacks), 1, plan.out)
        self.assertEqual(plan.out.count(lacks[0]), 1, plan.out)
        # Neither does the table say it row by row.
        run = self.assay("run", "nccl-tuning", "-o", self.results, environment=hidden)
        self.assertEqual(run.code, 6, run.err)
        self.assertRegex(run.out, r"allreduce +– not run, \d+ rows\n")
        self.assertRegex(run.out, r"\d+ findings   not answered: nothing was measured\n")
        self.assertLess(len(run.out.splitlines()), 20, run.out)
        left = run.document["findings"][0]["rows"][0]["left"]
        self.assertEqual((left["value"], left["unit"]), (None, None))

    def test_bench_takes_a_name_as_a_suite_does(self):
        out = self.assay("bench", "gemm", "dtype=fp32", "--yaml").out
        self.assertIn("    uses: gemm\n", out)
        self.assertEqual(self.assay("validate", self.write("bench.yaml", out)).code, 0, out)
        # A plugin's id stays in the suite.
        out = self.assay("bench", "gemm@host:org.assay.gemm.host", "m=64", "--yaml").out
        self.assertIn("uses: \"gemm@host:org.assay.gemm.host\"\n", out)
        self.assertEqual(self.assay("validate", self.write("bench.yaml", out)).code, 0, out)

    def test_bench_asks_which_plugin_where_two_offer_the_same(self):
        manifest = json.loads((harness.FIXTURES / "assay_null.assay.json").read_text())
        self.write("two/assay_twin.assay.json", json.dumps({**manifest, "id": "org.example.twin"}))
        for command in (["bench", "null@host", "--dry-run"], ["describe", "null@host", "--yaml"]):
            done = self.assay(*command, "--plugin-dir", harness.FIXTURES, "--plugin-dir", "two")
            self.assertEqual(done.code, 2, done.err)
            self.assertIn("say which: null@host:org.assay.null, null@host:org.example.twin", done.err)
        done = self.assay("bench", "null@host:org.assay.null", "--dry-run", "--plugin-dir", harness.FIXTURES, "--plugin-dir", "two")
        self.assertEqual(done.code, 0, done.err)
        # What is said of a plugin that is not used is said once, however often the command looks for plugins.
        self.assertEqual(done.err.count("assay_misbehaving.so: warning: no manifest"), 1, done.err)

    def test_doctor_ends_with_the_exit_code_that_unfit_settings_give(self):
        done = self.assay("doctor", "--processes", "1", "--plugin-dir", harness.FIXTURES, "-o", self.results, environment={"ASSAY_FAKE_GOVERNOR": "powersave"})
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertEqual(done.out.rstrip().splitlines()[-1], "exit 1, because the machine is not fit, whatever its cases came to", done.out)
        self.assertEqual(done.out.splitlines()[0].split(":")[0], "not fit", done.out)
        self.assertLess(done.out.index("fake:0: the frequency governor is 'powersave'"), done.out.index(" passed"))
        self.assertNotIn("PASS", done.out)

    def test_bench_takes_devices_by_name_and_ranges(self):
        for settings, words in [(["devices=host:0"], 'devices: ["host:0"]'), (["devices=each"], "devices: each"), (["devices=1"], "devices: 1"),
                                (["bytes=1MiB..64MiB*8"], "bytes: {from: 1MiB, to: 64MiB, factor: 8}"), (["threads=1..3+2"], "threads: {from: 1, to: 3, step: 2}"),
                                (["bytes=1MiB,2MiB"], "bytes: [1MiB, 2MiB]")]:
            with self.subTest(settings):
                out = self.assay("bench", "membw@host", *settings, "--yaml").out
                self.assertIn(words, out)
                done = self.assay("validate", self.write("bench.yaml", out))
                self.assertEqual(done.code, 0, done.err)
        # What only looks like a range is a value, and refused as one.
        self.assertIn("not '1MiB..x*4'", self.assay("bench", "membw@host", "bytes=1MiB..x*4", "--dry-run").err)

    def test_bench_names_only_what_somebody_chose(self):
        done = self.assay("bench", "membw@host", "max_time=1s", "samples=5", "--dry-run")
        self.assertEqual(done.code, 0, done.err)
        result = self.assay("bench", "membw@host", "-q", "--quick", "-o", self.results)
        self.assertEqual(result.code, 0, result.err)
        case = result.document["cases"][0]
        self.assertEqual(sorted(case["defaults"]), sorted(case["parameters"]))
        self.assertIn("stores: ", self.assay("bench", "membw@host", "--yaml").out)

    def test_bench_measures(self):
        result = self.assay("bench", "membw@host", "kernel=triad", "bytes=1MiB", "samples=6", "-o", self.results)
        self.assertEqual(result.code, 0, result.err + result.out)
        metric = result.document["cases"][0]["metrics"][0]
        self.assertEqual(metric["name"], "bandwidth")
        self.assertGreater(metric["value"], 1e8)

    def test_a_name_that_yaml_reads_as_nothing_is_quoted(self):
        suite = self.write("null.yaml", self.assay("bench", "null@host", "samples=5", "--plugin-dir", harness.FIXTURES, "--yaml").out)
        self.assertEqual(self.assay("validate", suite, "--plugin-dir", harness.FIXTURES).code, 0)

    def test_json_may_be_asked_for_by_name(self):
        result = self.assay("bench", "membw@host", "kernel=copy", "bytes=1MiB", "samples=6", "-q", "-o", self.results, "--report", "json")
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual({p.name for p in self.results.iterdir()}, {"result.json", "journal.jsonl"})

    def host_devices(self):
        backends = json.loads(self.assay("system", "--json").out)["backends"]
        return next(backend["devices"] for backend in backends if backend["name"] == "host")

    def test_system_says_what_the_machine_is(self):
        self.assertEqual(self.host_devices()[0]["name"], "host:0")
        self.assertIn("host:0", self.assay("system").out)

    def test_an_inventory_plans_for_another_machine(self):
        inventory = self.write("node.json", self.assay("system", "--json", "--plugin-dir", harness.FIXTURES).out)
        suite = self.write("suite.yaml", HEADER + "cases:\n  - {id: a, uses: series, devices: all}\n")
        result = self.assay("run", suite, "--plugin-dir", harness.FIXTURES, "--dry-run", "--inventory", inventory)
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("4 ranks", result.out)

    def test_tables_of_peaks_are_read(self):
        devices = self.host_devices()
        entry = {"name": "this", "source": "a datasheet", "match": {"model": devices[0]["model"]}, "peaks": {"memory_bandwidth": "9 TB/s"}}
        text = "version: 1\ndevices: " + json.dumps([entry]) + "\n"
        self.write("mine.yaml", text)
        bench = ("bench", "membw@host", "kernel=copy", "bytes=1MiB", "samples=6", "-q")
        result = self.assay(*bench, "--peaks", "mine.yaml", "-o", self.results)
        self.assertEqual(result.code, 0, result.err)
        peak = result.document["cases"][0]["metrics"][0]["peak"]
        self.assertEqual((peak["value"], peak["source"]), (9e12, "a datasheet (mine.yaml)"))
        self.assertEqual(self.assay("report", self.results, "--report", "json=again.json").code, 0)
        self.assertEqual(json.loads((self.folder / "again.json").read_text()), result.document)

        own = self.write(".local/share/assay/suites/devices/own.yaml", text)
        result = self.assay(*bench, "-o", self.folder / "own")
        self.assertEqual(result.code, 0, result.err)
        document = json.loads((self.folder / "own/result.json").read_text())
        self.assertEqual(document["cases"][0]["metrics"][0]["peak"]["source"], f"a datasheet ({own.parent})")

        suite = self.write("suite.yaml", "version: 1\nsuite: mine\nrequires: {backend: host}\ncases:\n"
                           "  - {id: a, uses: membw, with: {kernel: copy, bytes: 1MiB}, measure: {samples: 6}, expect: [bandwidth >= 90% of peak]}\n")
        self.assertEqual(self.assay("run", suite, "-q", "--peaks", "mine.yaml", "-o", self.folder / "first").code, 1)
        failed = ["run", suite, "-q", "--failed", self.folder / "first", "-o", self.folder / "second"]
        done = self.assay(*failed)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("give the file again: --peaks FILE", done.err)
        self.assertEqual(self.assay(*failed, "--peaks", "mine.yaml").code, 1)

        self.write("mine.yaml", text.replace("9 TB/s", "9 parsecs"))
        result = self.assay(*bench, "--peaks", "mine.yaml", "-o", self.folder / "bad")
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("mine.yaml:2:", result.err)

    def test_completion_asks_for_names(self):
        self.assertIn("quick", self.assay("completion", "suites").out.split())
        self.assertIn("membw", self.assay("completion", "benchmarks").out.split())
        self.assertIn("expectation.failed", self.assay("completion", "words").out.split())
        self.assertIn("junit", self.assay("completion", "reporters").out.split())
        self.assertIn("kernel=triad", self.assay("completion", "parameters", "membw@host").out.split())
        path = f"{harness.ASSAY.parent}:{self.environment['PATH']}"
        # bash gives '=' as a word of its own.
        for words, expected in ((["run", "qui"], ["quick"]), (["bench", "membw@host", "ker"], ["kernel="]), (["bench", "membw", "kernel", "=", "tri"], ["triad"]),
                                (["run", "quick", "--report", "jun"], ["junit"]), (["bench", "membw@host", "--ru"], ["--runs"]),
                                (["run", "quick", "--isolation", "wor"], ["worker"]), (["explain", "to_ref"], ["to_reference"]),
                                (["help", "expl"], ["explain"]), (["describe", "qui"], ["quick"]), (["describe", "markd"], ["markdown"])):
            script = self.assay("completion", "bash").out + f'\nCOMP_WORDS=(assay {" ".join(words)}) COMP_CWORD={len(words)}\n_assay\necho "${{COMPREPLY[@]}}"\n'
            done = subprocess.run(["bash", "-c", script], cwd=self.folder, env={**self.environment, "PATH": path}, capture_output=True, text=True)
            self.assertEqual(done.stdout.split(), expected, done.stderr)

    def test_schemas_are_json_schemas_and_hold_their_documents(self):
        import jsonschema
        import yaml
        schema = json.loads(self.assay("schema", "suite", "--plugin-dir", harness.FIXTURES).out)
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(yaml.safe_load((harness.SOURCE / "suites/quick.yaml").read_text()), schema)
        result_schema = json.loads(self.assay("schema", "result").out)
        jsonschema.Draft7Validator.check_schema(result_schema)
        result = self.run_suite("cases:\n  - {id: a, uses: series, devices: each, expect: [bandwidth > 1 MB/s]}\n  - {id: b, uses: series, with: {fault: abort, phase: verify}}\n")
        jsonschema.validate(result.document, result_schema)

    def test_the_committed_suite_schema_is_current(self):
        committed = (harness.SOURCE / "suites/schema/suite.schema.json").read_text()
        self.assertEqual(self.assay("schema", "suite").out, committed, "./dev docs regenerates it")

    def test_every_reason_can_be_explained(self):
        lines = [line for line in self.assay("explain").out.splitlines() if not line.startswith(" ")]
        self.assertEqual([line for line in lines if len(re.split(r"  +", line)) != 3], [], "each has a sentence")
        codes = [re.split(r"  +", line)[0] for line in lines]
        self.assertGreater(len(codes), 20)
        for code in codes:
            self.assertEqual(self.assay("explain", code).code, 0)
            self.assertEqual(self.assay("explain", code.replace("_", " ")).out, self.assay("explain", code).out, "as tables print it")

    def test_words_and_outcomes_can_be_explained(self):
        for word in ("visit", "undecided", "not run"):
            self.assertEqual(self.assay("explain", word).code, 0, word)
        self.assertIn("one case in one round", self.assay("explain", "visit").out.lower())
        self.assertIn("visit", self.assay("explain", "vist").err)

    def test_plugin_info_runs_nothing(self):
        out = self.assay("plugin", "info", harness.BUILD / "lib/assay/plugins/membw_host.so").out
        self.assertIn("org.assay.membw.host", out)
        self.assertIn("sha256", out)


if __name__ == "__main__":
    harness.main()
