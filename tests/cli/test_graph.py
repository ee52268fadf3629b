# SPDX-License-Identifier: Apache-2.0
"""ideal graph: facts with closed forms."""

import json
import math
import unittest
import xml.etree.ElementTree as xml

from program import ProgramTest


class Graph(ProgramTest):
    def facts(self, line):
        return json.loads(self.succeed("graph --json", line))

    def test_cycle(self):
        facts = self.facts("cycle:12")
        self.assertEqual((facts["agents"], facts["edges"]), (12, 12))
        self.assertEqual(facts["degree"], {"min": 2, "mean": 2, "max": 2})
        self.assertEqual(facts["diameter"], {"hops": 6, "exact": True})
        self.assertAlmostEqual(facts["exposure"]["max"], 2 / 11)
        low = 2 - 2 * math.cos(2 * math.pi / 12)
        self.assertAlmostEqual(facts["lambda_max"], 4)
        self.assertAlmostEqual(facts["lambda_min"], low)
        self.assertAlmostEqual(facts["kappa_W"], 4 / low)
        self.assertEqual(facts["J"], math.floor(math.sqrt(4 / low)))

    def test_star_exposes_its_hub(self):
        facts = self.facts("star:5")
        self.assertEqual(facts["exposure"], {"mean": 1.6 / 4, "max": 1})

    def test_mixing_and_seed(self):
        self.assertLess(self.facts("star:5 --mixing lazy-metropolis")["lambda_max"], 1)
        self.assertEqual(self.facts("er:30,0.3 --seed 4"), self.facts("er:30,0.3 --seed 4"))
        self.assertNotEqual(self.facts("er:30,0.3 --seed 4"), self.facts("er:30,0.3 --seed 5"))

    def test_table(self):
        text = self.succeed("graph torus:3x4")
        for label in ("agents", "edges", "degrees", "diameter", "exposure", "lambda_max", "lambda_min+",
                      "kappa_W", "J "):
            self.assertIn(label, text)

    def test_resistances_are_foster(self):
        facts = self.facts("cycle:10 --mixing resistance")  # every edge 9/10
        self.assertAlmostEqual(facts["lambda_max"], 0.9 * 4)

    def test_resistances_by_gossip(self):
        gossip = self.facts("barbell:8 --mixing resistance --gossip")["gossip"]
        self.assertTrue(gossip["converged"])
        self.assertLess(gossip["error"], 1e-6)
        self.assertGreaterEqual(gossip["rounds"], 2 * gossip["activations"])
        self.assertGreater(gossip["bytes"], 8 * 8 * gossip["activations"])
        self.assertIn("by gossip", self.succeed("graph cycle:6 --mixing resistance --gossip --seed 3"))
        self.assertNotEqual(gossip, self.facts("barbell:8 --mixing resistance --gossip --seed 1")["gossip"])
        self.refused("graph cycle:6 --gossip", "--gossip", "--mixing laplacian", "Add --mixing resistance")
        self.refused("graph cycle:600 --gossip --mixing resistance", "--gossip", "600 agents")
        self.refused("graph awake:0.5:cycle:6 --gossip --mixing resistance", "--gossip", "one undirected graph")

    def test_fastest_weights(self):
        facts = self.facts("line:10 --mixing fdla")
        self.assertAlmostEqual(facts["contraction"], math.cos(math.pi / 10), places=7)
        self.assertAlmostEqual(facts["mixing_time"], -1 / math.log(math.cos(math.pi / 10)), places=4)
        self.assertAlmostEqual(facts["lambda_min"] + facts["lambda_max"], 2)
        self.assertLess(facts["optimality_gap"], 1e-7)
        self.assertIn("proven within", self.succeed("graph line:10 --mixing fdla"))

    def test_all_mixings(self):
        facts = self.facts("grid:3x4 --mixing all")
        mixings = {m["mixing"]: m for m in facts["mixings"]}
        self.assertEqual(facts["edges"], 17)
        self.assertEqual(set(mixings), {"laplacian", "laplacian-normalized", "best-constant", "metropolis",
                                        "lazy-metropolis", "max-degree", "resistance", "fdla", "lmsd"})
        for name, mixing in mixings.items():
            alone = self.facts(f"grid:3x4 --mixing {name}")
            self.assertEqual(mixing, {key: alone[key] for key in mixing})
            self.assertGreaterEqual(mixing["kappa_W"], mixings["fdla"]["kappa_W"] * (1 - 1e-7))
            if mixing["contraction"] < 1:
                self.assertGreaterEqual(mixing["deviation"], mixings["lmsd"]["deviation"] * (1 - 1e-9))
            else:
                self.assertIsNone(mixing["mixing_time"])
        self.assertAlmostEqual(mixings["best-constant"]["kappa_W"], mixings["laplacian"]["kappa_W"])

    def test_all_mixings_as_a_table(self):
        lines = self.succeed("graph barbell:12 --mixing all --svg b.svg").splitlines()
        self.assertTrue((self.dir / "b.svg").exists())
        head = next(k for k, line in enumerate(lines) if line.startswith("mixing "))
        for column in ("lambda_max", "lambda_min+", "kappa_W", "J", "contraction", "mixing time", "deviation", "gap"):
            self.assertIn(column, lines[head])
        self.assertEqual(len(lines) - head - 1, 9)

    def test_all_mixings_say_what_they_skip(self):
        mixings = {m["mixing"]: m for m in self.facts("cycle:600 --mixing all")["mixings"]}
        self.assertIn("500 agents", mixings["fdla"]["skipped"])
        self.assertIn("500 agents", mixings["lmsd"]["skipped"])
        self.assertAlmostEqual(mixings["resistance"]["lambda_max"], 4 * 599 / 600)
        self.assertIsNone(mixings["metropolis"]["deviation"])
        self.assertIn("500 agents", self.succeed("graph cycle:600 --mixing all"))

    def test_bad_mixings(self):
        self.refused("graph cycle:600 --mixing fdla", "--mixing", "'fdla' for 600 agents", "Take resistance")
        self.refused("graph cycle:8 --mixing resistence", "--mixing", "Did you mean 'resistance'?")
        self.refused("solve --mixing all", "--mixing", "'all'")
        (self.dir / "halves").write_text("0 1\n2 3\n")
        self.refused("graph file:halves --mixing all", "2 components")

    def test_methods_run_on_optimal_weights(self):
        for mixing in ("fdla", "lmsd", "resistance", "best-constant"):
            self.succeed(f"solve --graph barbell:8 --mixing {mixing} --rounds 5 --out {mixing}")

    def test_picture(self):
        self.succeed("graph barbell:8 --svg b.svg")
        picture = xml.parse(self.dir / "b.svg").getroot()
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual([p.name for p in self.dir.iterdir()], ["b.svg"])


if __name__ == "__main__":
    unittest.main()
