# SPDX-License-Identifier: Apache-2.0
"""ideal compare and ideal report: experiments that expand, go on after an interruption, and can be looked at."""

import contextlib
import csv
import ctypes
import json
import os
import pathlib
import re
import signal
import struct
import time
import tomllib
import unittest

from program import ProgramTest

EXPERIMENT = """
title = "Small"
taus = [0.01, 100]
data = "synthetic:rows=400,columns=8"
kappa = 100
graph = ["cycle:6", "barbell:6"]
rounds = 2000
tol = 1e-9
[[method]]
name = "ideal"
label = "IDEAL, {rho-scale} x rho"
set = {rho-scale = [1, 2]}
[[method]]
name = "extra"
"""

SLOW = """
data = "synthetic:rows=20000,columns=50"
graph = "cycle:8"
rounds = 100000
tol = 0
[[method]]
name = "extra"
rounds = 20
[[method]]
name = "dgd"
[[method]]
name = "gd"
"""


@contextlib.contextmanager
def times_opened(file):
    """A function that tells how often the file has been opened since."""
    libc = ctypes.CDLL(None, use_errno=True)
    opened, closed, nonblocking = 0x20, 0x10, 0x800  # events of one kind in a row would be told as one
    watch = libc.inotify_init1(nonblocking)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(file), opened | closed) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    try:
        yield lambda: sum(mask & opened != 0 for _, mask, _, _ in struct.iter_unpack("iIII", os.read(watch, 1 << 16)))
    finally:
        os.close(watch)


class CompareTest(ProgramTest):
    def compare(self, *words):
        return json.loads(self.succeed("compare --json", *words))

    def runs(self, folder):
        return sorted(p.name for p in (self.dir / folder / "runs").iterdir())

    def figure(self, folder, ending):
        (name,) = [p for p in (self.dir / folder / "figures").iterdir() if p.name.endswith(ending)]
        with open(name, newline="") as file:
            return [{k: v if k == "winner" else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


class Expansion(CompareTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", EXPERIMENT)

    def test_methods_times_graphs_times_parameters(self):
        table = self.compare("small.toml --out out")
        self.assertEqual(table["title"], "Small")
        self.assertEqual(table["taus"], [0.01, 100])
        self.assertEqual({(r["problem"], r["curve"]) for r in table["runs"]},
                         {(f"synthetic, logistic, {graph}", curve) for graph in ("cycle:6", "barbell:6")
                          for curve in ("IDEAL, 1 x rho", "IDEAL, 2 x rho", "extra")})
        self.assertTrue(all(r["status"] == "converged" for r in table["runs"]))
        self.assertEqual(sorted(p.name for p in (self.dir / "out").iterdir()),
                         ["comparison.json", "experiment.toml", "report.html", "runs"])
        self.assertEqual(json.loads((self.dir / "out/comparison.json").read_text()), table)

    def test_each_run_is_what_solve_gives(self):
        table = self.compare("small.toml --out out --jobs 2")
        for row in table["runs"]:
            run = f"out/{row['directory']}"
            self.solve(f"--config {run}/config.toml --out again --force")
            self.assertEqual(self.iterates(run), self.iterates("again"))
            self.assertEqual(self.solution(run), self.solution("again"))

    def test_number_of_jobs_changes_nothing(self):
        self.compare("small.toml --out one --jobs 1")
        self.compare("small.toml --out three --jobs 3")
        self.assertEqual(self.runs("one"), self.runs("three"))
        for run in self.runs("one"):
            self.assertEqual(self.iterates(f"one/runs/{run}"), self.iterates(f"three/runs/{run}"))

    def test_seeds_share_a_curve(self):
        self.write("seeds.toml", 'partition = "shuffled"\nseed = [1, 2, 3]\nrounds = 20\n[[method]]\nname = "ideal"\n')
        rows = self.compare("seeds.toml")["runs"]
        self.assertEqual([r["seed"] for r in rows], [1, 2, 3])
        self.assertEqual(len({(r["problem"], r["curve"]) for r in rows}), 1)
        self.assertEqual(len({r["directory"] for r in rows}), 3)

    def test_repeat_is_for_methods_that_draw(self):
        self.write("drawn.toml", 'data = "synthetic:rows=400,columns=8"\nkappa = 10\ngraph = "cycle:6"\n'
                   'rounds = 30\ntol = 0\nevery = 10\nrepeat = 4\nseed = 5\n[[method]]\nname = "dasg"\nset = {batch = 4}\n'
                   '[[method]]\nname = "extra"\n')
        table = self.compare("drawn.toml")
        drawn = [run for run in table["runs"] if run["method"] == "dasg"]
        self.assertEqual(len(table["runs"]), 5)
        self.assertEqual([run["batch_seed"] for run in drawn], [5, 6, 7, 8])
        self.assertEqual({run["seed"] for run in drawn}, {5}, "the problem stays")
        gaps = sorted(run["worst_suboptimality"] for run in drawn)
        self.assertEqual(len(set(gaps)), 4, "draws differ")
        (band,) = table["bands"]
        self.assertEqual((band["curve"], band["runs"]), (drawn[0]["curve"], 4))
        self.assertAlmostEqual(band["worst_suboptimality"]["median"], (gaps[1] + gaps[2]) / 2, delta=1e-15)
        self.assertAlmostEqual(band["worst_suboptimality"]["low"], 0.7 * gaps[0] + 0.3 * gaps[1], delta=1e-12)
        self.assertIn("10 to 90 %", self.succeed("compare drawn.toml"))
        alone = json.loads(self.succeed("solve --json --data synthetic:rows=400,columns=8 --kappa 10 --graph cycle:6 "
                                        "--rounds 30 --tol 0 --seed 5 --batch-seed 7 --method dasg --set batch=4"))
        self.assertEqual(alone["errors"]["worst_suboptimality"], drawn[2]["worst_suboptimality"])

    def test_table_for_people(self):
        text = self.succeed("compare small.toml --out out")
        for part in ("synthetic, logistic, barbell:6", "IDEAL, 2 x rho", "converged", "out/report.html"):
            self.assertIn(part, text)


class Continuation(CompareTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", EXPERIMENT)

    def test_second_time_nothing_is_run(self):
        self.compare("small.toml --out out")
        before = {p: p.stat().st_mtime_ns for p in (self.dir / "out/runs").rglob("*")}
        self.assertIn("6 of 6 runs were there already", self.succeed("compare small.toml --out out"))
        self.assertEqual({p: p.stat().st_mtime_ns for p in (self.dir / "out/runs").rglob("*")}, before)

    def test_extended_only_the_new_is_run(self):
        self.compare("small.toml --out out")
        before = self.runs("out")
        self.write("small.toml", EXPERIMENT + '[[method]]\nname = "mideal"\n')
        self.assertIn("6 of 8 runs were there already", self.succeed("compare small.toml --out out"))
        self.assertLess(set(before), set(self.runs("out")))

    def test_content_decides_not_names(self):
        rows = "".join(f"{1 if i % 2 else -1} 1:{i % 7} 2:{i % 5}\n" for i in range(40))
        self.write("data.svm", rows)
        self.write("e.toml", 'data = "data.svm"\ngraph = "cycle:4"\nrounds = 5\n[[method]]\nname = "ideal"\n')
        self.compare("e.toml --out out")
        self.write("data.svm", rows.replace("1:6", "1:5"))
        self.assertIn("0 of 1 runs were there already", self.succeed("compare e.toml --out out"))
        self.write("other.svm", rows)
        self.write("e.toml", 'data = "other.svm"\ngraph = "cycle:4"\nrounds = 5\n[[method]]\nname = "ideal"\n')
        self.assertIn("1 of 1 runs were there already", self.succeed("compare e.toml --out out"))

    def test_interrupted_it_goes_on(self):
        self.write("slow.toml", SLOW)
        program = self.start("compare slow.toml --out out --jobs 1")
        deadline = time.time() + 60
        while not list(self.dir.glob("out/runs/*/summary.json")) and time.time() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 130)
        self.assertIn("1 of 3 runs done", err)
        self.assertEqual(len(self.runs("out")), 1)
        self.assertTrue((self.dir / "out/report.html").exists())
        self.write("slow.toml", SLOW.replace("100000", "10"))
        self.assertIn("1 of 3 runs were there already", self.succeed("compare slow.toml --out out"))


class Regimes(CompareTest):
    def test_each_regime_has_its_winner(self):
        """Rounds that cost nothing, something, everything; and a centralized method, which never wins."""
        self.write("e.toml", """
taus = [0.01, 1, 1000]
data = "synthetic:rows=400,columns=8"
kappa = 300
graph = "cycle:8"
rounds = 20000
tol = 1e-9
""" + "".join(f'[[method]]\nname = "{name}"\nlabel = "{name}"\n{settings}' for name, settings in (
            ("ideal", "set = {option = 2}\n"), ("mideal", "set = {option = 2}\n"), ("apm-c", ""), ("ssda", ""), ("agd", ""))))
        table = self.compare("e.toml --out out")

        def time(row, eps, tau):
            trace = self.trace(f"out/{row['directory']}")
            return next(float(r["computations"]) + tau * float(r["communications"]) for r in trace
                        if float(r["worst_suboptimality"]) <= eps)

        rivals = [row for row in table["runs"] if row["method"] != "agd"]
        fastest = [min(rivals, key=lambda row: time(row, 1e-9, tau))["curve"] for tau in (0.01, 1, 1000)]
        self.assertEqual(fastest, ["apm-c", "mideal", "ssda"])

        self.succeed("report out --figures csv")
        accurate = [row for row in self.figure("out", "winners.csv") if row["eps"] < 2e-9]
        for tau, winner in zip((0.01, 1, 1000), fastest):
            near = [row["winner"] for row in accurate if 0.8 < row["tau"] / tau < 1.25]
            self.assertEqual(set(near), {winner}, tau)


class Reports(CompareTest):
    def setUp(self):
        super().setUp()
        self.write("small.toml", EXPERIMENT)
        self.compare("small.toml --out out")

    def test_rendering_again_gives_the_same_page(self):
        before = (self.dir / "out/report.html").read_bytes()
        (self.dir / "out/report.html").unlink()
        self.succeed("report out")
        self.assertEqual((self.dir / "out/report.html").read_bytes(), before)

    def test_figures_in_every_format(self):
        self.succeed("report out --figures svg,pdf,tex,csv --tau 3")
        endings = {p.suffix for p in (self.dir / "out/figures").iterdir()}
        self.assertEqual(endings, {".svg", ".pdf", ".tex", ".csv"})

    def test_report_of_a_single_run(self):
        self.solve("--rounds 20 --out run")
        before = (self.dir / "run/report.html").read_bytes()
        self.succeed("report run --figures svg --out pictures")
        self.assertEqual((self.dir / "run/report.html").read_bytes(), before)
        self.assertTrue(list((self.dir / "pictures").glob("*.svg")))

    def test_page_stands_alone(self):
        page = (self.dir / "out/report.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.assertEqual(re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=", page), [])


class Field(CompareTest):
    """experiments/field: each method beside the others that do the same."""
    FILES = sorted((pathlib.Path(__file__).parents[2] / "experiments/field").glob("*.toml"))

    def test_every_method_has_its_place(self):
        named = {method["name"] for file in self.FILES for method in tomllib.loads(file.read_text())["method"]}
        self.assertEqual(named, {method["name"] for method in json.loads(self.succeed("methods --json"))})

    def test_every_experiment_runs(self):
        for file in self.FILES:
            with self.subTest(experiment=file.name):
                text = re.sub(r"(?m)^rounds = .*$", "rounds = 4", file.read_text())
                self.write(file.name, re.sub(r"(?m)^repeat = .*$", "repeat = 2", text))
                table = self.compare(f"{file.name} --out {file.stem}")
                self.assertEqual({row["status"] for row in table["runs"]}, {"budget"})
                self.assertEqual(bool(table["bands"]), file.stem == "stochastic")


class Refusals(CompareTest):
    def wrong(self, text, *parts):
        self.write("e.toml", text)
        self.refused("compare e.toml --out out", *parts)

    def test_files(self):
        self.refused("compare nowhere.toml", "nowhere.toml", "no such file")
        self.refused("report nowhere", "nowhere", "neither comparison.json nor summary.json")
        self.wrong("graph = [", "e.toml:1")
        self.wrong('graph = "cycle:8"\n', "no [[method]]")

    def test_options(self):
        self.refused("report nowhere --tau -1", "--tau: '-1'", "a number >= 0")
        self.refused("compare nowhere.toml --jobs x", "--jobs: 'x'", "a whole number")

    def test_problems(self):
        method = '[[method]]\nname = "ideal"\n'
        self.wrong('grahp = "cycle:8"\n' + method, "e.toml:1", "grahp", "graph")
        self.wrong('graph = "cylce:8"\n' + method, "e.toml", "cylce", "cycle")
        self.wrong('data = "nowhere.svm"\n' + method, "e.toml", "nowhere.svm")
        self.wrong('rounds = 0\n' + method, "e.toml:1: rounds", "'0'")
        self.wrong('seed = []\n' + method, "e.toml:1: seed", "an empty list")
        self.wrong('seed = [1, 1]\n' + method, "e.toml:1: seed", "a value twice")
        self.wrong('l2 = 1\nkappa = 10\n' + method, "e.toml", "both l2 and kappa")
        self.wrong('tau = 3\n' + method, "e.toml:1", "taus")
        self.wrong('method = "ideal"\n', "e.toml:1", "[[method]]")
        self.wrong('mixing = "metro"\n' + method, "e.toml", "metro")

    def test_methods(self):
        self.wrong('[[method]]\nname = "idael"\n', "e.toml:1", "idael", "ideal")
        self.wrong('[[method]]\nlabel = "x"\n', "e.toml:1", "without name")
        self.wrong('[[method]]\nname = "ideal"\nset = {TT = 3}\n', "e.toml:1", "TT")
        self.wrong('[[method]]\nname = "ideal"\ngraph = "cycle:8"\n', "e.toml:3", "graph")
        self.wrong('[[method]]\nname = "ideal"\n[[method]]\nname = "ideal"\n', "two curves called 'ideal'")

    def test_losses_that_are_not_strongly_convex(self):
        both = '[[method]]\nname = "extra"\n[[method]]\nname = "ssda"\n'
        small = 'data = "synthetic:rows=60,columns=4"\nrounds = 20\n'
        self.wrong(small + 'l2 = [1e-2, 0]\n' + both, "e.toml", "--method ssda", "not known to be strongly convex",
                   "extra")
        self.wrong(small + 'l2 = 0\nloss = "huber"\n' + both, "e.toml", "--method ssda", "Or give a positive --l2")
        # Only the data tell of least squares; they are looked at before anything is run.
        wide = 'data = "synthetic:rows=60,columns=40"\nrounds = 20\nloss = "ridge"\nl2 = [1e-2, 0]\n'
        self.wrong(wide + both, "--method ssda", "not known to be strongly convex")
        self.write("e.toml", small.replace("rows=60", "rows=400") + 'loss = "ridge"\nl2 = 0\ngraph = "cycle:4"\n' + both)
        self.compare("e.toml --out ridge")

    def test_a_look_at_the_data_reads_them_once(self):
        rows = [f"{(i * i) % 17},{(i * 7) % 11},{(i * 5) % 13}" for i in range(60)]
        self.write("rows.csv", "a,b,y\n" + "\n".join(rows) + "\n")
        opened = {}
        for l2 in ("1e-2", "0"):
            self.write("e.toml", f'data = "rows.csv"\nrounds = 20\nloss = "ridge"\nl2 = {l2}\ngraph = "cycle:4"\n'
                                 '[[method]]\nname = "ssda"\n[[method]]\nname = "extra"\n')
            with times_opened(self.dir / "rows.csv") as count:
                self.compare(f"e.toml --out l2-{l2}")
                opened[l2] = count()
        self.assertGreater(opened["1e-2"], 0)
        self.assertEqual(opened["0"], opened["1e-2"])

    def test_directories_of_other_things(self):
        self.write("e.toml", '[[method]]\nname = "ideal"\n')
        (self.dir / "mine").mkdir()
        (self.dir / "mine/letter.txt").write_text("dear diary")
        self.refused("compare e.toml --out mine", "letter.txt")
        self.refused("compare e.toml --out e.toml", "a file")

    def test_damaged_directories(self):
        self.write("e.toml", 'rounds = 5\n[[method]]\nname = "ideal"\n')
        self.compare("e.toml --out out")
        (run,) = self.runs("out")
        trace = self.dir / "out/runs" / run / "trace.csv"
        trace.write_text(trace.read_text() + "1,2,x\n")
        done = self.ideal("report out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("trace.csv:8: '1,2,x'", done.stderr)
        (self.dir / "out/comparison.json").write_text("{}")
        done = self.ideal("report out")
        self.assertEqual(done.returncode, 2)
        self.assertIn("comparison.json", done.stderr)


if __name__ == "__main__":
    unittest.main()
