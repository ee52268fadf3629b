#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions of a kernel: no other program, and no mood of the machine, changes their number.

    count_instructions.py PROGRAM tiles_asked_for|groups|pairs|streams|mixing MOST

Fails if an element (a value of the data; a neighbour's number) costs more than MOST instructions on a CPU with AVX2, the best that
valgrind knows.
"""
import re
import subprocess
import sys
import tempfile

program, kernel, most = sys.argv[1], sys.argv[2], float(sys.argv[3])


def run(calls):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, kernel, str(calls)],
                             capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program} failed under valgrind:\n{ran.stdout}{ran.stderr}")
    elements, target = ran.stdout.split()
    return int(re.search(r"Collected : (\d+)", ran.stderr).group(1)), int(elements), target


few, many = 2, 12
(first, elements, target), (second, _, _) = run(few), run(many)
each = (second - first) / (many - few) / elements  # what starts and ends the program cancels out
print(f"{kernel} on {target}: {each:.3f} instructions an element, at most {most}")
if target != "AVX2":
    print("the bound is for AVX2; nothing was checked")
    sys.exit(77)
sys.exit(each > most)
