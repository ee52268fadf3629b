# SPDX-License-Identifier: Apache-2.0
"""ideal methods: the registry as its users see it."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

from program import ProgramTest


class Methods(ProgramTest):
    def test_list(self):
        text = self.succeed("methods")
        for name in ("ideal", "mideal", "al", "aal", "ssda", "msda", "extra", "nids", "dgd", "apm-c", "opapc",
                     "apapc", "mudag", "acc-dngd", "gd", "agd", "diging", "atc-diging", "sonata", "dng", "dnc", "dual-averaging",
                     "dadmm", "dal-jacobi", "dal-gauss-seidel", "fedavg", "heavy-ball-ode", "dual-fgm", "optra"):
            self.assertRegex(text, rf"(?m)^  {name} ")
        self.assertRegex(text, r"assumes +rate: .* +cost: ")
        ssda = re.search(r"(?ms)^  ssda .*?(?=^  \S)", text).group()
        self.assertRegex(ssda, r"\n {20}f_i strongly convex and smooth; +sqrt\(kappa_f kappa_W\) log\(1/eps\) .*\(1, 1\) exact")
        self.assertLessEqual(max(map(len, text.splitlines())), 132)
        together = " ".join(text.split())
        for method in json.loads(self.succeed("methods --json")):
            self.assertIn(method["citation"], together)
            self.assertRegex(text, rf"(?m)^{method['family']}$")

    def test_one(self):
        text = self.succeed("methods mideal")
        for word in ("rule", "cost", "rate", "citation", "rho-scale", "default auto",
                     "meets     where the losses are not known to be strongly convex; "):
            self.assertIn(word, text)

    def test_json(self):
        everything = json.loads(self.succeed("methods --json"))
        one = json.loads(self.succeed("methods ideal --json"))
        self.assertEqual(one, next(m for m in everything if m["name"] == "ideal"))
        self.assertEqual(list(one), ["name", "family", "summary", "rule", "cost", "rate", "assumptions", "citation", "meets",
                                     "linear", "parameters"])

    def test_documentation_is_that_of_the_registry(self):
        project = pathlib.Path(__file__).parents[2]
        page = subprocess.run([sys.executable, project / "scripts/method_docs.py"], input=self.succeed("methods --json"),
                              capture_output=True, text=True, check=True).stdout
        self.assertEqual(page, (project / "docs/methods.md").read_text(encoding="utf-8"),
                         "ideal methods --json | python3 scripts/method_docs.py > docs/methods.md")

    def test_every_default_may_be_set(self):
        for method in json.loads(self.succeed("methods --json")):
            settings = [f"--set {p['key']}={p['default']}" for p in method["parameters"]]
            self.solve(f"--method {method['name']} --rounds 1 --data synthetic:rows=40,columns=2", *settings,
                       "--out", method["name"])


if __name__ == "__main__":
    unittest.main()
