#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the consumers of JUnit files make of ours: the approved reports, read as each of them reads.

Every extractor keeps to one consumer's own rules (docs/reference/junit.md). Prints 'N passed, N failed'.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
if ROOT.is_file():
    ROOT = ROOT.parents[2]
GOLDEN = ROOT / "tests/golden"
XSD = ROOT / "reporters/junit/junit.xsd"
passed, problems = 0, []


def expect(condition, what):
    global passed
    if condition:
        passed += 1
    else:
        problems.append(what)


def valid(text):
    """True if the schema accepts it; None without xmllint."""
    tool = shutil.which("xmllint")
    if tool is None:
        return None
    done = subprocess.run([tool, "--noout", "--nonet", "--schema", str(XSD), "-"], input=text.encode(), capture_output=True)
    return done.returncode == 0


def jenkins(root):
    """junit plugin: package and class split at the last dot; error text wins over failure text; suites without cases vanish."""
    rows = []
    for suite in root.iter("testsuite"):
        for case in suite.findall("testcase"):
            package, _, name = case.get("classname").rpartition(".")
            error, failure = case.find("error"), case.find("failure")
            detail = error if error is not None else failure
            out = case.findtext("system-out") or ""
            rows.append({"package": package, "class": name, "name": case.get("name"), "time": float(case.get("time").replace(",", "")),
                         "detail": None if detail is None else detail.text, "skipped": case.find("skipped") is not None,
                         "shown": out if len(out) <= 1000 else out[:500] + out[-500:]})
    return rows


def gitlab(root):
    """classname is the column 'suite'; only element text is shown; a later case of the same name is dropped."""
    seen = {}
    for case in root.iter("testcase"):
        state = next((tag for tag in ("failure", "error", "skipped") if case.find(tag) is not None), "success")
        text = case.findtext(state) if state != "success" else ""
        seen.setdefault((case.get("classname"), case.get("name")), (state, text))
    return seen


def dorny(root):
    """dorny/test-reporter: nested suites are ignored; the first failure else the error; 'type: message', then the text."""
    rows = []
    for suite in root.findall("testsuite"):
        assert suite.get("name").strip() and suite.get("time") is not None
        for case in suite.findall("testcase"):
            detail = case.find("failure")
            if detail is None:
                detail = case.find("error")
            rows.append((case.get("classname"), case.get("name"), None if detail is None else f"{detail.get('type')}: {detail.get('message')}"))
    return rows


def mikepenz(root):
    """mikepenz/action-junit-report: an annotation at file and line, the suite's file otherwise."""
    rows = []
    for suite in root.iter("testsuite"):
        for case in suite.findall("testcase"):
            for tag in ("failure", "error"):
                for _ in case.findall(tag):
                    rows.append((case.get("file") or suite.get("file"), int(case.get("line") or 1)))
    return rows


def enricomi(root):
    """publish-unit-test-result: totals come from the suites' attributes."""
    total = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in root.iter("testsuite"):
        for key in total:
            total[key] += int(suite.get(key))
    return total


def azure(root):
    """Publish Test Results: the suite's time stamp as UTC, host name as computer, message and text of what failed."""
    rows = []
    for suite in root.iter("testsuite"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
        for case in suite.findall("testcase"):
            bad = case.find("failure") if case.find("failure") is not None else case.find("error")
            outcome = "NotExecuted" if case.find("skipped") is not None else "Passed" if bad is None else "Failed"
            rows.append((suite.get("hostname"), case.get("classname"), outcome, None if bad is None else (bad.get("message"), bad.text)))
    return rows


def circleci(root):
    """Needs classname or file to rerun failed tests; shows the message."""
    return [(case.get("classname") or case.get("file"), case.get("name"), [child.get("message") for child in case if child.tag in ("failure", "error")])
            for case in root.iter("testcase")]


def buildkite(root):
    """//testsuite/testcase; classname and name are required."""
    rows = []
    for case in root.iterfind(".//testsuite/testcase"):
        assert case.get("classname") and case.get("name")
        rows.append((case.get("classname"), case.get("name"), next((c.text for c in case if c.tag in ("failure", "error", "skipped")), "")))
    return rows


ELEMENT = {"passed": None, "failed": "failure", "invalid": "failure", "skipped": "skipped"}


def check_document(path, dialect):
    name = path.stem
    document = json.loads(path.read_text())
    text = (GOLDEN / "reporters" / f"{name}.junit{'.rich' if dialect == 'rich' else ''}.xml").read_text()
    root = xml.fromstring(text)
    where = f"{name} ({dialect})"
    accepted = valid(text)
    if accepted is not None:
        expect(accepted == (dialect == "portable" or not list(root.iter("testcase"))), f"{where}: the schema says {accepted}")

    outcomes = [one["outcome"] for one in document["cases"] + document["groups"]]
    want = {"failures": sum(ELEMENT.get(one, "error") == "failure" for one in outcomes) +
            sum(one.get("assert", False) and one["verdict"] != "confirmed" for one in document["findings"]),
            "errors": sum(ELEMENT.get(one, "error") == "error" for one in outcomes),
            "skipped": sum(ELEMENT.get(one, "error") == "skipped" for one in outcomes)}
    if document["verdict"]["outcome"] != "passed" and want["failures"] + want["errors"] == 0:
        want["errors"] = 1  # the run's own case
    totals = enricomi(root)
    expect(all(totals[key] == want[key] for key in want), f"{where}: totals {totals}, expected {want}")
    for key in ("tests", "failures", "errors"):
        expect(int(root.get(key)) == totals[key], f"{where}: the root's {key} differ from the suites'")
    expect((document["verdict"]["exit_code"] == 0) == (totals["failures"] + totals["errors"] == 0), f"{where}: green by accident")

    cases = list(root.iter("testcase"))
    expect(len(gitlab(root)) == len(cases), f"{where}: GitLab would drop a case of the same name")
    expect(all(text for state, text in gitlab(root).values() if state != "success"), f"{where}: GitLab would show an empty result")
    for row in jenkins(root):
        expect(row["package"] and row["class"] and row["time"] >= 0, f"{where}: Jenkins' tree lacks a level at {row}")
        expect(len(row["shown"]) <= 1000, f"{where}: Jenkins would cut the output of {row['name']}")
    headlines = [metric for one in document["cases"] for metric in one["metrics"] if metric["headline"]]
    if headlines:
        expect(any(headlines[0]["name"] + " " in row["shown"][:500] for row in jenkins(root)), f"{where}: no headline in the output")
    for consumer in (dorny, azure, circleci, buildkite):
        rows = consumer(root)
        expect(len(rows) == len(cases), f"{where}: {consumer.__name__} sees {len(rows)} of {len(cases)} cases")
    for *_, detail in azure(root):
        expect(detail is None or (detail[0] and detail[1].startswith(detail[0])), f"{where}: Azure lacks a message")
    for _, _, line in dorny(root):
        expect(line is None or not line.startswith("None"), f"{where}: a result without type")
    for _, _, messages in circleci(root):
        expect(all(messages), f"{where}: CircleCI lacks a message")
    if dialect == "rich":
        expect(all(file and line >= 1 for file, line in mikepenz(root)) or name == "hostile", f"{where}: an annotation without a place")
    else:
        expect(all(file for file, _ in mikepenz(root)), f"{where}: no file for annotations")


def check_strictness():
    """The schema must refuse what the strictest consumer refuses, or it proves nothing."""
    good = (GOLDEN / "reporters/mixed.junit.xml").read_text()
    breaches = {
        "file on a test case": good.replace("<testcase ", '<testcase file="a.yaml" ', 1),
        "line on a test case": good.replace("<testcase ", '<testcase line="3" ', 1),
        "properties in a test case": re.sub(r"(<testcase [^>]*>)", r'\1<properties><property name="a" value="b"/></properties>', good, count=1),
        "four decimals": re.sub(r'(<testcase [^>]*time="[0-9.]+)"', r'\g<1>0"', good, count=1),
        "an exponent": re.sub(r'(<testcase [^>]*time=)"[0-9.]+"', r'\1"1e-3"', good, count=1),
        "skipped on the root": good.replace("<testsuites ", '<testsuites skipped="0" ', 1),
        "a zone in a time stamp": re.sub(r'(timestamp="[^"]*)"', r'\1Z"', good, count=1),
        "nested suites": good.replace("</testsuite>\n</testsuites>", "</testsuite></testsuite></testsuites>", 1).replace("</properties>", '</properties><testsuite name="x">', 1),
        "two cases of one name": re.sub(r"(<testcase [^>]*>.*?</testcase>)", r"\1\1", good, count=1, flags=re.S),
        "a failure without type": good.replace("<failure type=\"threshold\"", "<failure", 1),
    }
    if valid(good) is None:
        return
    for what, text in breaches.items():
        expect(text != good and not valid(text), f"the schema accepts {what}")


def main():
    documents = sorted((GOLDEN / "documents").glob("*.json"))
    expect(len(documents) > 5, "there are no documents")
    for path in documents:
        for dialect in ("portable", "rich"):
            check_document(path, dialect)
    check_strictness()
    if shutil.which("xmllint") is None:
        problems.append("xmllint is missing: apt-get install libxml2-utils")
    for problem in problems:
        print(problem)
    print(f"{passed} passed, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
