#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines of several NUMA nodes, booted under emulation: what is found of their nodes, where `bind` binds, and numa@host there.

Rates under emulation mean nothing and are not looked at. Numbers of nodes are the kernel's, which are not QEMU's: they are read in
there, and the suites are written in there."""

import json
import os
import sys
import unittest

COMPLETE = bool(os.environ.get("ASSAY_MACHINES_COMPLETE"))

# Says where a command runs and where its memory comes from, for metrics with patterns.
WHERE = r"""#!/bin/sh
sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\)-\([0-9]*\)$/first \1\nlast \2/p' /proc/self/status
sed -n '1s/^[0-9a-f]* bind:\([0-9]*\) .*/memory \1/p' /proc/self/numa_maps
"""

HEADER = """version: 1
suite: machine
policy: {alone: false}
defaults: {measure: {samples: 2, warmup: 0}}
"""

# Nodes by what they have: @far@ is the one with CPU 2, @home@ that of CPU 0.
UNLIKE = HEADER + """
cases:
  - id: matrix
    uses: numa@host
    with: {bytes: 1MiB}
    matrix: {kernel: [read, write, triad, latency]}
  - id: migrated
    uses: numa@host
    with: {kernel: triad, placement: migrated, bytes: 1MiB}
  - id: program
    uses: numa@host
    with: {kernel: triad, bytes: 8MiB}
    matrix: {placement: [first_touch, interleaved, misplaced]}
  - id: program_latency
    uses: numa@host
    with: {kernel: latency, bytes: 8MiB}
    matrix: {placement: [first_touch, interleaved, misplaced]}
  - id: pairs
    uses: numa@host
    with: {kernel: read, bytes: 1MiB}
    matrix: {pairs: [local, remote]}
  - id: full
    uses: numa@host
    with: {kernel: read, bytes: 120MiB}
  - id: one_cell
    uses: numa@host
    with: {kernel: read, bytes: 1MiB}
    bind: {cpu: "node:@far@", memory: "node:@memory_only@"}
  - id: one_touch
    uses: numa@host
    with: {kernel: read, placement: first_touch, bytes: 1MiB}
    bind: {cpu: "node:@far@", memory: "node:@memory_only@"}
  - id: no_cpus
    uses: numa@host
    with: {kernel: read, bytes: 1MiB}
    bind: {cpu: "node:@memory_only@", memory: "node:@home@"}
  - id: no_memory
    uses: numa@host
    with: {kernel: read, bytes: 1MiB}
    bind: {cpu: "node:@home@", memory: "node:@cpus_only@"}
  - id: no_node
    uses: numa@host
    with: {kernel: read, bytes: 1MiB}
    bind: {cpu: "node:9", memory: "node:@home@"}
  - id: not_a_matrix
    uses: numa@host
    with: {kernel: read, placement: interleaved, pairs: remote, bytes: 1MiB}
"""

UNLIKE_SCRIPT = r"""
nodes=/sys/devices/system/node
for node in $nodes/node[0-9]*; do
  number=${node##*node}
  case "$(cat $node/cpulist)" in
    0-1) home=$number ;;
    2) far=$number ;;
    3) cpus_only=$number ;;
    "") memory_only=$number ;;
  esac
  cat $node/distance >/results/distance.$number
done
echo "$home $far $cpus_only $memory_only" >/results/numbers
cat $nodes/online >/results/online; cat $nodes/has_memory >/results/has_memory
sed -i "s/@home@/$home/; s/@far@/$far/; s/@cpus_only@/$cpus_only/; s/@memory_only@/$memory_only/" suite.yaml
assay system --json >/results/system.json
assay run suite.yaml --quick -o out --report json --report markdown --report console >/results/run.out 2>/results/run.err
echo $? >/results/run.code
cp out/result.json out/report.md /results
"""

SPLIT = HEADER + """
cases:
  - id: where
    uses: external
    backend: fake
    devices: each
    command: [/case/where]
    matrix: {bind: [local, remote, {cpu: "node:3", memory: "node:1"}]}
    metrics:
      first: {pattern: '^first (\\d+)$'}
      last: {pattern: '^last (\\d+)$'}
      memory: {pattern: '^memory (\\d+)$'}
  - id: matrix
    uses: numa@host
    backend: host
    with: {kernel: read, bytes: 1MiB}
"""

SPLIT_SCRIPT = r"""
for node in /sys/devices/system/node/node[0-9]*; do echo "${node##*node} $(cat $node/cpulist) $(cat $node/distance)"; done >/results/nodes
assay system --json >/results/system.json
assay run suite.yaml --plugin-dir plugins --quick -o out --report json >/results/run.out 2>/results/run.err
echo $? >/results/run.code
cp out/result.json /results
"""


def node_arguments(sizes_mib, cpus, distances):
    """QEMU's arguments for nodes of so much memory (0: none) and these CPUs ("": none). The files that the machine boots from take
    80 MiB of whichever node has the CPU that unpacked them, and Assay leaves 32 MiB of a node alone."""
    out = []
    for node, (size, list_of_cpus) in enumerate(zip(sizes_mib, cpus)):
        if size:
            out += ["-object", f"memory-backend-ram,id=m{node},size={size}M"]
        out += ["-numa", f"node,nodeid={node}" + (f",cpus={list_of_cpus}" if list_of_cpus else "") + (f",memdev=m{node}" if size else "")]
    for one in range(len(sizes_mib)):
        for other in range(one + 1, len(sizes_mib)):
            out += ["-numa", f"dist,src={one},dst={other},val={distances(one, other)}"]
    return ["-m", f"{sum(sizes_mib)}M", *out]


class Machine(unittest.TestCase):
    @classmethod
    def boot(cls, arguments, script, files):
        cls.found = machine.boot(arguments, script, files)
        cls.system = json.loads(cls.found["system.json"])
        if "result.json" not in cls.found:
            raise AssertionError(f"no result: {cls.found['run.out']}\n{cls.found['run.err']}\n{cls.found['script.err']}")
        cls.document = json.loads(cls.found["result.json"])

    def case(self, ident):
        return next(case for case in self.document["cases"] if case["id"] == ident)

    def passed(self, ident):
        case = self.case(ident)
        self.assertEqual(case["outcome"], "passed", case["reason"])
        return case

    def reason(self, ident, outcome):
        case = self.case(ident)
        self.assertEqual(case["outcome"], outcome, case["reason"])
        return json.dumps(case["reason"])

    def cells(self, case, metric):
        """Indices of a metric's values."""
        return {tuple(entry["indices"]) for entry in case["metrics"] if entry["name"] == metric and entry["value"] > 0}

    def value(self, case, metric):
        return next(entry["value"] for entry in case["metrics"] if entry["name"] == metric)

    def nodes_of_system(self):
        return {node["node"]: node for node in self.system["host"]["numa_nodes"]}


class UnlikeNodes(Machine):
    """QEMU's nodes: CPUs and memory, nothing at all, memory alone, CPUs and memory, CPUs alone."""

    @classmethod
    def setUpClass(cls):
        arguments = node_arguments([640, 0, 160, 352, 0], ["0-1", "", "", "2", "3"], lambda one, other: 10 + 2 * one + 7 * other)
        cls.boot(["-smp", "4", *arguments], UNLIKE_SCRIPT, {"suite.yaml": UNLIKE})
        cls.home, cls.far, cls.cpus_only, cls.memory_only = map(int, cls.found["numbers"].split())
        cls.memory = sorted([cls.home, cls.far, cls.memory_only])
        cls.with_cpus = sorted([cls.home, cls.far, cls.cpus_only])
        cls.all_cells = {(c, m) for c in cls.with_cpus for m in cls.memory}

    def test_the_system_has_each_nodes_own_cpus_and_memory(self):
        nodes = self.nodes_of_system()
        self.assertEqual(len(nodes), 4)
        self.assertEqual({number: node["cpus"] for number, node in nodes.items()},
                         {self.home: "0-1", self.far: "2", self.cpus_only: "3", self.memory_only: ""})
        self.assertEqual({number for number, node in nodes.items() if node["memory_bytes"] > 0}, set(self.memory))

    def test_every_pair_of_nodes_is_a_cell(self):
        for kernel in ("read", "write", "triad"):
            case = self.passed(f"matrix[kernel={kernel}]")
            self.assertEqual(self.cells(case, "bandwidth_matrix"), self.all_cells)
            self.assertEqual(self.value(case, "placed"), 1)
            self.assertTrue(case["verification"]["verified"])
            self.assertGreater(self.value(case, "remote_ratio"), 0)
        self.assertEqual(self.cells(self.passed("matrix[kernel=latency]"), "latency_matrix"), self.all_cells)

    def test_distances_are_reported_as_the_kernel_has_them(self):
        online = sorted([*self.memory, self.cpus_only])
        rows = [f"from {node}: " + ", ".join(self.found[f"distance.{node}"].split()) for node in online]
        self.assertEqual(self.case("matrix[kernel=read]")["facts"]["distances"], "; ".join(rows))
        self.assertEqual(len({word for row in rows for word in row.split(": ")[1].split(", ")}), 7)  # unlike, and 10
        self.assertIn("; ".join(rows)[:40], self.found["report.md"])

    def test_the_report_has_a_table_from_node_to_node(self):
        report = self.found["report.md"]
        table = report[report.index("**bandwidth_matrix at kernel=read**"):].splitlines()
        online = sorted([*self.memory, self.cpus_only])
        self.assertIn(f"| from, to | {' | '.join(map(str, online))} |", table)
        rows = {}
        for node in online:
            line = next(line for line in table if line.startswith(f"| **{node}** |"))
            rows[node] = dict(zip(online, [cell.strip() for cell in line.strip("|").split("|")][1:]))
        for c in online:
            for m in online:
                has_value = any(character.isdigit() for character in rows[c][m])
                self.assertEqual(has_value, (c, m) in self.all_cells, rows)

    def test_pages_move_and_are_where_they_went(self):
        case = self.passed("migrated")
        self.assertEqual(self.cells(case, "bandwidth_matrix"), self.all_cells)
        self.assertEqual({to for _, to in self.cells(case, "migration_matrix")}, set(self.memory))
        self.assertEqual(self.value(case, "placed"), 1)

    def test_programs_pages_lie_where_their_habits_put_them(self):
        for placement in ("first_touch", "interleaved", "misplaced"):
            case = self.passed(f"program[placement={placement}]")
            self.assertEqual(self.cells(case, "bandwidth_by_node"), {(node,) for node in self.with_cpus})
            self.assertEqual(self.cells(case, "bandwidth_matrix"), set())
            case = self.passed(f"program_latency[placement={placement}]")
            self.assertEqual(self.cells(case, "latency_by_node"), {(node,) for node in self.with_cpus})
        first_home = min(node for node in self.with_cpus if node in self.memory)
        uses = self.case("program[placement=misplaced]")["facts"]["uses"].split("; ")
        self.assertEqual(uses, [f"node {node} on memory of node {first_home}" for node in self.with_cpus])

    def test_pairs_are_chosen(self):
        local = {(node, node) for node in self.with_cpus if node in self.memory}
        self.assertEqual(self.cells(self.passed("pairs[pairs=local]"), "bandwidth_matrix"), local)
        self.assertEqual(self.cells(self.passed("pairs[pairs=remote]"), "bandwidth_matrix"), self.all_cells - local)

    def test_a_full_node_is_said_to_be_full(self):
        text = self.reason("full", "skipped")
        self.assertIn("needs 120.0 MiB of host memory on node ", text)

    def test_bind_leaves_one_cell(self):
        case = self.passed("one_cell")
        self.assertEqual(self.cells(case, "bandwidth_matrix"), {(self.far, self.memory_only)})
        self.assertEqual(self.passed("one_touch")["facts"]["uses"], f"node {self.far} on memory of node {self.memory_only}")

    def test_what_cannot_be_bound_is_refused(self):
        self.assertIn(f"NUMA node:{self.memory_only} has no CPUs", self.reason("no_cpus", "skipped"))
        self.assertIn(f"NUMA node:{self.cpus_only} has no memory", self.reason("no_memory", "skipped"))
        self.assertIn("this machine has no NUMA node:9", self.reason("no_node", "skipped"))
        self.assertIn("only placement bound and migrated", self.reason("not_a_matrix", "error"))


class SplitPackages(Machine):
    """Two packages of two nodes each, as servers with NPS2 or sub-NUMA clusters have them."""

    @classmethod
    def setUpClass(cls):
        arguments = node_arguments([512, 320, 320, 320], ["0-1", "2-3", "4-5", "6-7"],
                                   lambda one, other: 12 if one // 2 == other // 2 else 30 + one + other)
        cls.boot(["-smp", "8,sockets=2,cores=4,threads=1", *arguments], SPLIT_SCRIPT, {"suite.yaml": SPLIT, "where": WHERE})
        lines = [line.split() for line in cls.found["nodes"].splitlines()]
        cls.cpus = {int(line[0]): line[1] for line in lines}
        cls.farthest = {int(line[0]): max(range(4), key=lambda node: int(line[2 + node])) for line in lines}

    def test_the_system_has_each_nodes_own_cpus(self):
        self.assertEqual(sorted(self.cpus.values()), ["0-1", "2-3", "4-5", "6-7"])
        self.assertEqual(self.system["host"]["sockets"], 2)
        self.assertEqual({number: node["cpus"] for number, node in self.nodes_of_system().items()}, self.cpus)

    def bound(self, bind, device):
        case = next(case for case in self.document["cases"]
                    if case["case"] == "where" and case["placement"]["devices"] == [device] and f"[bind={bind}," in case["id"])
        self.assertEqual(case["outcome"], "passed", case["reason"])
        first, last, memory = (int(self.value(case, metric)) for metric in ("first", "last", "memory"))
        return f"{first}-{last}", memory

    def test_bind_is_to_the_nodes_own_cpus(self):
        for device in range(4):  # two of them at each of the nodes 0 and 1
            home = device // 2
            self.assertEqual(self.bound("local", f"fake:{device}"), (self.cpus[home], home))
            far = self.farthest[home]
            self.assertEqual(self.bound("remote", f"fake:{device}"), (self.cpus[far], far))
            self.assertEqual(self.bound("cpu:node:3/memory:node:1", f"fake:{device}"), (self.cpus[3], 1))

    def test_every_pair_of_nodes_is_a_cell(self):
        case = self.passed("matrix")
        self.assertEqual(self.cells(case, "bandwidth_matrix"), {(c, m) for c in range(4) for m in range(4)})


if __name__ == "__main__":
    import machine

    if machine.missing():
        print(f"not here: {', '.join(machine.missing())} ('./dev machines' installs them)")
        sys.exit(1 if COMPLETE else 77)
    unittest.main(verbosity=1, argv=[sys.argv[0]])
