#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The comparisons with other tools, with programs in their place that answer in the tools' own forms. Needs no GPU."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import all as everything  # noqa: E402  (its folder was added just now)
import peer  # noqa: E402
import train_step_torch  # noqa: E402

ASSAY = """#!{python}
import json, pathlib, re, sys
rates = {rates}
def case(name, axes, value):
    return {{"case": name, "id": name, "reason": None, "verification": {{"verified": {verified}}},
            "axes": [{{"name": axis, "text": text}} for axis, text in axes] + [{{"name": "device", "text": "cuda:0"}}],
            "time": {{"p25": (1 if name == "one" else 1000) * value}},
            "metrics": [{{"name": "time", "headline": False, "value": 1.0}}, {{"name": "rate", "headline": True, "value": value}}]}}
path = next(word for word in sys.argv if word.startswith("json="))[5:]
suite = open(sys.argv[2]).read()
ran = pathlib.Path(sys.argv[0]).with_name("loop.ran")
if "samples: 100" in suite:  # beside the loop, which has to have its turns
    ran.unlink(missing_ok=True)  # of the loop before: it may have had another turn after this file's reader had found it
    while not ran.exists():
        pass
json.dump({{"cases": [case(name, axes, value) for name, axes, value in rates if f"id: {{name}}," in suite]}}, open(path, "w"))
"""
LOOP = """#!{python}
import json, pathlib, sys
times = {times}
if len(sys.argv) == 2:
    print(json.dumps({{name: time for name, time in times.items() if name not in ("eager", "one")}}))
while len(sys.argv) == 3:
    print("\\n".join([str(times[sys.argv[2]])] * 200), flush=True)
    pathlib.Path(sys.argv[0]).with_name("loop.ran").touch()
"""
BABELSTREAM = """#!{python}
print('CUDA Device 0: "A GPU" 1 SMs(9,0) Memory: 1 MHz')
print("function,num_times,n_elements,sizeof,max_MB_per_sec,min_runtime,max_runtime,avg_runtime")
for name in ("Copy", "Mul", "Add", "Triad", "Dot"):
    print(f"{{name}},100,134217728,8,{rate},0.1,0.1,0.1")
"""
NVBANDWIDTH = """#!{python}
import json, sys
names = [word for word in sys.argv[1:] if not word.startswith("--")]
print(json.dumps({{"nvbandwidth": {{"testcases": [{{"name": name, "status": "{status}", "bandwidth_matrix": [["N/A", "{value}"]]}} for name in names]}}}}))
"""


class Programs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-peer-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, name, text, **values):
        path = self.folder / name
        path.write_text(text.format(python=sys.executable, **values))
        path.chmod(0o755)
        return path

    def compare(self, script, *words):
        done = subprocess.run([sys.executable, "-B", HERE / script, "--pairs", "2", "--json", self.folder / "all.json", *words],
                              capture_output=True, text=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"})
        return done.returncode, done.stdout + done.stderr

    def stream(self, rate, verified=True):
        kernels = ("copy", "scale", "add", "triad", "dot", "read", "write")
        rates = [("stream", [("kernel", kernel)], rate) for kernel in kernels]
        rates += [("local", [("kernel", kernel)], rate) for kernel in ("copy", "memcpy")]
        return self.compare("stream_peer.py", "--assay", self.program("assay", ASSAY, rates=rates, verified=verified),
                            "--babelstream", self.program("babelstream", BABELSTREAM, rate="4000000"),
                            "--nvbandwidth", self.program("nvbandwidth", NVBANDWIDTH, value="2000", status="Passed"))

    def test_equal_rates_are_not_slower(self):
        code, text = self.stream(4.0e12)
        self.assertEqual(code, 0, text)
        self.assertEqual(text.count("not slower at 1%"), 7, text)
        self.assertIn("83.33%", text)
        kept = json.loads((self.folder / "all.json").read_text())
        self.assertEqual(len(kept["ours"]), 2)
        self.assertEqual(kept["theirs"][1], {"Copy": 4e12, "Mul": 4e12, "Add": 4e12, "Triad": 4e12, "Dot": 4e12, "local": 4e12})

    def test_two_percent_less_is_slower(self):
        code, text = self.stream(3.92e12)
        self.assertEqual(code, 1, text)
        self.assertIn("  slower at 1%", text)

    def test_a_rate_that_was_not_verified_ends_the_comparison(self):
        code, text = self.stream(4.0e12, verified=False)
        self.assertEqual(code, 1)
        self.assertIn("'stream' was not verified", text)

    def copies(self, latency, status="Passed"):
        rates = [("copy", [("direction", way), ("engine", engine)], 55e9) for way in ("h2d", "d2h") for engine in ("copy", "kernel")]
        rates.append(("latency", [], latency))
        return self.compare("copy_peer.py", "--assay", self.program("assay", ASSAY, rates=rates, verified=True),
                            "--nvbandwidth", self.program("nvbandwidth", NVBANDWIDTH, value="55", status=status))

    def test_a_shorter_latency_is_the_better_one(self):
        code, text = self.copies(50e-9)
        self.assertEqual(code, 0, text)
        self.assertIn("faster at 2%", text)
        code, text = self.copies(60e-9)
        self.assertEqual(code, 1, text)
        self.assertIn("  slower at 2%", text)

    def test_what_the_other_tool_cannot_run_ends_the_comparison(self):
        code, text = self.copies(50e-9, status="Waived")
        self.assertEqual(code, 1)
        self.assertIn("host_to_device_memcpy_ce: Waived", text)

    def between(self, rate, latency):
        """p2p_peer.py with an assay that has these, and an nvbandwidth of two GPUs that tells its three matrices apart."""
        def case(name, axes, value, ways=()):
            metrics = [{"name": "rate", "headline": True, "indices": [], "value": value}]
            metrics += [{"name": "directions", "headline": False, "indices": [i], "value": way} for i, way in enumerate(ways)]
            return {"case": name, "id": name, "reason": None, "verification": {"verified": True}, "metrics": metrics,
                    "axes": [{"name": "engine", "text": engine} for engine in axes]}
        cases = [case(name, [engine], rate) for name in ("read", "write") for engine in ("copy", "kernel")]
        cases += [case("both", [], 700e9, (390e9, 394e9)), case("latency", [], latency)]
        assay = self.program("assay", "#!{python}\nimport json, sys\npath = next(word for word in sys.argv if word.startswith('json='))[5:]\n"
                             "open(path, 'w').write({document!r})\n", document=json.dumps({"cases": cases}))
        answer = {name: [["N/A", "396"], ["395", "N/A"]] for name in (f"device_to_device_memcpy_{way}_{engine}"
                                                                    for way in ("read", "write") for engine in ("ce", "sm"))}
        answer["device_to_device_bidirectional_memcpy_write_ce"] = [["N/A", "394"], ["1", "N/A"], ["N/A", "390"], ["2", "N/A"],
                                                                  ["N/A", "784"], ["3", "N/A"]]
        answer["device_to_device_latency_sm"] = [["N/A", "828"], ["829", "N/A"]]
        tests = [{"name": name, "status": "Passed", "bandwidth_matrix": matrix} for name, matrix in answer.items()]
        theirs = self.program("nvbandwidth", "#!{python}\nprint({answers!r})\n", answers=json.dumps({"nvbandwidth": {"testcases": tests}}))
        return self.compare("p2p_peer.py", "--assay", assay, "--nvbandwidth", theirs)

    def test_ways_between_gpus_are_compared_with_the_same_ways(self):
        code, text = self.between(396e9, 828e-9)
        self.assertEqual(code, 0, text)
        self.assertEqual(text.count("not slower at 1%"), 6, text)  # both ways, too: 394 with 394, and 784 with 784
        self.assertEqual(text.count("not slower at 2%"), 1, text)
        kept = json.loads((self.folder / "all.json").read_text())
        self.assertEqual(kept["ours"][0]["both.way"], 394e9)
        self.assertEqual(kept["theirs"][0]["device_to_device_bidirectional_memcpy_write_ce.sum"], 784)

    def test_slower_copies_or_loads_between_gpus_are_told(self):
        code, text = self.between(388e9, 860e-9)
        self.assertEqual(code, 1, text)
        self.assertEqual(text.count("  slower at 1%"), 4, text)
        self.assertEqual(text.count("  slower at 2%"), 1, text)

    def launches(self, factor):
        times = {"eager": 2.5e-6, "one": 2.5e-6, "graph": 0.5e-6, "submission": 2.2e-6, "round_trip": 8e-6, "instantiation": 1e-6}
        return self.compare("launch_peer.py", "--assay",
                            self.program("assay", ASSAY, rates=[(name, [], factor * time) for name, time in times.items()], verified=True),
                            "--loop", self.program("loop", LOOP, times=times))

    def test_launches_as_short_as_the_bare_loops_are_not_slower(self):
        code, text = self.launches(1.02)
        self.assertEqual(code, 0, text)
        self.assertEqual(text.count("not slower at 3%"), 6, text)
        code, text = self.launches(1.04)
        self.assertEqual(code, 1, text)
        self.assertEqual(text.count("  slower at 3%"), 6, text)

    def test_the_table_of_kept_values_is_printed_without_a_program(self):
        _, before = self.stream(3.92e12)
        done = subprocess.run([sys.executable, "-B", HERE / "stream_peer.py", "--from", self.folder / "all.json"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout, before[:before.index("pair 1 of 2")])
        self.assertIn("  slower at 1%", done.stdout)

    def test_a_program_that_was_not_named_is_asked_for(self):
        code, text = self.compare("stream_peer.py", "--babelstream", "x")
        self.assertEqual(code, 2)
        self.assertIn("--assay and --nvbandwidth missing; or --from FILE", text)


class Everything(unittest.TestCase):
    """all.py's order and limit, with commands that meet through named pipes: who has to run beside another ends only if it does."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="assay-peer-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def run_tasks(self, *tasks, gpus=2, limit_s=float("inf")):
        runner = everything.Runner(self.out, gpus, limit_s)
        said = []
        runner.say = said.append
        return runner.run([everything.Task(name, count, ["sh", "-c", command], tuple(needs)) for name, count, command, *needs in tasks]), said

    def text(self, name):
        return (self.out / f"{name}.txt").read_text().split()

    def test_each_has_gpus_of_its_own_and_what_needs_all_has_all(self):
        os.mkfifo(self.folder / "pipe")
        code, said = self.run_tasks(("a", 1, f"echo $CUDA_VISIBLE_DEVICES; echo x > {self.folder}/pipe"),
                                    ("b", 1, f"echo $CUDA_VISIBLE_DEVICES; cat {self.folder}/pipe"),
                                    ("whole", everything.ALL, f"echo $CUDA_VISIBLE_DEVICES {{gpus}}; ls {self.out}"), ("c", 1, "echo $CUDA_VISIBLE_DEVICES"))
        self.assertEqual(code, 0, said)
        self.assertEqual({self.text("a")[0], self.text("b")[0]}, {"0", "1"})
        self.assertEqual(self.text("whole"), ["0,1", "2", "a.txt", "b.txt", "whole.part.txt"])
        self.assertEqual(self.text("c"), ["0"])

    def test_of_the_gpus_only_those_are_used_that_are_visible(self):
        with unittest.mock.patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": "GPU-3,5"}):
            code, said = self.run_tasks(("whole", everything.ALL, "echo $CUDA_VISIBLE_DEVICES"), ("one", 1, "echo $CUDA_VISIBLE_DEVICES"))
        self.assertEqual((code, self.text("whole"), self.text("one")), (0, ["GPU-3,5"], ["GPU-3"]), said)

    def test_what_failed_is_told_and_what_is_there_is_left(self):
        code, said = self.run_tasks(("good", 1, "echo once"), ("bad", 1, "exit 3"), ("lacking", 1, "true", self.folder / "tool"), ("large", 3, "true"))
        self.assertEqual(code, 1)
        self.assertEqual(sorted(said), sorted(["good: done", "bad: ended with 3", f"lacking: not run, there is no {self.folder}/tool",
                                               "large: not run, it needs 3 GPUs, 2 found"]))
        code, said = self.run_tasks(("good", 1, "echo twice"), ("large", 3, "true"))
        self.assertEqual((code, self.text("good")), (2, ["once"]))

    def test_the_limit_ends_what_runs_and_the_next_time_restarts_it(self):
        os.mkfifo(self.folder / "pipe")
        forever = f"echo begun; mkdir -p {self.out}/long; cat {self.folder}/pipe"  # nobody writes
        code, said = self.run_tasks(("long", everything.ALL, forever), ("later", 1, "echo x"), limit_s=0.3)
        self.assertEqual((code, said), (2, ["long: ended by the limit", "later: not run, the limit is over"]))
        self.assertTrue((self.out / "long.part.txt").exists())
        code, said = self.run_tasks(("long", everything.ALL, f"ls {self.out}"), ("later", 1, "echo x"))
        self.assertEqual((code, self.text("long"), self.text("later")), (0, ["long.part.txt"], ["x"]))

    def test_every_task_names_a_script_and_options_that_it_takes(self):
        for task in everything.tasks(pathlib.Path("/build"), pathlib.Path("/peers"), self.out, 2):
            script = next((word for word in task.command if str(word).endswith(".py")), None)
            if script is None:
                continue
            words = subprocess.run([sys.executable, "-B", script, "--help"], capture_output=True, text=True, check=True).stdout
            for word in map(str, task.command):
                if word.startswith("--"):
                    self.assertIn(word, words, task.name)


class Statistics(unittest.TestCase):
    def test_quantiles_of_students_t_are_those_of_the_tables(self):
        for freedom, known in ((1, 12.7062), (2, 4.3027), (4, 2.7764), (9, 2.2622), (19, 2.0930)):
            self.assertAlmostEqual(peer.t_quantile(freedom), known, places=4)

    def test_a_ratio_is_of_pairs(self):
        # Both drift alike, so that every pair says 1.01.
        middle, low, high = peer.ratio([101, 202, 303], [100, 200, 300])
        self.assertAlmostEqual(middle, 1.01)
        self.assertAlmostEqual(low, 1.01)
        self.assertAlmostEqual(high, 1.01)

    def test_verdicts_are_about_the_whole_interval(self):
        self.assertEqual(peer.verdict(0.98, 0.985, 0.01), "slower")
        self.assertEqual(peer.verdict(0.98, 1.02, 0.01), "undecided")
        self.assertEqual(peer.verdict(0.995, 1.02, 0.01), "not slower")
        self.assertEqual(peer.verdict(1.02, 1.03, 0.01), "faster")


class Build(unittest.TestCase):
    """The program that builds the other tools; a toolkit of a line stands for CUDA's."""

    def build(self, *words, **environment):
        done = subprocess.run([HERE / "build", *map(str, words)], capture_output=True, text=True, env={**os.environ, **environment})
        return done.returncode, done.stdout + done.stderr

    def test_what_is_missing_is_said(self):
        with tempfile.TemporaryDirectory(prefix="assay-peer-test-") as folder:
            self.assertEqual(self.build(), (2, "usage: tests/gpu/peers/build SOURCES OUT\n"))
            code, out = self.build(folder + "/none", folder + "/out")
            self.assertEqual((code, "none'" in out), (2, True), out)
            code, out = self.build(folder, folder + "/out", CUDA_HOME=folder)
            self.assertEqual((code, "set CUDA_HOME" in out), (2, True), out)

    def test_a_tool_that_is_not_there_or_does_not_build_is_left_out(self):
        with tempfile.TemporaryDirectory(prefix="assay-peer-test-") as folder:
            toolkit = pathlib.Path(folder) / "cuda/bin/nvcc"
            toolkit.parent.mkdir(parents=True)
            # Answers for its version, and makes the file behind -o.
            toolkit.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Build 1" && exit\nwhile [ "$1" != -o ]; do shift; done\n: >"$2"\n')
            toolkit.chmod(0o755)
            (pathlib.Path(folder) / "nvbandwidth").mkdir()  # no project in it
            code, out = self.build(folder, folder + "/out", CUDA_HOME=folder + "/cuda")
            self.assertEqual(code, 1, out)
            self.assertIn("nccl-tests: left out, there is no", out)
            self.assertIn("nvbandwidth: failed", out)
            self.assertIn("launch_loop: built", out)
            self.assertRegex((pathlib.Path(folder) / "out/versions.txt").read_text(), r"^launch_loop \S+, sm_90, Build 1\n$")


class TrainStep(unittest.TestCase):
    """The blocks of both sides stand for processes that need a GPU."""

    def compare(self, ours, theirs, **options):
        turns = []
        given = types.SimpleNamespace(**{"build": HERE, "pairs": 4, "seconds": 1, "launch": ["graph"], "gpus": 1, "strategy": "ddp", "peer": ["ddp"], **options})

        def assay(build, libraries, name, dtype, launches, seconds, gpus, strategy):
            turns.append("assay")
            return {launch: (ours, 2 * 2**30) for launch in launches}

        class Torch:
            about = {"libraries": ["/lib/libcublasLt.so.13"]}

            def measure(self, name, dtype, launch, seconds, kind):
                turns.append(f"{kind} {launch}")
                return theirs * (1 + 0.001 * len(turns)), 3 * 2**30

        with unittest.mock.patch.object(train_step_torch, "assay", assay), contextlib.redirect_stdout(io.StringIO()) as output:
            found = train_step_torch.compare(given, Torch(), "bert_16x128", "bf16")
        return found, output.getvalue(), turns

    def test_blocks_take_turns_and_decide(self):
        found, output, turns = self.compare(100, 120)
        self.assertEqual(turns, ["assay", "single graph", "single graph", "assay"] * 2)
        self.assertEqual([row["verdict"] for row in found], ["slower"])
        self.assertIn("2.00   3.00 GiB", output)
        self.assertEqual(self.compare(100, 80)[0][0]["verdict"], "faster")

    def test_on_several_gpus_each_launch_faces_each_eager_peer(self):
        found, _, turns = self.compare(100, 80, gpus=2, launch=["stream", "graph"], peer=["fsdp2", "ddp"], pairs=2)
        peers = ["ddp stream", "fsdp2 stream"]
        self.assertEqual(turns, ["assay", *peers, *peers, "assay"])
        self.assertEqual([(row["launch"], row["peer"]) for row in found], [("stream", "fsdp2"), ("stream", "ddp"), ("graph", "fsdp2"), ("graph", "ddp")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
