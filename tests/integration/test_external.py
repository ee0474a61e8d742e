# SPDX-License-Identifier: Apache-2.0
"""Cases that run commands: what they get, what is read from them, how they end, and that nothing outlives them."""

import html
import os
import re
import shlex
import shutil
import signal

import harness

TABLE = """#       size         count      type   redop    root     time   algbw   busbw #wrong
    16777216       4194304     float     sum      -1    100.3  167.27  250.91      0
  1073741824     268435456     float     sum      -1   4524.1  237.34  356.01      0
# Out of bounds values : 0 OK
"""


class External(harness.Assay):
    def script(self, name, text):
        path = self.write(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def cases(self, text, *arguments, **keywords):
        return self.run_suite("version: 1\nsuite: test\ncases:\n" + text, *arguments, **keywords)

    def metric(self, case, name, indices=()):
        return next(m for m in case["metrics"] if m["name"] == name and m["indices"] == list(indices))


class Runs(External):
    def test_metrics_come_in_base_units_and_are_marked_as_reported(self):
        self.write("table", TABLE)
        done = self.cases("""  - id: allreduce
    uses: external
    command: [cat, table]
    verify: {pattern: 'Out of bounds values : 0 OK'}
    metrics:
      busbw: {pattern: '^ *1073741824 .* ([0-9.]+) +0$', unit: GB/s}
      latency: {pattern: '^ *16777216 +\\d+ +\\w+ +\\w+ +-1 +([0-9.]+)', unit: us}
      by_size: {pattern: '^ *(\\d+) .* ([0-9.]+) +0$', unit: GB/s}
    expect: [busbw >= 350 GB/s, latency <= 150 us, by_size >= 250 GB/s]
""")
        self.assertEqual(done.code, 0, done.out + done.err)
        case = done.case("allreduce")
        busbw = self.metric(case, "busbw")
        self.assertAlmostEqual(busbw["value"], 356.01e9)
        self.assertEqual((busbw["unit"], busbw["kind"], busbw["direction"]), ("B/s", "rate", "higher"))
        self.assertEqual((busbw["statistic"], busbw["interval"]), ("reported", None))
        self.assertAlmostEqual(self.metric(case, "latency")["value"], 100.3e-6)
        self.assertAlmostEqual(self.metric(case, "by_size", [16777216])["value"], 250.91e9)
        self.assertIn("reported", [flag["code"] for flag in case["flags"]])
        self.assertNotIn("not_verified", [flag["code"] for flag in case["flags"]])
        self.assertTrue(case["verification"]["verified"])
        self.assertEqual(case["command"], ["cat", "table"])
        self.assertIn("reported by the command", done.out)
        self.assertIn("reported by the command", (self.results / "report.md").read_text())

    def test_a_printed_number_equals_the_same_number_of_a_suite(self):
        lines = []
        for case, unit, most in (("share", "%", 99), ("ms", "ms", 59), ("us", "us", 59)):
            printed = " ".join('"v%d": %d,' % (n, n) for n in range(1, most + 1))
            lines.append("  - id: %s\n    uses: external\n    processes: 3\n    command: [echo, '{%s \"end\": 0}']\n    metrics:\n" % (case, printed))
            lines += ["      v%d: {json: /v%d, unit: '%s'}\n" % (n, n, unit) for n in range(1, most + 1)]
            relations = ["v%d %s %d %s" % (n, relation, n, unit) for n in range(1, most + 1) for relation in ("==", "<=", ">=")]
            lines.append("    expect: [%s]\n" % ", ".join(relations))
        done = self.cases("".join(lines))
        self.assertEqual(done.code, 0, done.out[-2000:] + done.err)

    def test_a_journal_of_commands_on_a_backend_is_rendered_again(self):
        done = self.cases("  - {id: a, uses: external, backend: [host], command: ['true']}\n")
        self.assertEqual(done.code, 0, done.err)
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=again.json", "-q")
        self.assertEqual(again.code, 0, again.err)
        self.assertEqual((self.folder / "again.json").read_bytes(), (self.results / "result.json").read_bytes())

    def test_a_difference_has_the_unit_that_was_written(self):
        case = """  - id: %s
    uses: external
    command: [echo, '%d']
    processes: 3
    metrics: {speed: {pattern: '(.+)', unit: img/s}}
"""
        done = self.cases(case % ("one", 1000) + case % ("two", 2200) + """findings:
  - id: more
    question: Does the second do 900 more?
    let: {one: "one[].speed", two: "two[].speed"}
    claim: two - one >= 900 img/s
""")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertRegex(done.out, r"1200 img/s.*asked: ≥ 900 img/s")

    def test_an_unverified_rate_is_shown_with_a_flag(self):
        done = self.cases("  - {id: a, uses: external, command: [echo, '5'], metrics: {r: {pattern: '(5)', unit: B/s}}}\n")
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(self.metric(done.case("a"), "r")["value"], 5)
        self.assertIn("not_verified", [flag["code"] for flag in done.case("a")["flags"]])

    def test_every_declared_metric_is_a_column_in_its_written_unit(self):
        self.write("line", "throughput 41050 accuracy 0.912 images 1800 wait 250 util 67\n")
        done = self.cases("""  - id: train
    uses: external
    command: [cat, line]
    measure: {samples: 6, warmup: 0}
    metrics:
      throughput: {pattern: 'throughput (\S+)', unit: tokens/s}
      accuracy: {pattern: 'accuracy (\S+)'}
      images: {pattern: 'images (\S+)', unit: img/s}
      wait: {pattern: 'wait (\S+)', unit: us}
      util: {pattern: 'util (\S+)', unit: '%'}
    expect: [throughput >= 40000 tokens/s, images >= 2000 img/s, "util <= 90%"]
""", "--report", "junit", "--report", "markdown", "--report", "json", environment={"COLUMNS": "200"})
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertIn("images 1800 img/s, limit 2000 img/s", done.case("train")["reason"]["text"])
        images = self.metric(done.case("train"), "images")
        self.assertEqual((images["unit"], images["kind"], images["direction"]), ("img/s", "rate", "higher"))
        wait = self.metric(done.case("train"), "wait")
        self.assertEqual((wait["unit"], wait["written"]), ("s", {"unit": "us", "scale": 1e-06}))
        markdown = (self.results / "report.md").read_text()
        junit = (self.results / "junit.xml").read_text()
        for name, value, limit in (("throughput", "41050 tokens/s", "≥ 40000 tokens/s"), ("accuracy", "0.912", ""),
                                   ("images", "1800 img/s", "≥ 2000 img/s"), ("wait", "250 µs", ""), ("util", "67 %", "≤ 90 %")):
            number, unit = (value.split(" ") + [""])[:2]
            with self.subTest(name):
                self.assertIn(value, done.out)
                self.assertIn(limit, done.out)
                self.assertIn(f"| {name}" + (f", {unit} |" if unit else " |"), markdown)
                self.assertRegex(markdown, rf"\| (\*\*)?{number}(\*\*)? \|")
                self.assertIn(f"{name} {value}", junit)
        self.assertRegex(done.out, r"throughput .*accuracy +images +wait +util +time")
        self.assertIn("measured 1800 img/s, limit 2000 img/s", junit)
        narrow = self.assay("report", self.results, environment={"COLUMNS": "80"})
        for words in ("41050 tokens/s", "accuracy 0.912", "images 1800 img/s ≥ 2000 img/s", "wait 250 µs", "time "):
            self.assertIn(words, narrow.out)
        self.assertNotIn("further metrics", narrow.out)

    def test_a_command_shows_its_time_and_why_it_has_no_interval(self):
        done = self.cases("""  - id: prog
    uses: external
    command: ['true']
    measure: {samples: 2, warmup: 0}
""", "--report", "junit", "--report", "markdown", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertRegex(done.out, r"prog .*\n +time +interval\n.* [\d.]+ (ms|µs|s) +\(few samples\)")
        markdown = (self.results / "report.md").read_text()
        self.assertRegex(markdown, r"\| \*\*[\d.]+\*\* \| \*few samples\* \|")
        self.assertIn("No interval, *few samples*: Fewer than six samples", markdown)
        self.assertIn("no interval: few samples", (self.results / "junit.xml").read_text())

    def test_reports_say_the_same_of_findings_over_commands(self):
        done = self.cases("""  - id: build
    uses: external
    processes: 3
    matrix: {s: [10, 50]}
    command: [echo, "{s}"]
    metrics: {took: {pattern: '(\\d+)', unit: s}}
findings:
  - id: faster
    question: Is it faster?
    let: {old: "build[s=50].took", new: "build[s=10].took"}
    claim: old > new
    confirmed: {say: "Yes: {effect} {interval}.", do: Take the new one.}
""", "--report", "junit", "--report", "markdown", "--report", "json")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual(done.document["findings"][0]["verdict"], "confirmed")
        self.assertRegex(done.out, r"Is it faster\?\n +confirmed: yes\n +old / new = 5\.00×; asked: > 1\.02×")
        self.assertRegex(done.out, r"Yes: \+400\.0 % \[\+400\.0, \+400\.0\]\.")
        markdown = (self.results / "report.md").read_text()
        self.assertIn("| 1 | Is it faster? | **confirmed**: yes | \\> 1.02× | 5.00× ", markdown)
        self.assertIn("2 configurations in 6 visits, each with a result", markdown)
        self.assertIn("### 1. Is it faster?", markdown)
        self.assertIn("**Do:** Take the new one.", markdown)
        self.assertIn("Is it faster?\nconfirmed: yes", (self.results / "junit.xml").read_text())

    def test_a_unit_that_looks_misspelt_is_refused(self):
        for unit in ("gb/s", "Tflops/s", "tokens/sec"):
            done = self.cases(f"  - {{id: a, uses: external, command: ['true'], metrics: {{m: {{pattern: '(5)', unit: {unit}}}}}}}\n")
            self.assertEqual(done.code, 3, unit)
            self.assertIn("did you mean", done.err, unit)

    def test_a_word_below_a_unit_counts_and_is_kept(self):
        done = self.cases("""  - id: a
    uses: external
    command: [echo, 'epoch 41.5 energy 0.25']
    processes: 3
    metrics:
      epoch: {pattern: 'epoch (\S+)', unit: s/epoch, direction: lower, as: measured}
      energy: {pattern: 'energy (\S+)', unit: mJ/token}
    expect: [epoch <= 42 s/epoch, energy <= 0.2 mJ/token]
""", environment={"COLUMNS": "200"})
        self.assertEqual(done.code, 1, done.out + done.err)
        self.assertIn("energy 0.25 mJ/token (round 1), limit 0.2 mJ/token", done.case("a")["reason"]["text"])
        self.assertIn("41.5 s/epoch", done.out)
        self.assertEqual([self.metric(done.case("a"), name)["unit"] for name in ("epoch", "energy")], ["s/epoch", "J/token"])

    def test_each_execution_is_a_round_and_warm_up_is_none(self):
        self.script("count", 'echo x >> runs; wc -l < runs\n')
        done = self.cases("""  - id: a
    uses: external
    command: [./count]
    measure: {samples: 8, warmup: 2}
    metrics: {n: {pattern: '(\\d+)', unit: s}}
""")
        self.assertEqual(done.code, 0, done.out + done.err)
        metric = self.metric(done.case("a"), "n")
        self.assertEqual((metric["n"], metric["spread"]["minimum"], metric["spread"]["maximum"]), (8, 3, 24), "two warm up in each round")
        self.assertEqual((metric["rounds"], metric["interval"]["kind"]), (list(range(3, 25, 3)), "between_process"))

    def test_rounds_give_an_interval_between_processes(self):
        self.script("count", 'echo x >> runs; wc -l < runs\n')
        done = self.cases("""  - {id: a, uses: external, command: [./count], processes: 3, metrics: {n: {pattern: '(\\d+)', unit: s}}}
""")
        metric = self.metric(done.case("a"), "n")
        self.assertEqual((metric["rounds"], metric["interval"]["kind"]), ([1, 2, 3], "between_process"))

    def test_devices_environment_and_parameters_reach_the_command(self):
        self.script("show", 'echo "$ASSAY_FAKE_VISIBLE_DEVICES|$MODE|$*"\n')
        done = self.cases("""  - id: a
    uses: external
    backend: fake
    devices: [fake:1, fake:3]
    matrix: {env.MODE: [fast], size: [1G, 2]}
    command: [./show, "{size}", "{device_count}", "{{size}}", "$HOME", "*", "; exit 3"]
    metrics: {none: {pattern: 'nothing (.)'}}
""")
        self.assertEqual(done.code, 5)
        case = done.case("a[env.MODE=fast,size=1G]")
        self.assertEqual(case["reason"]["code"], "external.output")
        self.assertEqual(case["backend"], "fake")
        self.assertIn("fake:1,fake:3|fast|1G 2 {size} $HOME * ; exit 3", case["log"])

    def test_directory_is_relative_to_the_file(self):
        self.write("sub/part.yaml", "version: 1\nsuite: p\ncases: [{id: a, uses: external, directory: data, command: [cat, x], "
                                    "metrics: {v: {pattern: '(\\d)'}}}]\n")
        self.write("sub/data/x", "7\n")
        done = self.run_suite("version: 1\nsuite: s\ninclude: [sub/part.yaml]\n")
        self.assertEqual(self.metric(done.case("a"), "v")["value"], 7, done.err)


class Patterns(External):
    ACCEPTED = (r"v=(\d+)", r"^v=([0-9.]+) [[:alpha:]]+$", r"(?i)V=(\S+)", r"(?P<value>\d+)", r"v\=(?:0*)(\d)", r"([0-9]{1,4})", r"\bv=(7)\b", r"v=(\x37)", r"(?:x|v)=(.)")
    REFUSED = (r"(v)=\1(\d)", r"(?=v)(.)", r"(?<=v=)(\d)", r"(?!x)(\d)", r"(\d", r"[v(\d)", r"*(\d)", r"((\d{100}){100}){100}")

    def case(self, number, pattern):
        return f"  - {{id: c{number}, uses: external, backend: [host], command: [echo, 'v=7 done'], measure: {{samples: 1}}, metrics: {{m: {{pattern: '{pattern}', unit: s}}}}}}\n"

    def test_a_pattern_that_validates_runs(self):
        done = self.cases("".join(map(self.case, range(len(self.ACCEPTED)), self.ACCEPTED)))
        self.assertEqual(done.code, 0, done.out + done.err)
        for case in done.document["cases"]:
            self.assertEqual(self.metric(case, "m")["value"], 7, case["id"])

    def test_one_that_does_not_is_refused_with_a_word(self):
        for pattern in self.REFUSED:
            with self.subTest(pattern):
                refused = self.assay("validate", self.write("s.yaml", "version: 1\nsuite: test\ncases:\n" + self.case(0, pattern)))
                self.assertEqual(refused.code, 3, refused.err)
                self.assertIn("is not a regular expression", refused.err)
        for pattern, word in zip(self.REFUSED[:2], ("there are no back-references", "there is no look-around")):
            refused = self.assay("validate", self.write("s.yaml", "version: 1\nsuite: test\ncases:\n" + self.case(0, pattern)))
            self.assertIn(word, refused.err)


class Ends(External):
    def reason(self, keys, code, outcome="failed"):
        shutil.rmtree(self.results, ignore_errors=True)
        done = self.cases(f"  - {{id: a, uses: external, {keys}}}\n")
        case = done.case("a")
        self.assertEqual((case["outcome"], (case["reason"] or {"code": ""})["code"]), (outcome, code), done.err)
        return done

    def test_by_its_exit_status(self):
        done = self.reason("command: [sh, -c, 'echo why; exit 3']", "external.exit")
        self.assertEqual(done.code, 1)
        self.assertIn("exit status 3; its last line: why", done.case("a")["reason"]["text"])
        self.assertIn("why", done.case("a")["log"])
        self.reason("command: [sh, -c, 'exit 3'], exit: {passed: [0, 3]}", "", "passed")
        self.reason("command: [sh, -c, 'exit 77'], exit: {skipped: 77}", "case.skipped", "skipped")
        self.reason("command: [sh, -c, 'exit 3'], metrics: {s: {from: exit}}, expect: [s == 3]", "", "passed")
        self.reason("command: [sh, -c, 'exit 3'], metrics: {s: {from: exit}}, expect: [s == 0]", "expectation.failed")

    def test_by_a_signal_a_missing_program_or_missing_output(self):
        self.assertEqual(self.reason("shell: 'kill -SEGV $$'", "external.signal", "crashed").code, 5)
        self.reason("command: [no_such_program_here]", "external.start", "error")
        self.reason("command: [ls], directory: nowhere", "external.start", "error")
        self.reason("command: [echo, a], metrics: {m: {json: /m}}", "external.output", "error")
        self.reason("command: [echo, a], verify: {pattern: b}", "verify.wrong")

    def fifo(self):
        """Open for reading; it ends once nobody who wrote to it is left."""
        os.mkfifo(self.folder / "alive")
        return os.open(self.folder / "alive", os.O_RDONLY | os.O_NONBLOCK)

    def read_to_the_end(self, descriptor):
        os.set_blocking(descriptor, True)
        with os.fdopen(descriptor) as stream:
            return stream.read()

    TREE = "exec 9>alive; setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000' &); echo up >&9; "

    def test_by_its_timeout_with_all_that_it_started(self):
        alive = self.fifo()
        self.script("tree", self.TREE + "sleep 1000\n")
        done = self.cases("  - {id: a, uses: external, command: [./tree], timeout: 1s}\n")
        self.assertEqual(done.case("a")["outcome"], "timeout")
        self.assertEqual(self.read_to_the_end(alive), "up\n")
        self.assert_nothing_left()

    def test_by_itself_with_all_that_it_left_behind(self):
        alive = self.fifo()
        self.script("tree", self.TREE)
        done = self.cases("  - {id: a, uses: external, command: [./tree]}\n")
        self.assertEqual(done.case("a")["outcome"], "passed", done.err)
        self.assertEqual(self.read_to_the_end(alive), "up\n")
        self.assert_nothing_left()

    def test_with_a_killed_controller(self):
        alive = self.fifo()
        self.script("tree", self.TREE + "sleep 1000\n")
        self.write("suite.yaml", "version: 1\nsuite: s\ncases: [{id: a, uses: external, command: [./tree]}]\n")
        running = self.start("run", "suite.yaml", "-o", self.results)
        os.set_blocking(alive, True)
        while os.read(alive, 3) != b"up\n":  # nobody has opened it yet
            pass
        running.send_signal(signal.SIGKILL)
        running.communicate()
        self.assertEqual(self.read_to_the_end(alive), "")


class OnTheCommandLine(harness.Assay):
    """assay bench -- ./program …"""

    def test_twenty_runs_are_twenty_rounds_with_an_interval(self):
        result = self.assay("bench", "--runs", "20", "-o", self.results, "--", "sleep", "0.01")
        self.assertEqual(result.code, 0, result.out + result.err)
        case = result.case("sleep")
        time = next(metric for metric in case["metrics"] if metric["name"] == "time")
        self.assertEqual(len(time["rounds"]), 20)
        self.assertEqual(time["interval"]["kind"], "between_process")
        self.assertTrue(time["interval"]["low"] < time["value"] < time["interval"]["high"], time)
        self.assertGreater(time["value"], 0.01)

    def test_several_commands_take_turns_and_face_the_first(self):
        result = self.assay("bench", "--runs", "8", "-o", self.results, "--", "sleep", "0.05", "--", "sleep", "0.01")
        self.assertEqual(result.code, 0, result.out + result.err)
        finding = result.document["findings"][0]
        self.assertEqual((finding["question"], finding["verdict"]), ("Is 'sleep 0.01' faster than 'sleep 0.05'?", "confirmed"))

    def test_an_axis_reaches_the_command_and_other_braces_stay(self):
        result = self.assay("bench", "--runs", "1", "n=1,2", "-o", self.results, "--", "sh", "-c", "test '{}' != 'x' && exit $(({n} - 1))")
        self.assertEqual(result.outcomes(), {"sh[n=1]": "passed", "sh[n=2]": "failed"}, result.out + result.err)

    def test_a_program_that_fails_or_is_not_there_is_said(self):
        for command, word, code in (("false", "exit status 1", 1), ("no-such-program", "'no-such-program' cannot be run: it is in no folder of PATH", 5),
                                    ("./nope", "'./nope' cannot be run: there is no such file\n", 5), (".", "'./' cannot be run: it is a folder", 5),
                                    ("./plain", "'./plain' cannot be run: it is not executable", 5), ("./nope | cat", "write: -- sh -c './nope | cat'", 5)):
            with self.subTest(command):
                self.write("plain", "true\n")
                folder = self.folder / "results" / str(len(word))
                result = self.assay("bench", "--runs", "2", "-o", folder, "--", "./" if command == "." else command)
                self.assertEqual(result.code, code, result.out + result.err)
                self.assertIn(word, result.out + result.err)
                self.assertEqual(folder.exists(), command == "false", "what cannot be run is told before anything is")

    def test_a_program_may_be_what_a_setup_makes(self):
        result = self.assay("bench", "--runs", "1", "--setup", "printf '#!/bin/sh\\n' > made; chmod +x made", "-o", self.results, "--", "./made")
        self.assertEqual(result.code, 0, result.out + result.err)

    def test_a_question_about_what_failed_cannot_be_answered(self):
        result = self.assay("bench", "--runs", "3", "-o", self.results, "--", "false", "--", "true")
        self.assertIn("The question cannot be answered: false has no result (failed).", result.out)

    def test_a_command_that_does_not_end_in_time_is_named_as_that(self):
        # Whoever notices it first, the worker or its controller.
        for folder in range(4):
            result = self.assay("bench", "--runs", "1", "timeout=100ms", "-o", self.folder / str(folder), "--", "sleep", "100")
            self.assertIn("the command did not end within 0.1 s ", result.out)

    # Commands that the product prints, run as they stand.
    def printed(self, line):
        words = shlex.split(line)
        self.assertEqual(words[0], "assay", line)
        return words[1:]

    def test_the_lines_that_repeat_it_have_their_options_first(self):
        typed = ["bench", "n=1,2", "--runs", "2", "-o", self.results, "--report", "html", "--", "echo", "{n}", "--seed", "3", "--", "echo", "x{n}", "-o", "y"]
        result = self.assay(*typed)
        self.assertEqual(result.code, 0, result.out + result.err)
        suite = self.assay("bench", "--yaml", *typed[1:4], *typed[8:]).out
        page = html.unescape((self.results / "report.html").read_text(encoding="utf-8"))
        line = re.search(r"assay bench [^\n<]*", page).group()
        self.assertIn(" --seed 1 -- echo ", line)
        for line in (line, result.document["cases"][0]["reproduce"]):
            words = self.printed(line)
            self.assertEqual(self.assay(words[0], "--yaml", *words[1:]).out, suite, line)
        self.assertEqual(self.assay(*self.printed(result.document["cases"][3]["reproduce"])).code, 0)

    def test_what_is_undecided_gets_a_line_with_more_rounds(self):
        # Two rounds have no interval, so nothing is decided.
        for arguments, expected in ((["--runs", "2", "-o", self.results, "--", "echo", "-o", "--", "true"], "assay bench --runs 3 -- echo -o -- true"),
                                    (["processes=2", "-o", self.folder / "own", "--", "echo", "--", "true"], "assay bench processes=3 -- echo -- true")):
            with self.subTest(expected):
                result = self.assay("bench", *arguments)
                self.assertIn("1 more round should decide it", result.out)
                line = re.search(r"^again +(assay .*)$", result.out, re.MULTILINE).group(1)
                self.assertEqual(line, expected)
                again = self.assay(*self.printed(line))
                self.assertEqual(again.code, 0, again.out + again.err)
                self.assertIn("over 3 rounds", again.out)

    def test_nothing_more_is_asked_for_where_all_is_decided(self):
        for commands in (["sleep", "0.05", "--", "sleep", "0.01"], ["false", "--", "true"]):
            result = self.assay("bench", "--runs", "4", "--", *commands)
            self.assertNotIn("--runs", result.out)

    def test_setup_and_cleanup_stand_around_each_commands_runs(self):
        log = self.folder / "log"
        result = self.assay("bench", "--runs", "3", "n=1,2", "--setup", f"echo setup {{n}} >> {log}", "--cleanup", f"echo cleanup {{n}} >> {log}", "-o", self.results,
                            "--", "sh", "-c", f"echo a{{n}} >> {log}", "--", "sh", "-c", f"echo b{{n}} >> {log}")
        self.assertEqual(result.code, 0, result.out + result.err)
        lines = log.read_text().splitlines()
        self.assertEqual(lines[:4], ["setup 1", "setup 2"] * 2, "of each command with each value")
        self.assertEqual(lines[-4:], ["cleanup 1", "cleanup 2"] * 2)
        self.assertEqual(sorted(lines[4:-4]), sorted(["a1", "a2", "b1", "b2"] * 3))

    def test_each_command_may_have_its_own_setup(self):
        log = self.folder / "log"
        result = self.assay("bench", "--runs", "1", "--setup", f"echo one >> {log}", "--setup", f"echo two >> {log}", "-o", self.results, "--", "true", "--", "true")
        self.assertEqual((result.code, log.read_text()), (0, "one\ntwo\n"), result.out + result.err)

    def test_a_setup_that_fails_ends_it_with_its_output_and_cleans(self):
        log = self.folder / "log"
        result = self.assay("bench", "--setup", "true", "--setup", "echo no disk; exit 3", "--cleanup", f"echo cleaned >> {log}", "-o", self.results,
                            "--", "touch", self.folder / "ran", "--", "true")
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertIn("assay: --setup 'echo no disk; exit 3' ended with exit status 3 and printed:\nno disk", result.err)
        self.assertFalse((self.folder / "ran").exists())
        self.assertEqual(log.read_text(), "cleaned\n", "of the command that was set up")

    def test_a_cleanup_runs_after_a_failed_run_and_says_its_failure(self):
        result = self.assay("bench", "--runs", "1", "--cleanup", "kill -9 $$", "-o", self.results, "--", "false")
        self.assertEqual(result.outcomes(), {"false": "failed"}, result.err)
        self.assertEqual(result.code, 5)
        self.assertIn("--cleanup 'kill -9 $$' died of signal 9 (SIGKILL)", result.err)

    def test_a_cleanup_that_fails_is_in_the_exit_code_printed_last(self):
        log = self.folder / "log"
        result = self.assay("bench", "--runs", "1", "--cleanup", "exit 3", "--cleanup", f"echo cleaned >> {log}", "-o", self.results, "--", "true", "--", "true")
        self.assertEqual(result.code, 5, result.out + result.err)
        self.assertEqual(re.findall(r"^exit .*", result.out, re.MULTILINE), ["exit 5, because --cleanup did not succeed"])
        self.assertTrue(result.out.endswith("succeed\n"), result.out)
        self.assertEqual(result.err.count("assay: --cleanup"), 1)
        self.assertEqual(log.read_text(), "cleaned\n", "of the other command, once")

    def test_what_is_wrong_is_a_usage_error(self):
        for arguments, word in ((["--setup", "true", "membw@host"], "are of commands behind '--'"), (["--yaml", "--setup", "true", "--", "true"], "a suite has no --setup"),
                                (["--cleanup", "a", "--cleanup", "b", "--", "true"], "--cleanup stands 2 times beside 1 command"), (["--"], "a command is missing"), (["n=1", "--", "true"], "no command has {n}"), (["membw", "--", "true"], "'membw' is not of the form key=value"),
                                (["expect=time <= 1ms", "--", "true"], "'expect' stands in suites only"), (["membw@host", "expect=x"], "'expect' stands in suites only"),
                                (["n=1,2", "--", "echo", "{m}"], "nothing gives {m} a value: did you mean {n}?"), (["n=1..16", "--", "echo", "{n}"], "write 1..16*2 to double, or 1..16+1 to add"),
                                (["membw@host", "bytes=1MiB..4MiB"], "has no step"), (["./program", "n=1"], "a command stands behind '--': assay bench -- ./program n=1"),
                                (["sleep", "0.1"], "a command stands behind '--': assay bench -- sleep 0.1"), (["membw@host", "bytes=4MiB,", "16MiB"], "write lists without spaces: bytes=4MiB,16MiB"),
                                (["--samples", "3", "--", "true"], "unknown option '--samples' (write samples=3)"), (["--warmup", "3", "warmup=2", "--", "true"], "--warmup and warmup=2 say the same"), (["--prepare", "make", "--", "true"], "did you mean '--setup'?"),
                                (["--pairs", "as-is", "--", "true"], "--pairs needs 2 values: BEFORE AFTER"),
                                ([], "which benchmark"), (["membw@host", "--runs", "3"], "processes=N"), (["--runs", "0", "--", "true"], "--runs cannot be '0'")):
            with self.subTest(arguments):
                result = self.assay("bench", *arguments)
                self.assertEqual(result.code, 2, result.out + result.err)
                self.assertIn(word, result.err)

    def test_the_suite_that_it_would_run_is_printed(self):
        suite = self.write("printed.yaml", self.assay("bench", "--yaml", "n=1,2", "--", "echo", "{n}", "--", "echo", "x{n}").out)
        checked = self.assay("validate", suite)
        self.assertEqual(checked.code, 0, checked.err)


if __name__ == "__main__":
    harness.main()
