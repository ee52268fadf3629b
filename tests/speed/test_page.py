#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md says what was measured, as scripts/bench would write it."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
root = pathlib.Path(__file__).resolve().parents[2]
loader = importlib.machinery.SourceFileLoader("bench", str(root / "scripts/bench"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
loader.exec_module(bench)


def machine(cpu, *figures):
    return {"machine": {"CPU": cpu, "family": "7"}, "peers": {"instruction set": "AVX2"},
            "groups": [{"name": "Kernels", "figures": [dict(zip(("item", "threads", "value", "unit", "goal", "reached"), f)) for f in figures]}]}


class Page(unittest.TestCase):
    def setUp(self):
        self.machines = json.loads((root / "docs/performance.json").read_text())

    def test_is_the_one_in_docs(self):
        self.assertEqual(bench.page(self.machines), (root / "docs/performance.md").read_text(),
                         "write by hand into bench/performance.md.in, then run scripts/bench --render")

    def test_a_missed_goal_is_told(self):
        results = self.machines[0]
        for group in results["groups"]:
            for figure in group["figures"]:
                if "goal" in figure:
                    figure["reached"] = True
        self.assertNotIn("0.5 **no**", bench.page([results]))
        results["groups"][0]["figures"][0] = {"item": "a kernel", "threads": 1, "value": 0.5, "unit": "of a limit",
                                              "goal": "at least 0.9", "reached": False}
        one_missed = bench.page([results])
        self.assertIn("| a kernel | 1 | of a limit | at least 0.9 | 0.5 **no** |", one_missed)
        count = sum("goal" in figure for group in results["groups"] for figure in group["figures"])
        self.assertIn(f"{count - 1} of {count} goals reached", one_missed)

    def test_of_several_runs_the_one_in_the_middle_counts(self):
        def run(value):
            return machine("a", ("a kernel", 1, value, "of a limit", "at least 0.9", value >= 0.9))
        for values, expected in [((0.95, 0.5, 0.8), "0.8 (0.5–0.95) **no**"), ((0.95, 0.5, 0.91), "0.91 (0.5–0.95)")]:
            group = bench.in_the_middle([run(value) for value in values])["groups"][0]
            self.assertIn(f"| a kernel | 1 | of a limit | at least 0.9 | {expected} |", bench.table([("a", group)]))

    def test_machines_stand_side_by_side(self):
        old = machine("A", ("a kernel", 1, 0.5, "of a limit", "at least 0.9", False), ("a copy", 1, 0.75, "of a limit"))
        new = machine("B(R) Processor", ("first", 1, 3, "x"), ("a kernel", 1, 0.95, "of a limit", "at least 0.9", True), ("a copy", 1, 1, "of a limit"))
        lines = bench.table([(bench.name_of(m), m["groups"][0]) for m in (old, new)]).splitlines()
        self.assertEqual(lines[0], "| | threads | | goal | A, family 7, AVX2 | B, family 7, AVX2 |")
        self.assertEqual(lines[2:], ["| first | 1 | x |  |  | 3 |",
                                     "| a kernel | 1 | of a limit | at least 0.9 | 0.5 **no** | 0.95 |",
                                     "| a copy | 1 | of a limit |  | 0.75 | 1 |"])

    def test_new_results_of_a_machine_replace_older_ones(self):
        a, older, newer = machine("A"), machine("B", ("k", 1, 1, "x")), machine("B", ("k", 1, 2, "x"))
        self.assertEqual(bench.replaced([older, a], newer), [a, newer])
        self.assertEqual(bench.replaced([], a), [a])

    def test_results_of_some_groups_make_no_page(self):
        del self.machines[0]["groups"][1]
        with self.assertRaises(SystemExit):
            bench.page(self.machines[:1])


unittest.main()
