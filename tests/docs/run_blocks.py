#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the code blocks of a Markdown page, in order, in one fresh folder. run_blocks.py PAGE BUILD

    ```sh             run by bash; a command that fails fails the page, unless the comment says 'exit N'
    <!-- file: x -->  the next block is that file's text
    <!-- exit: 3 -->  the next sh block ends with this code
    <!-- prints: -->  the next block is a part of what the sh block before it printed (… stands for anything)
    <!-- shown -->    the next block is only shown: a session or a part of a file that another page runs; needs a reason: <!-- shown: reason -->

Every other block must have one of these comments, so that none is left out by accident. Blocks in `json`, `yaml` that are shown must at
least parse.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COMMENT = re.compile(r"^<!--\s*(file|exit|prints|shown):?\s*(.*?)\s*-->\s*$")


def blocks(text):
    """(line, language, text, {comment: argument}) of every fenced block."""
    lines = text.split("\n")
    comments, found, i = {}, [], 0
    while i < len(lines):
        comment = COMMENT.match(lines[i])
        fence = re.match(r"^(\s*)```(\S*)\s*$", lines[i])
        if comment:
            comments[comment.group(1)] = comment.group(2)
        elif fence:
            indent = len(fence.group(1))
            start = i + 1
            i = start
            while i < len(lines) and lines[i].strip() != "```":
                i += 1
            body = "\n".join(line[indent:] for line in lines[start:i]) + "\n"
            found.append((start, fence.group(2), body, comments))
            comments = {}
        elif lines[i].strip():
            comments = {}
        i += 1
    return found


def matches(expected, output):
    """Every line of the block stands in the output, in order; … stands for anything within a line or for lines."""
    at = 0
    for part in expected.strip("\n").split("…"):  # each as early as it can be: one pattern for all would try every combination
        found = re.compile(re.sub(r"(\\ )+", r"\\s+?", re.escape(part))).search(output, at)
        if found is None:
            return False
        at = found.end()
    return True


def run_page(page, build):
    passed, failures, output = 0, [], ""
    root = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory(prefix="assay-docs-") as folder:
        if page == root / "README.md":  # whose commands are for the clone's folder
            pathlib.Path(folder, "docs").symlink_to(root / "docs")
        environment = {**os.environ, "PATH": f"{build}/bin:{os.environ['PATH']}", "ASSAY_BUILD": str(build), "ASSAY_SOURCE": str(root),
                       "HOME": folder, "NO_COLOR": "1", "ASSAY_LOCK_FOLDER": f"{folder}/.locks"}
        for line, language, body, comments in blocks(page.read_text(encoding="utf-8")):
            where = f"{page.relative_to(root)}:{line}"
            problem = None
            if "file" in comments:
                target = pathlib.Path(folder, comments["file"])
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(body, encoding="utf-8")
            elif "prints" in comments:
                if not matches(body, output):
                    problem = f"the command before printed something else:\n{output}"
            elif "shown" in comments:
                if not comments["shown"]:
                    problem = "a block that is only shown needs a reason"
                elif language == "json":
                    json.loads(body)
            elif language == "sh":
                result = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
                output = result.stdout
                expected = int(comments.get("exit", 0))
                if result.returncode != expected:
                    problem = f"exit code {result.returncode}, expected {expected}:\n{output}"
            else:
                problem = f"a block of '{language}' that nothing runs: say what it is in a comment before it"
            if problem:
                failures.append(f"{where}: {problem}")
            else:
                passed += 1
    return passed, failures


def main():
    page, build = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    passed, failures = run_page(page, build)
    for failure in failures:
        print(failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
