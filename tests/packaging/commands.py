# SPDX-License-Identifier: Apache-2.0
"""What the tests of packages have in common."""

import subprocess


def run(*command, **keywords):
    """Standard output of a command; its whole output is in the error if it ends with another status than 0."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **keywords)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
