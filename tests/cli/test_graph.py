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

    def test_picture(self):
        self.succeed("graph barbell:8 --svg b.svg")
        picture = xml.parse(self.dir / "b.svg").getroot()
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertEqual([p.name for p in self.dir.iterdir()], ["b.svg"])


if __name__ == "__main__":
    unittest.main()
