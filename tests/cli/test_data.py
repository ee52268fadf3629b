# SPDX-License-Identifier: Apache-2.0
"""ideal data info and convert."""

import gzip
import json
import pathlib
import unittest

from program import ProgramTest

SVM = "1 1:3 2:4\n-1 1:1\n1 2:2\n1 1:0.25\n"


class Data(ProgramTest):
    def info(self, line):
        return json.loads(self.succeed("data info --json", line))

    def test_info(self):
        self.write("a.svm.gz", gzip.compress(SVM.encode()))
        facts = self.info("a.svm.gz")
        self.assertEqual((facts["format"], facts["gzipped"], facts["sparse"]), ("LIBSVM", True, True))
        self.assertEqual((facts["rows"], facts["columns"], facts["nonzeros"]), (4, 2, 5))
        self.assertEqual(facts["density"], 5 / 8)
        self.assertEqual(facts["labels"], {"classes": {"-1": 1, "1": 3}})
        self.assertEqual(facts["row_norm"], {"min": 0.25, "mean": 8.25 / 4, "max": 5})
        text = self.succeed("data info a.svm.gz")
        for word in ("LIBSVM, gzipped", "density", "-1 (1 rows), 1 (3 rows)", "row norms", "memory"):
            self.assertIn(word, text)

    def test_real_targets_have_a_range(self):
        self.write("r.csv", "a,target,b\n" + "".join(f"1,{i / 10},2\n" for i in range(200)))
        facts = self.info("r.csv --label target")
        self.assertEqual((facts["labels"]["min"], facts["labels"]["max"]), (0, 19.9))
        self.assertIn("0 ... 19.9", self.succeed("data info r.csv --label target"))

    def test_convert_keeps_every_number(self):
        self.write("a.svm", SVM)
        for name in ("a.csv", "a.npy", "a.npz", "a.csv.gz", "b.svm"):
            self.succeed("data convert a.svm", name)
            facts, expected = self.info(name), self.info("a.svm")
            for key in ("rows", "columns", "nonzeros", "labels", "row_norm"):
                self.assertEqual(facts[key], expected[key], name)

    def test_force(self):
        self.write("a.svm", SVM)
        self.write("a.csv", "old")
        self.refused("data convert a.svm a.csv", "a.csv", "already there", "--force")
        self.succeed("data convert a.svm a.csv --force")
        self.assertEqual(self.info("a.csv")["rows"], 4)

    def test_large_text_is_kept_parsed(self):
        self.write("large.csv", "0.5,1.5,1\n" * 1_700_000)
        parsed = pathlib.Path(self.cache, "ideal", "parsed")
        self.env["IDEAL_PARSED_CACHE"] = "off"
        facts = self.info("large.csv")
        self.assertFalse(parsed.exists())
        del self.env["IDEAL_PARSED_CACHE"]
        for _ in range(2):
            self.assertEqual(self.info("large.csv"), facts)
            self.assertEqual(len(list(parsed.iterdir())), 1)


if __name__ == "__main__":
    unittest.main()
