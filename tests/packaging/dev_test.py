#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""./dev on machines that lack something: what it lists, asks, installs and refuses. The tools that it would call are stand-ins that
write down how they were called; nothing is installed."""

import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = {
    "dpkg-query": 'case " $PRESENT " in *" ${@: -1} "*) echo installed ;; *) exit 1 ;; esac',
    "apt-get": 'echo "apt-get $*" >>"$CALLS"; echo "no such package" >&2; exit "${APT_ENDS_WITH:-0}"',
    "sudo": 'echo "sudo $*" >>"$CALLS"; exec "$@"',
    "id": 'echo "${USER_ID:-0}"',
    "cmake": 'echo "cmake $*" >>"$CALLS"',
}


class Dev(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-dev-"))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("dev", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.folder)
        (self.folder / "build/release").mkdir(parents=True)
        (self.folder / "tools").mkdir()
        for name, body in TOOLS.items():
            self.tool(name, body)
        self.system("debian", "12", "Debian GNU/Linux 12 (bookworm)")

    def tool(self, name, body):
        path = self.folder / "tools" / name
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)

    def system(self, name, version, pretty):
        (self.folder / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\nPRETTY_NAME="{pretty}"\n')

    def environment(self, **more):
        path = f"{self.folder}/tools:/usr/bin:/bin"
        return {"PATH": path, "CALLS": f"{self.folder}/calls", "ASSAY_OS_RELEASE": f"{self.folder}/os-release", "HOME": str(self.folder), **more}

    def dev(self, *arguments, **environment):
        return subprocess.run([self.folder / "dev", *arguments], env=self.environment(**environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text() if path.exists() else ""

    def at_terminal(self, answer, *arguments):
        child, terminal = pty.fork()
        if child == 0:
            os.execve(self.folder / "dev", ["dev", *arguments], self.environment())
        text = b""
        try:
            while block := os.read(terminal, 4096):
                text += block
                if answer and b"[Y/n]" in text:
                    os.write(terminal, answer)
                    answer = b""
        except OSError:
            pass  # the other side of the terminal was closed
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text.decode()

    def test_lists_what_is_missing_and_installs_only_that(self):
        done = self.dev("build", PRESENT="g++ cmake ninja-build pkg-config libboost-dev")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("To be installed from the distribution: libcli11-dev", done.stderr)
        calls = self.calls().splitlines()
        self.assertEqual(calls[0], "apt-get update -q")
        self.assertTrue(calls[1].startswith("apt-get install -q -y --no-install-recommends libcli11-dev "), calls)
        self.assertNotIn(" g++", calls[1])
        self.assertTrue(calls[2].startswith("cmake "), calls)

    def test_setup_installs_and_builds_nothing(self):
        self.tool("python3", 'echo "python3 $*" >>"$CALLS"')
        done = self.dev("setup", PRESENT="g++ cmake ninja-build pkg-config libboost-dev")
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = self.calls()
        for word in ("libcli11-dev", "libgtest-dev", "axe-playwright-python"):
            self.assertIn(word, calls)
        self.assertNotIn("cmake -", calls)

    def test_run_builds_all_benchmarks_only_once_they_are_asked_for(self):
        program = self.folder / "build/release/bin/assay"
        program.parent.mkdir(parents=True)
        program.write_text('#!/usr/bin/env bash\necho "assay $*" >>"$CALLS"\nexit 3\n')
        program.chmod(0o755)
        hint = "'./dev build' adds the other benchmarks"
        for arguments, target, runs, is_hinted in (
                ([], "assay_quick", "run suites/quick.yaml", True),
                (["list"], "assay_runtime", "list", False),
                ([], "assay_runtime", "run suites/quick.yaml", False)):
            with self.subTest(target=target, runs=runs):
                (self.folder / "calls").unlink(missing_ok=True)
                done = self.dev("run", *arguments)
                self.assertEqual((done.returncode, hint in done.stderr), (3, is_hinted), done.stderr)
                self.assertIn(f"--target {target} ", self.calls())
                self.assertEqual(self.calls().splitlines()[-1], f"assay {runs}")

    def test_asks_at_a_terminal(self):
        code, text = self.at_terminal(b"n\n", "build")
        self.assertEqual(code, 2, text)
        self.assertIn("Nothing was installed.", text)
        self.assertEqual(self.calls(), "")
        code, text = self.at_terminal(b"\n", "build")
        self.assertEqual(code, 0, text)
        self.assertIn("apt-get install", self.calls())

    def test_does_not_ask_with_y(self):
        code, text = self.at_terminal(b"", "-y", "build")
        self.assertEqual((code, "[Y/n]" in text), (0, False), text)

    def test_installs_through_sudo(self):
        self.assertEqual(self.dev("build", USER_ID="1000").returncode, 0)
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get install", self.calls())

    def test_says_what_to_ask_for_where_there_is_no_sudo(self):
        (self.folder / "tools/sudo").unlink()
        for name in ("bash", "dirname", "readlink", "env", "cat", "nproc", "touch", "mktemp", "uname", "tail", "rm"):
            os.symlink(shutil.which(name), self.folder / "tools" / name)
        done = self.dev("build", USER_ID="1000", PATH=f"{self.folder}/tools")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is no sudo: ask for 'apt-get install g++ cmake", done.stderr)

    def test_refuses_another_system_in_one_sentence(self):
        self.system("fedora", "41", "Fedora Linux 41")
        done = self.dev("build")
        self.assertEqual(done.returncode, 2)
        self.assertIn("this is Fedora Linux 41: unpack the archive assay-<version>-linux-", done.stderr)
        self.assertEqual((done.stderr.count("\n"), self.calls()), (1, ""), done.stderr)

    def test_tells_why_nothing_could_be_installed(self):
        done = self.dev("build", APT_ENDS_WITH="100")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no such package", done.stderr)
        self.assertIn("The packages were not installed", done.stderr)
        self.assertNotIn("cmake", self.calls())

    def test_a_second_call_does_not_configure_again(self):
        self.tool("cmake", 'echo "cmake $*" >>"$CALLS"; touch build/release/build.ninja')
        everything = subprocess.run(["bash", "-c", "source <(sed -n '/^build_packages=/,/)$/p' dev); echo ${build_packages[@]}"],
                                    cwd=self.folder, capture_output=True, text=True, check=True).stdout.strip()
        for _ in range(2):
            self.assertEqual(self.dev("build", PRESENT=everything).returncode, 0)
        self.assertEqual(self.calls().count("cmake --preset release"), 1, self.calls())
        self.assertEqual(self.calls().count("cmake --build"), 2)
        os.utime(self.folder / "CMakePresets.json", ns=(2**62, 2**62))
        self.dev("build", PRESENT=everything)
        self.assertEqual(self.calls().count("cmake --preset release"), 2, "the presets changed")
        self.assertNotIn("apt-get", self.calls())

    def test_compiles_with_ccache_where_it_is_there(self):
        self.tool("ccache", "exit 1")
        self.dev("build")
        self.assertIn("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", self.calls())
        (self.folder / "calls").unlink()
        self.dev("build", CMAKE_CXX_COMPILER_LAUNCHER="another")
        self.assertNotIn("ccache", self.calls(), "somebody's own is left alone")

    def test_one_component_is_built_and_tested_by_itself(self):
        program = self.folder / "build/dev/bin/assay_plugin_pipeline_test"
        program.parent.mkdir(parents=True)
        program.write_text('#!/usr/bin/env bash\necho "tested with $*" >>"$CALLS"\n')
        program.chmod(0o755)
        (self.folder / "build/dev/build.ninja").write_text(
            "build assay_judge_test: phony bin/assay_judge_test\nbuild assay_plugin_pipeline_test: phony bin/assay_plugin_pipeline_test\n")
        done = self.dev("test", "pipeline", "--gtest_filter=A.B")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cmake --build --preset dev", self.calls())
        self.assertIn("--target assay_plugin_pipeline_test", self.calls())
        self.assertIn("tested with --gtest_brief=1 --gtest_filter=A.B", self.calls())
        self.assertNotIn("release", self.calls())
        done = self.dev("test", "jugde")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no component 'jugde' has unit tests. These have: judge pipeline", done.stderr)

    def test_a_campaign_gets_the_build_and_what_was_asked_for(self):
        script = self.folder / "tests/campaign/run"
        script.parent.mkdir(parents=True)
        script.write_text('#!/usr/bin/env bash\necho "campaign $*" >>"$CALLS"\nexit 3\n')
        script.chmod(0o755)
        done = self.dev("campaign", "kills", "10")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.calls().splitlines()[-1], "campaign build/release kills 10")
        self.assertIn("./dev campaign [NAME] [SECONDS]", self.dev("help").stdout)

    def test_every_command_that_help_lists_is_one(self):
        listed = {line.split()[1] for line in self.dev("help").stdout.splitlines() if line.startswith("./dev ")}
        dispatched = next(line for line in (self.folder / "dev").read_text().splitlines() if line.startswith("  run | test | build"))
        self.assertEqual(listed, set(dispatched.strip().rstrip(")").split(" | ")))


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
