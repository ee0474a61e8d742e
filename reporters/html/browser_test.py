#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The approved HTML reports and pictures in headless Chromium: pages render, sort and filter, print no error, ask for nothing, break no rule of axe, and what is hostile stays text;
pictures are whole, and no text in them leaves them.

'browser_test.py SOURCES ASSAY [FOLDER]' prints 'N passed, N failed'; with FOLDER it keeps pictures of both themes at four widths. 77: what it needs is not here.
./dev test installs that: chromium, chromium-driver and python3-selenium, and axe into build/tools.
"""

import base64
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
ASSAY = sys.argv[2]
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
GOLDEN = ROOT / "tests/golden/reporters"
passed, problems = 0, []


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def expect(condition, what):
    global passed
    if condition:
        passed += 1
    else:
        problems.append(what)


def policy_matches(name, text):
    """A style or script that its hash does not name would not be applied."""
    for tag in ("style", "script"):
        parts = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        expect(len(parts) == 1, f"{name}: one {tag}")
        digest = base64.b64encode(hashlib.sha256(parts[0].encode()).digest()).decode()
        expect(f"{tag}-src 'sha256-{digest}'" in text, f"{name}: the policy names another {tag}: sha256-{digest}")
    expect(not re.search(r"""(?:src|href)=["'](?!#)""", text) and "url(" not in text, f"{name}: refers to something outside")
    expect(not re.search(r"<[^>]*\son\w+\s*=", text), f"{name}: an event in an attribute")
    lines = re.search(r"<script>(.*?)</script>", text, re.DOTALL).group(1).count("\n")
    expect(lines <= 300, f"{name}: {lines} lines of script")


for path in sorted(GOLDEN.glob("*.html")):
    policy_matches(path.stem, path.read_text(encoding="utf-8"))
if problems:
    print("\n".join("FAILED: " + problem for problem in problems))
    sys.exit(1)

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    skip("python3-selenium is not installed")
if not shutil.which("chromium") or not shutil.which("chromedriver"):
    skip("chromium and chromium-driver are not installed")
AXE = sorted((ROOT / "build/tools").rglob("axe.min.js"))

options = webdriver.ChromeOptions()
options.binary_location = shutil.which("chromium")
profile = tempfile.TemporaryDirectory()
for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-device-scale-factor=1", "--user-data-dir=" + profile.name):
    options.add_argument(argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
driver.set_script_timeout(600)  # of the rules of axe, on a machine that is busy with other tests


def requests():
    asked = [re.search(r'"url":"([^"]+)"', entry["message"]) for entry in driver.get_log("performance") if '"Network.requestWillBeSent"' in entry["message"]]
    return [match.group(1) for match in asked if match]


def check(path):
    name, url = path.stem, path.as_uri()
    for log in ("performance", "browser"):
        driver.get_log(log)
    driver.get(url)
    # What the browser itself opens when it starts is not a request of the page.
    left = [one for one in requests() if one != url and not one.startswith(("data:,", "chrome:", "about:"))]
    expect(not left, f"{name}: requests left: {left[:3]}")
    expect(driver.find_element(By.TAG_NAME, "h1").text.strip() != "", f"{name}: a title")
    expect(driver.execute_script("return document.scripts.length") == 1, f"{name}: a script of the document's")
    width = driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
    expect(width[0] <= width[1], f"{name}: scrolls sideways, {width}")
    rows = driver.find_elements(By.CSS_SELECTOR, "#results tbody tr")
    if rows:
        sort(name)
        filter_rows(name, len(rows))
    for link in driver.find_elements(By.CSS_SELECTOR, "#results tbody a")[:1]:  # rows of comparisons have none
        target = link.get_attribute("href").split("#")[1]
        driver.execute_script("arguments[0].click()", link)
        driver.execute_async_script("setTimeout(arguments[0], 0)")
        expect(driver.execute_script("return document.getElementById(arguments[0]).open", target), f"{name}: the link opens its case")
    size = [driver.get_window_size()[side] for side in ("width", "height")]
    for width in (360, 800):
        driver.set_window_size(width, 1600)
        expect(not broken_names(), f"{name}, {width} pixels: names of rows are broken: {broken_names()[:3]}")
    for width in (500, 900, 1400):
        driver.set_window_size(width, 1600)
        layout(f"{name}, {width} pixels")
    driver.set_window_size(*size)
    print_page(name)
    loud = [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    expect(not loud, f"{name}: the console says {loud[:3]}")
    driver.execute_script("document.querySelectorAll('details').forEach(function (one) { one.open = true; })")
    expect(not texts_outside(), f"{name}: texts leave their pictures: {texts_outside()[:3]}")
    if AXE:
        driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE[0].read_text(encoding="utf-8")})
        # What a theme changes is colours.
        for theme, asked in (("light", {}), ("dark", {"runOnly": {"type": "tag", "values": ["cat.color"]}})):
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
            found = driver.execute_async_script("var done = arguments[1]; axe.run(arguments[0]).then(function (all) { done(all.violations.map(function (one) {"
                                                " return one.id + ': ' + one.nodes[0].html.slice(0, 200); })); });", asked)
            expect(not found, f"{name}, {theme}: {found}")


def print_page(name):
    """On paper nothing can be opened: what is folded is left out, what is open is there, and no heading ends a page."""
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = "return Array.from(document.querySelectorAll(arguments[0])).filter(function (one) { return one.checkVisibility(); }).length"
    folded, opened, heading = "details:not([open])", "details[id][open]", "h2.cases"
    driver.execute_script("document.querySelectorAll('details').forEach(function (one) { one.open = false; })")
    expect([driver.execute_script(shown, one) for one in (folded, heading)] == [0, 0], f"{name}: what is folded is printed")
    if driver.execute_script("var one = document.querySelector('details[id]'); if (one) { one.open = true; } return one !== null;"):
        expect([driver.execute_script(shown, one) for one in (opened, heading)] == [1, 1], f"{name}: a case that is open is not printed")
    apart = driver.execute_script("return Array.from(document.querySelectorAll('h2, h3')).filter(function (one) { return getComputedStyle(one).breakAfter !== 'avoid'; }).length")
    expect(apart == 0, f"{name}: a page may end with a heading")
    expect(base64.b64decode(driver.print_page()).startswith(b"%PDF-"), f"{name}: no PDF comes from it")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def layout(where):
    """A table or a picture that does not fit says so, pictures stay in their figures, no column is empty, and lines break where words end."""
    driver.execute_async_script("requestAnimationFrame(function () { requestAnimationFrame(arguments[0]); }.bind(null, arguments[0]))")
    silent = driver.execute_script("return Array.from(document.querySelectorAll('.wide')).filter(function (box) {"
                                   " return box.checkVisibility() && (box.scrollWidth > box.clientWidth + 1) !== box.classList.contains('more'); })"
                                   ".map(function (box) { return box.getAttribute('aria-label'); });")
    expect(not silent, f"{where}: tables and pictures that scroll and do not say so: {silent[:3]}")
    cropped = driver.execute_script("return Array.from(document.querySelectorAll('figure')).filter(function (figure) {"
                                    " return figure.checkVisibility() && figure.scrollWidth > figure.clientWidth + 1; }).map(function (figure) { return figure.textContent.slice(0, 60); });")
    expect(not cropped, f"{where}: pictures that are cropped: {cropped[:3]}")
    empty = driver.execute_script("return Array.from(document.querySelectorAll('table')).filter(function (table) {"
                                  " var rows = Array.from(table.tBodies[0].rows), kept = ['value', 'new / old'];"
                                  " return table.tHead && Array.from(table.tHead.rows[0].cells).some(function (head, i) {"
                                  " return kept.indexOf(head.textContent) < 0 && rows.every(function (row) { return !row.cells[i].textContent; }); });"
                                  " }).map(function (table) { return table.parentNode.getAttribute('aria-label'); });")
    expect(not empty, f"{where}: tables with an empty column: {empty[:3]}")
    broken = driver.execute_script(BROKEN_WORDS)
    expect(not broken or "hostile" in where, f"{where}: words of cells are broken: {broken[:3]}")
    tall = driver.execute_script("var most = innerWidth < 700 ? 16 : 5; return Array.from(document.querySelectorAll('#results tbody tr')).filter(function (row) {"
                                 " return row.offsetHeight > most * 24; }).map(function (row) { return row.textContent.slice(0, 60); });")
    expect(not tall or "hostile" in where, f"{where}: rows of many lines: {tall[:3]}")


# Where a line of a cell ends behind another sign than these; of the first cells only, since each sign is asked for its place.
BROKEN_WORDS = """
var out = [], range = document.createRange();
Array.from(document.querySelectorAll('td, th')).filter(function (cell) { return cell.checkVisibility() && !cell.closest('.pairs'); }).slice(0, 400).forEach(function (cell) {
  var walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (var node = walk.nextNode(); node; node = walk.nextNode()) {
    var text = node.data, bottom = null;
    range.selectNodeContents(node);
    if (range.getClientRects().length < 2) continue;
    for (var i = 0; i < text.length; i++) {
      range.setStart(node, i);
      range.setEnd(node, i + 1);
      var box = range.getBoundingClientRect();
      if (!box.width) continue;
      if (bottom !== null && box.top >= bottom - 1 && !/[\\s,[–-]/.test(text[i - 1])) out.push(text.slice(0, i) + '|' + text.slice(i));
      bottom = box.bottom;
    }
  }
});
return out;
"""


def broken_names():
    """What tells the rows of findings apart, where it takes more than one line: "64Mi" and "B"."""
    return driver.execute_script("return Array.from(document.querySelectorAll('.finding tbody td:first-child')).filter(function (cell) {"
                                 " var range = document.createRange(), lines = new Set(); range.selectNodeContents(cell);"
                                 " Array.from(range.getClientRects()).forEach(function (box) { lines.add(Math.round(box.top)); });"
                                 " return lines.size > 1; }).map(function (cell) { return cell.textContent; });")


def texts_outside():
    """Texts of pictures that reach beyond them, by more than rounding."""
    return driver.execute_script("return Array.from(document.querySelectorAll('svg text, text')).filter(function (text) {"
                                 " var box = text.getBoundingClientRect(), all = text.ownerSVGElement.getBoundingClientRect();"
                                 " return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1;"
                                 "}).map(function (text) { return text.textContent; });")


def check_picture(name, file):
    for log in ("performance", "browser"):
        driver.get_log(log)
    driver.get(file.as_uri())
    left = [one for one in requests() if one != file.as_uri() and not one.startswith(("data:,", "chrome:", "about:"))]
    expect(not left, f"{name}: requests left: {left[:3]}")
    expect(driver.execute_script("return document.documentElement.tagName") == "svg", f"{name}: is not a picture")
    expect(driver.execute_script("return document.getElementsByTagName('parsererror').length") == 0, f"{name}: is not XML")
    expect(driver.execute_script("return document.documentElement.firstElementChild.textContent").strip() != "", f"{name}: has no title")
    expect(not texts_outside(), f"{name}: texts leave it: {texts_outside()[:3]}")
    loud = [entry["message"] for entry in driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    expect(not loud, f"{name}: the console says {loud[:3]}")
    grounds = set()
    for theme in ("light", "dark"):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        grounds.add(driver.execute_script("return getComputedStyle(document.querySelector('.ground')).fill"))
        if PICTURES:
            driver.save_screenshot(str(PICTURES / f"{file.stem}-{theme}.png"))
    expect(len(grounds) == 2, f"{name}: has one theme")


def check_many():
    """Of a page of many cases most are appended once it is shown; nobody who asks for one of them sees that."""
    document = json.loads((ROOT / "tests/golden/documents/mixed.json").read_text(encoding="utf-8"))
    name, case, count = "1200 cases", document["cases"][0], 1200
    case["log"] = "</script><script>document.title = 'ran'</script>"
    document["cases"] = [{**case, "id": f"membw[number={i}]"} for i in range(count)]
    document["groups"] = document["findings"] = []  # the finding is asserted, and undecided
    counts = {**dict.fromkeys(document["verdict"]["counts"], 0), "passed": count}
    document["verdict"].update(outcome="passed", exit_code=0, counts=counts, undecided=0, reasons=[])
    with tempfile.TemporaryDirectory(prefix="assay-many-") as folder:
        result, page = pathlib.Path(folder, "result.json"), pathlib.Path(folder, "report.html")
        result.write_text(json.dumps(document), encoding="utf-8")
        subprocess.run([ASSAY, "report", result, "--report", f"html={page}"], cwd=folder, check=True, capture_output=True)
        # A link to a case that is not there yet, and a filter before all rows are.
        driver.get(page.as_uri() + f"#c{count - 1}")
        last = driver.find_element(By.ID, f"c{count - 1}")
        expect(last.get_attribute("open") is not None, f"{name}: the link opens its case")
        driver.execute_async_script("setTimeout(arguments[0], 0)")
        expect("document.title" in last.text and driver.title != "ran", f"{name}: what is folded is text")
        driver.get("about:blank")
        driver.get(page.as_uri())
        expect(driver.find_element(By.ID, "count").text == f"{count} of {count}", f"{name}: says how many there are")
        driver.find_element(By.ID, "filter").send_keys(f"number={count - 1}")
        expect(driver.find_element(By.ID, "count").text == f"1 of {count}", f"{name}: filters what is not shown yet")
        driver.get("about:blank")
        driver.get(page.as_uri())
        sort(name)
        driver.get("about:blank")
        driver.get(page.as_uri())
        rows = WebDriverWait(driver, 60).until(lambda browser: len(browser.find_elements(By.CSS_SELECTOR, "#results tbody tr")) == count)
        expect(rows and len(driver.find_elements(By.CSS_SELECTOR, "details")) == count, f"{name}: all are there in the end")
        expect(not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"], f"{name}: an error is printed")


def check_pictures(path):
    """'== name' and a picture, again and again, as reporters/golden_test.cpp writes them."""
    with tempfile.TemporaryDirectory(prefix="assay-pictures-") as folder:
        for name, svg in re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            file = pathlib.Path(folder, name)
            file.write_text(svg, encoding="utf-8")
            check_picture(f"{path.stem} {name}", file)


def sort(name):
    buttons = driver.find_elements(By.CSS_SELECTOR, "#results th button")
    names = [button.text for button in buttons]
    value = names.index("value" if "value" in names else "new / old")
    for way in ("ascending", "descending"):
        buttons[value].send_keys("\n")  # by keyboard
        expect(driver.find_elements(By.CSS_SELECTOR, "#results th")[value].get_attribute("aria-sort") == way, f"{name}: {way}")
        shown = driver.execute_script("return Array.from(document.querySelectorAll('#results tbody tr')).map(function (row) {"
                                      " return row.cells[arguments[0]].getAttribute('data-v'); }.bind(null))"
                                      .replace("arguments[0]", str(value)))
        numbers = [float(text) for text in shown if text]
        expect(numbers == sorted(numbers, reverse=way == "descending"), f"{name}: sorted {way}")
        expect([bool(text) for text in shown] == sorted([bool(text) for text in shown], reverse=True), f"{name}: rows without a value are last")


def filter_rows(name, count):
    field = driver.find_element(By.ID, "filter")
    field.send_keys("no row has this")
    visible = "return document.querySelectorAll('#results tbody tr:not([hidden])').length"
    expect(driver.execute_script(visible) == 0, f"{name}: nothing fits")
    expect(driver.find_element(By.ID, "count").text == f"0 of {count}", f"{name}: says how many fit")
    field.clear()
    field.send_keys(" ")
    field.send_keys("\b")
    expect(driver.execute_script(visible) == count, f"{name}: all are back")


def pictures(path):
    for theme in ("light", "dark"):
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        for width in (360, 500, 900, 1400):
            driver.set_window_size(width, 1600)
            driver.get(path.as_uri())
            driver.save_screenshot(str(PICTURES / f"{path.stem}-{theme}-{width}.png"))


try:
    for report in sorted(GOLDEN.glob("*.html")):
        check(report)
        if PICTURES:
            pictures(report)
    for report in sorted(GOLDEN.glob("*.pictures.txt")):
        check_pictures(report)
    check_many()
finally:
    driver.quit()
if not AXE:
    print("axe is not in build/tools: its rules were not asked")
for problem in problems:
    print("FAILED: " + problem)
print(f"{passed} passed, {len(problems)} failed")
sys.exit(1 if problems else 0)
