# SPDX-License-Identifier: Apache-2.0
"""ideal solve: what it computes, what it writes, and how it ends."""

import json
import math
import random
import re
import unittest

from program import ProgramTest

HEADER = ("iteration,computations,communications,bytes,seconds,suboptimality,worst_suboptimality,consensus,"
          "distance")
FILES = ["config.toml", "report.html", "solution.npy", "summary.json", "trace.csv"]


def ridge_problem(rows, columns, seed=1):
    draw = random.Random(seed)
    A = [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(rows)]
    b = [draw.gauss(0, 1) for _ in range(rows)]
    text = "".join(",".join(repr(v) for v in [*row, label]) + "\n" for row, label in zip(A, b))
    return A, b, text


def ridge_loss(A, b, x, l2):
    residuals = [sum(a * v for a, v in zip(row, x)) - label for row, label in zip(A, b)]
    return sum(r * r for r in residuals) / (2 * len(b)) + l2 / 2 * sum(v * v for v in x)


class RunDirectory(ProgramTest):
    def test_files_and_trace(self):
        self.solve("--method ideal --out run")
        self.assertEqual(sorted(p.name for p in (self.dir / "run").iterdir()), FILES)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["run"])
        self.assertEqual((self.dir / "run" / "trace.csv").read_text().split("\n")[0], HEADER)
        trace, summary = self.trace("run"), self.summary("run")
        for zero in ("iteration", "computations", "communications", "bytes", "consensus"):
            self.assertEqual(float(trace[0][zero]), 0)
        self.assertEqual(len(trace), summary["counts"]["computations"] + 1)
        self.assertEqual([float(row["computations"]) for row in trace], list(range(len(trace))))
        self.assertEqual(summary["status"], "converged")
        self.assertLessEqual(float(trace[-1]["worst_suboptimality"]), 1e-8)
        self.assertGreater(float(trace[-2]["worst_suboptimality"]), 1e-8)
        agents = summary["errors"].pop("agents")
        self.assertEqual(max(agents), float(trace[-1]["worst_suboptimality"]))
        self.assertIs(summary["errors"].pop("worst_is_exact"), True)
        self.assertIsNone(summary["errors"].pop("certified"))
        for error, value in summary["errors"].items():
            self.assertEqual(float(trace[-1][error]), value)

    def test_summary(self):
        self.solve("--method ideal --out run --tau 5 --graph complete:6 --set T=7")
        s = self.summary("run")
        self.assertEqual(s["method"], "ideal")
        self.assertEqual(s["parameters"]["T"], 7)
        self.assertAlmostEqual(s["lambda_max"], 6, places=9)
        self.assertAlmostEqual(s["kappa_W"], 1, places=9)
        self.assertAlmostEqual(s["kappa_f"], s["L"] / s["mu"])
        self.assertEqual(s["mu"], 1e-3)
        self.assertEqual(s["counts"]["time"], s["counts"]["computations"] + 5 * s["counts"]["communications"])
        self.assertLess(s["certified_gap"], 1e-20)
        self.assertEqual(s["data"]["rows"], 1000)
        for key in ("f_star", "gradient_norm", "seconds", "environment", "seed", "partition",
                    "graph", "mixing"):
            self.assertIn(key, s)

    def test_certificate_does_not_trust_mu(self):
        self.solve("--method ideal --rounds 2 --out own")
        self.solve("--method ideal --rounds 2 --mu 0.01 --out told")
        own, told = self.summary("own"), self.summary("told")
        self.assertEqual((told["mu"], told["l2"]), (0.01, 1e-3))
        self.assertEqual(told["certified_gap"], own["certified_gap"])
        self.solve("--method ideal --rounds 2 --l2 0 --mu 0.01 --out none")
        self.assertIsNone(self.summary("none")["certified_gap"])
        self.assertGreater(self.summary("none")["lower_bound"]["time"], 0)

    def test_losses_recomputed_elsewhere(self):
        A, b, text = ridge_problem(rows=12, columns=3)
        self.write("tiny.csv", text)
        self.solve("--method ideal --data tiny.csv --loss ridge --l2 0.1 --graph line:3 --rounds 5 --tol 0 --out run")
        X = self.solution("run")
        self.assertEqual((len(X), len(X[0])), (3, 3))
        parts = [(A[4 * i:4 * i + 4], b[4 * i:4 * i + 4]) for i in range(3)]

        def f(x):
            return sum(ridge_loss(*part, x, 0.1) for part in parts)

        mean = [sum(x[k] for x in X) / 3 for k in range(3)]
        last, f_star = self.trace("run")[-1], self.summary("run")["f_star"]
        self.assertEqual(len(self.trace("run")), 6)
        self.assertAlmostEqual(f(mean) - f_star, float(last["suboptimality"]), delta=1e-12)
        self.assertAlmostEqual(max(map(f, X)) - f_star, float(last["worst_suboptimality"]), delta=1e-12)
        consensus = math.sqrt(sum((v - m) ** 2 for x in X for v, m in zip(x, mean)))
        self.assertAlmostEqual(consensus, float(last["consensus"]), delta=1e-12)

    def test_every(self):
        self.solve("--method ideal --rounds 50 --tol 0 --out all")
        self.solve("--method ideal --rounds 50 --tol 0 --every 7 --out some")
        everything, some = self.iterates("all"), self.iterates("some")
        self.assertEqual(some, everything[::7] + everything[-1:])

    def test_many_agents_are_recorded_sparsely_unless_asked(self):
        many = "--graph cycle:600 --data synthetic:rows=1200,columns=3 --method nids --rounds 100 --tol 0 "
        self.solve(many + "--out run")
        header = (self.dir / "run" / "trace.csv").read_text().split("\n")[0]
        self.assertEqual(header, HEADER + ",evaluated")
        self.assertEqual([row["computations"] for row in self.trace("run")], ["0", "50", "100"])
        self.assertIn("every = 50", (self.dir / "run" / "config.toml").read_text())
        self.solve(many + "--out all --every 25")
        self.assertEqual(len(self.trace("all")), 5)

    def test_storage(self):
        """Narrow where it is exact changes no bit; where it rounds, the problem is another one."""
        self.write("floats.csv", "".join(f"{i % 7 - 3},{i % 5 * 0.25},{i * i % 11},{i % 2}\n" for i in range(80)))
        for data, exact in ("floats.csv", True), ("synthetic", False):
            found = {}
            for storage in "auto", "f64", "f32":
                self.solve(f"--data {data} --storage {storage} --out {storage} --force")
                found[storage] = ((self.dir / storage / "solution.npy").read_bytes(), self.summary(storage)["data"]["problem"])
            self.assertEqual(found["auto"], found["f64"])
            self.assertEqual(found["f32"][0] == found["f64"][0], exact)
            self.assertNotEqual(found["f32"][1], found["f64"][1])

    def test_cpu(self):
        """All instructions that the program was compiled for and this CPU has: under some sanitizers one set."""
        sets = self.refused("solve --cpu none", "'none'").split("One of: ")[1].rstrip(".\n").split(", ")
        self.solve("--out best")
        best = self.summary("best")
        self.assertEqual(best["environment"]["instructions"], sets[0])
        for plain in sets:
            self.solve(f"--out {plain} --cpu {plain}")
            self.assertEqual(self.summary(plain)["environment"]["instructions"], plain)
            self.assertAlmostEqual(best["f_star"], self.summary(plain)["f_star"], delta=1e-13 * abs(best["f_star"]))

    def test_softmax_solution_has_a_column_per_feature_and_class(self):
        self.solve("--loss softmax --data synthetic:rows=60,columns=4 --graph star:5 --rounds 3 --out run")
        X = self.solution("run")
        self.assertEqual((len(X), len(X[0])), (5, 12))

    def test_default_name_is_never_taken_twice(self):
        for _ in range(3):
            self.solve("--rounds 5")
        runs = sorted(p.name for p in (self.dir / "runs").iterdir())
        self.assertEqual(len(runs), 3)
        for run in runs:
            self.assertRegex(run, r"^\d{8}T\d{6}Z-auto(-\d)?$")

    def test_force_replaces(self):
        self.solve("--method ideal --rounds 2 --out run")
        self.solve("--method ideal --rounds 3 --out run --force")
        self.assertEqual(len(self.trace("run")), 4)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["run"])

    def test_empty_directory_and_missing_parents_are_fine(self):
        (self.dir / "empty").mkdir()
        self.solve("--rounds 2 --out empty/")
        self.solve("--rounds 2 --out a/b/c")
        self.assertEqual(sorted(p.name for p in (self.dir / "empty").iterdir()), FILES)
        self.assertEqual(sorted(p.name for p in (self.dir / "a/b/c").iterdir()), FILES)

    def test_report_stands_alone_and_escapes(self):
        name = "<script>alert(1)<\\script>.svm"
        self.write(name, "+1 1:1\n-1 1:2\n")
        self.solve(f"--data '{name}' --graph line:2 --rounds 5 --out run")
        page = (self.dir / "run" / "report.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.assertIn("\\u003cscript\\u003ealert", page)
        self.assertNotIn("<script>alert", page)
        self.assertEqual(re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=", page), [])


class Repetition(ProgramTest):
    def same(self, a, b):
        self.assertEqual(self.iterates(a), self.iterates(b))
        self.assertEqual(self.solution(a), self.solution(b))

    def test_configuration_repeats_the_run(self):
        _, _, text = ridge_problem(rows=40, columns=4)
        self.write("tiny.csv", text)
        self.solve("--data tiny.csv --loss ridge --kappa 15 --normalize",
                   "--graph er:6,0.7 --seed 5 --partition shuffled --mixing metropolis",
                   "--method mideal --set T=9 --set rho-scale=0.5 --rounds 100 --tau 2 --out a")
        self.solve("--config a/config.toml --out b")
        self.same("a", "b")
        self.assertEqual((self.dir / "a/config.toml").read_text(), (self.dir / "b/config.toml").read_text())
        self.assertAlmostEqual(self.summary("a")["kappa_f"], 15, places=6)

    def test_configuration_tells_what_was_resolved(self):
        self.solve("--kappa 15 --rounds 5 --out run")
        config, s = (self.dir / "run/config.toml").read_text(), self.summary("run")
        self.assertEqual(float(re.search(r"(?m)^l2 = (\S+)$", config)[1]), s["l2"])
        self.assertNotIn("kappa", config)
        for key, value in {"L": s["L"], "mu": s["mu"], **s["parameters"]}.items():
            self.assertIn(f"# resolved: {key} = {json.dumps(value)}\n", config)

    def test_options_win_over_the_configuration(self):
        self.solve("--method ideal --rounds 9 --l2 0.01 --out a")
        self.solve("--config a/config.toml --rounds 4 --kappa 20 --out b")
        self.assertEqual(len(self.trace("b")), 5)
        self.assertAlmostEqual(self.summary("b")["kappa_f"], 20, places=6)

    def test_neither_threads_nor_hosts_change_a_bit(self):
        for method in ("ideal", "auto --tau 3"):
            name = method.split()[0]
            common = f"--rounds 60 --tol 0 --graph barbell:7 --method {method}"
            self.solve(common, f"--out {name}-one --threads 1")
            self.solve(common, f"--out {name}-two --threads 2")
            self.solve(common, f"--out {name}-hosts --hosts 3")
            self.same(f"{name}-one", f"{name}-two")
            self.same(f"{name}-one", f"{name}-hosts")

    def test_cached_optimum_changes_nothing(self):
        self.solve("--rounds 20 --out a")
        self.solve("--rounds 20 --out b")
        self.same("a", "b")

    def test_every_method(self):
        for method in json.loads(self.succeed("methods --json")):
            with self.subTest(method=method["name"]):
                name = method["name"]
                self.solve(f"--method {name} --rounds 30 --data synthetic:rows=80,columns=5 --out {name}")
                self.assertEqual(self.summary(name)["method"], name)


class NothingToChoose(ProgramTest):
    def test_agents_know_when_they_are_done(self):
        self.solve("--graph line:12 --partition by-label --tol 1e-7 --out run")
        s, last = self.summary("run"), self.trace("run")[-1]
        self.assertEqual((s["method"], s["status"]), ("auto", "converged"))
        self.assertLessEqual(s["errors"]["certified"], 1e-7)
        self.assertLessEqual(s["errors"]["worst_suboptimality"], s["errors"]["certified"])
        self.assertEqual(float(last["certified"]), s["errors"]["certified"])
        self.assertIn("certified", s["message"])

    def test_it_says_what_it_found_out_and_why_it_chose(self):
        text = self.succeed("solve --graph cycle:16 --out run")
        self.assertIn("found out within", text)
        self.assertRegex(text, r"predicted time .*ideal1 with J = \d+ .*opapc.*nids.*so ideal1 with J = \d+")

    def test_tau_is_measured_on_a_network_and_may_be_told(self):
        self.solve("--graph cycle:8 --hosts 4 --out measured")
        self.solve("--graph cycle:8 --hosts 4 --tau 3 --out told")
        self.assertGreater(self.summary("measured")["parameters"]["tau"], 0)
        self.assertNotEqual(self.summary("measured")["parameters"]["tau"], 1)
        self.assertEqual(self.summary("told")["parameters"]["tau"], 3)

    def test_goes_on_between_simulator_and_network(self):
        self.solve("--graph line:8 --hosts 3 --checkpoint 5 --rounds 20 --tol 0 --out a")
        self.succeed("solve --quiet --resume a --rounds 30")
        self.solve("--graph line:8 --checkpoint 5 --rounds 20 --tol 0 --out b")
        self.succeed("solve --quiet --resume b --hosts 4 --rounds 30")
        self.assertEqual(self.summary("b")["parameters"]["tau"], 1)

    def test_truth_or_certificate(self):
        self.solve("--stop truth --tol 1e-6 --out truth")
        self.solve("--stop certificate --tol 1e-6 --out certificate")
        truth, certificate = self.summary("truth"), self.summary("certificate")
        self.assertLess(truth["counts"]["computations"], certificate["counts"]["computations"])

    def test_constants_may_be_told(self):
        self.solve("--L 0.5 --mu 0.001 --out told")
        self.assertEqual(self.summary("told")["status"], "converged")
        self.solve("--l2 0 --mu 0.01 --rounds 50 --out bare")
        self.assertEqual(self.summary("bare")["parameters"]["mu"], 0.01)


class Output(ProgramTest):
    def test_table(self):
        text = self.succeed("solve --out run")
        for label in ("method", "parameters", "kappa_f", "kappa_W", "f*", "status", "computations",
                      "communications", "lower bound", "run directory"):
            self.assertIn(label, text)

    def test_json_is_the_summary_and_nothing_else(self):
        done = self.ideal("solve --json --out run")
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(done.stdout), self.summary("run"))

    def test_progress_is_for_terminals_and_never_on_standard_output(self):
        done, shown = self.on_terminal("solve --data synthetic:rows=200000 --graph cycle:20 --out run")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b" computations, gap ", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"))
        notes = [line for line in re.split(rb"\r?\x1b\[K|\r\n", shown) if line.startswith((b"found out", b"predicted"))]
        self.assertEqual(len(notes), 2, shown)
        self.assertEqual(shown.count(b"\n"), 2, "only what stays to be read is a line of its own")
        self.assertNotIn("\r", done.stdout)

    def test_quiet(self):
        done = self.ideal("solve --quiet --out run")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_help_teaches(self):
        for command in ("", "solve", "graph", "methods", "data", "data info", "data convert"):
            self.assertIn(f"ideal {command}".strip(), self.succeed(command, "--help"))
        self.assertRegex(self.succeed("--version"), r"^ideal \d+\.\d+\.\d+\n$")
        page = self.succeed("solve --help")
        for word in ("Problem:", "Network:", "Method:", "Examples:", "cycle:8", "1e-08", "--set"):
            self.assertIn(word, page)


class Endings(ProgramTest):
    def test_budget_is_no_failure(self):
        self.solve("--rounds 3 --out run")
        self.assertEqual(self.summary("run")["status"], "budget")

    def test_a_run_that_stalls_says_why(self):
        done = self.ideal("solve --method dgd --rounds 3000 --out run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"budget: stalled: worst-agent gap .+heterogeneity .+Try .*--method nids")

    def test_a_run_that_is_too_short_says_by_how_much(self):
        self.ideal("solve --method nids --rounds 150 --quiet --out short")
        finding, = self.summary("short")["diagnosis"]
        self.assertEqual(finding["quantity"], "rounds")
        self.ideal(f"solve --method nids {finding['remedy']} --quiet --out enough")
        self.assertEqual(self.summary("enough")["status"], "converged")

    def test_a_run_that_went_back_tells_why(self):
        self.ideal("solve --method extra --L 0.005 --quiet --out run")
        summary = self.summary("run")
        self.assertEqual(summary["status"], "converged")
        self.assertGreater(summary["parameters"]["retreats"], 0)
        self.assertEqual(summary["diagnosis"][0]["quantity"], "L")

    def test_divergence(self):
        done = self.ideal("solve --method gd --L 0.002 --out run --quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        summary = self.summary("run")
        self.assertEqual(summary["status"], "diverged")
        self.assertRegex(summary["message"], r"gap grew from .+ to .+ in .+ computations\. "
                         r"L = 0\.002, but it is to be at least the curvature of every loss, .+ at agent \d+\. Try without --L")
        self.assertEqual(summary["diagnosis"][0]["quantity"], "L")
        self.assertEqual(summary["diagnosis"][0]["value"], 0.002)
        self.assertIn(summary["message"], done.stderr)
        self.assertTrue(all(math.isfinite(v) for x in self.solution("run") for v in x))



class Composite(ProgramTest):
    LINE = "--data synthetic:rows=200,columns=8 --loss ridge --l1 0.05 --l2 1e-2 --method ideal --tol 0 --every 7"

    def test_a_resumed_run_is_the_whole_one_and_ends_with_the_same_step(self):
        self.solve(self.LINE, "--rounds 120 --out whole")
        self.solve(self.LINE, "--rounds 53 --checkpoint 20 --out part")
        self.assertEqual([row["computations"] for row in self.trace("part")][-2:], ["53", "54"])
        self.solve("--resume part --rounds 120")
        self.assertEqual(self.iterates("whole"), self.iterates("part"))
        self.assertEqual(self.solution("whole"), self.solution("part"))

    def test_the_summary_is_that_of_the_last_row(self):
        self.solve(self.LINE, "--rounds 60 --out run")
        summary, last = self.summary("run"), self.trace("run")[-1]
        self.assertEqual(summary["counts"]["computations"], 61)
        self.assertEqual(summary["errors"]["worst_suboptimality"], float(last["worst_suboptimality"]))
        self.assertEqual(summary["counts"]["communications"], int(last["communications"]))

    def test_the_message_is_about_the_last_row_of_the_method_itself(self):
        self.solve(self.LINE, "--rounds 60 --out run")
        own, concluded = [float(row["worst_suboptimality"]) for row in self.trace("run")[-2:]]
        self.assertLess(concluded, own)
        self.assertIn(f"worst-agent gap {own:.3g} when 60 computations", self.summary("run")["message"])


if __name__ == "__main__":
    unittest.main()
