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


class Page(unittest.TestCase):
    def setUp(self):
        self.results = json.loads((root / "docs/performance.json").read_text())

    def test_is_the_one_in_docs(self):
        self.assertEqual(bench.page(self.results), (root / "docs/performance.md").read_text(),
                         "write by hand into bench/performance.md.in, then run scripts/bench --render docs/performance.json")

    def test_a_missed_goal_is_told(self):
        for group in self.results["groups"]:
            for figure in group["figures"]:
                if "goal" in figure:
                    figure["reached"] = True
        all_reached = bench.page(self.results)
        self.assertNotIn("**no**", all_reached)
        self.results["groups"][0]["figures"][0] = {"item": "a kernel", "threads": 1, "value": 0.5, "unit": "of a limit",
                                                   "goal": "at least 0.9", "reached": False}
        one_missed = bench.page(self.results)
        self.assertIn("| a kernel | 1 | 0.5 of a limit | at least 0.9 | **no** |", one_missed)
        count = sum("goal" in figure for group in self.results["groups"] for figure in group["figures"])
        self.assertIn(f"{count - 1} of {count} goals reached", one_missed)

    def test_of_several_runs_the_one_in_the_middle_counts(self):
        def run(value):
            figure = {"item": "a kernel", "threads": 1, "value": value, "unit": "of a limit", "goal": "at least 0.9", "reached": value >= 0.9}
            return {"groups": [{"name": "Kernels", "figures": [figure]}]}
        group = bench.in_the_middle([run(0.95), run(0.5), run(0.8)])["groups"][0]
        self.assertIn("| a kernel | 1 | 0.8 (0.5–0.95) of a limit | at least 0.9 | **no** |", bench.table(group))
        group = bench.in_the_middle([run(0.95), run(0.5), run(0.91)])["groups"][0]
        self.assertIn("| 0.91 (0.5–0.95) of a limit | at least 0.9 | yes |", bench.table(group))

    def test_results_of_some_groups_make_no_page(self):
        del self.results["groups"][1]
        with self.assertRaises(SystemExit):
            bench.page(self.results)


unittest.main()
