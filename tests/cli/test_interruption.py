# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and full disks."""

import resource
import signal
import time
import unittest

from program import ProgramTest

LONG = "solve --rounds 1e9 --tol 0 --every 100 --data synthetic:rows=200,columns=5 --out run"


class Interruption(ProgramTest):
    def interrupted_by(self, *signals):
        running = self.start_and_see(rb"\r([3-9]\d\d|\d{4,}) of 1000000000 computations", LONG)
        for sent in signals:
            running.send_signal(sent)
            time.sleep(0.2)
        out, _ = running.communicate(timeout=120)
        self.assertEqual(running.returncode, 130)
        self.assertIn("interrupted", out)
        summary, trace = self.summary("run"), self.trace("run")
        self.assertEqual(summary["status"], "interrupted")
        self.assertEqual(float(trace[-1]["computations"]), summary["counts"]["computations"])
        self.assertGreater(len(trace), 2)
        self.assertEqual(len(self.solution("run")), 8)
        self.assertEqual([p.name for p in self.dir.iterdir()], ["run"])

    def test_ctrl_c_writes_what_is_there(self):
        self.interrupted_by(signal.SIGINT)

    def test_terminate_does_too(self):
        self.interrupted_by(signal.SIGTERM)

    def test_other_signals_leave_it_listening(self):
        self.interrupted_by(signal.SIGUSR1, signal.SIGINT)

    def test_before_the_first_iteration_there_is_nothing_to_write(self):
        # finding this graph's spectrum takes far longer than the test waits
        running = self.start("solve --graph line:100000 --data synthetic:rows=100000,columns=2 --out run")
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=30)
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.listing(), {})


class FullDisk(ProgramTest):
    def with_small_disk(self, *words, limit=20_000):
        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return self.ideal(*words, preexec_fn=limited)

    def test_old_run_stays(self):
        self.succeed("solve --out run --quiet")
        before = self.listing()
        done = self.with_small_disk("solve --out run --force --rounds 1000 --tol 0")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^ideal: cannot write .*trace\.csv: File too large\n$")
        self.assertEqual(self.listing(), before)

    def test_no_half_run(self):
        done = self.with_small_disk("solve --out run --rounds 1000 --tol 0")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.listing(), {})

    def test_converted_data_and_pictures(self):
        self.write("old.svg", "old")
        done = self.with_small_disk("graph complete:40 --svg old.svg")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.listing(), {"old.svg": b"old"})

    def test_standard_output(self):
        with open("/dev/full", "w") as full:
            done = self.ideal("methods", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)


if __name__ == "__main__":
    unittest.main()
