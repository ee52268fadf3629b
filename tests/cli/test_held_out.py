# SPDX-License-Identifier: Apache-2.0
"""ideal solve --test: scores recomputed from the files of the run."""

import math
import random
import unittest

from program import ProgramTest


def rows(count, columns, label, seed):
    draw = random.Random(seed)
    result = []
    for _ in range(count):
        a = [draw.gauss(0, 1) for _ in range(columns)]
        result.append((a, label(a, draw)))
    return result


def csv(rows):
    return "".join(",".join(repr(v) for v in [*a, b]) + "\n" for a, b in rows)


def dot(a, x):
    return sum(p * q for p, q in zip(a, x))


class HeldOut(ProgramTest):
    def mean_model(self, run):
        X = self.solution(run)
        return [sum(x[k] for x in X) / len(X) for k in range(len(X[0]))]

    def solve_with_test(self, train, test, *words):
        self.write("train.csv", csv(train))
        self.write("test.csv", csv(test))
        self.solve("--data train.csv --test test.csv --graph line:3 --tol 0 --rounds 40 --out run", *words)
        return self.summary("run")["test"], self.mean_model("run")

    def test_ridge(self):
        def target(a, draw):
            return a[0] - 2 * a[1] + draw.gauss(0, 0.5)
        train, test = rows(60, 3, target, 1), rows(17, 3, target, 2)
        score, x = self.solve_with_test(train, test, "--loss ridge")
        rmse = math.sqrt(sum((dot(a, x) - b) ** 2 for a, b in test) / 17)
        self.assertEqual((score["name"], score["rows"]), ("test.csv", 17))
        self.assertAlmostEqual(score["rmse"], rmse, places=12)

    def test_logistic_with_classes_and_normalized_rows(self):
        def label(a, draw):
            return draw.choice([2, 5, 7]) if draw.random() < 0.3 else (7 if a[0] > 0 else 2)
        train, test = rows(90, 4, label, 1), rows(40, 4, label, 2)
        score, x = self.solve_with_test(train, test, "--classes 7,2 --normalize")
        kept = [(a, -1 if b == 7 else 1) for a, b in test if b in (2, 7)]
        right = sum(b * dot(a, x) > 0 for a, b in kept)
        self.assertEqual((score["rows"], score["accuracy"]), (len(kept), right / len(kept)))
        self.assertGreater(score["accuracy"], 0.6)
        self.assertIn(f"% right of {len(kept)} rows of test.csv", self.succeed("solve --config run/config.toml"))

    def test_softmax_where_the_test_lacks_a_class(self):
        def label(a, _):
            return [4, 6, 9][max(range(3), key=lambda k: a[k])]
        train = rows(120, 4, label, 1)
        test = [(a, b) for a, b in rows(50, 4, label, 2) if b != 4]
        score, x = self.solve_with_test(train, test, "--loss softmax")
        right = 0
        for a, b in test:
            scores = [dot(a, x[c::3]) for c in range(3)]
            right += [4, 6, 9][scores.index(max(scores))] == b
        self.assertEqual(score["accuracy"], right / len(test))

    def test_sparse_rows_may_end_early(self):
        self.write("train.svm", "1 1:1 3:2\n-1 2:1\n1 1:2\n-1 3:-1\n")
        self.write("test.svm", "1 1:1\n-1 2:3\n")
        self.solve("--data train.svm --test test.svm --graph line:2 --rounds 50 --out run")
        self.assertEqual(self.summary("run")["test"], {"name": "test.svm", "rows": 2, "accuracy": 1})

    def test_none(self):
        self.solve("--rounds 2 --out run")
        self.assertIsNone(self.summary("run")["test"])

    def test_refusals(self):
        self.write("train.csv", "1,2,1\n2,1,-1\n")
        self.write("wide.csv", "1,2,3,1\n")
        self.write("strange.csv", "1,2,5\n")
        self.refused("solve --graph line:2 --data train.csv --test none.csv", "--test none.csv", "no such file")
        self.refused("solve --graph line:2 --data train.csv --test wide.csv", "--test wide.csv", "3 columns",
                     "the training data have 2")
        self.refused("solve --graph line:2 --data train.csv --test strange.csv", "strange.csv", "label 5",
                     "have the labels -1, 1")


if __name__ == "__main__":
    unittest.main()
