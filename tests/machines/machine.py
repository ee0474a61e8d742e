# SPDX-License-Identifier: Apache-2.0
"""A machine of any shape under QEMU: a distribution's kernel, a busybox and what was built, without a disk.

The machine runs a script and ends. What the script leaves in /results comes back: the files' names and contents.
"""

import gzip
import io
import os
import pathlib
import shutil
import stat
import subprocess
import tarfile
import tempfile

BUILD = pathlib.Path(os.environ["ASSAY_BUILD"]).resolve()
QEMU = shutil.which("qemu-system-x86_64")
BUSYBOX = shutil.which("busybox")
KERNELS = sorted(path for path in pathlib.Path("/boot").glob("vmlinuz-*cloud*") if os.access(path, os.R_OK))
ROOT = "opt/assay"  # where the installed files are in there
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/opt/assay/bin:/bin HOME=/root NO_COLOR=1
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
mkdir -p /dev/shm /results; mount -t tmpfs shm /dev/shm
cd /case && sh ./script >/results/script.out 2>/results/script.err
echo $? >/results/script.code
stty -F /dev/ttyS1 raw -echo
cd /results && tar -cz . >/dev/ttyS1
echo ended >/dev/ttyS0
poweroff -f
"""


def missing():
    """What this machine lacks to emulate another one, as packages."""
    needs = {"qemu-system-x86": QEMU, "busybox-static": BUSYBOX, "linux-image-cloud-amd64": KERNELS}
    return [package for package, found in needs.items() if not found]


def libraries_of(program):
    """Paths of the shared libraries that a program needs, and its loader's."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True)
    words = [word for line in done.stdout.splitlines() for word in line.split()]
    return {word for word in words if word.startswith("/")}


class Archive:
    """A cpio archive in the `newc` format, which the kernel unpacks into its first file system (its Documentation,
    driver-api/early-userspace/buffer-format)."""

    def __init__(self):
        self.out = io.BytesIO()
        self.folders = set()
        self.count = 0

    def _entry(self, name, mode, data=b""):
        self.count += 1
        header = [self.count, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name.encode()) + 1, 0]
        self.out.write(b"070701" + b"".join(b"%08X" % field for field in header) + name.encode() + b"\0")
        self.out.write(b"\0" * (-self.out.tell() % 4) + data)
        self.out.write(b"\0" * (-self.out.tell() % 4))

    def folder(self, name):
        for parent in [*reversed(pathlib.PurePosixPath(name).parents), pathlib.PurePosixPath(name)]:
            if str(parent) not in (".", "/") and str(parent) not in self.folders:
                self.folders.add(str(parent))
                self._entry(str(parent), stat.S_IFDIR | 0o755)

    def file(self, name, data, mode=0o644):
        self.folder(str(pathlib.PurePosixPath(name).parent))
        self._entry(name, stat.S_IFREG | mode, data)

    def add(self, path, name):
        """A file as it is, whatever links lead to it."""
        self.file(name, path.read_bytes(), path.stat().st_mode & 0o777)

    def bytes(self):
        self._entry("TRAILER!!!", 0)
        return self.out.getvalue()


def installed():
    """Everything that the machine gets: the program as it is installed, plugins for the host, the tests' own, and what they need."""
    archive = Archive()
    libraries = set()
    with tempfile.TemporaryDirectory(prefix="assay-machine-") as folder:
        prefix = pathlib.Path(folder)
        for component in ("runtime", "plugins", "sdk"):  # the last one has the contracts
            subprocess.run([os.environ["ASSAY_CMAKE"], "--install", BUILD, "--component", component, "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
        for path in sorted((prefix / "bin/assay", *prefix.glob("lib/assay/**/*"), *prefix.glob("share/assay/contracts/*"))):
            if not path.is_file() or "_cuda." in path.name or path.name.startswith("cuda."):
                continue
            archive.add(path, f"{ROOT}/{path.relative_to(prefix)}")
            if path.suffix == ".so" or path.parent.name == "bin":
                libraries |= {library for library in libraries_of(path) if not library.startswith(str(prefix))}
    for path in sorted((BUILD / "tests/plugins").glob("assay_fake.*")):
        archive.add(path, f"case/plugins/{path.name}")
    archive.add(pathlib.Path(BUSYBOX), "bin/busybox")
    for library in sorted(libraries | libraries_of(BUSYBOX)):
        archive.add(pathlib.Path(library), library.lstrip("/"))
    return archive


def boot(arguments, script, files, timeout=240):
    """Boots a machine of these arguments of QEMU. `files` is name → text, in the folder where `script` runs. Returns what the
    script left in /results, by name."""
    archive = installed()
    archive.file("init", INIT.encode(), 0o755)
    archive.file("case/script", script.encode())
    for name in ("dev", "proc", "sys", "tmp", "root", "results"):
        archive.folder(name)
    for name, text in files.items():
        archive.file(f"case/{name}", text.encode(), 0o755)
    with tempfile.TemporaryDirectory(prefix="assay-machine-") as folder:
        folder = pathlib.Path(folder)
        (folder / "initramfs").write_bytes(gzip.compress(archive.bytes(), compresslevel=1))
        command = [QEMU, "-accel", "tcg", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-kernel", KERNELS[-1],
                   "-initrd", folder / "initramfs", "-append", "console=ttyS0 quiet panic=-1 rdinit=/init",
                   "-serial", f"file:{folder / 'console'}", "-serial", f"file:{folder / 'results'}", *arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
            why = f"QEMU ended with {done.returncode}: {done.stderr}"
        except subprocess.TimeoutExpired:
            why = f"it did not end within {timeout} s"
        console = (folder / "console").read_text(errors="replace") if (folder / "console").exists() else ""
        if "ended" not in console.split():
            raise AssertionError(f"the machine did not end its script: {why}\n{console[-3000:]}")
        with tarfile.open(folder / "results") as results:
            return {member.name.removeprefix("./"): results.extractfile(member).read().decode(errors="replace")
                    for member in results if member.isfile()}
