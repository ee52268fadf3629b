// SPDX-License-Identifier: Apache-2.0
// The figure script as the program runs it: files, formats, and the same text from every interpreter.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { barren, evil, single, typical } from "./fixture.mjs";
import { figuresScript, loadFigures } from "./modules.mjs";

const idealFigures = loadFigures();
const folder = mkdtempSync(join(tmpdir(), "ideal-figures-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const allFormats = ["svg", "pdf", "tex", "csv"];
const figures = (data, options) => JSON.parse(idealFigures(JSON.stringify(data), JSON.stringify(options)));
const has = (command) => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;

const report = typical();
const files = figures(report, { formats: allFormats, tau: null });

/** A quoted string of the script's own language, also for an ES5 parser. */
const quoted = (text) =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);

function inDuktape(data, options) {
  const script = join(folder, "run.js");
  writeFileSync(
    script,
    `${figuresScript}\nprint(idealFigures(${quoted(JSON.stringify(data))}, ${quoted(JSON.stringify(options))}));\n`,
  );
  return execFileSync("duk", [script], { maxBuffer: 1 << 30 })
    .toString()
    .trimEnd();
}

test("every figure of the report is there, in every format", () => {
  const names = new Set(Object.keys(files).map((name) => name.replace(/\.[a-z]+$/, "")));
  for (const problem of ["mnist-cycle-16", "mnist-barbell-8", "mnist-torus-5x5"]) {
    for (const figure of [
      "computations",
      "communications",
      "bytes",
      "wall",
      "time-tau0.1",
      "time-tau4",
      "time-tau100",
      "winners",
      "graph",
      "spectrum",
    ]) {
      assert.ok(names.has(`${problem}-${figure}`), `${problem}-${figure}`);
    }
  }
  for (const tau of ["0.1", "4", "100"]) assert.ok(names.has(`profile-tau${tau}-eps1e-6`));
  assert.equal(Object.keys(files).length, 4 * names.size);
});

test("a given tau replaces the named ones, and formats are those asked for", () => {
  const few = Object.keys(figures(report, { formats: ["csv"], tau: 2.5 }));
  assert.ok(few.includes("mnist-cycle-16-time-tau2.5.csv"));
  assert.ok(few.every((name) => name.endsWith(".csv") && !name.includes("tau4")));
});

test("all content is ASCII and no number went wrong", () => {
  for (const data of [report, barren(), evil(), single()]) {
    for (const [name, content] of Object.entries(figures(data, { formats: allFormats, tau: null }))) {
      assert.match(name, /^[A-Za-z0-9.-]+$/);
      assert.match(content, /^[\n -~]*$/, `${name} is not ASCII`);
      if (/\.(svg|pdf)$/.test(name)) assert.doesNotMatch(content, /NaN|Infinity|undefined/, name);
    }
  }
});

test("the PDF's table of offsets points at its objects", () => {
  for (const [name, content] of Object.entries(files)) {
    if (!name.endsWith(".pdf")) continue;
    assert.ok(content.startsWith("%PDF-1.4\n"), name);
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(content)[1]);
    assert.equal(content.slice(start, start + 5), "xref\n");
    const offsets = [...content.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]));
    offsets.forEach((offset, i) =>
      assert.ok(content.startsWith(`${i + 1} 0 obj\n`, offset), `${name}: object ${i + 1}`),
    );
    const [, length] = /\/Length (\d+) >>\nstream\n/.exec(content);
    const stream = content.indexOf("stream\n") + 7;
    assert.ok(content.startsWith("endstream", stream + Number(length)), name);
    assert.doesNotMatch(content, /\/Font/);
  }
});

test("qpdf finds nothing wrong, in hostile titles either", { skip: !has("qpdf") && "qpdf is not installed" }, () => {
  const hostile = figures(evil(), { formats: ["pdf"], tau: 4 });
  const some = {
    "winners.pdf": files["mnist-cycle-16-winners.pdf"],
    "time.pdf": files["mnist-cycle-16-time-tau4.pdf"],
    "hostile.pdf": Object.values(hostile)[0],
  };
  for (const [name, content] of Object.entries(some)) {
    const path = join(folder, name);
    writeFileSync(path, content);
    execFileSync("qpdf", ["--check", path]);
  }
});

test("CSV holds the trace, bit for bit", () => {
  const rows = (name) =>
    files[name]
      .trimEnd()
      .split("\n")
      .map((line) => line.split(","));
  const [problem] = report.problems;
  const [header, ...body] = rows("mnist-cycle-16-communications.csv");
  assert.deepEqual(header, ["curve", "seed", "communications", "worst_suboptimality"]);
  const expected = problem.curves.flatMap((curve) =>
    curve.runs.flatMap((run) =>
      run.trace.worst.map((gap, i) => [curve.label, run.seed, run.trace.communications[i], gap]),
    ),
  );
  assert.equal(body.length, expected.length);
  body.forEach(([label, seed, x, y], i) => {
    assert.equal(label, expected[i][0]);
    assert.equal(Number(seed), expected[i][1]);
    assert.equal(Number(x), expected[i][2]);
    if (expected[i][3] === null) assert.equal(y, "");
    else assert.equal(Number(y), expected[i][3]);
  });
  const [, ...timed] = rows("mnist-cycle-16-time-tau100.csv");
  const first = problem.curves[1].runs[0].trace;
  const mine = timed.filter(([label]) => label === "mideal").map((row) => Number(row[2]));
  assert.deepEqual(
    mine,
    first.computations.map((value, i) => value + 100 * first.communications[i]),
  );
  const [, ...spectrum] = rows("mnist-cycle-16-spectrum.csv");
  assert.deepEqual(
    spectrum.map((row) => Number(row[1])),
    problem.spectrum,
  );
});

test("a field with a comma or a quote stays one field", () => {
  const data = single();
  data.problems[0].curves[0].label = 'a, "b"';
  const csv = figures(data, { formats: ["csv"], tau: 1 })["solve-computations.csv"];
  assert.equal(csv.split("\n")[1].slice(0, 13), '"a, ""b""",1,');
});

test("file names never collide", () => {
  const data = typical();
  for (const [k, id] of ["a b", "a/b", "../../etc/passwd"].entries()) data.problems[k].id = id;
  const names = Object.keys(figures(data, { formats: ["svg"], tau: 1 }));
  assert.ok(
    names.includes("a-b-winners.svg") &&
      names.includes("a-b-2-winners.svg") &&
      names.includes("etc-passwd-winners.svg"),
  );
});

test("Duktape gives the same text", { skip: !has("duk") && "duk is not installed" }, () => {
  const options = { formats: allFormats, tau: 4 };
  for (const data of [report, barren(), single()]) {
    // compared as a whole, told apart only when they differ: the texts are long
    const [ours, theirs] = [idealFigures(JSON.stringify(data), JSON.stringify(options)), inDuktape(data, options)];
    assert.ok(ours === theirs, "figures differ between interpreters");
  }
});

test("TeX compiles", { skip: !has("pdflatex") && "pdflatex is not installed" }, () => {
  const hostile = figures(evil(), { formats: ["tex"], tau: 4 });
  const [computations] = Object.keys(hostile).filter((name) => name.includes("computations"));
  const some = [
    "mnist-cycle-16-time-tau4.tex",
    "mnist-cycle-16-winners.tex",
    "mnist-cycle-16-graph.tex",
    "profile-tau4-eps1e-6.tex",
  ];
  const sources = [...some.map((name) => files[name]), hostile[computations]];
  sources.forEach((source, i) => {
    writeFileSync(join(folder, `figure${i}.tex`), source);
    const result = spawnSync("pdflatex", ["-halt-on-error", "-interaction=nonstopmode", `figure${i}.tex`], {
      cwd: folder,
    });
    assert.equal(result.status, 0, result.stdout?.toString().slice(-2000));
  });
});
