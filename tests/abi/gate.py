#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds assay/abi/v1.h to what was published: tests/abi/baseline/v1.MINOR.abi and tests/abi/frozen/v1.MINOR.

Drafts (assay/abi/drafts.h) are outside: they are promised to nobody, and change without a word of this.

gate.py          compares; exit status 1 and sentences that say what to do if the interface broke, 77 if a tool is missing
gate.py --renew  publishes the header as its minor: writes that minor's baseline and frozen header, which must not exist
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import surface

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "sdk/include"
HEADER = "assay/abi/v1.h"
RENEW = "tests/abi/gate.py --renew"


class Refusal(Exception):
    """The interface may not be so; the text says why and what to do."""


def missing_tools():
    return [tool for tool in ("gcc", "abidw", "abidiff") if shutil.which(tool) is None]


def run(*command, ok=(0,)):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode not in ok:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def describe(include, folder):
    """abidw's description of the interface that the headers in `include` declare, and the library that it was read from."""
    library = folder / "catalogue.so"
    run("gcc", "-std=c99", "-g", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", f"-ffile-prefix-map={include}=.",
        f"-ffile-prefix-map={HERE}=.", "-I", include, HERE / "catalogue.c", "-o", library)
    return run("abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", library).stdout, library


class Published:
    """The baselines and headers of the minors that are out."""

    def __init__(self, folder):
        self.baselines, self.frozen = folder / "baseline", folder / "frozen"

    def baseline(self, minor):
        return self.baselines / f"v1.{minor}.abi"

    def header(self, minor):
        return self.frozen / f"v1.{minor}" / HEADER

    def minors(self):
        return sorted(int(path.stem.split(".")[1]) for path in self.baselines.glob("v1.*.abi"))

    def surface(self, minor):
        return surface.surface(self.baseline(minor).read_text(encoding="utf-8"), self.header(minor).read_text(encoding="utf-8"))


def sees_more(baseline, library, grown):
    """What abidiff sees that the comparison of fields does not; "" if nothing."""
    with tempfile.NamedTemporaryFile("w", suffix=".ini") as allowed:
        if grown:
            allowed.write("[suppress_type]\ntype_kind = struct\nhas_data_member_inserted_at = end\n")
            allowed.flush()
        done = run("abidiff", "--suppr", allowed.name, baseline, library, ok=(0, 4, 8, 12))
    return done.stdout if done.returncode else ""


def advice(preview):
    if preview:
        return ("Take it back; or, in a preview, raise ASSAY_ABI_MINOR and ASSAY_ABI_OLDEST_MINOR together, say in CHANGELOG.md that "
                f"plugins are to be built again, and publish the new minor with '{RENEW}'.")
    return ("Take it back, and add at the tail instead, or under a new id ('assay.group/2'). If there is no other way it is another "
            "major: a new header assay/abi/v2.h with a new entry symbol, while v1.h stays as it is.")


def check(include, published):
    """Sentences about what is new. Raises Refusal."""
    header = (include / HEADER).read_text(encoding="utf-8")
    minor, oldest = (surface.number(header, f"ASSAY_ABI_{name}") for name in ("MINOR", "OLDEST_MINOR"))
    preview = surface.number(header, "ASSAY_ABI_PREVIEW") != 0
    if oldest > minor or (preview and oldest != minor):
        raise Refusal(f"ASSAY_ABI_OLDEST_MINOR is {oldest} and ASSAY_ABI_MINOR is {minor}: in a preview they are equal, afterwards the "
                      "oldest one is the first that was stable.")
    guarded = [known for known in published.minors() if oldest <= known <= minor]
    if not guarded:
        raise Refusal(f"Nothing guards 1.{minor}: no baseline of it, nor of an older minor that it serves. Publish it with '{RENEW}'.")
    news = []
    with tempfile.TemporaryDirectory() as folder:
        document, library = describe(include, pathlib.Path(folder))
        now = surface.surface(document, header)
        for known in guarded:
            breaks, additions = surface.compare(published.surface(known), now)
            if breaks:
                raise Refusal(f"The interface is no longer the published 1.{known}:\n" + "".join(f"  {line}\n" for line in breaks) +
                              advice(preview))
            if additions and known == minor:
                raise Refusal(f"The interface grew, but 1.{minor} is published:\n" + "".join(f"  {line}\n" for line in additions) +
                              (advice(preview) if preview else
                               f"Raise ASSAY_ABI_MINOR to {minor + 1}, and publish that minor with '{RENEW}'."))
            if more := sees_more(published.baseline(known), library, bool(additions)):
                raise Refusal(f"abidiff sees a change against the published 1.{known}:\n{more}{advice(preview)}")
            news = additions
    return news + ([] if minor in guarded else [f"1.{minor} is not published yet; '{RENEW}' does that"])


def renew(include, published):
    """Publishes the header's minor. Raises Refusal if it is published already, or breaks one that is still served."""
    header = (include / HEADER).read_text(encoding="utf-8")
    minor, oldest = (surface.number(header, f"ASSAY_ABI_{name}") for name in ("MINOR", "OLDEST_MINOR"))
    if published.baseline(minor).exists():
        raise Refusal(f"1.{minor} is published, and what is published stays: raise ASSAY_ABI_MINOR first.")
    if any(oldest <= known <= minor for known in published.minors()):
        check(include, published)
    with tempfile.TemporaryDirectory() as folder:
        document, _ = describe(include, pathlib.Path(folder))
    published.baselines.mkdir(parents=True, exist_ok=True)
    published.header(minor).parent.mkdir(parents=True, exist_ok=True)
    published.baseline(minor).write_text(document, encoding="utf-8")
    published.header(minor).write_text(header, encoding="utf-8")
    return minor


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    if missing := missing_tools():
        print(f"the ABI gate needs {', '.join(missing)}: apt-get install abigail-tools gcc", file=sys.stderr)
        return 1 if options.renew or os.environ.get("ASSAY_ABI_COMPLETE") else 77
    try:
        if options.renew:
            print(f"published as 1.{renew(INCLUDE, Published(HERE))}; commit tests/abi/baseline and tests/abi/frozen")
        else:
            for line in check(INCLUDE, Published(HERE)):
                print(line)
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
