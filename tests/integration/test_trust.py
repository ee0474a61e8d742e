# SPDX-License-Identifier: Apache-2.0
"""What a hostile surrounding can do: writable places, libraries that nobody allowed, secrets, shells, input beyond the limits."""

import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import unittest

import harness
from harness import HEADER, Assay

SUITE = HEADER + "cases:\n  - {id: a, uses: series, measure: {samples: 3, warmup: 0}}\n"
PLUGINS = harness.BUILD / "lib/assay/plugins"


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class Plugins(Assay):
    def copied(self, name="own"):
        folder = self.folder / name
        folder.mkdir()
        for suffix in (".so", ".assay.json"):
            shutil.copy(harness.FIXTURES / f"assay_fake{suffix}", folder)
        return folder

    def test_a_plugin_that_all_may_write_is_refused_wherever_named(self):
        for what, mode in (("own/assay_fake.so", 0o777), ("own/assay_fake.assay.json", 0o666), ("own", 0o777), ("own", 0o1777)):
            with self.subTest(what=what, mode=oct(mode)):
                folder = self.copied()
                (self.folder / what).chmod(mode)
                listed = self.assay("list", "--plugin-dir", folder)
                self.assertIn("written by everybody", listed.err)
                self.assertNotIn("series@fake", listed.out)
                named = self.assay("list", "--plugin", folder / "assay_fake.so")
                self.assertEqual(named.code, 4, named.err)
                self.assertIn("chmod o-w", named.err)
                shutil.rmtree(folder)

    def test_only_allowed_libraries_are_used(self):
        folder = self.copied()
        suite = self.write("s.yaml", SUITE)
        listing = self.write("allowed.txt", "".join(f"{sha256(path)}  {path.name}\n" for path in PLUGINS.glob("*") if path.is_file()))
        fake = f"{sha256(folder / 'assay_fake.so')},{sha256(folder / 'assay_fake.assay.json')}"
        run = ["run", suite, "--plugin-dir", folder, "-o", self.results]
        good = self.assay(*run, "--plugin-allow", f"{fake},{listing}")
        self.assertEqual(good.code, 0, good.err)
        refused = self.assay("validate", suite, "--plugin-dir", folder, "--plugin-allow", listing)
        self.assertIn("missing here: ", refused.out, "no plugin is left for the backend")
        self.assertIn(fake[:64], refused.err)
        named = self.assay("plugin", "info", folder / "assay_fake.so", "--plugin-allow", "0" * 64)
        self.assertEqual(named.code, 4, named.err)
        self.assertNotIn("series@fake", self.assay("list", "--plugin-dir", folder, "--plugin-allow", listing).out)
        self.assertEqual(self.assay("list", "--plugin-allow", "nonsense").code, 2)

    def test_the_result_names_each_library_and_manifest_by_its_hash(self):
        done = self.run_suite(SUITE)
        self.assertEqual(done.code, 0, done.err)
        hashes = [(plugin["sha256"], plugin["manifest_sha256"]) for plugin in done.document["run"]["plugins"]]
        self.assertIn((sha256(harness.FIXTURES / "assay_fake.so"), sha256(harness.FIXTURES / "assay_fake.assay.json")), hashes)
        again = self.assay("report", self.results / "journal.jsonl", "--report", "json=-")
        self.assertEqual(json.loads(again.out)["run"]["plugins"], done.document["run"]["plugins"])

    def changed_manifest(self, folder, change):
        manifest = folder / "assay_fake.assay.json"
        text = json.loads(manifest.read_text(encoding="utf-8"))
        change(text)
        manifest.write_text(json.dumps(text), encoding="utf-8")

    def test_a_manifest_that_was_changed_is_not_allowed(self):
        folder = self.copied()
        suite = self.write("s.yaml", SUITE)
        listing = self.write("allowed.txt", "".join(f"{sha256(path)}\n" for path in [*PLUGINS.glob("*.*"), *folder.iterdir()]))
        run = ["run", suite, "--plugin-dir", folder, "-o", self.results, "--plugin-allow", listing]
        self.changed_manifest(folder, lambda text: text["benchmarks"][0]["metrics"][0].update(unit="FLOP/s", direction="lower"))
        refused = self.assay(*run)
        self.assertEqual(refused.code, 6, refused.out + refused.err)
        self.assertEqual([case["outcome"] for case in refused.document["cases"]], [], "nothing is measured by it")
        self.assertIn("does not list '" + str(folder / "assay_fake.assay.json"), refused.err)
        self.assertIn(sha256(folder / "assay_fake.assay.json"), refused.err)
        named = self.assay("plugin", "info", folder / "assay_fake.so", "--plugin-allow", listing)
        self.assertEqual(named.code, 4, named.err)
        shutil.rmtree(folder)
        self.copied()
        shutil.rmtree(self.results)
        self.assertEqual(self.assay(*run).code, 0)

    def test_a_manifest_of_another_version_is_not_loaded(self):
        folder = self.copied()
        self.changed_manifest(folder, lambda text: text.update(version="0.9.0"))
        done = self.assay("run", self.write("s.yaml", SUITE), "--plugin-dir", folder, "-o", self.results)
        self.assertNotEqual(done.code, 0, done.out)
        self.assertIn("and its manifest '0.9.0'", " ".join(done.out.split()))
        opened = self.assay("plugin", "info", "--open", next(folder.glob("*.so")))
        self.assertEqual(opened.code, 1, opened.out + opened.err)
        self.assertIn("and its manifest '0.9.0'", " ".join((opened.out + opened.err).split()))

    def test_a_link_that_everybody_may_exchange_is_not_followed(self):
        folder = self.copied()
        (self.folder / "open").mkdir()
        (self.folder / "open").chmod(0o777)
        (self.folder / "open/link").symlink_to(folder)
        (self.folder / "second").symlink_to("open/link")
        for way in ("open/link", "second", "own/../open/link"):
            with self.subTest(way):
                listed = self.assay("list", "--plugin-dir", way)
                self.assertEqual(listed.code, 0, listed.err)
                self.assertIn(f"'{self.folder}/open' may be written by everybody", listed.err)
                self.assertNotIn("series@fake", listed.out)
                self.assertNotIn("series@fake", self.assay("list", environment={"ASSAY_PLUGIN_PATH": str(self.folder / way)}).out)
                named = self.assay("list", "--plugin", f"{way}/assay_fake.so")
                self.assertEqual(named.code, 4, named.err)
        (self.folder / "open").chmod(0o1777)
        self.assertIn("series@fake", self.assay("list", "--plugin-dir", "second").out, "as /tmp is")

    def changed_meanwhile(self, change, allowing=False):
        """A suite whose first case changes the library that its other case loads in the rounds after."""
        folder = self.copied()
        library = folder / "assay_fake.so"
        # In the second round: the backend, which is in the same library, has surely been loaded by then.
        again = self.folder / "again"
        self.write("change.sh", f"[ -e {again} ] || {{ touch {again}; exit 0; }}\n" + change.replace("LIBRARY", str(library)))
        suite = self.write("s.yaml", f"""version: 1
suite: changed
defaults: {{processes: 3, measure: {{samples: 3, warmup: 0}}}}
cases:
  - {{id: change, measure: {{samples: 1}}, uses: external, backend: [host], command: [sh, {self.folder}/change.sh]}}
  - {{id: loads, uses: series}}
""")
        allowed = [*(path for path in PLUGINS.glob("*") if path.is_file()), *folder.iterdir()]
        listing = self.write("allowed.txt", "".join(f"{sha256(path)}\n" for path in allowed))
        allowed = ["--plugin-allow", listing] if allowing else []
        return self.assay("run", suite, "--plugin-dir", folder, "-o", self.results, *allowed)

    def test_a_library_changed_since_it_was_chosen_is_not_loaded(self):
        done = self.changed_meanwhile("cp LIBRARY LIBRARY.new && mv LIBRARY.new LIBRARY")
        self.assertEqual(done.code, 5, done.err)
        self.assertEqual(done.case("loads")["reason"]["code"], "plugin.load")
        self.assertIn("was changed since it was chosen", done.case("loads")["reason"]["text"])

    def test_a_library_that_was_allowed_is_compared_byte_for_byte(self):
        # The same file with the same size and time: only the bytes tell.
        change = "cp -p LIBRARY was; printf x | dd of=LIBRARY bs=1 conv=notrunc seek=$(($(stat -c %s LIBRARY) - 1)); touch -r was LIBRARY"
        done = self.changed_meanwhile(change, allowing=True)
        self.assertEqual(done.code, 5, done.err)
        self.assertIn("was changed since it was chosen", done.case("loads")["reason"]["text"])

    def test_a_library_that_is_no_file_costs_its_own_cases(self):
        def folder(path):
            path.mkdir()

        for name, make in (("folder", folder), ("pipe", os.mkfifo), ("missing", lambda path: None)):
            with self.subTest(name):
                plugins = self.folder / name
                shutil.copytree(harness.FIXTURES, plugins)
                library = plugins / "assay_null.so"
                library.unlink()
                make(library)
                self.results = self.folder / f"results-{name}"
                suite = "version: 1\nsuite: test\nrequires: {backend: fake}\ncases:\n  - {id: a, uses: series}\n  - {id: b, uses: 'null', backend: host}\n"
                done = self.assay("run", self.write("suite.yaml", suite), "--plugin-dir", plugins, "-o", self.results, timeout=harness.PATIENCE_S)
                self.assertEqual(done.case("a")["outcome"], "passed", done.out + done.err)
                self.assertNotEqual(done.case("b")["outcome"], "passed")
                listing = self.write("list", "".join(f"{sha256(path)}\n" for path in [*PLUGINS.glob("*"), *plugins.glob("*")] if path.is_file()))
                allowed = self.assay("list", "--plugin-dir", plugins, "--plugin-allow", listing, timeout=harness.PATIENCE_S)
                self.assertEqual(allowed.code, 0, allowed.err)
                self.assertIn("series@fake", allowed.out)
                self.assertEqual("--plugin-allow cannot be checked" in allowed.err, name != "missing", allowed.err)
                info = self.assay("plugin", "info", plugins / "assay_null.assay.json", timeout=harness.PATIENCE_S)
                self.assertEqual(info.code, 0, info.err)

    def test_a_plugin_without_manifest_is_named(self):
        folder = self.copied()
        (folder / "assay_fake.assay.json").unlink()
        listed = self.assay("list", "--plugin-dir", folder)
        self.assertEqual(listed.code, 0)
        self.assertIn("assay_fake.assay.json", listed.err)


@unittest.skipUnless(os.geteuid() == 0, "only root can give a program away with its user's rights")
class SetUserId(Assay):
    NOBODY = 65534

    def setUp(self):
        super().setUp()
        if os.statvfs(self.folder).f_flag & os.ST_NOSUID or "NoNewPrivs:\t1" in pathlib.Path("/proc/self/status").read_text(encoding="utf-8"):
            self.skipTest("set-user-ID has no effect here")
        self.folder.chmod(0o755)
        self.program = self.folder / "bin/assay"
        self.program.parent.mkdir()
        shutil.copy(harness.ASSAY, self.program)
        self.places = {}
        for name, below in (("ASSAY_PLUGIN_PATH", ""), ("XDG_DATA_HOME", "assay/plugins"), ("HOME", ".local/share/assay/plugins")):
            place = self.folder / name
            (place / below).mkdir(parents=True)
            for suffix in (".so", ".assay.json"):
                shutil.copy(harness.FIXTURES / f"assay_fake{suffix}", place / below)
            self.places[name] = str(place)

    def listed(self, name, mode):
        self.program.chmod(mode)
        environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1", "HOME": "/nonexistent", name: self.places[name]}
        done = subprocess.run([str(self.program), "list"], cwd=self.folder, env=environment, user=self.NOBODY, group=self.NOBODY, extra_groups=[],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=harness.PATIENCE_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_paths_of_the_environment_do_not_count(self):
        for name in self.places:
            with self.subTest(name):
                self.assertIn("series@fake", self.listed(name, 0o755), "without the bit they do")
                self.assertNotIn("series@fake", self.listed(name, 0o4755))


class Secrets(Assay):
    CANARY = "canary-7d1f"

    def test_no_report_nor_journal_has_a_variable_off_the_list(self):
        secrets = {name: self.CANARY for name in ("MY_PLAIN_VARIABLE", "CI_JOB_TOKEN", "NCCL_API_KEY", "CUDA_PASSWORD", "DATABASE_URL")}
        self.environment.update(secrets)
        done = self.run_suite(SUITE, "--report", "json", "--report", "markdown", "--report", "junit:dialect=rich")
        self.assertEqual(done.code, 0, done.err)
        files = [path for path in self.results.rglob("*") if path.is_file()]
        self.assertGreaterEqual(len(files), 4, files)
        for path in files:
            self.assertNotIn(self.CANARY.encode(), path.read_bytes(), path)
        self.assertNotIn(self.CANARY, done.out + done.err)

    def test_a_command_gets_the_callers_environment_a_plugin_not(self):
        self.environment.update(CI_JOB_TOKEN=self.CANARY, HARMLESS=f"https://me:{self.CANARY}@example.org", PLAIN="plain")
        suite = f"""version: 1
suite: test
cases:
  - {{id: command, uses: external, backend: [host], measure: {{samples: 1}}, command: [sh, -c, 'env > {self.folder}/command']}}
"""
        done = self.run_suite(suite)
        self.assertEqual(done.case("command")["outcome"], "passed", done.out + done.err)
        self.results = self.folder / "plugin-results"
        wrapped = self.run_suite(SUITE, "--wrap", f"""sh -c 'env > {self.folder}/plugin; exec "$@"' sh""")
        self.assertEqual(wrapped.code, 6, wrapped.out + wrapped.err)  # shown, not judged
        seen = {name: (self.folder / name).read_text(encoding="utf-8") for name in ("command", "plugin")}
        self.assertEqual(seen["command"].count(self.CANARY), 2, seen["command"])
        self.assertNotIn(self.CANARY, seen["plugin"])
        self.assertIn("PLAIN=plain", seen["plugin"])

    def test_variables_in_a_manifest_are_recorded_but_for_secrets(self):
        plugins = self.folder / "plugins"
        shutil.copytree(harness.FIXTURES, plugins)
        manifest = plugins / "assay_fake.assay.json"
        text = json.loads(manifest.read_text(encoding="utf-8"))
        text["environment"] = ["FAKEWARE_*"]
        manifest.write_text(json.dumps(text), encoding="utf-8")
        self.environment.update(FAKEWARE_ALGO="ring", FAKEWARE_PAT=self.CANARY, OTHERWARE_ALGO=self.CANARY)
        suite = self.write("suite.yaml", SUITE)
        done = self.assay("run", suite, "--plugin-dir", plugins, "-o", self.results)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual({k: v for k, v in done.document["run"]["environment"].items() if "WARE" in k}, {"FAKEWARE_ALGO": "ring"})
        text["environment"] = ["*"]
        manifest.write_text(json.dumps(text), encoding="utf-8")
        refused = self.assay("plugin", "info", plugins / "assay_fake.so")
        self.assertEqual(refused.code, 4, refused.err)
        self.assertIn("'*', which is not a name of a variable", refused.err + refused.out)

    def test_what_is_written_on_the_command_line_is_recorded(self):
        done = self.run_suite(SUITE, "--set", f"a.env.X={self.CANARY}")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn(self.CANARY, " ".join(done.document["run"]["command"]), "documented: never write a secret there")


class Strangers(Assay):
    """Files that are none of Assay's, named as if they were."""

    CANARY = "canary-91c4"

    def test_an_included_file_that_is_no_suite_is_not_shown(self):
        self.write("plain", f"root:x:0:0:{self.CANARY}\n{self.CANARY}:x:1:1::/:/bin/sh\n")
        self.write("map", f"{self.CANARY}: {self.CANARY}\npassword: {self.CANARY}\n")
        self.write("compose", f"version: {self.CANARY}\nservices: {{a: {self.CANARY}}}\n")
        self.write("broken", f"version: 1\ncases: [{self.CANARY}\n  - {{{self.CANARY}\n")
        self.write("list", f"- {self.CANARY}\n")
        self.write("key", f"-----BEGIN {self.CANARY}-----\n{self.CANARY}\n")
        self.write("twice", f"{self.CANARY}: 1\n{self.CANARY}: 2\n")
        self.write("quoted", f"'{self.CANARY}\n")
        self.write("json", json.dumps({"token": self.CANARY}))
        self.write("none", "")
        for name in ("plain", "map", "compose", "broken", "list", "key", "twice", "quoted", "json", "none"):
            for command in (["validate"], ["run", "--plugin-dir", harness.FIXTURES]):
                with self.subTest(name, command=command[0]):
                    suite = self.write("s.yaml", HEADER + f"include: {name}\ncases: [{{id: a, uses: series}}]\n")
                    done = self.assay(command[0], suite, *command[1:])
                    self.assertEqual(done.code, 3, done.err)
                    self.assertIn(f"{name}' is not a suite: line ", done.err)
                    self.assertNotIn(self.CANARY, done.out + done.err)

    def test_one_that_is_a_suite_is_helped_with(self):
        self.write("misspelt.yaml", "casess: []\n")
        done = self.assay("validate", self.write("s.yaml", HEADER + "include: misspelt.yaml\ncases: [{id: a, uses: series}]\n"))
        self.assertIn("line 1 has a key that no suite has; did you mean 'cases'?", done.err)
        self.assertIn("'assay validate", done.err)
        self.write("good.yaml", "defaults: {timeot: 5s}\n")
        done = self.assay("validate", self.write("s.yaml", HEADER + "include: good.yaml\ncases: [{id: a, uses: series}]\n"))
        self.assertIn("  defaults: {timeot: 5s}\n", done.err, "a suite's line is shown")

    def test_what_is_no_file_is_refused_at_once_wherever_one_is_read(self):
        self.assertEqual(self.run_suite(SUITE).code, 0)
        plugins = self.folder / "plugins"
        shutil.copytree(harness.FIXTURES, plugins)
        (plugins / "devices").mkdir()
        os.mkfifo(self.folder / "fifo")
        (self.folder / "folder").mkdir()
        (self.folder / "zero").symlink_to("/dev/zero")
        dry = ["run", "suite.yaml", "--dry-run", "--plugin-dir"]
        run = [*dry, harness.FIXTURES]
        with_include = self.write("i.yaml", HEADER + "include: THING\ncases: [{id: a, uses: series}]\n")
        places = {
            "suite": lambda thing: ["run", thing, "--plugin-dir", harness.FIXTURES],
            "suite of validate": lambda thing: ["validate", thing],
            "include": lambda thing: ["validate", self.write("j.yaml", with_include.read_text().replace("THING", str(thing)))],
            "inventory": lambda thing: [*run, "--inventory", thing],
            "peaks": lambda thing: [*run, "--peaks", thing],
            "allow list": lambda thing: [*run, "--plugin-allow", thing],
            "doctor": lambda thing: [*run, "--doctor", thing],
            "failed": lambda thing: [*run, "--failed", thing],
            "report": lambda thing: ["report", thing],
            "plugin": lambda thing: ["list", "--plugin", thing],
            "plugin info": lambda thing: ["plugin", "info", thing],
            "plugin check": lambda thing: ["plugin", "check", thing],
            "resume": lambda thing: ["run", "suite.yaml", "--resume", self.folder / "fifo" if thing.name == "folder" else thing],
            "plugin folder": lambda thing: ["list", "--plugin-dir", self.folder / "fifo" if thing.name == "folder" else thing],
        }
        for place, command in places.items():
            for thing in ("fifo", "zero", "folder"):
                with self.subTest(place, thing=thing):
                    done = self.assay(*command(self.folder / thing), timeout=harness.PATIENCE_S)
                    self.assertIn(done.code, (2, 3, 4), done.out + done.err)
                    self.assertRegex(done.err, "regular file|is a folder|is not a f|is not a plugin|neither a SHA-256|neither a result|no journal|not the folder|cannot be read")
                    self.assertNotIn("defect", done.err)
        for name, told in (("x.assay.json", "x.assay.json"), ("x.so", ""), ("devices/x.yaml", "x.yaml")):
            for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), pathlib.Path.mkdir):
                with self.subTest(name):
                    make(plugins / name)
                    done = self.assay(*dry, plugins, timeout=harness.PATIENCE_S)
                    (plugins / name).rmdir() if (plugins / name).is_dir() else (plugins / name).unlink()
                    self.assertIn(done.code, (0, 3), done.err)
                    self.assertIn(told, done.err)

    def test_a_file_that_is_called_latest_stays_as_it_is(self):
        latest = self.write("assay-results/latest", "mine")
        self.write("suite.yaml", "version: 1\nsuite: s\ncases:\n  - {id: a, uses: external, command: ['true']}\n")
        done = self.assay("run", "suite.yaml")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn("latest' is not a link, and stays as it is", done.err)
        self.assertEqual(latest.read_text(encoding="utf-8"), "mine")

    def test_links_in_a_runs_folder_are_not_written_through(self):
        self.assertEqual(self.run_suite(SUITE, "--report", "json", "--report", "markdown").code, 0)
        journal = self.results / "journal.jsonl"
        journal.write_text(journal.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
        precious = self.write("precious", "mine")
        names = ("result.json", "report.md", "junit.xml")
        for name in names:
            (self.results / name).unlink(missing_ok=True)
            (self.results / name).symlink_to(precious)
        done = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--resume", self.results)
        self.assertEqual(done.code, 0, done.err)
        self.assertEqual(precious.read_text(encoding="utf-8"), "mine")
        self.assertEqual([name for name in names if (self.results / name).is_symlink()], [])


class Words(Assay):
    """No library's own text is an answer to what somebody wrote."""

    FOREIGN = re.compile(r"json\.exception|parse error|syntax error while|type must be|\[json|defect of assay|basic_string|std::")

    def mutations(self, text, random, count):
        for _ in range(count):
            at = random.randrange(len(text))
            yield random.choice((
                lambda at=at: text[:at] + random.choice('{}[]",:0x\\\n\x01') + text[at + 1:],
                lambda at=at: text[:at],
                lambda at=at: text[:at] + text[at + random.randrange(1, 40):],
                lambda at=at: self.retyped(text, random),
            ))()

    @staticmethod
    def retyped(text, random):
        """Whole JSON, of another shape in one place."""
        lines = text.split("\n", 1)
        document = json.loads(lines[0] if text.startswith('{"type":"header"') else text)
        at, path = document, []
        while isinstance(at, (dict, list)) and at and (not path or random.random() < 0.7):
            path.append((at, random.choice(list(at)) if isinstance(at, dict) else random.randrange(len(at))))
            at = at[path[-1][1]]
        parent, key = path[-1]
        if random.random() < 0.3:
            del parent[key]
        else:
            parent[key] = random.choice((None, 7, "x", [], {}, [[]], -1, 1e300, True, {"a": []}))
        if text.startswith('{"type":"header"'):
            return harness.sealed(document) + lines[1]
        return json.dumps(document)

    def test_mutated_documents_are_answered_in_our_own_words(self):
        self.assertEqual(self.run_suite(SUITE).code, 0)
        inventory = self.assay("system", "--json", "--plugin-dir", harness.FIXTURES)
        plugins = self.folder / "plugins"
        shutil.copytree(harness.FIXTURES, plugins)
        run = ["run", "suite.yaml", "--plugin-dir", harness.FIXTURES]
        journal = (self.results / "journal.jsonl").read_text(encoding="utf-8")
        whole = {
            "r.json": ((self.results / "result.json").read_text(encoding="utf-8"),
                       (["report", "r.json"], [*run, "--failed", "r.json", "--dry-run"], [*run, "--doctor", "r.json", "--dry-run"])),
            "j/journal.jsonl": (journal, (["report", "j"], [*run, "--resume", "j"], ["run", "--resume", "j"])),
            "i.json": (inventory.out, ([*run, "--inventory", "i.json", "--dry-run"],)),
            "plugins/assay_fake.assay.json": ((plugins / "assay_fake.assay.json").read_text(encoding="utf-8"),
                                              (["plugin", "info", "plugins/assay_fake.so"], ["plugin", "check", "--list", "plugins/assay_fake.so"])),
        }
        source = random.Random(18)
        mutations = 12 if harness.IS_SANITIZED else 60  # of each; fuzzing reads more of them with sanitizers
        answers = 0
        for name, (text, commands) in whole.items():
            for mutated in self.mutations(text, source, mutations):
                for command in commands:
                    self.write(name, mutated)
                    done = self.assay(*command, timeout=harness.PATIENCE_S)
                    answers += done.code != 0
                    if self.FOREIGN.search(done.out + done.err):
                        self.fail(f"{command}: {done.err[:2000]}")
                    self.assertIn(done.code, (0, 1, 2, 3, 4, 5, 6, 7), done.err)
        self.assertGreater(answers, 3 * mutations, "most mutations are refused")

    def test_they_name_the_place(self):
        for name, text, words in (("result.json", '{"schema_version": "1.0",\n "run": }', "line 2, column 9: '}' cannot stand there"),
                                  ("result.json", "", "it is empty"), ("result.json", '{"a": [1,', "it ends where more should follow"),
                                  ("journal.jsonl", harness.sealed({"type": "header", "journal": 2, "run_id": 7}), "'run_id' is not a text"),
                                  ("journal.jsonl", harness.sealed({"type": "header", "journal": 2}), "'run_id' is missing")):
            with self.subTest(text[:40]):
                done = self.assay("report", self.write(name, text))
                self.assertEqual(done.code, 3, done.err)
                self.assertIn(words, done.err)
        self.write("suite.yaml", SUITE)
        done = self.assay("run", "suite.yaml", "--plugin-dir", harness.FIXTURES, "--dry-run", "--inventory", self.write("i.json", '{"a":\n tru}'))
        self.assertIn("line 2, column 5: '}' cannot stand there", done.err)
        listing = self.write("list", "# ours\nnothing\n")
        self.assertIn("list:2: the line does not begin with a SHA-256", self.assay("list", "--plugin-allow", listing).err)


class Limits(Assay):
    def test_a_suite_reaches_no_shell(self):
        mark = self.folder / "mark"
        text = SUITE.replace("id: a,", "id: a, env: {X: '$(touch mark)', Y: '`touch mark`; touch mark'},")
        text = text.replace("suite: test", "suite: test\ndescription: $(touch mark)")
        self.run_suite(text, "--set", "a.env.Z=$(touch mark);touch mark")
        self.assertFalse(mark.exists())

    def test_a_result_or_journal_beyond_the_limits_is_refused(self):
        deep = "[" * 100000
        for name, text in (("result.json", '{"schema_version":"1.0","verdict":' + deep + "}"), ("journal.jsonl", '{"type":' + deep + "\n{}\n"),
                           ("result.json", "{" + ",".join(f'"{i}":0' for i in range(5000)) + "}")):
            with self.subTest(name):
                done = self.assay("report", self.write(name, text))
                self.assertEqual(done.code, 3, done.err)
                self.assertRegex(done.err, "nested deeper than 64 levels|an object of more than 1024 keys")

    def test_plugin_check_refuses_a_manifest_over_the_limit(self):
        for suffix in (".so", ".assay.json"):
            shutil.copy(harness.FIXTURES / f"assay_fake{suffix}", self.folder)
        manifest = self.folder / "assay_fake.assay.json"
        manifest.write_text(manifest.read_text(encoding="utf-8") + " " * (1 << 20), encoding="utf-8")
        done = self.assay("plugin", "check", self.folder / "assay_fake.so")
        self.assertNotEqual(done.code, 0)
        self.assertRegex(done.out + done.err, "1048576|1 MiB")

    def test_a_named_file_over_its_limit_is_refused(self):
        for option, name, limit in (("--peaks", "peaks.yaml", 4 << 20), ("--inventory", "inventory.json", 64 << 20), ("--site", "site.yaml", 1 << 20)):
            with self.subTest(option):
                done = self.run_suite(SUITE, option, self.write(name, " " * (limit + 1)), "--dry-run")
                self.assertIn(done.code, (2, 3), done.err)
                self.assertIn(f"larger than {limit} bytes", done.err)

    def test_a_pipe_is_no_journal(self):
        os.mkfifo(self.folder / "journal.jsonl")
        done = self.assay("report", self.folder / "journal.jsonl", timeout=harness.PATIENCE_S)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("not a regular file", done.err)


if __name__ == "__main__":
    harness.main()
