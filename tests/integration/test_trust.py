# SPDX-License-Identifier: Apache-2.0
"""What a hostile surrounding can do: writable places, libraries that nobody allowed, secrets, shells, input beyond the limits."""

import hashlib
import json
import os
import pathlib
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

    def test_a_plugin_that_everybody_may_write_to_is_refused_wherever_it_is_named(self):
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
        listing = self.write("allowed.txt", "".join(f"{sha256(path)}  {path.name}\n" for path in PLUGINS.glob("*.so")))
        fake = sha256(folder / "assay_fake.so")
        run = ["run", suite, "--plugin-dir", folder, "-o", self.results]
        good = self.assay(*run, "--plugin-allow", f"{fake},{listing}")
        self.assertEqual(good.code, 0, good.err)
        refused = self.assay("validate", suite, "--plugin-dir", folder, "--plugin-allow", listing)
        self.assertIn("missing here: ", refused.out, "no plugin is left for the backend")
        self.assertIn(fake, refused.err)
        named = self.assay("plugin", "info", folder / "assay_fake.so", "--plugin-allow", "0" * 64)
        self.assertEqual(named.code, 4, named.err)
        self.assertNotIn("series@fake", self.assay("list", "--plugin-dir", folder, "--plugin-allow", listing).out)
        self.assertEqual(self.assay("list", "--plugin-allow", "nonsense").code, 2)

    def test_the_result_names_each_library_by_its_hash(self):
        done = self.run_suite(SUITE)
        self.assertEqual(done.code, 0, done.err)
        hashes = {plugin["id"]: plugin["sha256"] for plugin in done.document["run"]["plugins"]}
        self.assertIn(sha256(harness.FIXTURES / "assay_fake.so"), hashes.values())

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
        listing = self.write("allowed.txt", "".join(f"{sha256(path)}\n" for path in [*PLUGINS.glob("*.so"), library]))
        allowed = ["--plugin-allow", listing] if allowing else []
        return self.assay("run", suite, "--plugin-dir", folder, "-o", self.results, *allowed)

    def test_a_library_that_was_changed_since_it_was_chosen_is_not_loaded(self):
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
                done = self.assay("run", self.write("suite.yaml", suite), "--plugin-dir", plugins, "-o", self.results, timeout=60)
                self.assertEqual(done.case("a")["outcome"], "passed", done.out + done.err)
                self.assertNotEqual(done.case("b")["outcome"], "passed")

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
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_paths_of_the_environment_do_not_count(self):
        for name in self.places:
            with self.subTest(name):
                self.assertIn("series@fake", self.listed(name, 0o755), "without the bit they do")
                self.assertNotIn("series@fake", self.listed(name, 0o4755))


class Secrets(Assay):
    CANARY = "canary-7d1f"

    def test_no_report_nor_journal_has_a_variable_that_is_not_on_the_list(self):
        secrets = {name: self.CANARY for name in ("MY_PLAIN_VARIABLE", "CI_JOB_TOKEN", "NCCL_API_KEY", "CUDA_PASSWORD", "DATABASE_URL")}
        self.environment.update(secrets)
        done = self.run_suite(SUITE, "--report", "json", "--report", "markdown", "--report", "junit:dialect=rich")
        self.assertEqual(done.code, 0, done.err)
        files = [path for path in self.results.rglob("*") if path.is_file()]
        self.assertGreaterEqual(len(files), 4, files)
        for path in files:
            self.assertNotIn(self.CANARY.encode(), path.read_bytes(), path)
        self.assertNotIn(self.CANARY, done.out + done.err)

    def test_a_command_gets_the_callers_environment_and_a_plugin_does_not(self):
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

    def test_variables_that_a_manifest_declares_are_recorded_but_for_secrets(self):
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
        self.assertIn("'*', which is no name of a variable", refused.err + refused.out)

    def test_what_is_written_on_the_command_line_is_recorded(self):
        done = self.run_suite(SUITE, "--set", f"a.env.X={self.CANARY}")
        self.assertEqual(done.code, 0, done.err)
        self.assertIn(self.CANARY, " ".join(done.document["run"]["command"]), "documented: never write a secret there")


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
        done = self.assay("report", self.folder / "journal.jsonl", timeout=20)
        self.assertEqual(done.code, 3, done.err)
        self.assertIn("not a regular file", done.err)


if __name__ == "__main__":
    harness.main()
