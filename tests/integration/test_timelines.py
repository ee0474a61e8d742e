#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timelines from real threads to a trace: recorded where they are asked for, in the order that the schedule says, in a file that viewers open."""

import collections
import json
import re

import harness

SUITE = "version: 1\nsuite: timelines\nrequires: {backend: host}\ndefaults: {processes: 1, measure: {samples: 6, warmup: 0}}\n"
CHUNKS = ["64KiB", "128KiB", "256KiB", "512KiB"]
PAYLOAD = 32 << 20


def copies_of(case):
    """{destination: [(from, begin, end)]} of a case of broadcast, each in the order of their begins."""
    found = collections.defaultdict(list)
    for track in case["timeline"]["tracks"]:
        destination = int(re.fullmatch(r"destination (\d+)", track["name"])[1])
        for span in track["spans"]:
            source, to = re.fullmatch(r"copy (source|\d+) → (\d+)", span["name"]).groups()
            assert int(to) == destination, span
            found[destination].append((source, span["begin_s"], span["end_s"]))
    return {destination: sorted(copies, key=lambda copy: copy[1]) for destination, copies in found.items()}


class Timelines(harness.Assay):
    def run_here(self, text, *arguments):
        self.write("suite.yaml", SUITE + text)
        result = self.assay("run", "suite.yaml", "-q", "-o", self.results, *arguments)
        reasons = [(case["id"], case["reason"]) for case in result.document["cases"] if case["outcome"] != "passed"]
        self.assertEqual((result.code, reasons), (0, []), result.out + result.err)
        return result

    def trace(self):
        return json.loads((self.results / "trace.json").read_text(encoding="utf-8"))

    def test_chunks_of_a_pipeline_travel_one_by_one_and_overlap(self):
        result = self.run_here(f"""cases:
  - id: chain
    uses: broadcast@host
    with: {{strategy: pipelined, shape: chain, bytes: {PAYLOAD}B, destinations: 3}}
    matrix: {{chunk: [{", ".join(CHUNKS)}]}}
""", "--report", "trace")
        overlaps = 0
        for chunk in CHUNKS:
            pieces = PAYLOAD // (int(chunk[:-3]) << 10)
            case = result.case(f"chain[chunk={chunk}]")
            copies = copies_of(case)
            with self.subTest(chunk):
                self.assertEqual({destination: len(each) for destination, each in copies.items()}, {0: pieces, 1: pieces, 2: pieces})
                self.assertEqual(case["timeline"]["left_out"], 0)
                self.assertEqual(min(begin for each in copies.values() for _, begin, _ in each), 0)
                for destination, source in enumerate(("source", "0", "1")):
                    self.assertEqual({each[0] for each in copies[destination]}, {source})
                    for before, after in zip(copies[destination], copies[destination][1:]):
                        self.assertLessEqual(before[2], after[1], "a destination makes its copies one after the other")
                for destination in (1, 2):
                    for arrived, onward in zip(copies[destination - 1], copies[destination]):
                        self.assertLessEqual(arrived[2], onward[1], "a chunk goes on before it has arrived")
                overlaps += copies[1][0][1] < copies[0][-1][2]
        # Whether the second destination begins while the first is at it is the scheduler's to say, but not four times of four.
        self.assertGreater(overlaps, 0, "no chunk ever went on while a later one arrived")

    def test_spans_that_the_result_leaves_out_are_counted(self):
        result = self.run_here(f"""cases:
  - {{id: many, uses: broadcast@host, with: {{strategy: pipelined, bytes: {PAYLOAD}B, chunk: 16KiB, destinations: 8}}}}
""", "--report", "trace")
        case = result.case("many")
        listed = sum(len(track["spans"]) for track in case["timeline"]["tracks"])
        self.assertEqual(listed + case["timeline"]["left_out"], 8 * PAYLOAD // (16 << 10))
        self.assertNotIn("timeline", case["facts"])

    def test_a_relay_goes_on_when_all_has_arrived(self):
        result = self.run_here("""cases:
  - {id: relay, uses: broadcast@host, with: {strategy: relay, shape: chain, bytes: 1MiB, destinations: 3}, processes: 2}
""", "--report", "trace")
        case = result.case("relay")
        self.assertEqual(case["timeline"]["round"], 1)
        copies = copies_of(case)
        self.assertEqual([[copy[0] for copy in copies[each]] for each in range(3)], [["source"], ["0"], ["1"]])
        for destination in (1, 2):
            self.assertLessEqual(copies[destination - 1][0][2], copies[destination][0][1])
        journal = [json.loads(line) for line in (self.results / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
        spans = {line["visit"]["round"]: len(line["visit"]["ranks"][0]["spans"]) for line in journal if line["type"] == "visit"}
        self.assertEqual(spans, {1: 3, 2: 0}, "once is enough")

    def test_the_trace_has_what_the_result_has_and_comes_from_it(self):
        result = self.run_here("""cases:
  - {id: a, uses: broadcast@host, with: {bytes: 1MiB, destinations: 2}}
  - {id: b, uses: membw@host, with: {bytes: 1MiB}}
""", "--report", "trace")
        self.assertNotIn("timeline", result.case("b"))
        trace = self.trace()
        names = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        drawn = collections.Counter()
        for event in trace["traceEvents"]:
            self.assertIn(event["ph"], ("M", "X"))
            if event["ph"] == "X":
                self.assertGreaterEqual(event["ts"], 0)
                self.assertGreaterEqual(event["dur"], 0)
                drawn[names[event["tid"]]] += 1
        self.assertEqual(drawn, {track["name"]: len(track["spans"]) for track in result.case("a")["timeline"]["tracks"]})
        processes = [event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "process_name"]
        self.assertEqual(processes, ["a"])
        for source in (self.results, self.results / "journal.jsonl"):
            again = self.assay("report", source, "--report", "trace=again.json")
            self.assertEqual((again.code, again.err), (0, "wrote again.json\n"))
            self.assertEqual((self.folder / "again.json").read_text(), (self.results / "trace.json").read_text())

    def test_steps_pipelines_and_broadcasts_are_pictures(self):
        result = self.run_here("""cases:
  - {id: train, uses: train_step@host, ranks: 2, with: {strategy: ddp, threads: 1, width: 64}}
  - {id: pipeline, uses: pipeline@host, ranks: 2, with: {threads: 1, width: 64}}
  - {id: broadcast, uses: broadcast@host, with: {bytes: 1MiB, destinations: 2}}
""", "--report", "trace", "--report", "markdown", "--report", "html")
        markdown = (self.results / "report.md").read_text(encoding="utf-8")
        html = (self.results / "report.html").read_text(encoding="utf-8")
        for name, spans in (("train", ("forward pass", "backward pass", "update", "average gradients")), ("pipeline", ("forward", "backward", "send")), ("broadcast", ("copy source → 0",))):
            with self.subTest(name):
                drawn = {span["name"].split(" (")[0] for track in result.case(name)["timeline"]["tracks"] for span in track["spans"]}
                found = re.search(rf"!\[Timeline of {name}: \d+ spans? on \d+ tracks?, [^]]* from the first to the last\]\((timeline-of-{name}-\w+\.svg)\)", markdown)
                self.assertIsNotNone(found, markdown)
                picture = (self.results / found[1]).read_text(encoding="utf-8")
                for span in spans:
                    self.assertTrue(any(one.startswith(span) for one in drawn), drawn)
                    self.assertIn(f"<title>{span}", picture)
                self.assertIn(f"Timeline of {name}", html)

    def test_nothing_is_recorded_unless_it_is_asked_for(self):
        result = self.run_here("cases:\n  - {id: a, uses: broadcast@host, with: {bytes: 1MiB, destinations: 2}}\n")
        self.assertNotIn("timeline", result.case("a"))
        later = self.assay("report", self.results, "--report", "trace=late.json")
        self.assertEqual(later.code, 0)
        self.assertIn("holds no timeline", later.err)
        self.assertIn("--report trace", later.err)
        late = json.loads((self.folder / "late.json").read_text())
        self.assertEqual(late["traceEvents"], [])
        self.assertIn("No timeline was recorded", late["otherData"]["note"])

    def test_a_benchmark_without_spans_has_an_empty_trace_with_why(self):
        result = self.run_here("cases:\n  - {id: a, uses: membw@host, with: {bytes: 1MiB}}\n", "--report", "trace")
        self.assertIn("holds no timeline", result.err)
        self.assertEqual(self.trace()["traceEvents"], [])


if __name__ == "__main__":
    harness.main()
