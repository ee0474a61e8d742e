#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the comparisons with other tools on this machine's GPUs, as many at a time as there are GPUs for.

    all.py BUILD --peers FOLDER --out FOLDER [--only REGEX] [--pairs 10] [--limit SECONDS] [--list]

BUILD is a build folder or an unpacked archive. --peers is what the program 'build' beside this one makes: babelstream, nvbandwidth,
launch_loop and the folder nccl-tests; what needs a missing one is skipped. Products are compared with PyTorch, so run this with the Python that has it.

A comparison has its GPUs to itself, and in its file NAME.txt what it printed; NAME.json has every single value where it keeps them. What is in --out
already is not run again. After --limit seconds nothing begins any more and what runs is ended; its output so far is in NAME.part.txt.
Ends with 1 if anything was slower or failed, with 2 if anything was not run.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ALL = 0  # GPUs of the machine
DTYPES = ["fp64", "int8", "tf32", "fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"]  # those that take longest first
OPERATIONS = ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter", "send_recv"]


@dataclasses.dataclass
class Task:
    name: str
    gpus: int
    command: list
    needs: tuple = ()  # files without which it cannot run


def tasks(build, peers, out, pairs):
    assay = build / "bin/assay"
    python = [sys.executable, "-B"]
    tuning = HERE / "autotune.yaml"

    def compare(name, gpus, script, *tools, more=()):
        words = [word for tool in tools for word in (f"--{tool.removeprefix('launch_')}", peers / tool)]
        return Task(name, gpus, [*python, HERE / script, "--assay", assay, *words, "--pairs", pairs, "--json", out / f"{name}.json", *more],
                    tuple(peers / tool for tool in tools))

    def products(mode, dtype, seconds):
        return Task(f"gemm-{mode}-{dtype}", 1, [*python, HERE / "gemm_torch.py", build, "--mode", mode, "--dtype", dtype, "--seconds", seconds, "--pairs", pairs])

    found = [compare(f"collective-{operation}", ALL, "collective_peer.py", "nccl-tests", more=("--operations", operation, "--launcher", "mpirun -np {gpus}"))
             for operation in OPERATIONS]
    found += [Task(f"train-step-{model}", 1, [*python, HERE / "train_step_torch.py", build, "--model", model, "--pairs", pairs, "--json", out / f"train-step-{model}.json"])
              for model in ("bert_16x128", "bert_64x512", "llama_4x2048")]
    # What the host does is part of it, so nothing else may run.
    found += [compare("launch", ALL, "launch_peer.py", "launch_loop"), compare("p2p", 2, "p2p_peer.py", "nvbandwidth"),
              compare("copy", 1, "copy_peer.py", "nvbandwidth"), compare("stream", 1, "stream_peer.py", "babelstream", "nvbandwidth")]
    for dtype in DTYPES:
        found += [products("sustained", dtype, 2), products("burst", dtype, 1.05),
                  Task(f"autotune-{dtype}", 1, [assay, "run", tuning, "--filter", f"dtype={dtype},", "-o", out / f"autotune-{dtype}"], (tuning,))]
    return found


class Runner:
    def __init__(self, out, gpus, limit_s):
        self.out, self.gpus = out, gpus
        self.begin_s = time.monotonic()
        self.end_s = self.begin_s + limit_s  # infinite: no limit
        self.free = list(range(gpus))
        given = os.environ.get("CUDA_VISIBLE_DEVICES", "")  # indices or identities: those of them that are there come first
        self.visible = given.split(",") if given else [str(gpu) for gpu in range(gpus)]
        self.ended = queue.Queue()
        self.running = {}
        self.failed, self.left = [], []

    def say(self, text):
        print(f"[{time.monotonic() - self.begin_s:4.0f} s] {text}", flush=True)

    def leave(self, task, why):
        self.left.append(task.name)
        self.say(f"{task.name}: not run, {why}")

    def start(self, task, count):
        chosen, self.free = self.free[:count], self.free[count:]
        part = self.out / f"{task.name}.part.txt"
        shutil.rmtree(self.out / task.name, ignore_errors=True)  # results of a run that was ended
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(self.visible[gpu] for gpu in chosen), "PYTHONUNBUFFERED": "1"}
        command = [str(word).replace("{gpus}", str(count)) for word in task.command]
        with part.open("w", encoding="utf-8") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        self.running[task.name] = (process, chosen)
        threading.Thread(target=lambda: self.ended.put((task.name, process.wait())), daemon=True).start()

    def finish(self, name, code):
        _, chosen = self.running.pop(name)
        self.free = sorted(self.free + chosen)
        if time.monotonic() >= self.end_s and code < 0:
            self.left.append(name)
            self.say(f"{name}: ended by the limit")
            return
        (self.out / f"{name}.part.txt").rename(self.out / f"{name}.txt")
        if code != 0:
            self.failed.append(name)
        self.say(f"{name}: {'done' if code == 0 else f'ended with {code}'}")

    def wait(self):
        """For the end of one of those that run, or of all once the limit is over."""
        left_s = self.end_s - time.monotonic()
        try:
            self.finish(*self.ended.get(timeout=None if left_s == float("inf") else max(0.0, left_s)))
        except queue.Empty:
            self.kill()
            while self.running:
                self.finish(*self.ended.get())

    def kill(self):
        for process, _ in self.running.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)

    def run(self, waiting):
        """0: all of it is there and good; 1: something was slower or failed; 2: something was not run."""
        self.out.mkdir(parents=True, exist_ok=True)
        try:
            return self.run_in_order(waiting)
        finally:
            self.kill()

    def run_in_order(self, waiting):
        """What needs more GPUs than are free holds up what comes after it."""
        for task in waiting:
            count = task.gpus or self.gpus
            missing = [str(path) for path in task.needs if not path.exists()]
            if (self.out / f"{task.name}.txt").exists():
                self.say(f"{task.name}: is there")
                continue
            if missing:
                self.leave(task, f"there is no {', '.join(missing)}")
                continue
            if count > self.gpus:
                self.leave(task, f"it needs {count} GPUs, {self.gpus} found")
                continue
            while len(self.free) < count and time.monotonic() < self.end_s:
                self.wait()
            if time.monotonic() >= self.end_s:
                self.leave(task, "the limit is over")
                continue
            self.start(task, count)
        while self.running:
            self.wait()
        return 1 if self.failed else 2 if self.left else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="build folder or unpacked archive")
    parser.add_argument("--peers", required=True, type=pathlib.Path, help="folder of the other tools")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for what they print")
    parser.add_argument("--only", default="", metavar="REGEX", help="those whose names match")
    parser.add_argument("--pairs", type=int, default=10, help="pairs of runs, in turn (10)")
    parser.add_argument("--limit", type=float, default=float("inf"), metavar="SECONDS", help="for all of it")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    given = parser.parse_args()
    chosen = [task for task in tasks(given.build.resolve(), given.peers.resolve(), given.out.resolve(), given.pairs) if re.search(given.only, task.name)]
    if given.list:
        print("\n".join(task.name for task in chosen))
        return 0
    system = subprocess.run([given.build / "bin/assay", "system", "--json"], check=True, capture_output=True, text=True).stdout
    gpus = next((len(backend["devices"]) for backend in json.loads(system)["backends"] if backend["name"] == "cuda"), 0)
    if gpus == 0:
        print("skipped: no GPU")
        return 0
    return Runner(given.out.resolve(), gpus, given.limit).run(chosen)


if __name__ == "__main__":
    sys.exit(main())
