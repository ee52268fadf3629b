# SPDX-License-Identifier: Apache-2.0
"""Accuracy of a linear classifier on held-out rows: least squares on the classes, its ridge chosen on a fifth of the training
rows that the choice alone sees. Usage, with numpy:
    ideal data convert cifar10-ckn train.npz && ideal data convert cifar10-ckn:test test.npz
    python3 scripts/linear_accuracy.py train.npz test.npz"""
import sys

import numpy as np


def load(path):
    with np.load(path) as file:
        X = np.asarray(file["X"], dtype=np.float32)
        return np.hstack([X, np.ones((len(X), 1), np.float32)]), file["y"].astype(int)


class LeastSquares:
    """One factorisation of X'X serves every ridge."""

    def __init__(self, X, y, classes):
        self.values, self.vectors = np.linalg.eigh((X.T @ X).astype(float))
        self.right = self.vectors.T @ (X.T @ (y[:, None] == classes).astype(np.float32)).astype(float)
        self.scale = np.mean(self.values)

    def weights(self, ridge):
        return self.vectors @ (self.right / (np.maximum(self.values, 0) + ridge * self.scale)[:, None])


def accuracy(X, y, classes, weights):
    return np.mean(classes[np.argmax(X @ weights.astype(np.float32), axis=1)] == y)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    (X, y), (X_test, y_test) = load(sys.argv[1]), load(sys.argv[2])
    scale = np.abs(X).max()
    X, X_test = X / scale, X_test / scale
    classes = np.unique(y)
    kept = np.random.default_rng(0).random(len(y)) < 0.8
    trial = LeastSquares(X[kept], y[kept], classes)
    ridges = 10.0 ** np.arange(-7, 1)
    best = max(ridges, key=lambda ridge: accuracy(X[~kept], y[~kept], classes, trial.weights(ridge)))
    final = LeastSquares(X, y, classes)
    print(f"{100 * accuracy(X_test, y_test, classes, final.weights(best)):.2f} % of {len(y_test)} rows right, ridge {best:g}")


main()
