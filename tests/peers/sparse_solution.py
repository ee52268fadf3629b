# SPDX-License-Identifier: Apache-2.0
"""Sparse, robust and non-smooth models of the agents are those of scikit-learn with all rows in one place.

With n agents of m/n rows each, sum_i (f_i + r) is n times scikit-learn's objective: a mean loss plus l1 |x|_1 plus
(l2/2) |x|^2. Entries that are zero there are zero here, exactly and at every agent.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
from sklearn import datasets, linear_model, svm

PROGRAM = sys.argv.pop(1)
AGENTS = 8


def decentralized(features, labels, *options, rounds=40000, tol="1e-13"):
    """The agents' models and the summary of the run."""
    with tempfile.TemporaryDirectory() as folder:
        data, out = pathlib.Path(folder, "data.npz"), pathlib.Path(folder, "run")
        numpy.savez(data, X=features, y=labels)
        subprocess.run([PROGRAM, "solve", "--data", data, *map(str, options), "--graph", "barbell:8", "--partition", "by-label",
                        "--tol", tol, "--rounds", str(rounds), "--every", "20", "--out", out, "--cache", folder, "--quiet"], check=True)
        return numpy.load(out / "solution.npy"), json.loads((out / "summary.json").read_text())


def whole_shares(features, labels):
    """Standardised, and cut to a multiple of the number of agents so that every row weighs the same."""
    rows = len(labels) // AGENTS * AGENTS
    features = features[:rows]
    spread = features.std(axis=0)
    return (features - features.mean(axis=0)) / numpy.where(spread > 0, spread, 1), labels[:rows]


def diabetes():
    features, labels = whole_shares(*datasets.load_diabetes(return_X_y=True))
    return features, (labels - labels.mean()) / labels.std()


class SparseSolution(unittest.TestCase):
    def check(self, run, pooled, tolerance=1e-5):
        solution, summary = run
        pooled = pooled.ravel()
        self.assertEqual(summary["status"], "converged")
        self.assertLess(summary["certified_gap"], 1e-9)
        self.assertGreater((pooled == 0).sum(), 0)
        self.assertGreater((pooled != 0).sum(), 0)
        self.assertEqual(summary["regulariser"]["zeros"], (pooled == 0).sum())
        for agent in solution:
            self.assertEqual((agent == 0).tolist(), (pooled == 0).tolist())
            self.assertLess(numpy.linalg.norm(agent - pooled) / numpy.linalg.norm(pooled), tolerance)

    def test_lasso(self):
        features, labels = diabetes()
        model = linear_model.Lasso(alpha=0.05, fit_intercept=False, tol=1e-14, max_iter=100000).fit(features, labels)
        for method in ("ideal", "mideal", "extra", "nids"):
            with self.subTest(method=method):
                self.check(decentralized(features, labels, "--loss", "ridge", "--l2", 0, "--l1", 0.05, "--method", method), model.coef_)

    def test_elastic_net(self):
        features, labels = diabetes()
        model = linear_model.ElasticNet(alpha=0.2, l1_ratio=0.6, fit_intercept=False, tol=1e-14, max_iter=100000).fit(features, labels)
        for method in ("ideal", "mideal", "nids"):
            with self.subTest(method=method):
                self.check(decentralized(features, labels, "--loss", "ridge", "--l2", 0.08, "--l1", 0.12, "--method", method), model.coef_)

    def test_non_negative_lasso(self):
        features, labels = diabetes()
        model = linear_model.Lasso(alpha=0.02, positive=True, fit_intercept=False, tol=1e-14, max_iter=100000).fit(features, labels)
        self.check(decentralized(features, labels, "--loss", "ridge", "--l2", 0, "--l1", 0.02, "--box", "0:", "--method", "ideal"), model.coef_)

    def test_sparse_logistic(self):
        features, labels = whole_shares(*datasets.load_breast_cancer(return_X_y=True))
        l1, l2 = 0.02, 0.02
        model = linear_model.LogisticRegression(penalty="elasticnet", solver="saga", C=1 / (len(labels) * (l1 + l2)), l1_ratio=l1 / (l1 + l2),
                                                fit_intercept=False, tol=1e-12, max_iter=100000).fit(features, labels)
        self.check(decentralized(features, labels, "--loss", "logistic", "--l2", l2, "--l1", l1, "--method", "mideal"), model.coef_)


class NonSmooth(unittest.TestCase):
    """The reference optimum, and what methods of subgradients come to."""

    def test_hinge_is_the_support_vector_machine(self):
        features, labels = whole_shares(*datasets.load_breast_cancer(return_X_y=True))
        l2 = 0.05
        model = svm.LinearSVC(C=1 / (len(labels) * l2), loss="hinge", fit_intercept=False, tol=1e-10, max_iter=10000000).fit(features, labels)
        x = model.coef_.ravel()
        signs = numpy.where(labels == labels.max(), 1, -1)
        pooled = numpy.maximum(0, 1 - signs * (features @ x)).mean() + l2 / 2 * x @ x
        for method, share in (("mspd", 0.05), ("drs", 0.25)):
            with self.subTest(method=method):
                _, summary = decentralized(features, labels, "--loss", "hinge", "--l2", l2, "--method", method, rounds=5000)
                self.assertAlmostEqual(summary["f_star"] / AGENTS, pooled, delta=1e-6)
                self.assertLess(summary["certified_gap"], 1e-7)
                self.assertLess(summary["errors"]["worst_suboptimality"] / AGENTS, share * pooled)

    def test_quantile(self):
        features, labels = diabetes()
        model = linear_model.QuantileRegressor(quantile=0.3, alpha=0, fit_intercept=False, solver="highs").fit(features, labels)
        residual = labels - features @ model.coef_
        pooled = numpy.maximum(0.3 * residual, -0.7 * residual).mean()
        _, summary = decentralized(features, labels, "--loss", "quantile", "--quantile", 0.3, "--l2", 0, "--method", "mspd", rounds=5000)
        self.assertAlmostEqual(summary["f_star"] / AGENTS, pooled, delta=1e-7)
        self.assertLess(summary["errors"]["worst_suboptimality"] / AGENTS, 0.05 * pooled)


unittest.main()
