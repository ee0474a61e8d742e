# SPDX-License-Identifier: Apache-2.0
"""Whether console, Markdown and JUnit say what the result says."""
import re
import xml.etree.ElementTree

FAILURE = ("failed", "invalid")
ERROR = ("error", "crashed", "timeout", "not_run", "cancelled")
GREEN = ("passed", "skipped")


def counted(text):
    """What a verdict's line counts: "3 of 7 failed (2 cases, 1 group check)" -> {"failed": 3}."""
    words = "passed|failed|error|crashed|timeout|invalid|skipped|not run|cancelled"
    return {word.replace(" ", "_"): int(number)
            for number, word in re.findall(r"(\d+)(?: of \d+)? (" + words + r")\b", text)}


def _counts(name, line, document):
    """A verdict's line has the number of each outcome that is worse than passed, and of what is undecided."""
    verdict, found = document["verdict"], []
    shown = counted(line)
    for outcome, number in verdict["counts"].items():
        if number and outcome != "passed" and shown.get(outcome) != number:
            found.append(f"{name} shows {shown.get(outcome, 0)} {outcome} of {number}: {line!r}")
        if not number and shown.get(outcome):
            found.append(f"{name} shows {shown[outcome]} {outcome}, and there are none: {line!r}")
    if verdict["undecided"] and not re.search(r"\b%d (expectations? )?undecided" % verdict["undecided"], line):
        found.append(f"{name} does not show that {verdict['undecided']} are undecided: {line!r}")
    return found


def console(text, document):
    verdict = document["verdict"]
    exits = re.findall(r"^exit (\d+)$", text, re.MULTILINE)
    if exits != [str(verdict["exit_code"])]:
        return [f"the console ends with exit {exits}, the result with {verdict['exit_code']}"]
    word = {"passed": "PASS", "failed": "FAIL"}.get(verdict["outcome"], r"[A-Z ]+")
    lines = re.findall(r"^((?:%s)  +nowhere  .*?) *$" % word, text, re.MULTILINE)
    if len(lines) != 1:
        return [f"the console has no line with the verdict {verdict['outcome']}"]
    return _counts("the console", lines[0], document)


def markdown(text, document):
    verdict = document["verdict"]
    found = []
    heading = text.splitlines()[0]
    if heading == "# property: passed" if verdict["exit_code"] else not re.search("passed|findings", heading):
        found.append(f"Markdown is headed {heading!r}, the result says {verdict['outcome']}")
    lines = [line for line in text.splitlines() if "Exit code" in line]
    if not lines or f"Exit code {verdict['exit_code']}" not in lines[0]:
        return found + [f"Markdown does not say exit code {verdict['exit_code']}: {lines[:1]}"]
    return found + _counts("Markdown", lines[0], document)


def element_of(outcome):
    return "failure" if outcome in FAILURE else "error" if outcome in ERROR else \
        "skipped" if outcome == "skipped" else None


def expected_tests(document):
    """The element of each test case that JUnit must have."""
    wanted = [element_of(each["outcome"]) for each in document["cases"] + document["groups"]]
    for each in document["findings"]:
        wanted.append("failure" if each["assert"] and each["verdict"] != "confirmed" else None)
    if document["verdict"]["exit_code"] != 0 and not any(each in ("failure", "error") for each in wanted):
        wanted.append("error")
    return wanted


def junit(text, document):
    root = xml.etree.ElementTree.fromstring(text)
    wanted, tests, found = expected_tests(document), root.findall(".//testcase"), []
    shown = [next((each.tag for each in test if each.tag in ("failure", "error", "skipped")), None) for test in tests]
    for kind in (None, "failure", "error", "skipped"):
        if shown.count(kind) != wanted.count(kind):
            found.append(f"JUnit has {shown.count(kind)} test cases with {kind}, the result {wanted.count(kind)}")
    for attribute, kind in (("tests", None), ("failures", "failure"), ("errors", "error")):
        number = len(wanted) if kind is None else wanted.count(kind)
        if root.get(attribute) != str(number):
            found.append(f"JUnit says {attribute}={root.get(attribute)}, and there are {number}")
    for each in document["groups"]:
        if each["status"] == "undecided" and "undecided" not in text:
            found.append(f"JUnit does not mention the undecided {each['text']!r}")
    said = "\n".join(root.itertext()) + "\n".join(each.get("message", "") for each in root.iter())
    for each in [e for case in document["cases"] for e in case["expectations"]]:
        if each["status"] == "undecided" and each["text"] not in said:
            found.append(f"JUnit does not mention the undecided {each['text']!r}")
    return found


def differences(document, texts):
    return console(texts["console"], document) + markdown(texts["markdown"], document) + \
        junit(texts["junit"], document)
