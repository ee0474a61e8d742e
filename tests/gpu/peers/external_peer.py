#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the suites of docs/how-to/run-existing-programs.md with the real programs on this machine's GPUs, and prints what Assay read of them.

external_peer.py --assay PROGRAM --programs FOLDER [--json FILE]

FOLDER holds all_reduce_perf of nccl-tests, nvbandwidth and torchrun, built or linked elsewhere. The limits of that page are those of another
machine, so only the numbers are checked; the training script is a real one here.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/how-to/run-existing-programs.md"
TRAIN = """
import json, os, time
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
model = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(2048, 8192), torch.nn.GELU(), torch.nn.Linear(8192, 2048)).cuda())
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
tokens = torch.randn(4096, 2048, device="cuda")
for step in range(12):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    loss = (model(tokens) - tokens).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    torch.cuda.synchronize()
    if dist.get_rank() == 0 and step >= 4:
        print(json.dumps({"step": step, "tokens_per_s": 4096 * dist.get_world_size() / (time.perf_counter() - begin), "loss": loss.item()}), flush=True)
dist.destroy_process_group()
"""


def suites():
    """{name: text} of the page, for GPUs and without its limits."""
    page = PAGE.read_text(encoding="utf-8")
    found = dict(re.findall(r"<!-- file: (\w+)\.yaml -->\n```yaml\n(.*?)```", page, re.DOTALL))
    return {name: re.sub(r"\n    expect:\n(?:      .*\n)+", "\n", found[name].replace("backend: [cuda, host]", "backend: cuda"))
            for name in ("nccl", "nvbandwidth", "train")}


def run(given, folder, name, text):
    pathlib.Path(folder, f"{name}.yaml").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PATH": f"{given.programs}:{os.environ['PATH']}"}
    done = subprocess.run([given.assay, "run", f"{name}.yaml", "-q", "-o", name], cwd=folder, env=environment, capture_output=True, text=True)
    document = json.loads(pathlib.Path(folder, name, "result.json").read_text(encoding="utf-8"))
    return done.returncode, document["cases"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--assay", required=True, type=pathlib.Path)
    parser.add_argument("--programs", required=True, type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    given.assay, given.programs = given.assay.resolve(), given.programs.resolve()
    kept, failed = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "train.py").write_text(TRAIN, encoding="utf-8")
        for name, text in suites().items():
            code, cases = run(given, folder, name, text)
            for case in cases:
                kept[case["id"]] = {"outcome": case["outcome"], "reason": case["reason"], "flags": case["flags"],
                                    "metrics": [{key: metric[key] for key in ("name", "unit", "value")} for metric in case["metrics"]]}
                good = code == 0 and case["outcome"] == "passed" and all(metric["value"] > 0 for metric in case["metrics"])
                failed += not good
                numbers = ", ".join(f"{metric['name']} {metric['value']:.6g} {metric['unit']}" for metric in case["metrics"])
                print(f"{'passed' if good else 'FAILED'}  {case['id']}: {numbers or case['reason']}")
                if not good:
                    print(case["log"])
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print(f"{len(kept) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
