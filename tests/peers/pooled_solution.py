# SPDX-License-Identifier: Apache-2.0
"""What the agents agree on is what scikit-learn finds with all rows in one place.

With n agents of m/n rows each, sum_i f_i = (n/m) (sum_j loss_j + (m mu/2) |x|^2): scikit-learn's C = 1/(m mu), alpha = m mu.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
from sklearn import datasets, linear_model

PROGRAM = sys.argv.pop(1)
AGENTS = 8


def decentralized(features, labels, loss, l2, method="mideal"):
    with tempfile.TemporaryDirectory() as folder:
        data, out = pathlib.Path(folder, "data.npz"), pathlib.Path(folder, "run")
        numpy.savez(data, X=features, y=labels)
        subprocess.run([PROGRAM, "solve", "--data", data, "--loss", loss, "--l2", str(l2), "--graph", "barbell:8",
                        "--partition", "by-label", "--method", method, "--tol", "1e-13", "--rounds", "20000", "--every", "20",
                        "--out", out, "--cache", folder, "--quiet"], check=True)
        return numpy.load(out / "solution.npy")


def whole_shares(features, labels):
    """Standardised, and cut to a multiple of the number of agents so that every row weighs the same."""
    rows = len(labels) // AGENTS * AGENTS
    features = features[:rows]
    spread = features.std(axis=0)
    return (features - features.mean(axis=0)) / numpy.where(spread > 0, spread, 1), labels[:rows]


class PooledSolution(unittest.TestCase):
    def check(self, solution, pooled, tolerance):
        self.assertEqual(solution.shape, (AGENTS, pooled.size))
        for agent in solution:
            self.assertLess(numpy.linalg.norm(agent - pooled.ravel()) / numpy.linalg.norm(pooled), tolerance)

    def test_logistic(self):
        features, labels = whole_shares(*datasets.load_breast_cancer(return_X_y=True))
        l2 = 1e-2
        model = linear_model.LogisticRegression(C=1 / (len(labels) * l2), fit_intercept=False, solver="newton-cg", tol=1e-10, max_iter=10000)
        self.check(decentralized(features, labels, "logistic", l2), model.fit(features, labels).coef_, 1e-5)

    def test_ridge(self):
        features, labels = whole_shares(*datasets.load_diabetes(return_X_y=True))
        labels = (labels - labels.mean()) / labels.std()
        l2 = 1e-2
        model = linear_model.Ridge(alpha=len(labels) * l2, fit_intercept=False, solver="cholesky")
        self.check(decentralized(features, labels, "ridge", l2), model.fit(features, labels).coef_, 1e-5)

    def test_softmax(self):
        features, labels = whole_shares(*datasets.load_digits(return_X_y=True))
        l2 = 5e-2
        model = linear_model.LogisticRegression(C=1 / (len(labels) * l2), fit_intercept=False, multi_class="multinomial",
                                                solver="newton-cg", tol=1e-10, max_iter=10000)
        pooled = model.fit(features, labels).coef_.T  # features x classes, class fastest
        self.check(decentralized(features, labels, "softmax", l2), pooled, 1e-5)


unittest.main()
