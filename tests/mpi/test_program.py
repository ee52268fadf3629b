# SPDX-License-Identifier: Apache-2.0
"""The program under mpirun: the same results as alone, and what happens when ranks differ or die."""

import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "cli"))
from program import IDEAL, ProgramTest, npy, split  # noqa: E402

MPIRUN = HERE / "mpirun"
CHECKPOINT = "checkpoint-" + 12 * "[0-9]"
LONG = "solve --rounds 1e9 --tol 0 --every 1000 --data synthetic:rows=400,columns=30 --out run --checkpoint 200"


class OnRanks(ProgramTest):
    def command(self, ranks, *words, program=IDEAL):
        return [str(MPIRUN), str(ranks), program, *split(words)]

    def on(self, ranks, *words, **options):
        return subprocess.run(self.command(ranks, *words), cwd=self.dir, env=self.env, text=True,
                              capture_output=True, timeout=200, **options)

    def assert_failed(self, job):
        """MPICH's mpirun now and then ends before it has heard how its ranks did, with 0 (pmodels/mpich#7057)."""
        if os.environ["IDEAL_MPI_KIND"] != "mpich":
            self.assertNotEqual(job.returncode, 0)

    def succeed_on(self, ranks, *words):
        done = self.on(ranks, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def solve_on(self, ranks, *words):
        self.succeed_on(ranks, "solve --quiet", *words)

    def assert_same_run(self, one, other):
        self.assertEqual((self.dir / one / "solution.npy").read_bytes(),
                         (self.dir / other / "solution.npy").read_bytes())
        self.assertEqual(self.iterates(one), self.iterates(other))
        first, second = self.summary(one), self.summary(other)
        for key in ("status", "counts", "errors", "L", "mu", "f_star", "gradient_norm", "data", "test", "parameters"):
            self.assertEqual(first[key], second[key], key)

    def same_on_ranks(self, words, ranks=(2, 3)):
        """Whether they find the optimum themselves, as the first does, or out of a cache."""
        words += " --tau 1"  # told, as otherwise it is measured and another one
        self.solve(words, "--out alone --cache cache-alone")
        for count in ranks:
            self.solve_on(count, words, f"--out on-{count} --cache cache-{'alone' if count == 3 else count}")
            self.assert_same_run("alone", f"on-{count}")

    def pid_of(self, rank):
        """Of the rank of a job in our directory."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                variables = (process / "environ").read_bytes().split(b"\0")
                inside = os.readlink(process / "cwd") == str(self.dir)
                if inside and os.path.samefile(os.readlink(process / "exe"), IDEAL):
                    if any(v in variables for v in (b"OMPI_COMM_WORLD_RANK=%d" % rank, b"PMI_RANK=%d" % rank)):
                        return int(process.name)
            except OSError:
                continue
        self.fail(f"no rank {rank}")

    def started(self, ranks, *words, program=IDEAL):
        """A job that has written a checkpoint."""
        running = subprocess.Popen(self.command(ranks, *words, program=program), cwd=self.dir, env=self.env, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        deadline = time.time() + 100
        while not list(self.dir.glob("run/" + CHECKPOINT)):
            self.assertIsNone(running.poll(), running.poll() is not None and running.communicate())
            self.assertLess(time.time(), deadline)
            time.sleep(0.02)
        return running


def table(rows, columns, seed=1):
    generator = random.Random(seed)
    return [[generator.gauss(0, 1) for _ in range(columns)] + [generator.choice([3, 8])] for _ in range(rows)]


class Results(OnRanks):
    def test_of_the_built_in_problem(self):
        self.same_on_ranks("--graph barbell:8 --method mideal --rounds 60", ranks=(1, 2, 3))

    def test_of_networks_that_change(self):
        self.same_on_ranks("--graph awake:0.4:torus:3x4 --method diging --rounds 60 --seed 3", ranks=(1, 3))

    def test_of_networks_that_go_one_way(self):
        self.same_on_ranks("--graph directed-cycle:7 --method push-diging --rounds 60", ranks=(1, 3))

    def test_of_random_parts_and_condition_numbers(self):
        self.same_on_ranks("--data synthetic:rows=300,columns=7,density=0.3 --loss ridge --kappa 40 --graph torus:4x4 "
                           "--partition shuffled --mixing metropolis --rounds 50 --every 7")

    def test_of_text_and_binary_files(self):
        rows = table(61, 5)
        self.write("a.csv", "a,b,c,d,e,y\n" + "".join(",".join(map(repr, r)) + "\n" for r in rows))
        self.write("a.svm", "# rows\n" + "".join(
            f"{r[-1]} " + " ".join(f"{k + 1}:{v!r}" for k, v in enumerate(r[:-1]) if k != 2 or v > 0) + "\n" for r in rows))
        self.write("a.npy", npy("<f8", False, (61, 6), b"".join(struct.pack("<6d", *r) for r in rows)))
        self.succeed("data convert a.csv a.npz")
        self.succeed("data convert a.csv b.csv.gz")
        for number, name in enumerate(("a.csv", "a.svm", "a.npy", "a.npz", "b.csv.gz")):
            with self.subTest(name):
                self.solve(f"--data {name} --graph cycle:6 --partition by-label --rounds 30 --tau 1 --normalize "
                           f"--out alone{number} --cache ca{number}")
                self.solve_on(3, f"--data {name} --graph cycle:6 --partition by-label --rounds 30 --tau 1 --normalize "
                                 f"--out ranks{number} --cache cb{number}")
                self.assert_same_run(f"alone{number}", f"ranks{number}")

    def test_of_one_file_an_agent(self):
        rows = table(40, 4)
        line = lambda r: f"{r[-1]} " + " ".join(f"{k + 1}:{v!r}" for k, v in enumerate(r[:-1])) + "\n"
        self.write("all.svm", "".join(map(line, rows)))
        (self.dir / "shards").mkdir()
        for agent in range(4):
            self.write(f"shards/part-{agent:02}.svm", "".join(map(line, rows[10 * agent:10 * agent + 10])))
        self.solve("--data all.svm --graph line:4 --test all.svm --rounds 40 --tau 1 --out whole --cache c1")
        for ranks, run in ((1, "shards1"), (3, "shards3")):
            self.solve_on(ranks, f"--data shards/part-%02d.svm --graph line:4 --test all.svm --rounds 40 --tau 1 --out {run} --cache {run}c")
            self.assertEqual((self.dir / "whole/solution.npy").read_bytes(), (self.dir / run / "solution.npy").read_bytes())
            self.assertEqual(self.iterates("whole"), self.iterates(run))
            self.assertEqual(self.summary("whole")["test"], self.summary(run)["test"])
            self.assertEqual(self.summary(run)["data"]["rows"], 40)

    def test_of_files_with_one_class_each(self):
        rows = sorted(table(40, 3), key=lambda r: r[-1])
        for agent in range(2):
            self.write(f"part-{agent}.csv", "".join(",".join(map(repr, r)) + "\n" for r in (rows[:18], rows[22:])[agent]))
        self.solve_on(2, "--data part-%d.csv --graph line:2 --classes 3,8 --rounds 20 --out run")
        self.assertEqual(self.summary("run")["data"]["rows"], 36)

    def test_of_a_comparison(self):
        self.write("e.toml", 'title = "t"\ntaus = [1]\ndata = "synthetic:rows=100,columns=5"\ngraph = ["cycle:6", "line:6"]\n'
                             'rounds = 40\n[[method]]\nname = "ideal"\n[[method]]\nname = "extra"\n')
        self.succeed("compare e.toml --out alone --quiet --cache c1")
        out = json.loads(self.succeed_on(2, "compare e.toml --out ranks --json --cache c2"))
        self.assertEqual(len(out["runs"]), 4)
        for row in out["runs"]:
            for name in ("solution.npy",):
                self.assertEqual((self.dir / "alone" / row["directory"] / name).read_bytes(),
                                 (self.dir / "ranks" / row["directory"] / name).read_bytes())
        self.assertIn("4 of 4 runs were there already", self.succeed_on(2, "compare e.toml --out ranks --cache c2"))

    def test_are_told_once_and_cleanly(self):
        done = self.on(3, "solve --graph cycle:6 --rounds 30 --json --out run")
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads(done.stdout)
        self.assertEqual(summary["ranks"], {"count": 3, "cut_edges": 3, "agents": [[0, 1], [2, 3], [4, 5]]})
        self.assertEqual(sorted(p.name for p in (self.dir / "run").iterdir()),
                         ["config.toml", "report.html", "solution.npy", "summary.json", "trace.csv"])
        self.assertRegex(self.succeed_on(2, "solve --graph cycle:4 --rounds 5"), r"\nranks +2, 2 of 4 edges between them\n")


class Memory(OnRanks):
    RANKS, ROWS, COLUMNS = 4, 20000, 1000

    def peaks(self, data):
        """Of each rank, in bytes."""
        wrapper = self.write("peak.py", "import os, resource, subprocess, sys\n"
                                        "code = subprocess.run(sys.argv[1:], close_fds=False).returncode\n"
                                        "open(f'peak-{os.getpid()}', 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))\n"
                                        "sys.exit(code)\n")
        words = f"{wrapper} {IDEAL} solve --quiet --data {data} --loss ridge --L 1e6 --mu 1e-3 --method dgd --graph cycle:4 --rounds 1 --threads 1 --out {data}.run"
        done = subprocess.run(self.command(self.RANKS, words, program=sys.executable), cwd=self.dir, env=self.env, text=True,
                              capture_output=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = list(self.dir.glob("peak-*"))
        peaks = [1024 * int(file.read_text()) for file in files]
        for file in files:
            file.unlink()
        return peaks

    @unittest.skipIf("ASAN_OPTIONS" in os.environ, "sanitizers need memory of their own")
    def test_of_a_rank_is_its_share(self):
        generator = random.Random(3)
        some = b"".join(struct.pack("<d", generator.gauss(0, 1)) for _ in range(100 * self.COLUMNS))
        self.write("small.npy", npy("<f8", False, (100, self.COLUMNS), some))
        self.write("large.npy", npy("<f8", False, (self.ROWS, self.COLUMNS), some * (self.ROWS // 100)))
        small, large = self.peaks("small.npy"), self.peaks("large.npy")
        share = 8 * self.ROWS * self.COLUMNS / self.RANKS
        self.assertEqual(len(large), self.RANKS)
        self.assertLess((max(large) - min(small)) / share, 1.3)


class Checkpoints(OnRanks):
    def test_are_gone_on_with_on_any_ranks_bit_for_bit(self):
        common = "--graph torus:3x3 --method ideal --data synthetic:rows=90,columns=6 --tol 0 --every 7"
        self.solve(common, "--rounds 200 --out whole --cache c1")
        self.solve_on(3, common, "--rounds 60 --checkpoint 25 --out run --cache c2")
        self.solve_on(2, "--resume run --rounds 120 --cache c2")
        self.solve("--resume run --rounds 160 --cache c2")
        self.solve_on(3, "--resume run --rounds 200 --cache c2")
        self.assertEqual((self.dir / "whole/solution.npy").read_bytes(), (self.dir / "run/solution.npy").read_bytes())
        self.assertEqual(self.iterates("whole"), self.iterates("run"))
        self.assertEqual(len(list(self.dir.glob("run/" + CHECKPOINT))), 2)

    def test_that_are_damaged_are_passed_over(self):
        self.solve("--rounds 90 --tol 0 --checkpoint 30 --out run --cache c1")
        self.solve("--rounds 95 --tol 0 --out whole --cache c1")
        older, newest = sorted((self.dir / "run").glob(CHECKPOINT))
        newest.write_bytes(newest.read_bytes()[:-9])
        self.solve("--resume run --rounds 95 --cache c1")
        self.assertEqual((self.dir / "whole/solution.npy").read_bytes(), (self.dir / "run/solution.npy").read_bytes())
        for file in (self.dir / "run").glob(CHECKPOINT):
            *whole, last = file.read_bytes()
            file.write_bytes(bytes([*whole, last ^ 1]))
        self.refused("solve --resume run --rounds 100", "--resume run", "no whole checkpoint")

    def test_refuse_other_problems_and_finished_runs(self):
        self.solve("--method ideal --rounds 40 --tol 0 --checkpoint 30 --out run --cache c1")
        for words, part in (("--rounds 50 --l2 0.5", "another problem"), ("", "40 computations are spent"),
                            ("--rounds 50 --tol 9", "has reached 9"), ("--out elsewhere", "Leave --config and --out")):
            done = self.ideal("solve --resume run --cache c1", words)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)

    def test_are_written_on_ctrl_c(self):
        running = self.started(3, LONG)
        (self.dir / "run").joinpath("config.toml").read_text()
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        self.assert_failed(running)
        summary = self.summary("run")
        self.assertEqual(summary["status"], "interrupted", errors)
        reached = summary["counts"]["computations"]
        self.solve(f"--resume run --rounds {int(reached) + 10}")
        self.assertEqual(self.summary("run")["counts"]["computations"], int(reached) + 10)

    @unittest.skipUnless(os.environ["IDEAL_MPI_KIND"] == "mpich", "others' mpirun tells, and ends what starts ranks first")
    def test_are_followed_by_an_exit_code_of_130(self):
        wrapper = self.write("code.py", "import os, signal, subprocess, sys\n"
                                        "child = subprocess.Popen(sys.argv[1:], close_fds=False)\n"
                                        "signal.signal(signal.SIGINT, lambda number, frame: child.send_signal(number))\n"
                                        "open(f'code-{os.getpid()}', 'w').write(str(child.wait()))\n")
        running = self.started(3, f"{wrapper} {IDEAL} {LONG}", program=sys.executable)
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        codes = [file.read_text() for file in self.dir.glob("code-*")]
        self.assertIn("130", codes, errors)
        self.assertLessEqual(set(codes), {"130", ""}, "an empty one: the first to end has mpirun end the others")


class Failures(OnRanks):
    def test_a_killed_rank_is_named_and_the_checkpoint_is_good(self):
        for victim, agents in ((2, "4, 5"), (0, "0, 1")):
            with self.subTest(victim):
                shutil.rmtree(self.dir / "run", ignore_errors=True)
                running = self.started(4, LONG)
                os.kill(self.pid_of(victim), signal.SIGKILL)
                before = time.time()
                _, errors = running.communicate(timeout=60)
                self.assertLess(time.time() - before, 60)
                self.assert_failed(running)
                self.assertIn(f"ideal: rank {victim} (agents {agents}) was lost. Go on from the last checkpoint", errors)
                self.assertEqual(errors.count("was lost"), 1, errors)
                passes = int(max((self.dir / "run").glob(CHECKPOINT)).name.split("-")[1])
                self.solve(f"--resume run --rounds {passes + 20}")
                self.assertEqual(self.summary("run")["status"], "budget")

    def both(self, first, second):
        command = [str(MPIRUN), "1", IDEAL, *split([first]), ":", "-n", "1", IDEAL, *split([second])]
        return subprocess.run(command, cwd=self.dir, env=self.env, text=True, capture_output=True, timeout=100)

    def test_ranks_with_other_options_are_refused(self):
        done = self.both("solve --graph cycle:4 --l2 0.001", "solve --graph cycle:4 --l2 0.01")
        self.assert_failed(done)
        self.assertIn("ideal: rank 1: l2 = 0.01 (rank 0 has l2 = 0.001). Start every rank with the same options.", done.stderr)
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_ranks_with_other_columns_are_refused(self):
        for agent, columns in enumerate((3, 3, 2, 3)):
            self.write(f"part-{agent}.csv", "".join(",".join(map(repr, r)) + "\n" for r in table(9, columns)))
        done = self.on(2, "solve --data part-%d.csv --graph cycle:4")
        self.assert_failed(done)
        self.assertRegex(done.stderr, r"part-2.csv: 2 columns \(other agents have 3\)")

    def test_more_ranks_than_agents_are_refused(self):
        done = self.on(3, "solve --graph line:2")
        self.assert_failed(done)
        self.assertEqual(done.stderr.count("ranks: 3 for 2 agents (every rank has an agent)"), 1, done.stderr)

    def test_mistakes_are_told_once(self):
        done = self.on(3, "solve --grpah cycle:4")
        self.assert_failed(done)
        self.assertEqual(done.stderr.count("Did you mean"), 1, done.stderr)
        self.assertEqual(self.on(3, "solve --help").stdout.count("Usage"), 1)

    def test_a_bad_line_is_named_whoever_reads_it(self):
        lines = ["1 1:0.5", "-1 1:0.25"] * 30
        lines[41] = "1 0:3"
        self.write("bad.svm", "\n".join(lines) + "\n")
        done = self.on(3, "solve --data bad.svm --graph cycle:6")
        self.assert_failed(done)
        self.assertIn("bad.svm:42: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
