# SPDX-License-Identifier: Apache-2.0
"""Whether reports say what the result says."""
import csv
import html
import io
import json
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


def words_of(verdict):
    return verdict.replace("_", " ")


def has_result(case):
    return any(metric["value"] is not None for metric in case["metrics"])


def told(name, shown, document):
    """The findings' verdicts that a report shows, in their order, are those of the result."""
    wanted = [words_of(each["verdict"]) for each in document["findings"]]
    # Of what nothing was measured of, reports say so, and leave undecided to noise.
    shown = ["undecided" if each.startswith("not answered") else each for each in shown]
    return [] if shown == wanted else [f"{name} says {shown} of the findings, the result {wanted}"]


SIGNS = {"us": "µs", "C": "°C"}  # what a keyboard does not have


CAP = 8  # lines of one case in the console


def place(position):
    return f"{position['file']}:{position['line']}:{position['column']}"


def open_limits(case):
    """The expectations that keep a case from passing, or leave it open."""
    if case["outcome"] == "passed":
        return [each for each in case["expectations"] if each["status"] == "undecided"]
    wanted = ["failed", "undecided"]
    if case["reason"]["code"].startswith("expectation."):
        wanted += ["no_reference", "not_judged"]  # else there was nothing to judge
    return [each for each in case["expectations"] if each["status"] in wanted]


def has_lines(case, document):
    """Cases that share a reason stand under the first of them; five or more of a name that missed a limit are one line."""
    return any(each["subject"] == case["id"] for each in document["verdict"]["reasons"]) and \
        sum(each["case"] == case["case"] for each in document["cases"]) < 5


def limits(name, text, document, line_of, most=None):
    """Each limit that is not passed has a line of its case, and the place where the suite asks for it."""
    found = []
    for case in document["cases"]:
        told = open_limits(case)
        if most is None or len(told) <= most:
            found += [f"{name} does not say where {each['text']!r} of {case['id']} stands, which is {each['status']}"
                      for each in told if has_lines(case, document) and place(each["position"]) not in text]
        lines = len(re.findall(line_of(re.escape(case["id"])), text, re.MULTILINE))
        wanted = min(len(told), most or len(told))
        if has_lines(case, document) and lines < wanted:
            found.append(f"{name} has {lines} lines of {case['id']}, of which {wanted} limits are not passed")
    return found


def stable_name(case):
    axes = sorted(f"{axis['name']}={axis['text']}" for axis in case["axes"])
    return case["case"] + ("[" + ",".join(axes) + "]" if axes else "")


def limits_of_tests(name, texts, document):
    """The same where every case is a test: its text holds what the suite wrote."""
    return [f"{name} does not tell of {each['text']!r} of {case['id']}, which is {each['status']}"
            for case in document["cases"] for each in open_limits(case)
            if each["text"] not in texts.get(stable_name(case), "")]


def page(text, document):
    part = re.sub(r"<wbr>|</?code>|</?span[^>]*>", "", text.split('<h2 class="cases">')[0])
    return limits("HTML", html.unescape(part), document, lambda name: "<li>" + name + ": ")


def ctrf(text, document):
    tests = json.loads(text)["results"]["tests"]
    texts = {test["name"]: test.get("trace", "") + "\n".join(test.get("stdout", [])) for test in tests}
    return limits_of_tests("CTRF", texts, document)


def table(text, document):
    """The column `verdict` of CSV has the worst that the limits on a metric came to."""
    found, rows = [], list(csv.DictReader(io.StringIO(text)))
    for case in document["cases"]:
        for row in rows:
            if row["case"] != stable_name(case):
                continue
            own = [each["status"] for each in case["expectations"]
                   if re.match(re.escape(row["metric"]) + r" *[<>=!]", each["text"])]
            if row["metric"] and set(own) - {"passed"} and row["verdict"] in ("", "passed"):
                found.append(f"CSV says '{row['verdict']}' of {row['metric']} of {case['id']}, whose limits are {own}")
            if "failed" in own and row["metric"] and row["verdict"] != "failed":
                found.append(f"CSV says '{row['verdict']}' of {row['metric']} of {case['id']}, which failed")
    return found


def columns(name, text, document):
    """What leads, and all that a command's case declares, stands in the tables, in the unit that was written."""
    found = []
    for case in document["cases"]:
        if case["outcome"] != "passed":
            continue
        for metric in case["metrics"]:
            # Of a command everything that the suite declares, and how long it took.
            if not (metric["headline"] or case["benchmark"] == "external") or metric["statistic"] == "derived" or \
                    (metric["indices"] and case["benchmark"] != "external"):
                continue
            # Rows of several devices are one in the console, whose column says which of them it shows.
            of_devices = any(axis["name"] == "device" for axis in case["axes"])
            if not (of_devices and name == "the console") and not re.search(r"\b%s\b" % metric["name"], text):
                found.append(f"{name} does not show '{metric['name']}' of {case['id']}")
            written = metric.get("written")
            sign = SIGNS.get(written["unit"], written["unit"]) if written else ""
            if not written or not 0.01 < abs(metric["value"] / written["scale"]) < 1e5:
                continue
            # Of several values there is the range.
            is_shown = sign in text if metric["indices"] or of_devices else shows(metric["name"], metric["value"] / written["scale"], sign, text)
            if not is_shown:
                found.append(f"{name} does not show '{metric['name']}' in {written['unit']}")
    return found


def shows(name, value, sign, text):
    """A column has the unit in its head, or the value stands before it, in as many digits as are known."""
    if f"{name}, {sign}" in text:
        return True
    numbers = re.findall(r"([−-]?[0-9.]*[0-9])(?: ± [0-9.]+)? ?%s(?![\w/])" % re.escape(sign), text)
    return any(abs(float(number.replace("−", "-")) - value) <= 0.1 * abs(value) for number in numbers)


def has_one_reason(document):
    """What keeps every one of several findings open, and rounds do not mend, is told once, unless one of them is asserted."""
    findings = document["findings"]
    if any(row.get("more_rounds") or row.get("low") is not None for each in findings for row in each["rows"]):
        return False
    return len(findings) > 1 and len({reason_of(each) for each in findings}) == 1 and reason_of(findings[0])[0] != "" and not any(
        each["assert"] for each in findings)


def reason_of(finding):
    """The first reason, and how many there are. Where some rows decide (`for`), what the finding says of itself counts rows, and is none."""
    rows = list(dict.fromkeys(row["why"] for row in finding["rows"] if row["why"]))
    if rows and finding.get("for"):
        return rows[0], len(rows)
    return finding["why"], 1 + len([why for why in rows if why != finding["why"]])


def console_findings(text, document):
    if not document["findings"]:
        return []
    together = re.search(r"^(\d+) findings?   not answered: (nothing was measured|no case is complete)?", text, re.MULTILINE)
    if together:
        if together[2] and any(map(has_result, document["cases"])):
            return ["the console says that nothing was measured, and cases have results"]
        found = told("the console", ["undecided"] * len(document["findings"]), document)
        if not together[2] and not has_one_reason(document):
            found.append(f"the console tells one reason of all findings: {together[0]!r}")
        return found
    answers = re.findall(r"^  (?:\S )?Is it so\?\n    (confirmed|refuted|mixed|small|undecided|not comparable|not answered)", text, re.MULTILINE)
    return told("the console", answers, document)


def markdown_findings(text, document):
    if not document["findings"]:
        return []
    part = text.split("## Findings")[1].split("\n## ")[0]
    found = told("Markdown", re.findall(r"^\| \d+ \| Is it so\? \| \*\*([a-z ]+)\*\*", part, re.MULTILINE), document)
    without = len(document["cases"]) - sum(map(has_result, document["cases"]))
    counted_without = re.search(r"visits?, (each with a result|(\d+) without a result)", part)
    if not counted_without or int(counted_without[2] or 0) != without:
        found.append(f"Markdown says {counted_without and counted_without[0]!r}, and {without} cases have no result")
    sections = len(re.findall(r"^### \d+\. Is it so", part, re.MULTILINE))
    apart = any(map(has_result, document["cases"])) and not has_one_reason(document)
    if sections != (len(document["findings"]) if apart else 0):
        found.append(f"Markdown has {sections} sections for {len(document['findings'])} findings")
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
    reasons, whole = text.split(lines[0])[1], "more, see the other reports" not in text
    return _counts("the console", lines[0], document) + console_findings(text, document) + \
        (limits("the console", reasons, document, lambda name: "^  " + name + "(?:   |$)", CAP) if whole else []) + \
        columns("the console", text, document)


def markdown(text, document):
    verdict = document["verdict"]
    found = []
    heading = text.splitlines()[0]
    if heading == "# property: passed" if verdict["exit_code"] else not re.search("passed|findings", heading):
        found.append(f"Markdown is headed {heading!r}, the result says {verdict['outcome']}")
    lines = [line for line in text.splitlines() if "Exit code" in line]
    if not lines or f"Exit code {verdict['exit_code']}" not in lines[0]:
        return found + [f"Markdown does not say exit code {verdict['exit_code']}: {lines[:1]}"]
    return found + _counts("Markdown", lines[0], document) + markdown_findings(text, document) + \
        limits("Markdown", text, document, lambda name: "^- `" + name + "`: ") + \
        columns("Markdown", text, document)


def element_of(outcome):
    return "failure" if outcome in FAILURE else "error" if outcome in ERROR else \
        "skipped" if outcome == "skipped" else None


def expected_tests(document):
    """The element of each test case that JUnit must have."""
    wanted = [element_of(each["outcome"]) for each in document["cases"] + document["groups"]]
    nothing_ran = document["verdict"]["outcome"] in ("unmet", "nothing_ran")
    for each in document["findings"]:
        if each["assert"] and nothing_ran:
            wanted.append("skipped")
        else:
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
    for each in document["findings"]:
        test = next((t for t in tests if t.get("classname", "").endswith(".findings") and t.get("name") == each["id"]), None)
        output = "" if test is None else "\n".join(test.itertext())
        is_unmeasured = each["verdict"] == "undecided" and "not answered" in output
        if words_of(each["verdict"]) not in output and not is_unmeasured:
            found.append(f"JUnit does not say that {each['id']} is {words_of(each['verdict'])}: {output!r}")
    # A test case has at most 900 bytes of output, since consumers keep no more; what is not passed comes first.
    if all(len("\n".join(test.itertext())) < 700 for test in tests):
        found += columns("JUnit", "\n".join(root.itertext()), document)
    found += limits_of_tests("JUnit", {test.get("name"): "\n".join(test.itertext()) for test in tests}, document)
    said = "\n".join(root.itertext()) + "\n".join(each.get("message", "") for each in root.iter())
    for each in [e for case in document["cases"] for e in case["expectations"]]:
        if each["status"] == "undecided" and each["text"] not in said:
            found.append(f"JUnit does not mention the undecided {each['text']!r}")
    return found


def differences(document, texts):
    return console(texts["console"], document) + markdown(texts["markdown"], document) + \
        junit(texts["junit"], document) + page(texts["html"], document) + ctrf(texts["ctrf"], document) + \
        table(texts["csv"], document)
