#!/usr/bin/env python3
"""Prints from the lines of bench_rounds how `auto` does against every method tuned by hand.

    bench/rounds/table.py LINES.jsonl...
"""
import json
import math
import statistics
import sys

TARGETS = [1e-4, 1e-8, 1e-10]
REGIMES = ["low", "middle", "high"]


def merged(files):
    """Lines of one case, whose methods ran at different times, as one; of a method that ran twice, the later."""
    cases = {}
    for file in files:
        for line in open(file, encoding="utf-8"):
            case = json.loads(line)
            known = cases.setdefault(case["case"], case)
            if known is not case:
                again = {run["name"] for run in case["runs"]}
                known["runs"] = [run for run in known["runs"] if run["name"] not in again] + case["runs"]
    return list(cases.values())


def time(cost, tau):
    return math.inf if cost is None else cost[0] + tau * cost[1]


def family(name):
    return name.split()[0]


def best(case, target, tau, wanted=lambda name: True):
    found = [(time(run["reached"][target], tau), run["name"]) for run in case["runs"]
             if family(run["name"]) != "auto" and wanted(run["name"])]
    return min(found, default=(math.inf, "none"))


def auto(case, target, regime, how):
    run = next(r for r in case["runs"] if r.get("regime") == REGIMES[regime])
    return time(run[how][target], case["taus"][regime])


def ratios(cases, target, regime, how, against):
    rows = []
    for case in cases:
        tau = case["taus"][regime]
        other = against(case, target, tau)
        ours = auto(case, target, regime, how)
        if math.isfinite(other):
            rows.append((ours / other, case["case"]))
    return rows


def bound(case, target, tau):
    return math.sqrt(case["kappa_f"]) * (1 + tau * math.sqrt(case["kappa_W"])) * math.log(case["first_gap"] / TARGETS[target])


AGAINST = {
    "best of all, tuned": lambda c, t, tau: best(c, t, tau)[0],
    "OPAPC at L/4": lambda c, t, tau: best(c, t, tau, lambda n: n.startswith("opapc") and "L-scale=0.25" in n)[0],
    "OPAPC, theory": lambda c, t, tau: best(c, t, tau, lambda n: n in ("opapc L-scale=1", "apapc L-scale=1"))[0],
    "IDEAL/MIDEAL T=100": lambda c, t, tau: best(c, t, tau, lambda n: n in ("ideal T=100", "mideal T=100"))[0],
    "lower-bound expression": bound,
}


def spread(rows):
    values = sorted(r for r, _ in rows)
    if not values:
        return "none"
    worst = max(rows)
    return f"{statistics.median(values):6.2f} {values[-1]:7.2f}  {worst[1]}"


def main(files):
    cases = merged(files)
    print(len(cases), "cases")
    for how in ("certified", "reached"):
        for name, against in AGAINST.items():
            print(f"\nauto ({how}) / {name}: median, worst")
            for target, value in enumerate(TARGETS):
                for regime, word in enumerate(REGIMES):
                    rows = ratios(cases, target, regime, how, against)
                    print(f"  {value:.0e} {word:7} {spread(rows)}")
    print("\ncomputations of auto at low tau / centralized AGD's")
    for target, value in enumerate(TARGETS):
        rows = []
        for case in cases:
            run = next(r for r in case["runs"] if r.get("regime") == "low")
            mine = run["certified"][target]
            rows.append(((mine[0] if mine else math.inf) / case["agd"][target][0], case["case"]))
        print(f"  {value:.0e} {spread(rows)}")
    print("\nwho is best, by regime at 1e-8")
    for regime, word in enumerate(REGIMES):
        count = {}
        for case in cases:
            who = family(best(case, 1, case["taus"][regime])[1])
            count[who] = count.get(who, 0) + 1
        print("  ", word, dict(sorted(count.items(), key=lambda i: -i[1])))
    print("\ndiverged with defaults or by hand")
    count = {}
    for case in cases:
        for run in case["runs"]:
            if run["diverged"]:
                count.setdefault(run["name"], []).append(case["case"])
    for name, where in sorted(count.items(), key=lambda i: -len(i[1])):
        print(f"  {len(where):4}  {name}   e.g. {where[0]}")
    print("wrong certificates:", [c["case"] for c in cases for r in c["runs"] if r.get("wrong")])
    print("two loops with our defaults against T = 100, median of rounds at 1e-8:")
    for name in ("ideal", "mideal"):
        rows = []
        for case in cases:
            runs = {r["name"]: r["reached"][1] for r in case["runs"]}
            if runs[name] and runs[f"{name} T=100"]:
                rows.append(runs[f"{name} T=100"][1] / runs[name][1])
        print(f"  {name}: {statistics.median(rows):.2f} of {len(rows)}" if rows else f"  {name}: none")


if __name__ == "__main__":
    main(sys.argv[1:])
