#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds train_step@cuda against PyTorch on this GPU, in turn (A B B A …), and prints ratios with their intervals, and peak memory.

train_step_torch.py BUILD [--model bert_16x128 …] [--dtype fp32|tf32|bf16|pure_bf16 …] [--launch stream|graph …] [--gpus N [--peer ddp|fsdp2 …]]
                    [--pairs N] [--seconds S] [--json FILE]

The same model, batch, types and optimiser on both sides: layers as Assay has them, written here one by one, attention by the default
scaled_dot_product_attention, fused AdamW, no dropout, labels drawn anew in each step. 'stream' is compared with PyTorch's eager step, 'graph' against
the whole step captured as a CUDA graph. bf16 is autocast with fp32 parameters on PyTorch's side, pure_bf16 a model in bf16.

With --gpus N each of N GPUs has the batch, and gradients are averaged: Assay's strategy ddp, or fsdp with the next layer gathered ahead, as a stream
and as a graph, against PyTorch's eager DistributedDataParallel (buckets are views of gradients) or fully_shard (layer by layer; bf16 for what is gathered and computed, fp32 for what is kept).

A pair is one block of so many seconds on each side. PyTorch's process lives on and gives its memory back after each block; Assay's is a
fresh one each time, with PyTorch's cuBLASLt and cuDNN. The statistic is ln(assay / torch) of the samples per second, its interval Student's t over the
pairs; 'slower' only if the whole interval lies below −2 %. Memory is Assay's peak_memory, and PyTorch's allocated (eager) or reserved (graph) peak.
Run it with the Python that has PyTorch.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import peer

THETA = 0.02
BERT = {"layers": 12, "width": 768, "heads": 12, "ffn": 3072, "words": 30522}
LLAMA = {"layers": 16, "width": 2048, "heads": 16, "ffn": 5632, "words": 32000}
MODELS = {
    "bert_16x128": {"model": "bert_base", "samples": 16, "sequence": 128, **BERT},
    "bert_16x512": {"model": "bert_base", "samples": 16, "sequence": 512, **BERT},
    "bert_64x512": {"model": "bert_base", "samples": 64, "sequence": 512, **BERT},
    "llama_4x2048": {"model": "llama_1b", "samples": 4, "sequence": 2048, **LLAMA},
}
DTYPES = {"fp32": "dtype: fp32", "tf32": "dtype: tf32", "bf16": "dtype: bf16", "pure_bf16": "dtype: bf16, parameter_dtype: bf16"}


# The peer: a process that reads what to do, a line each, and answers with a line.

def bert(torch, sizes):
    nn, functional = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            width = sizes["width"]
            self.into, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, sizes["ffn"]), nn.Linear(sizes["ffn"], width)
            self.norm, self.last = nn.LayerNorm(width), nn.LayerNorm(width)

        def forward(self, x):
            samples, sequence, width = x.shape
            q, k, v = self.into(x).view(samples, sequence, 3, sizes["heads"], -1).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(samples, sequence, width)
            x = self.norm(self.out(mixed) + x)
            return self.last(self.down(functional.gelu(self.up(x))) + x)

    class Bert(nn.Module):
        def __init__(self):
            super().__init__()
            width = sizes["width"]
            self.words, self.positions, self.types = nn.Embedding(sizes["words"], width), nn.Embedding(512, width), nn.Embedding(2, width)
            self.norm = nn.LayerNorm(width)
            self.layers = nn.ModuleList(Layer() for _ in range(sizes["layers"]))
            self.pooler = nn.Linear(width, width)
            place = torch.arange(sizes["sequence"])
            self.register_buffer("place", place)
            self.register_buffer("kind", place * 2 // sizes["sequence"])

        def forward(self, tokens, labels):
            x = self.norm(self.words(tokens) + self.positions(self.place) + self.types(self.kind))
            for layer in self.layers:
                x = layer(x)
            return functional.cross_entropy(torch.tanh(self.pooler(x[:, 0])), labels)

    return Bert(), sizes["width"], (sizes["samples"],)


def llama(torch, sizes):
    nn, functional = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            width = sizes["width"]
            self.norm, self.last = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
            self.into, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
            self.up, self.down = nn.Linear(width, 2 * sizes["ffn"], bias=False), nn.Linear(sizes["ffn"], width, bias=False)

        def forward(self, x, cosine, sine):
            samples, sequence, width = x.shape
            q, k, v = self.into(self.norm(x)).view(samples, sequence, 3, sizes["heads"], -1).permute(2, 0, 3, 1, 4)

            def turned(y):
                first, second = y.chunk(2, dim=-1)
                return torch.cat((first * cosine - second * sine, first * sine + second * cosine), dim=-1)

            mixed = functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(samples, sequence, width))
            gate, factor = self.up(self.last(x)).chunk(2, dim=-1)
            return x + self.down(functional.silu(gate) * factor)

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            width, half = sizes["width"], sizes["width"] // sizes["heads"] // 2
            self.words = nn.Embedding(sizes["words"], width)
            self.layers = nn.ModuleList(Layer() for _ in range(sizes["layers"]))
            self.norm, self.scores = nn.RMSNorm(width, eps=1e-5), nn.Linear(width, sizes["words"], bias=False)
            angle = torch.outer(torch.arange(sizes["sequence"]).double(), 10000.0 ** (-torch.arange(half).double() / half))
            self.angle = angle

        def turns(self, kind):
            self.register_buffer("cosine", self.angle.cos().to(kind))
            self.register_buffer("sine", self.angle.sin().to(kind))

        def forward(self, tokens, labels):
            x = self.words(tokens)
            for layer in self.layers:
                x = layer(x, self.cosine, self.sine)
            return functional.cross_entropy(self.scores(self.norm(x)).view(-1, sizes["words"]), labels.view(-1))

    return Llama(), sizes["words"], (sizes["samples"], sizes["sequence"])


def several(torch, model, kind, dtype):
    """The model as PyTorch trains it on the GPUs of a job."""
    if kind == "ddp":
        return torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    policy = {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)} if dtype == "bf16" else {}
    for layer in model.layers:
        fully_shard(layer, **policy)
    return fully_shard(model, **policy)


def block(torch, name, dtype, launch, seconds, kind="single"):
    """Samples per second of one block, on all GPUs, and the peak of memory of the one that needs most."""
    sizes = MODELS[name]
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    torch.manual_seed(1)
    with torch.device("cuda"):
        model, classes, labelled = (bert if sizes["model"] == "bert_base" else llama)(torch, sizes)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.uniform_(parameter, -0.02 * 3**0.5, 0.02 * 3**0.5)
        if hasattr(model, "turns"):
            model.turns(torch.float32 if dtype in ("fp32", "tf32") else torch.bfloat16)
        if dtype == "pure_bf16":
            model.to(torch.bfloat16)
        tokens = torch.randint(sizes["words"], (sizes["samples"], sizes["sequence"]))
        labels = torch.randint(classes, labelled)
    if kind != "single":
        model = several(torch, model, kind, dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, weight_decay=0.01, fused=True, capturable=launch == "graph")
    torch.cuda.reset_peak_memory_stats()

    def step():
        optimizer.zero_grad(set_to_none=True)
        labels.random_(0, classes)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=dtype == "bf16" and kind != "fsdp2"):
            loss = model(tokens, labels)
        loss.backward()
        optimizer.step()

    if launch == "graph":
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step()
        torch.cuda.current_stream().wait_stream(side)
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()  # of what was there before the graph, nothing is needed any more
        torch.cuda.reset_peak_memory_stats()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        run = graph.replay
    else:
        run = step
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    wanted = steps_of_all(torch, run, seconds) if kind != "single" else None
    begin, end, steps, started = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True), 0, time.monotonic()
    begin.record()
    while steps < wanted if wanted else time.monotonic() - started < seconds:
        run()
        steps += 1
        if steps % 4 == 0:  # so that the host does not run far ahead
            mark = torch.cuda.Event()
            mark.record()
            if steps > 4:
                previous.synchronize()
            previous = mark
    end.record()
    end.synchronize()
    found = [begin.elapsed_time(end) * 1e-3, torch.cuda.max_memory_reserved() if launch == "graph" else torch.cuda.max_memory_allocated()]
    gpus = 1
    if kind != "single":  # the slowest, and the one that needs most
        gpus = torch.distributed.get_world_size()
        worst = torch.tensor(found, device="cuda", dtype=torch.float64)
        torch.distributed.all_reduce(worst, torch.distributed.ReduceOp.MAX)
        found = worst.tolist()
    return gpus * steps * sizes["samples"] / found[0], found[1]


def steps_of_all(torch, run, seconds):
    """How many steps take so long, the same on all GPUs."""
    torch.distributed.barrier()
    started = time.monotonic()
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    steps = torch.tensor([max(3, round(3 * seconds / (time.monotonic() - started)))], device="cuda")
    torch.distributed.broadcast(steps, 0)
    return int(steps)


def serve_as_rank(rank, gpus, port):
    """Ranks but the first do what it does, and print nothing."""
    import os

    import torch
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    torch.cuda.set_device(rank)
    torch.distributed.init_process_group("nccl", rank=rank, world_size=gpus, device_id=torch.device("cuda", rank))
    return torch, torch.distributed.new_group(backend="gloo")  # the second for what to do: who waits for it leaves the GPU alone


def follow(rank, gpus, port):
    import gc
    torch, told = serve_as_rank(rank, gpus, port)
    while True:
        what = [None]
        torch.distributed.broadcast_object_list(what, 0, group=told)
        if what[0] is None:
            break
        block(torch, *what[0])
        gc.collect()
        torch.cuda.empty_cache()
    torch.distributed.destroy_process_group()


def serve(gpus):
    import gc

    import torch
    others = []
    if gpus > 1:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        others = [subprocess.Popen([sys.executable, __file__, "--follow", str(rank), str(gpus), port], stdin=subprocess.DEVNULL)
                  for rank in range(1, gpus)]
        _, told = serve_as_rank(0, gpus, port)
    torch.zeros(8, 8, device="cuda") @ torch.zeros(8, 8, device="cuda")
    torch.backends.cudnn.version()  # loads it
    with open("/proc/self/maps", encoding="utf-8") as maps:
        libraries = {line.split()[-1] for line in maps if "libcublasLt.so" in line or "libcudnn.so" in line}
    print(json.dumps({"libraries": sorted(libraries), "version": torch.__version__, "gpu": torch.cuda.get_device_name()}), flush=True)
    for line in sys.stdin:
        what = json.loads(line)
        if gpus > 1:
            torch.distributed.broadcast_object_list([what], 0, group=told)
        rate, memory = block(torch, *what)
        gc.collect()
        torch.cuda.empty_cache()
        print(json.dumps({"rate": rate, "memory": memory}), flush=True)
    if gpus > 1:
        torch.distributed.broadcast_object_list([None], 0, group=told)
        torch.distributed.destroy_process_group()
    for other in others:
        other.wait()


class Torch:
    def __init__(self, gpus):
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", str(gpus)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"PyTorch's process ended with {self.process.wait()}")
        return json.loads(line)

    def measure(self, *what):
        print(json.dumps(what), file=self.process.stdin, flush=True)
        answer = self.read()
        return answer["rate"], answer["memory"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


# Ours: one run of a suite with a case for each way to submit.

STRATEGIES = {"ddp": ", strategy: ddp", "fsdp": ", strategy: fsdp, prefetch: both"}


def assay(build, libraries, name, dtype, launches, seconds, gpus, strategy):
    """Samples per second and peak memory, by launch."""
    sizes = MODELS[name]
    of_many = STRATEGIES[strategy] if gpus > 1 else ""
    suite = f"""version: 1
suite: train-step-against-torch
requires: {{backend: cuda}}
defaults: {{timeout: 5min, processes: 1, measure: {{max_time: {seconds}s, precision: 0.01%}}}}
cases:
  - id: step
    uses: train_step@cuda
    with: {{model: {sizes["model"]}, micro_batch: {sizes["samples"]}, sequence: {sizes["sequence"]}, {DTYPES[dtype]}{of_many}}}
    ranks: {gpus}
    matrix: {{launch: [{", ".join(launches)}]}}
"""
    with tempfile.TemporaryDirectory(prefix="assay-peer-") as folder:
        folder = pathlib.Path(folder)
        (folder / "suite.yaml").write_text(suite, encoding="utf-8")
        command = [build / "bin/assay", "run", folder / "suite.yaml", "-q", "-o", folder / "r", "--report", "json"]
        command += [word for folder in sorted({pathlib.Path(library).parent for library in libraries}) for word in ("--library-path", folder)]
        done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, check=False)
        result = folder / "r/result.json"
        if not result.exists():
            sys.exit(f"assay ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        found = {}
        for launch, case in zip(launches, json.loads(result.read_text(encoding="utf-8"))["cases"]):
            if case["outcome"] != "passed":
                sys.exit(f"{case['id']} {case['outcome']}: {case['reason']}")
            values = {metric["name"]: metric["value"] for metric in case["metrics"]}
            attention = case["facts"].get("attention", "")
            if dtype.endswith("bf16") and attention.startswith("unfused"):
                print(f"Not alike: PyTorch's attention is fused, and Assay's is {attention}", flush=True)
            found[launch] = values["samples"], values["peak_memory"]
        return found


def compare(given, torch, name, dtype):
    """A row for each launch and peer. One peer is eager or captured as Assay is; several GPUs' are eager."""
    against = {launch: [("single", launch)] if given.gpus == 1 else [(kind, "stream") for kind in given.peer] for launch in given.launch}
    peers = sorted({peer for of in against.values() for peer in of})
    ours, theirs = {launch: [] for launch in given.launch}, {peer: [] for peer in peers}
    for pair in range(given.pairs):
        for tool in ("assay", "torch") if pair % 2 == 0 else ("torch", "assay"):
            if tool == "assay":
                found = assay(given.build, torch.about["libraries"], name, dtype, given.launch, given.seconds, given.gpus, given.strategy)
                for launch in given.launch:
                    ours[launch].append(found[launch])
            else:
                for kind, launch in peers:
                    theirs[kind, launch].append(torch.measure(name, dtype, launch, given.seconds, kind))
    return [{"strategy": given.strategy, **row(name, dtype, launch, peer, ours[launch], theirs[peer])} for launch in given.launch for peer in against[launch]]


def row(name, dtype, launch, peer_kind, ours, theirs):
    ratio, low, high = peer.ratio([rate for rate, _ in ours], [rate for rate, _ in theirs])
    memory = [max(bytes_ for _, bytes_ in side) / 2**30 for side in (ours, theirs)]
    verdict = peer.verdict(low, high, THETA)
    print(f"{name:>13} {dtype:>9} {launch:>6} {peer_kind[0]:>6} {sum(r for r, _ in ours) / len(ours):9.2f} {sum(r for r, _ in theirs) / len(theirs):9.2f}  "
          f"{ratio:.4f} [{low:.4f}, {high:.4f}]  {memory[0]:6.2f} {memory[1]:6.2f} GiB  {verdict}", flush=True)
    return {"model": name, "dtype": dtype, "launch": launch, "peer": peer_kind[0], "assay": ours, "torch": theirs, "ratio": [ratio, low, high],
            "verdict": verdict}


def main():
    if sys.argv[1:2] == ["--serve"]:
        return serve(int(sys.argv[2]))
    if sys.argv[1:2] == ["--follow"]:
        return follow(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--model", nargs="+", choices=MODELS, default=["bert_16x128", "bert_64x512", "llama_4x2048"])
    parser.add_argument("--dtype", nargs="+", choices=DTYPES, default=["tf32", "bf16", "pure_bf16"])
    parser.add_argument("--launch", nargs="+", choices=["stream", "graph"], default=["stream", "graph"])
    parser.add_argument("--gpus", type=int, default=1)
    parser.add_argument("--strategy", choices=STRATEGIES, default="ddp", help="Assay's, of several GPUs")
    parser.add_argument("--peer", nargs="+", choices=["ddp", "fsdp2"], default=["ddp"], help="of several GPUs")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--json", type=pathlib.Path, help="every single value")
    given = parser.parse_args()
    given.build = given.build.resolve()
    torch = Torch(given.gpus)
    print(f"PyTorch {torch.about['version']} on {torch.about['gpu']}; both use {', '.join(torch.about['libraries'])}; {given.pairs} pairs of {given.seconds:g} s", flush=True)
    print(f"{'model':>13} {'dtype':>9} {'launch':>6} {'peer':>6} {'assay':>9} {'torch':>9}  samples/s, their ratio [95 %]; memory of both; verdict at θ = {THETA:.0%}")
    found = []
    for name in given.model:
        for dtype in given.dtype:
            found += compare(given, torch, name, dtype)
            if given.json:  # what there is, should the time run out
                given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    torch.end()
    return 1 if any(each["verdict"] == "slower" for each in found) else 0


if __name__ == "__main__":
    sys.exit(main())
