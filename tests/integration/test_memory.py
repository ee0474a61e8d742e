#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers that do not fit are refused, with what is needed and what is there: the kernel would end the worker. Of the whole machine, and of a
control group where one can be made."""

import os
import pathlib
import subprocess

import harness

SUITE = "version: 1\nsuite: memory\nrequires: {backend: host}\ndefaults: {measure: {samples: 6, warmup: 0}}\n"
NEEDS = r"needs [\d.]+ [GM]iB of host memory for [^,]+, and [\d.]+ [GM]iB can be had"
GROUPS = pathlib.Path("/sys/fs/cgroup")


def limited_group(limit):
    """A control group of this process's own with so much memory, or None where it may not make one."""
    lines = pathlib.Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    paths = {controllers: path.lstrip("/") for _, controllers, path in (line.split(":", 2) for line in lines)}
    if "memory" in paths:
        folder, name = GROUPS / "memory" / paths["memory"], "memory.limit_in_bytes"
    else:
        folder, name = GROUPS / paths.get("", ""), "memory.max"
    group = folder / f"assay-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        (group / name).write_text(str(limit))
        return group
    except OSError:
        group.rmdir()
        return None


class Memory(harness.Assay):
    def test_more_than_any_machine_has_is_refused(self):
        self.write("suite.yaml", SUITE + """cases:
  - {id: p2p, uses: p2p@host, with: {bytes: 1TiB, direction: both}}
  - {id: broadcast, uses: broadcast@host, with: {bytes: 4TiB}}
  - {id: collective, uses: collective@host, with: {bytes: 1TiB, algorithm: direct}, ranks: 4}
  - {id: after, uses: collective@host, with: {bytes: 4KiB}, ranks: 4}
""")
        result = self.assay("run", "suite.yaml", "-q", "-o", self.results)
        for name in ("p2p", "broadcast", "collective"):
            with self.subTest(name):
                self.assertEqual(result.case(name)["outcome"], "skipped", result.case(name))
                self.assertRegex(result.case(name)["reason"]["text"], NEEDS)
        self.assertEqual(result.case("after")["outcome"], "passed", result.case("after"))

    def test_more_than_the_control_group_leaves_is_refused(self):
        group = limited_group(400 << 20)
        if group is None:
            self.skipTest("no control group of memory can be made here")
        self.addCleanup(group.rmdir)
        self.write("suite.yaml", SUITE + """cases:
  - {id: fits, uses: p2p@host, with: {bytes: 1MiB, threads: 1}}
  - {id: p2p, uses: p2p@host, with: {bytes: 512MiB}}
  - {id: broadcast, uses: broadcast@host, with: {bytes: 256MiB, destinations: 2}}
  - {id: collective, uses: collective@host, with: {bytes: 128MiB, algorithm: ring}, ranks: 4}
""")
        enter = f'echo $$ > "{group}/cgroup.procs" && exec "$@"'
        command = ["sh", "-c", enter, "sh", *self.command("run", "suite.yaml", "-q", "-o", self.results)]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=harness.PATIENCE_S, check=False)
        result = harness.Result(done.returncode, done.stdout, done.stderr, self.results)
        self.assertEqual(result.case("fits")["outcome"], "passed", result.case("fits"))
        for name in ("p2p", "broadcast", "collective"):
            with self.subTest(name):
                self.assertEqual(result.case(name)["outcome"], "skipped", result.case(name))
                self.assertRegex(result.case(name)["reason"]["text"], NEEDS)


if __name__ == "__main__":
    harness.main()
