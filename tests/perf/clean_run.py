#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has a clean `./dev -y run` become slower? clean_run.py BEFORE [AFTER] [--turns N]: two revisions, in turn (before, after, before, after), each in a clone of
its own.

Compiler caches are left out (CCACHE_DISABLE). What the project needs must be installed, or the first clone pays for it. Takes two whole builds a turn and means
something only if nothing else runs. Prints seconds of the wall and of processors, and fails if the later revision is slower than the earlier one in every turn.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def processor_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clean_run(revision):
    """Seconds of the wall and of processors."""
    with tempfile.TemporaryDirectory(prefix="assay-clean-") as folder:
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
        subprocess.run(["git", "-C", folder, "checkout", "--quiet", revision], check=True)
        log = pathlib.Path(folder, "build.log")
        used, begin = processor_s(), time.monotonic()
        with log.open("wb") as output:
            done = subprocess.run(["./dev", "-y", "run"], cwd=folder, stdout=output, stderr=output, env={**os.environ, "CCACHE_DISABLE": "1"})
        taken = time.monotonic() - begin, processor_s() - used
        if done.returncode:
            sys.exit(f"clean_run: './dev -y run' of {revision} ended with {done.returncode}:\n" + "\n".join(log.read_text(errors="replace").splitlines()[-20:]))
    return taken


def main():
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("before")
    reader.add_argument("after", nargs="?", default="HEAD")
    reader.add_argument("--turns", type=int, default=2)
    given = reader.parse_args()
    wall = {"before": [], "after": []}
    for side in ("before", "after") * given.turns:
        revision = getattr(given, side)
        seconds, processors = clean_run(revision)
        wall[side].append(seconds)
        print(f"{side:<6} {revision}: {seconds:.0f} s, {processors:.0f} s of processors", flush=True)
    ratios = [after / before for before, after in zip(wall["before"], wall["after"])]
    print("after / before: " + ", ".join(f"{ratio:.2f}" for ratio in ratios))
    return 1 if min(ratios) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
