# SPDX-License-Identifier: Apache-2.0
"""Networks that change from step to step or go one way."""

import json
import unittest

from program import ProgramTest

SMALL = "--data synthetic:rows=120,columns=5 --kappa 20 --tol 1e-8 --rounds 20000 --every 5"

ROUNDS = """# nobody reaches everybody in one of these
agents 6
round
0 1
2 3
4 5
round
1 2
3 4
round
5 0
"""


class Runs(ProgramTest):
    def test_every_kind_of_network_reaches_the_optimum(self):
        self.write("meetings", ROUNDS)
        self.write("arcs", "0 1\n1 2\n2 0\n0 3\n3 0\n")
        for graph, method in [("periodic:cycle:6+star:6", "diging"), ("rounds:meetings", "diging"),
                              ("awake:0.4:cycle:6", "diging"), ("directed-cycle:5", "push-diging"),
                              ("directed:arcs", "push-diging"), ("awake:0.5:rounds:meetings", "push-diging")]:
            with self.subTest(graph=graph):
                self.solve(f"--graph {graph} --method {method} --out run --force", SMALL)
                summary = self.summary("run")
                self.assertEqual(summary["status"], "converged")
                self.assertLess(summary["averaging"]["factor"], 1)
                self.assertIsNone(summary["lower_bound"]["time"])
                self.assertIn("graph = ", (self.dir / "run/config.toml").read_text())

    def test_hosts_repetition_and_resumption_give_the_same_iterates(self):
        self.write("meetings", ROUNDS)
        for graph, method in [("awake:0.3:cycle:6", "diging"), ("rounds:meetings", "push-diging")]:
            line = f"--graph {graph} --method {method} --tol 0 --seed 5 --data synthetic:rows=60,columns=4"
            self.solve(line, "--rounds 80 --out whole --force")
            self.solve(line, "--rounds 80 --hosts 3 --out hosts --force")
            self.solve("--config whole/config.toml --out again --force")
            self.solve(line, "--rounds 33 --checkpoint 10 --out parts --force")
            self.solve("--resume parts --rounds 80")
            for other in ("hosts", "again", "parts"):
                self.assertEqual(self.iterates("whole"), self.iterates(other), (graph, other))
                self.assertEqual(self.solution("whole"), self.solution(other), (graph, other))

    def test_the_seed_says_who_is_awake(self):
        line = "--graph awake:0.5:cycle:6 --method diging --tol 0 --rounds 20 --data synthetic:rows=60,columns=4"
        self.solve(line, "--out a")
        self.write("meetings", ROUNDS)
        bytes_sent = self.summary("a")["counts"]["bytes"]
        self.assertLess(bytes_sent, 38 * 12 * 4 * 8, "edges that sleep send nothing")
        self.assertGreater(bytes_sent, 0.2 * 38 * 12 * 4 * 8)

    def test_a_changed_file_is_noticed(self):
        self.write("meetings", ROUNDS)
        self.solve("--graph rounds:meetings --method diging --rounds 20 --checkpoint 10 --out run --tol 0")
        self.write("meetings", ROUNDS.replace("5 0", "5 1"))
        done = self.ideal("solve --resume run --rounds 40")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_comparisons(self):
        self.write("e.toml", """graph = ["awake:0.5:cycle:5", "directed-cycle:5"]
data = "synthetic:rows=60,columns=4"
rounds = 50
[[method]]
name = "push-diging"
""")
        self.write("f.toml", (self.dir / "e.toml").read_text().replace("push-diging", "extra"))
        self.refused("compare f.toml --out other", "f.toml", "extra", "push-diging")
        self.succeed("compare e.toml --out both --quiet")

    def test_graph_tells_how_fast_they_average(self):
        facts = json.loads(self.succeed("graph --json directed-cycle:8"))
        self.assertAlmostEqual(facts["contraction"], 0.9239, places=2)
        self.assertTrue(facts["averaging"]["directed"])
        self.assertEqual((facts["edges"], facts["diameter"]["hops"]), (8, 7), "word goes the long way round")
        self.assertEqual(facts["degree"], {"min": 1, "mean": 1, "max": 1})
        self.assertAlmostEqual(facts["exposure"]["max"], 1 / 7)
        self.write("hub", "0 1\n0 2\n0 3\n1 2\n2 3\n3 0\n")
        facts = json.loads(self.succeed("graph --json directed:hub"))
        self.assertEqual((facts["degree"]["max"], facts["heard"]["max"], facts["edges"]), (3, 2, 6))
        self.assertIn("listeners      1 ... 3", self.succeed("graph directed:hub"))
        self.assertIn("push-sum", self.succeed("graph directed-cycle:8"))
        self.assertIn("awake 0.3", self.succeed("graph awake:0.3:cycle:8 --mixing metropolis"))
        self.refused("graph directed-cycle:8 --mixing all", "--mixing", "Name one kind.")


class Refusals(ProgramTest):
    def test_methods_that_need_one_symmetric_matrix(self):
        self.refused("solve --graph awake:0.5:cycle:6 --method extra", "--method extra",
                     "the network changes from round to round", "diging, push-diging")
        self.refused("solve --graph directed-cycle:6 --method diging", "--method diging",
                     "the network is directed", "push-diging")
        self.refused("solve --graph directed-cycle:6", "--method auto", "push-diging")

    def test_specs(self):
        self.refused("solve --graph awake:2:cycle:6 --method diging", "--graph", "'2'", "(0, 1]")
        self.refused("solve --graph periodic:cycle:6+cycle:7 --method diging", "6 and of 7 agents")
        self.refused("solve --graph directed-cycle:x --method push-diging", "'x'", "directed-cycle:8")
        self.refused("solve --graph directed-cycle:6 --mixing metropolis --method push-diging", "--mixing",
                     "Leave --mixing out.")
        self.refused("solve --graph rounds:nowhere --method diging", "nowhere", "No such file")

    def test_files(self):
        self.write("apart", "round\n0 1\nround\n2 3\n")
        self.refused("solve --graph rounds:apart --method diging", "apart", "2 components: {0, 1}, {2, 3}")
        self.write("one-way", "directed\nround\n0 1\nround\n1 2\n")
        self.refused("solve --graph rounds:one-way --method push-diging", "one-way",
                     "agent 0 never hears of agent 1", "strongly connected")
        self.write("bad", "round\n0 1\n1 x\n")
        self.refused("solve --graph rounds:bad --method diging", "bad:3", "agent 'x'")
        self.write("weighted", "0 1 3\n1 0\n")
        self.refused("solve --graph directed:weighted --method push-diging", "weighted:1", "weight '3'")


if __name__ == "__main__":
    unittest.main()
