# SPDX-License-Identifier: Apache-2.0
"""Bad input: exit code 2, a message that names place, value, rule and remedy, and nothing written."""

import gzip
import struct
import unittest

from program import ProgramTest, npy

SVM = "+1 1:0.5 2:1\n-1 1:1\n+1 2:2\n-1 1:0.25 2:3\n" * 4


class BadUsage(ProgramTest):
    def test_unknown_words(self):
        self.refused("solv", "'solv'", "Did you mean 'solve'?")
        self.refused("", "no command", "solve, compare, report, graph, methods, data")
        self.refused("solve --methd ideal", "solve", "'--methd'", "Did you mean '--method'?")
        self.refused("solve extra-word", "'extra-word'")
        self.refused("graph cycle:8 --jsn", "graph", "'--jsn'", "Did you mean '--json'?")
        self.refused("data inf x", "data", "'inf'", "Did you mean 'info'?")

    def test_missing_values(self):
        self.refused("solve --rounds", "--rounds")
        self.refused("graph", "spec")
        self.refused("data convert a.svm", "out")

    def test_unknown_method_and_keys(self):
        self.refused("solve --method midael1", "--method", "'midael1'", "mideal")
        self.refused("solve --method Qu-Li", "--method", "'Qu-Li'", "Here it is called 'diging'.")
        self.refused("solve --method idea", "'idea'", "Did you mean 'ideal'?")
        self.refused("methods extr", "'extr'", "Did you mean 'extra'?")
        self.refused("solve --method ideal --set rho-scal=1", "'rho-scal'", "Did you mean 'rho-scale'?")
        self.refused("solve --method extra --stop certificate", "--stop", "'extra'", "--stop truth", "auto")
        self.refused("solve --stop trth", "--stop", "'trth'", "Did you mean 'truth'?")
        self.refused("solve --set T", "--set", "'T'", "key=value")
        self.refused("solve --set =3", "--set", "'=3'", "key=value")
        self.refused("solve --loss logistc", "--loss", "'logistc'", "Did you mean 'logistic'?")
        self.refused("solve --partition shufled", "--partition", "'shufled'", "Did you mean 'shuffled'?")
        self.refused("solve --mixing laplacan", "--mixing", "'laplacan'", "Did you mean 'laplacian'?")

    def test_parameters_out_of_range(self):
        for wrong in ["--rounds 0", "--rounds 1.5", "--rounds many", "--tol -1", "--tol nan", "--tau -1",
                      "--seed -1", "--threads -2", "--every 0", "--L 0", "--mu -1", "--kappa 1", "--l2 -0.5",
                      "--l2 inf", "--hosts 9", "--partition dirichlet:0", "--partition dirichlet:1e-310",
                       "--classes 1", "--classes 2,2"]:
            with self.subTest(wrong=wrong):
                self.refused(f"solve {wrong}", *wrong.split())
        self.refused("solve --method ideal --set T=0", "T", "'0'", "a whole number >= 1")
        self.refused("solve --method ideal --set beta=1", "beta", "'1'", "[0, 1)")
        self.refused("solve --l2 1 --kappa 9", "--l2", "--kappa")
        self.refused("solve --loss ridge --kappa 1e9", "--kappa", "at most")
        self.refused("solve --L 1e-9", "--L", "below mu")

    def test_no_strong_convexity(self):
        self.refused("solve --l2 0", "--method auto", "not known to be strongly convex", "nids", "positive --l2")
        self.refused("solve --loss ridge --data synthetic:rows=8,columns=20 --l2 0", "not known to be strongly convex", "positive --l2")
        self.refused("solve --method ssda --l2 0", "--method ssda", "positive --l2")

    def test_not_smooth_or_composite(self):
        self.refused("solve --loss hinge --method ideal", "--method ideal", "not smooth", "mspd, drs", "dual-averaging", "--smoothing")
        self.refused("solve --l1 0.1 --method ssda", "--method ssda", "proximal steps", "ideal, mideal")
        self.refused("solve --box 0: --method auto", "--method auto", "proximal steps", "nids")
        self.refused("solve --l1 0.1 --loss hinge --method mspd", "--method mspd", "proximal steps")
        for wrong in ("1", "1:0", "0:0", "a:b", "0:1:2", ":nan"):
            self.refused(f"solve --box {wrong}", "--box", f"'{wrong}'", "LOW:HIGH")
        self.refused("solve --l1 -1", "--l1")
        self.refused("solve --smoothing 0.1", "--smoothing", "only --loss hinge and quantile")
        self.refused("solve --loss ridge --delta 1", "--delta", "only --loss huber")
        self.refused("solve --loss huber --quantile 0.5", "--quantile", "only --loss quantile")
        self.refused("solve --loss quantile --quantile 1", "--quantile", "(0, 1)")
        self.refused("solve --loss huber --delta 0", "--delta")
        self.refused("solve --loss hinge --L 3 --method mspd", "--L", "not smooth")
        self.refused("solve --loss hinge --kappa 30 --method mspd", "--kappa", "not smooth")
        self.refused("solve --loss hinge --data synthetic:classes=3", "hinge loss needs exactly two classes")

    def test_synthetic_problem(self):
        self.refused("solve --data synthetic:row=5", "'row=5'", "Did you mean 'rows'?")
        self.refused("solve --data synthetic:rows=-5", "'rows=-5'", "rows is a whole number")
        self.refused("solve --data synthetic:density=0", "'density=0'", "(0, 1]")
        self.refused("solve --data synthetic:classes=2.5", "'classes=2.5'", "a whole number")


class BadGraph(ProgramTest):
    def refused_graph(self, spec, *parts):
        with self.subTest(spec=spec):
            self.refused(f"solve --graph {spec}", *parts)
            self.refused(f"graph {spec}", *parts)

    def test_specs(self):
        for spec in ["cycle", "cycle:", "cycle:x", "cycle:8,3", "grid:3", "grid:3x", "er:20", "er:20,2",
                     "hypercube:-1"]:
            self.refused_graph(spec, "--graph", f"'{spec}'", "Write for example")
        self.refused_graph("cycl:8", "'cycl'", "Did you mean 'cycle'?")
        self.refused_graph("cycle:1", "n = '1'", "2 ...")
        self.refused_graph("grid:1x1", "2 ...")
        self.refused_graph("file:no-such-edges", "no-such-edges")

    def test_disconnected(self):
        self.refused_graph("er:30,0.01", "er:30,0.01", "another --seed")
        self.write("edges", "0 1\n2 3\n")
        self.refused_graph("file:edges", "components")

    def test_edge_list(self):
        self.write("edges", "0 1\n1 x\n")
        self.refused_graph("file:edges", "edges:2", "'x'")
        self.write("edges", "0 0\n0 1\n")
        self.refused_graph("file:edges", "edges:1")

    def test_more_agents_than_rows(self):
        self.refused("solve --data synthetic:rows=5", "8 agents for 5 rows", "at least one row")


class BadMixing(ProgramTest):
    """Each assumption on W has a message of its own."""

    def refused_matrix(self, text, *parts):
        self.write("W.csv", text)
        self.refused("graph line:3 --mixing file:W.csv", "W.csv", *parts)
        self.refused("solve --graph line:3 --mixing file:W.csv", "W.csv", *parts)

    def test_not_symmetric(self):
        self.refused_matrix("1,-1,0\n-2,3,-1\n0,-1,1\n", "W(0, 1) = -1 but W(1, 0) = -2",
                            "W must be symmetric")

    def test_kernel(self):
        self.refused_matrix("2,-1,0\n-1,2,-1\n0,-1,2\n", "row 0 sums to 1", "ker W must contain")

    def test_not_positive(self):
        self.refused_matrix("-1,1,0\n1,-2,1\n0,1,-1\n", "eigenvalue -3", "positive semi-definite")

    def test_off_the_graph(self):
        self.refused_matrix("2,-1,-1\n-1,2,-1\n-1,-1,2\n", "W(0, 2) = -1", "where the graph has no edge")

    def test_disconnected(self):
        self.refused_matrix("1,-1,0\n-1,1,0\n0,0,0\n", "2 components: {0, 1}, {2}", "reach every other")

    def test_size_and_cells(self):
        self.refused_matrix("1,-1\n-1,1\n", "3 agents")
        self.refused_matrix("1,-1,0\n-1,x,-1\n0,-1,1\n", "W.csv:2", "'x'")
        self.refused_matrix("1,-1,0\n-1,nan,-1\n0,-1,1\n", "nan")
        self.refused("graph line:3 --mixing file:none", "none")


class BadData(ProgramTest):
    def refused_data(self, name, content, *parts, options=""):
        with self.subTest(name=name, content=content):
            self.write(name, content)
            self.refused(f"solve --data {name} --graph line:2 {options}", name, *parts)
            if not options:
                self.refused(f"data info {name}", name, *parts)
                self.refused(f"data convert {name} converted.csv", name, *parts)

    def test_missing(self):
        self.refused("solve --data none.svm", "--data none.svm", "no such file", "LIBSVM, CSV")
        self.refused("solve --data mnst", "--data mnst", "no such file", "synthetic", "Did you mean 'mnist'?")
        self.refused("solve --data .", "--data .", "directory")
        self.refused("data info none.svm", "none.svm", "No such file")
        self.refused("data convert none.svm out.csv", "none.svm", "No such file")

    def test_empty(self):
        self.refused_data("empty.svm", "", "empty")

    def test_truncated_gzip(self):
        packed = gzip.compress(SVM.encode())
        self.refused_data("cut.svm.gz", packed[:-9], "end too early", "ends with the CRC", "cut short")

    def test_csv(self):
        self.refused_data("count.csv", "a,b,y\n1,2,1\n1,2\n", "count.csv:3")
        self.refused_data("word.csv", "1,2,1\n1,two,-1\n", "word.csv:2", "'two'")
        self.refused_data("nan.csv", "1,2,1\n1,nan,-1\n", "nan.csv:2", "nan")
        self.refused_data("inf.csv", "1,inf,1\n1,2,-1\n", "inf.csv:1", "inf")
        self.refused_data("label.csv", "a,b,y\n1,2,1\n3,4,-1\n", "'z'", options="--label z")

    def test_libsvm(self):
        self.refused_data("zero.svm", "+1 1:1\n-1 0:1\n", "zero.svm:2", "start at 1")
        self.refused_data("down.svm", "+1 1:1\n-1 3:1 2:1\n", "down.svm:2", "ascend")
        self.refused_data("nan.svm", "+1 1:1\n-1 2:nan\n", "nan.svm:2")
        self.refused_data("word.svm", "+1 1:1\n-1 2:x\n", "word.svm:2")

    def test_labels(self):
        three = "1 1:1\n2 1:2\n3 1:3\n"
        self.write("three.svm", three)
        self.refused("solve --data three.svm --graph line:2", "three.svm", "3 distinct labels",
                     "--classes A,B")
        self.write("one.svm", "1 1:1\n1 1:2\n")
        self.refused("solve --data one.svm --graph line:2", "one.svm", "1 distinct labels", "two classes")
        self.refused("solve --data three.svm --graph line:2 --classes 1,7", "7")

    def test_npy(self):
        doubles = struct.pack("<4d", 1, 2, 3, 4)
        self.refused_data("object.npy", npy("|O", False, (2, 2), doubles), "object")
        self.refused_data("fortran.npy", npy("<f8", True, (2, 2), doubles), "Fortran")
        self.refused_data("short.npy", npy("<f8", False, (2, 2), doubles[:-8]),
                          "24 bytes of values for a shape of 2 x 2", "exactly how many values follow")
        nan = struct.pack("<4d", 1, float("nan"), 3, 4)
        self.refused_data("nan.npy", npy("<f8", False, (2, 2), nan), "nan in row 0, column 1",
                          "values must be finite")

    def test_idx(self):
        images = b"\0\0\x08\x03" + struct.pack(">3I", 2, 2, 2) + bytes(7)
        self.write("labels", b"\0\0\x08\x01" + struct.pack(">I", 2) + bytes([0, 1]))
        self.refused_data("images", images, "7 bytes of values for a shape of 2 x 2 x 2",
                          "exactly how many values follow", options="--labels labels")


class BadOutput(ProgramTest):
    def test_already_there(self):
        self.solve("--out run --cache elsewhere")
        self.refused("solve --out run", "--out", "already there", "--force")
        self.refused("solve --out run/trace.csv --force", "--out", "a file")

    def test_force_spares_what_is_no_run(self):
        (self.dir / "home").mkdir()
        self.write("home/thesis.tex", "years of work")
        self.refused("solve --out home --force", "thesis.tex", "run directories only")

    def test_not_writable(self):
        self.write("file", "")
        self.refused("solve --out file/run", "--out", "file")
        self.refused("solve --out /proc/ideal/run", "--out /proc/ideal/run", "/proc")
        self.refused("graph cycle:8 --svg none/cycle.svg", "--svg none/cycle.svg", "no directory")
        self.write("a.svm", SVM)
        self.refused("data convert a.svm none/a.csv", "none/a.csv", "no directory")
        self.refused("data convert a.svm file", "file", "already there", "--force")
        self.refused("data convert a.svm a.xlsx", "a.xlsx")


class BadConfiguration(ProgramTest):
    def refused_config(self, text, *parts):
        self.write("config.toml", text)
        self.refused("solve --config config.toml", *parts)

    def test_files(self):
        self.refused("solve --config none.toml", "none.toml", "no such file")
        self.refused_config("tol = 1e-6\nmethd = 'ideal'\n", "config.toml:2", "'methd'",
                            "Did you mean 'method'?")
        self.refused_config("tol = \n", "config.toml:1", "TOML")
        self.refused_config("tol = 'small'\n", "config.toml:1: tol", "'small'", "a number >= 0")
        self.refused_config("normalize = 'yes'\n", "config.toml:1: normalize", "'yes'", "true or false")
        self.refused_config("tol = { a = 1 }\n", "config.toml:1")
        self.refused_config("l2 = 1\nkappa = 10\n", "config.toml", "both l2 and kappa")


if __name__ == "__main__":
    unittest.main()
