# SPDX-License-Identifier: Apache-2.0
"""Runs the program in an empty directory of its own."""

import contextlib
import csv
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import struct
import subprocess
import tempfile
import threading
import unittest

IDEAL = os.environ.get("IDEAL", "ideal")


def split(words):
    """Command lines are written as a shell would read them."""
    return [word for part in words for word in shlex.split(part)]


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="ideal-cli-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.cache = tempfile.mkdtemp(prefix="ideal-cache-")
        self.addCleanup(shutil.rmtree, self.cache, ignore_errors=True)
        self.env = {**os.environ, "XDG_CACHE_HOME": self.cache}

    def ideal(self, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options):
        return subprocess.run([IDEAL, *split(words)], cwd=self.dir, env=self.env, text=True, stdout=stdout,
                              stderr=stderr, timeout=300, **options)

    def on_terminal(self, *words):
        """The finished program and all it wrote to standard error, which is a terminal."""
        ours, theirs = pty.openpty()
        pieces = []

        def read_all():  # a terminal holds 4 KiB: unread, it would stop the program
            with contextlib.suppress(OSError):  # the end of a terminal reads as an error
                while piece := os.read(ours, 1 << 16):
                    pieces.append(piece)

        reader = threading.Thread(target=read_all)
        reader.start()
        try:
            done = self.ideal(*words, stderr=theirs)
        finally:
            os.close(theirs)
            reader.join()
            os.close(ours)
        return done, b"".join(pieces)

    def start(self, *words):
        return subprocess.Popen([IDEAL, *split(words)], cwd=self.dir, env=self.env, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start_and_see(self, pattern, *words):
        """The running program, once its terminal shows the pattern."""
        ours, theirs = pty.openpty()
        running = subprocess.Popen([IDEAL, *split(words)], cwd=self.dir, env=self.env, text=True,
                                   stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        shown = b""
        while not re.search(pattern, shown):
            shown += os.read(ours, 1 << 16)  # fails when the program ends

        def read_on():
            with contextlib.suppress(OSError):
                while os.read(ours, 1 << 16):
                    pass
            os.close(ours)

        threading.Thread(target=read_on).start()
        return running

    def succeed(self, *words):
        done = self.ideal(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def solve(self, *words):
        self.succeed("solve --quiet", *words)

    def write(self, name, content):
        path = self.dir / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def listing(self):
        """Every path below the directory, with the content of files."""
        return {str(p.relative_to(self.dir)): p.read_bytes() if p.is_file() else None
                for p in self.dir.rglob("*")}

    def refused(self, line, *parts):
        """Exit code 2, a message of one line with all the parts (returned), nothing printed, nothing written."""
        before = self.listing()
        done = self.ideal(line)
        self.assertEqual(done.returncode, 2, f"{line}: {done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, r"^ideal: .+: .+ \(.+\)\. \S.*[.?]\n$")  # place: found (rule). Remedy.
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertEqual(self.listing(), before)
        self.assertEqual(os.listdir(self.cache), [])
        return done.stderr

    def trace(self, run):
        with open(self.dir / run / "trace.csv", newline="") as file:
            return list(csv.DictReader(file))

    def iterates(self, run):
        """The trace without the one column that is never the same twice."""
        return [{k: v for k, v in row.items() if k != "seconds"} for row in self.trace(run)]

    def summary(self, run):
        return json.loads((self.dir / run / "summary.json").read_text())

    def solution(self, run):
        return read_npy(self.dir / run / "solution.npy")


def read_npy(path):
    """The rows of a float64 matrix in C order."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00", content[:8]
    (length,) = struct.unpack("<H", content[8:10])
    header = eval(content[10:10 + length], {"__builtins__": {}})
    assert header["descr"] == "<f8" and not header["fortran_order"], header
    rows, columns = header["shape"]
    numbers = struct.unpack(f"<{rows * columns}d", content[10 + length:])
    return [list(numbers[r * columns:(r + 1) * columns]) for r in range(rows)]


def npy(descr, fortran, shape, payload):
    header = f"{{'descr': {descr!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + payload
