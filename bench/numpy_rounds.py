#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The rounds of a decentralized method as a good NumPy program would do them: agents on a cycle, logistic losses, no trace.

    numpy_rounds.py METHOD ROWS COLUMNS AGENTS TYPE GRADIENTS

TYPE is float64 or float32, of data and iterates alike: mixed, NumPy would copy the data in every product. GRADIENTS is `loop`, an agent
after the other, whose rows the second product then finds in the cache, or `batch`, all agents in one call. The first line
written names the BLAS library in use; then every line read is a number of rounds to do, answered by the seconds that one took.
"""
import sys
import time

import numpy as np

method, rows, columns, agents, kind, style = sys.argv[1], *map(int, sys.argv[2:5]), sys.argv[5], sys.argv[6]
rng = np.random.default_rng(1)
dtype = np.dtype(kind)
m = rows // agents
# Rows times their labels, -1 or +1: the labels then cost nothing.
A = rng.uniform(-1, 1, (agents, m, columns)).astype(dtype)
scale = dtype.type(-1 / m)
l2 = dtype.type(1e-3)
L = dtype.type(columns / 4)
X = np.zeros((agents, columns), dtype)
G, Z = np.empty_like(X), np.empty((agents, m), dtype)


def slopes(Z):
    """1 / (1 + exp(z)) in place, over -m."""
    np.exp(Z, out=Z)
    Z += 1
    np.divide(scale, Z, out=Z)


def gradient_loop(X):
    for i in range(agents):
        z = np.dot(A[i], X[i], out=Z[i])
        slopes(z)
        np.dot(z, A[i], out=G[i])
    np.add(G, l2 * X, out=G)
    return G


def gradient_batch(X):
    np.matmul(A, X[:, :, None], out=Z[:, :, None])
    slopes(Z)
    np.matmul(Z[:, None, :], A, out=G[:, None, :])
    np.add(G, l2 * X, out=G)
    return G


gradient = gradient_loop if style == "loop" else gradient_batch


def mix(X):
    """The Laplacian of the cycle."""
    WX = 2 * X
    WX[1:] -= X[:-1]
    WX[0] -= X[-1]
    WX[:-1] -= X[1:]
    WX[-1] -= X[0]
    return WX


def ideal():
    """Inner iterations of IDEAL by accelerated gradient descent."""
    global X
    rho, beta, step = L / 4, dtype.type(0.9), dtype.type(0.5) / L
    Y, Omega, WX = X.copy(), np.zeros_like(X), np.zeros_like(X)
    while True:
        G, WX_new = gradient(Y), mix(X)
        WY = WX_new + beta * (WX_new - WX)
        X_next = Y - step * (G + Omega + rho * WY)
        Y = X_next + beta * (X_next - X)
        X, WX = X_next, WX_new
        yield


def extra():
    global X
    s, alpha = dtype.type(0.25), dtype.type(0.5) / L
    X_prev, WX_prev, G_prev = X, np.zeros_like(X), np.zeros_like(X)
    while True:
        G, WX = gradient(X), mix(X)
        X_next = 2 * X - X_prev - s * WX + s / 2 * WX_prev - alpha * (G - G_prev)
        X_prev, X, WX_prev, G_prev = X, X_next, WX, G.copy()
        yield


def nids():
    global X
    s, alpha = dtype.type(0.125), dtype.type(0.5) / L
    X_prev, G_prev = X, np.zeros_like(X)
    while True:
        G = gradient(X)
        V = 2 * X - X_prev - alpha * (G - G_prev)
        X_prev, X, G_prev = X, V - s * mix(V), G.copy()
        yield


def blas():
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1].rsplit("/", 1)[-1] for line in maps if "blas" in line}
    return ", ".join(sorted(loaded)) or "none"


# A round each time it is asked for one: what comes before the first is not timed.
round_by_round = {"ideal": ideal, "extra": extra, "nids": nids}[method]()
for _ in range(2):
    next(round_by_round)
print(f"NumPy {np.__version__} with {blas()}", flush=True)
for line in sys.stdin:
    count = int(line)
    started = time.perf_counter()
    for _ in range(count):
        next(round_by_round)
    print((time.perf_counter() - started) / count, flush=True)
