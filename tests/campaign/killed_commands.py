# SPDX-License-Identifier: Apache-2.0
"""Kills commands that are no run of a suite, and their helpers, at random moments: nothing is left, nothing is torn, and the command works again."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

from common import Place, check, check_files, shared_memory, wait_until_alone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "perf"))
import turns  # noqa: E402

HANGS_S = 120


def commands(place):
    """What is killed, by its name."""
    plugins = place.build / "tests/plugins"
    return {"check": place.command("plugin", "check", plugins / "assay_fake.so"),
            "doctor": place.command("doctor", "--processes", 1, "-q", "-o", "out"),
            "system": place.command("system", "--plugin-dir", plugins),
            "bench": place.command("bench", "--runs", 3, "-o", "out", "--", "sleep 0.01")}


def start(place, command):
    return subprocess.Popen(command, cwd=place.folder, env=place.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, errors="replace")


def ended(name, process):
    """Its exit code and all that it printed."""
    try:
        text, _ = process.communicate(timeout=HANGS_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        check(False, f"{name} hangs")
    return process.returncode, text


def whole(place, name, command):
    """Lets it come to its end; gives its exit code and how long it took."""
    began = time.monotonic()
    code, text = ended(name, start(place, command))
    check(code >= 0, f"{name} ended with {code}: {text[-2000:]}")
    shutil.rmtree(place.folder / "out", ignore_errors=True)
    return code, time.monotonic() - began


def kill_one(place, name, command, within_s, chance):
    """Kills the command or a process that it started; gives which of the two."""
    before = shared_memory()
    process = start(place, command)
    time.sleep(chance.uniform(0, within_s))
    helpers = sorted(turns.tree(process.pid) - {process.pid})
    helper = chance.choice(helpers) if helpers and chance.random() < 0.5 else None
    try:
        os.kill(helper or process.pid, 9)
    except ProcessLookupError:
        helper = None  # it ended meanwhile
    code, text = ended(name, process)
    check(code >= 0 or (code == -9 and not helper), f"{name} ended with {code}: {text[-2000:]}")
    check(code == 0 or not helper or text.strip(), f"{name} ended with {code} and says nothing")
    wait_until_alone(place.folder)
    check_files(place.folder / "out")
    check(shared_memory() <= before, f"{name} left shared memory: {shared_memory() - before}")
    left = set(os.listdir(place.folder)) - {"out", "locks"}
    check(not left, f"{name} left files: {left}")
    shutil.rmtree(place.folder / "out", ignore_errors=True)
    return "helper" if helper else "command"


def kill(build, kills, budget, seed):
    """So many kills of each command in turn, as long as there is time; gives how many there were of each, and of helpers."""
    chance, count, helpers = random.Random(seed), {}, 0
    with Place(build) as place:
        known = {name: whole(place, name, command) for name, command in commands(place).items()}
        for _ in range(kills):
            for name, command in commands(place).items():
                if count and not budget.left():
                    break
                helpers += kill_one(place, name, command, known[name][1], chance) == "helper"
                count[name] = count.get(name, 0) + 1
        for name, command in commands(place).items():
            if name in count:
                code, _ = whole(place, name, command)
                check(code == known[name][0], f"{name} ends with {code} after it was killed; before, with {known[name][0]}")
    return count, helpers
