# SPDX-License-Identifier: Apache-2.0
"""assay compare: what it takes, how it ends, and that every reporter renders what it finds."""

import copy
import json
import unittest
import xml.etree.ElementTree

import harness

KEPT = harness.SOURCE / "docs/results/h200/gemm-shapes.json"  # measured once, three rounds a case


class Compare(harness.Assay):
    def setUp(self):
        super().setUp()
        self.old = json.loads(KEPT.read_text(encoding="utf-8"))
        self.new = copy.deepcopy(self.old)
        self.new["run"]["id"] = "another"

    def throughputs(self, document, ident):
        case = next(case for case in document["cases"] if case["id"] == ident)
        return next(metric for metric in case["metrics"] if metric["headline"])

    def scale(self, ident, factor):
        metric = self.throughputs(self.new, ident)
        metric["value"] *= factor
        metric["rounds"] = [value * factor for value in metric["rounds"]]

    def compare(self, *options):
        self.write("old.json", json.dumps(self.old))
        self.write("new.json", json.dumps(self.new))
        done = self.assay("compare", "old.json", "new.json", *options)
        return done

    def comparison(self, *options):
        done = self.compare("--report", "json=found.json", *options)
        return done, json.loads((self.folder / "found.json").read_text(encoding="utf-8"))

    def test_the_same_is_the_same(self):
        done, found = self.comparison()
        self.assertEqual(done.code, 0, done.out + done.err)
        verdicts = {row["verdict"] for row in found["rows"] if row["verdict"] != "not_comparable"}
        self.assertLessEqual(verdicts, {"same", "undecided"})
        self.assertEqual(found["differences"], [])

    def test_a_row_shown_to_be_slower_is_exit_1_and_a_regression(self):
        ident = self.old["cases"][3]["id"]
        self.scale(ident, 0.9)
        done, found = self.comparison("--report", "junit=found.xml", "--report", "markdown=found.md")
        self.assertEqual(done.code, 1, done.err)
        self.assertEqual([row["id"] for row in found["rows"] if row["verdict"] == "slower"], [ident])
        root = xml.etree.ElementTree.parse(self.folder / "found.xml").getroot()
        self.assertEqual([f.get("type") for f in root.iter("failure")], ["regression"])
        self.assertIn("**slower**", (self.folder / "found.md").read_text(encoding="utf-8"))
        again = self.assay("report", "found.json")
        self.assertIn("exit 1", again.out)
        self.assertEqual(self.compare().out, again.out)

    def test_a_page_shows_both_sides_and_each_change(self):
        ident = self.old["cases"][3]["id"]
        self.scale(ident, 0.9)
        done, _ = self.comparison("--report", "html=found.html", "--report", "markdown=found.md", "--report", "markdown:flavor=gitlab=again.md")
        self.assertEqual(done.code, 1, done.err)
        page = (self.folder / "found.html").read_text(encoding="utf-8")
        for part in ("old.json", "new.json", 'data-outcome="slower"', '<svg class="plot"'):
            self.assertIn(part, page)
        pictures = sorted(path.name for path in self.folder.glob("*.svg"))
        self.assertEqual(len(pictures), 1)  # both reports show the same one
        for report in ("found.md", "again.md"):
            self.assertIn(f"]({pictures[0]})", (self.folder / report).read_text(encoding="utf-8"))

    def test_a_report_on_standard_output_has_no_pictures(self):
        done = self.compare("--report", "markdown=-")
        self.assertIn("| row | metric |", done.out)
        self.assertNotIn(".svg", done.out)
        self.assertEqual(list(self.folder.glob("*.svg")), [])

    def test_no_worse_than_fails_what_is_not_shown(self):
        done = self.compare("--no-worse-than", "0.01%")
        self.assertEqual(done.code, 1)
        self.assertIn("not shown to be no worse", done.out)

    def test_a_filter_leaves_other_rows_out_and_is_told(self):
        ident, other = self.old["cases"][3]["id"], self.old["cases"][4]["id"]
        self.scale(other, 0.9)
        self.assertEqual(self.compare().code, 1)
        done, found = self.comparison("--filter", ident)
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertEqual({row["id"] for row in found["rows"]}, {ident})
        self.assertEqual(found["filter"], [ident])
        self.assertIn("rows by --filter '" + ident, self.assay("report", "found.json").out)
        nothing = self.compare("--filter", "no-such-case")
        self.assertEqual(nothing.code, 6)
        self.assertIn("Neither side has a row that --filter asks for.", nothing.out)
        self.assertEqual(self.compare("--filter", "(").code, 2)

    def test_several_results_a_side(self):
        for number in range(4):
            self.new["run"]["id"] = f"run {number}"
            self.write(f"{number}.json", json.dumps(self.new))
        done = self.assay("compare", "--old", "0.json", "1.json", "--new", "2.json", "3.json")
        self.assertEqual(done.code, 0, done.out + done.err)
        self.assertIn("as the results of each side do", done.out)

    def test_other_devices_are_exit_6(self):
        for backend in self.new["run"]["backends"]:
            for device in backend["devices"]:
                device["model"] = "another"
        done = self.compare()
        self.assertEqual(done.code, 6, done.err)
        self.assertIn("the devices are not alike", done.out)
        self.assertEqual(self.compare("--report", "junit=found.xml").code, 6)
        root = xml.etree.ElementTree.parse(self.folder / "found.xml").getroot()
        self.assertEqual([e.get("type") for e in root.iter("error")], ["nothing_compared"])

    def test_what_is_no_two_results_is_refused(self):
        whole = json.dumps(self.old)
        self.write("old.json", whole)
        self.write("cut.json", whole[: len(whole) // 2])
        self.write("later.json", json.dumps({**self.new, "schema_version": "2.0"}))
        for arguments, code, said in [
            (["old.json"], 2, "assay compare OLD NEW"),
            (["old.json", "old.json", "old.json"], 2, "assay compare OLD NEW"),
            (["--old", "old.json"], 2, "assay compare OLD NEW"),
            (["old.json", "old.json"], 2, "are the same run"),
            (["old.json", "missing.json"], 2, "cannot be read"),
            (["old.json", "cut.json"], 3, "is cut off"),
            (["old.json", "later.json"], 3, "schema version 2.0"),
            (["old.json", "cut.json", "--theta", "two"], 2, "--theta cannot be 'two'"),
            (["old.json", "cut.json", "--no-worse-than", "100%"], 2, "from 0 to below 1"),
        ]:
            done = self.assay("compare", *arguments)
            self.assertEqual(done.code, code, f"{arguments}: {done.out}{done.err}")
            self.assertIn(said, done.err, arguments)

    def test_no_report_replaces_what_is_compared(self):
        done = self.compare("--report", "markdown=old.json")
        self.assertEqual(done.code, 7, done.err)
        self.assertEqual(json.loads((self.folder / "old.json").read_text(encoding="utf-8")), self.old)

    def test_a_reporter_of_results_only_is_refused(self):
        self.comparison()
        plugins = json.loads(self.assay("list", "--json").out)["plugins"]
        names = [each["name"] for plugin in plugins for each in plugin["reporters"]]
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(name):
                refused = self.assay("compare", "missing.json", "new.json", "--report", name)
                self.assertEqual(refused.code, 2, refused.err)
                again = self.assay("report", "found.json", "--report", name, "-o", "again")
                is_of_both = f"'{name}' renders results, and no comparisons" not in refused.err
                self.assertEqual((again.code, name in ("console", "html", "json", "junit", "markdown")), (0 if is_of_both else 2, is_of_both), again.err)

    def test_without_a_table_it_says_what_it_found(self):
        self.scale(self.old["cases"][3]["id"], 0.9)
        done = self.compare("--report", "junit=found.xml")
        self.assertEqual((done.code, done.out), (1, ""))
        wrote, said = done.err.splitlines()
        self.assertEqual(wrote, "wrote found.xml")
        self.assertIn(" 1 slower", said)
        self.assertEqual(self.compare("--report", "junit=found.xml", "-q").err, "")
        for shown in ("markdown=-", "console"):
            self.assertEqual(self.compare("--report", shown).err, "")

    def test_it_is_what_its_schema_says(self):
        schema = json.loads(self.assay("schema", "comparison").out)
        _, found = self.comparison()
        self.assertEqual(set(schema["required"]) - set(found), set())
        self.assertEqual(set(found) - set(schema["properties"]), set())
        row = schema["definitions"]["row"]
        for each in found["rows"]:
            self.assertEqual(set(row["required"]) - set(each), set())


if __name__ == "__main__":
    unittest.main()
