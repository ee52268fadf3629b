# SPDX-License-Identifier: Apache-2.0
"""ideal data features."""

import json
import math
import signal
import struct
import time
import unittest

from program import ProgramTest, npy

SMALL = "--layers 6:3:2,10:2:2 --patches 500"


class Features(ProgramTest):
    def images(self, name, rows=24, columns=108, phase=0.0):
        """Waves of 6x6 pixels in three colours, with a label in the last column."""
        values = [[100 + 50 * math.sin(phase + 0.1 * r * (c // 18) + 0.7 * (c % 18)) for c in range(columns)] + [r % 2]
                  for r in range(rows)]
        flat = [value for row in values for value in row]
        return self.write(name, npy("<f8", False, (rows, columns + 1), struct.pack(f"<{len(flat)}d", *flat)))

    def info(self, name):
        return json.loads(self.succeed("data info --json", name))

    def test_two_splits_one_network(self):
        self.images("a.npy")
        self.images("b.npy", rows=8, phase=0.5)
        out = self.succeed("data features a.npy a.npz --test b.npy b.npz --save net.npz", SMALL)
        self.assertEqual(out, "a.npz: 24 rows, 40 features\nb.npz: 8 rows, 40 features\n")
        facts = self.info("a.npz")
        self.assertEqual((facts["rows"], facts["columns"]), (24, 40))
        self.assertEqual(facts["labels"], {"classes": {"0": 12, "1": 12}})
        self.assertAlmostEqual(facts["row_norm"]["max"], 1, places=5)
        self.succeed("data features b.npy again.npz --model net.npz --quiet")
        self.assertEqual((self.dir / "again.npz").read_bytes(), (self.dir / "b.npz").read_bytes())
        self.solve("--data a.npz --classes 0,1 --out run")

    def test_the_same_bytes_for_any_number_of_threads(self):
        self.images("a.npy")
        for threads in (1, 2, 5):
            self.succeed(f"data features a.npy {threads}.npz --threads {threads}", SMALL)
            self.assertEqual((self.dir / f"{threads}.npz").read_bytes(), (self.dir / "1.npz").read_bytes())
        self.succeed("data features a.npy other.npz --seed 1", SMALL)
        self.assertNotEqual((self.dir / "other.npz").read_bytes(), (self.dir / "1.npz").read_bytes())

    def test_help_teaches(self):
        text = self.succeed("data features --help")
        for word in ("FILTERS:PATCH:POOLING", "--test", "Examples:", "k-means"):
            self.assertIn(word, text)

    def test_progress_on_a_terminal(self):
        self.images("a.npy")
        done, shown = self.on_terminal("data features a.npy a.npz", SMALL)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_bad_input(self):
        self.images("a.npy")
        self.write("there.npz", "old")
        for line, *parts in (
                ("a.npy b.npz --image 6x6x4", "108 columns", "6x6x4", "144"),
                ("a.npy b.npz --image 6", "--image", "'6'", "32x32x3"),
                ("a.npy b.npz --layers 6:3", "--layers", "'6:3'"),
                ("a.npy b.npz --layers 6:3:x", "--layers", "'x' in '6:3:x'"),
                ("a.npy b.npz --layers 6:3:2:0", "--layers", "'0' in"),
                ("a.npy b.npz --layers 6:7:2", "patch size 7", "6x6"),
                ("a.npy b.npz --layers 6:3:2 --patches 5 --images 1", "5 patches", "6 filters"),
                ("a.npy b.npz --centring chanel", "--centring", "'chanel'", "channel"),
                ("a.npy there.npz", "there.npz", "already there", "--force"),
                ("a.npy b.npz --test a.npy there.npz", "there.npz", "already there"),
                ("a.npy b.txt", "extension '.txt'"),
                ("a.npy nowhere/b.npz", "nowhere"),
                ("missing.npy b.npz", "missing.npy"),
                ("a.npy b.npz --model a.npy", "a.npy"),
                ("a.npy b.npz --seed -1", "--seed")):
            self.refused("data features " + line, *parts)

    def test_shapes_that_cannot_be_guessed_are_asked_for(self):
        self.images("a.npy", columns=20)
        self.refused("data features a.npy b.npz", "20 columns", "--image")
        self.succeed("data features a.npy b.npz --image 4x5 --layers 4:3:2")

    def test_ctrl_c_leaves_nothing(self):
        self.images("a.npy", rows=4000)
        before = self.listing()
        running = self.start("data features a.npy a.npz --layers 500:6:1,500:6:1 --iterations 1000 --threads 1")
        time.sleep(1)
        self.assertIsNone(running.poll())
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130)
        self.assertIn("interrupted", errors)
        self.assertEqual(self.listing(), before)


if __name__ == "__main__":
    unittest.main()
