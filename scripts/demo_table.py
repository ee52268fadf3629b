# SPDX-License-Identifier: Apache-2.0
"""A table of run directories: cost, time for three ratios tau of a round to a gradient, and distance to the lower bound."""
import csv
import json
import math
import pathlib
import sys

TAUS = (0.1, 1, 10)


def row(directory):
    summary = json.loads((directory / "summary.json").read_text())
    with open(directory / "trace.csv", newline="") as file:
        trace = list(csv.DictReader(file))
    first, last = (float(trace[k]["worst_suboptimality"]) for k in (0, -1))
    computations, rounds = float(trace[-1]["computations"]), int(trace[-1]["communications"])
    kappa_f, kappa_W = summary["kappa_f"], summary["kappa_W"]
    floor = max(summary["certified_gap"] or 0, 1e-16 * abs(summary["f_star"]))  # below, a gap is rounding
    cells = [directory.name, summary["status"], f"{computations:.0f}", f"{rounds}", f"{last:.1e}"]
    for tau in TAUS:
        time = computations + tau * rounds
        bound = math.sqrt(kappa_f) * (1 + tau * math.sqrt(kappa_W)) * math.log(first / max(last, floor))
        cells.append(f"{time:.0f} ({time / bound:.2f})" if bound > 0 else f"{time:.0f}")
    return cells


def main():
    head = ["run", "status", "computations", "communications", "gap"] + [f"time, tau={tau:g}" for tau in TAUS]
    table = [head] + [row(pathlib.Path(argument)) for argument in sys.argv[1:]]
    widths = [max(len(line[k]) for line in table) for k in range(len(head))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print("\nin brackets: time over the lower bound sqrt(kappa_f) (1 + tau sqrt(kappa_W)) ln(gap_0 / gap), whose constant is left out")
    print("run directories with trace.csv, solution.npy, summary.json and report.html:")
    for argument in sys.argv[1:]:
        print("  " + argument)


main()
