# SPDX-License-Identifier: Apache-2.0
"""The program with a package server and package tools of its own."""

import hashlib
import json
import pathlib
import random
import shutil
import tempfile
import zipfile

from program import ProgramTest
from registry import Registry, deb

HEART = "liblinear-tools_2.3_amd64.deb"
HEART_FILE = "usr/share/doc/liblinear-tools/examples/heart_scale"


def heart_scale(rows=270):
    draw = random.Random(1)
    lines = []
    for row in range(rows):
        features = " ".join(f"{k}:{draw.uniform(-1, 1):.6f}" for k in range(1, 14))
        lines.append(f"{'-1' if row < 150 else '+1'} {features}\n")
    return "".join(lines).encode()


class FetchTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.registry = Registry()
        self.addCleanup(self.registry.close)
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="ideal-home-"))
        self.addCleanup(shutil.rmtree, self.home, ignore_errors=True)
        (self.home / "bin").mkdir()
        (self.home / "uris").mkdir()
        (self.home / "npmrc").touch()
        apt = self.home / "bin/apt-get"
        apt.write_text("#!/bin/sh\n"
                       f"[ \"$1 $2\" = 'download --print-uris' ] && exec cat {self.home}/uris/\"$3\" 2>/dev/null\n")
        apt.chmod(0o755)
        self.env |= {"PATH": f"{self.home}/bin:{self.env['PATH']}", "npm_config_registry": self.registry.url,
                     "npm_config_cache": str(self.home / "npm"), "npm_config_userconfig": str(self.home / "npmrc")}
        for proxy in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            self.env.pop(proxy, None)
        self.downloads = pathlib.Path(self.cache) / "ideal/downloads"

    def add_deb(self, file, files):
        """Puts a Debian package on the server and into the answers of apt-get; returns its path."""
        package, path = deb(files), f"/pool/{file}"
        self.registry.files[path] = package
        digest = hashlib.sha256(package).hexdigest()
        (self.home / "uris" / file.split("_")[0]).write_text(
            f"'{self.registry.url}{path}' {file} {len(package)} SHA256:{digest}\n")
        return path

    def add_heart(self, content=None):
        return self.add_deb(HEART, {HEART_FILE: heart_scale() if content is None else content})

    def cached(self):
        return sorted(str(p.relative_to(self.cache)) for p in pathlib.Path(self.cache).rglob("*") if p.is_file())

    def fails(self, line, *parts):
        done = self.ideal(line)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        return done.stderr

    def info(self, name):
        return json.loads(self.succeed("data info --json", name))

    def arrays(self, name, split):
        """X and y as they are cached: the header and the bytes of each."""
        with zipfile.ZipFile(pathlib.Path(self.cache) / f"ideal/datasets/{name}/{split}.npz") as file:
            parts = []
            for member in ("X.npy", "y.npy"):
                content = file.read(member)
                length = int.from_bytes(content[8:10], "little")
                parts.append((content[10:10 + length].decode(), content[10 + length:]))
        return parts
