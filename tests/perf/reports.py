#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a result of 10,000 cases takes to be rendered. reports.py BUILD makes it from a kept one, as compare.py does, renders it five times with each reporter, prints the
least time, and compares the reports of two runs with each other byte for byte. Where Chromium and its driver are installed, also how long it takes to open the HTML report.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from compare import CASES, result

BUILD = pathlib.Path(sys.argv[1]).resolve()
LIMITS_S = {"markdown": 2, "junit": 2, "html": 5}
OPENING_S = 2
WHOLE = """var done = arguments[1], most = arguments[0], wait = function () {
  if (document.querySelectorAll("#results tbody tr").length < most) return setTimeout(wait, 10);
  document.body.offsetHeight;
  done(performance.now());
}; wait();"""


def opening_s(page):
    """From the request of a page until it has been laid out and its scripts ran, and until its last row is there, the least of five; None without a browser."""
    try:
        from selenium import webdriver  # noqa: PLC0415
        from selenium.webdriver.chrome.service import Service  # noqa: PLC0415
    except ImportError:
        return None
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return None
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
    try:
        opened, whole = [], []
        for _ in range(5):
            driver.get("about:blank")
            driver.get(page.as_uri())
            opened.append(driver.execute_script("document.body.offsetHeight; return performance.timing.loadEventEnd - performance.timing.navigationStart") / 1e3)
            whole.append(driver.execute_async_script(WHOLE, CASES) / 1e3)
        return min(opened), min(whole)
    finally:
        driver.quit()


def main():
    with tempfile.TemporaryDirectory(prefix="assay-perf-") as name:
        folder = pathlib.Path(name)
        (folder / "result.json").write_text(json.dumps(result("run"), indent=1), encoding="utf-8")
        megabytes = (folder / "result.json").stat().st_size / 1e6
        good, texts = True, []
        for reporter, limit in LIMITS_S.items():
            times, written = [], set()
            for _ in range(5):
                begin = time.monotonic()
                subprocess.run([str(BUILD / "bin/assay"), "report", "result.json", "--report", f"{reporter}=report"], cwd=folder, check=True, capture_output=True)
                times.append(time.monotonic() - begin)
                written.add((folder / "report").read_bytes())
            good &= min(times) <= limit and len(written) == 1
            texts.append(f"{reporter} {min(times):.2f} s of {limit}" + ("" if len(written) == 1 else ", NOT the same each time"))
        (folder / "report").rename(folder / "report.html")  # the last one
        opened = opening_s(folder / "report.html")
        if opened is not None:
            good &= opened[0] <= OPENING_S
            texts.append(f"opening it {opened[0]:.2f} s of {OPENING_S} and its last row {opened[1]:.2f} s")
        print(f"a result of {CASES} cases, {megabytes:.0f} MB: " + ", ".join(texts))
        print("reached" if good else "NOT reached")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
