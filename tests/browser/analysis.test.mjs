// SPDX-License-Identifier: Apache-2.0
// What the traces say, against small cases worked out by hand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadModule } from "./modules.mjs";

const analysis = loadModule("figures/analysis.js");
const data = loadModule("figures/data.js");
const { blocks } = loadModule("figures/winners.js");
const { curvePieces } = loadModule("figures/scene.js");
const { staircase } = loadModule("figures/profile.js");
const { ascii } = loadModule("figures/text.js");
const { errorShares } = loadModule("figures/network.js");
const { linearAxis, logAxis } = loadModule("figures/axis.js");

const worst = (tau) => ({ measure: "worst", tau });

function run(points, { status = "converged", seed = 1 } = {}) {
  const column = (k) => points.map((point) => point[k]);
  return {
    seed,
    status,
    message: "",
    directory: "",
    seconds: 1,
    agents: null,
    trace: {
      computations: column(0),
      communications: column(1),
      bytes: column(1).map((value) => 8 * value),
      seconds: column(0),
      worst: column(2),
      suboptimality: column(2).map((value) => (value === null ? null : value / 2)),
      consensus: column(2),
    },
  };
}

const curve = (id, ...runs) => ({ id, label: id, method: id, set: [], parameters: {}, runs });

function report(problems) {
  const method = (cost, family = "") => ({ name: "", family, summary: "", rule: "", cost, rate: "", citation: "" });
  return data.parseReport(
    JSON.stringify({
      format: 1,
      taus: [1],
      methods: {
        near: method("(1, 1)"),
        far: method("(10, 1)"),
        server: method("(1, 0)"),
        pool: method("", "centralized"),
      },
      problems: problems.map((curves, k) => ({
        id: `p${k}`,
        title: `p${k}`,
        floor: 0,
        kappa_f: 100,
        kappa_W: 25,
        curves,
      })),
    }),
  );
}

// near: many communications, few computations; far: the reverse
const near = curve(
  "near",
  run([
    [0, 0, 1],
    [10, 20, 1e-3],
    [20, 40, 1e-6],
  ]),
);
const far = curve(
  "far",
  run([
    [0, 0, 1],
    [40, 4, 1e-3],
    [90, 9, 1e-7],
  ]),
);
const server = curve(
  "server",
  run([
    [0, 0, 1],
    [1, 0, 1e-9],
  ]),
);

test("time to accuracy is the cost of the first record at or below eps", () => {
  const [problem] = report([[near]]).problems;
  const [one] = problem.curves[0].runs;
  assert.equal(analysis.timeToAccuracy(one, 1e-3, worst(0)), 10);
  assert.equal(analysis.timeToAccuracy(one, 1e-3, worst(2)), 50);
  assert.equal(analysis.timeToAccuracy(one, 9e-4, worst(2)), 100);
  assert.equal(analysis.timeToAccuracy(one, 1e-8, worst(2)), Infinity);
  assert.equal(analysis.timeToAccuracy(one, 5e-4, { measure: "mean", tau: 0 }), 10);
  assert.equal(analysis.timeToAccuracy(one, 1e-3, { measure: "consensus", tau: 0 }), 10, "accuracy is never consensus");
});

test("a gap that is not finite is no accuracy", () => {
  const [problem] = report([
    [
      curve(
        "near",
        run(
          [
            [0, 0, 1],
            [1, 1, null],
            [2, 2, null],
          ],
          { status: "diverged" },
        ),
      ),
    ],
  ]).problems;
  assert.equal(analysis.timeToAccuracy(problem.curves[0].runs[0], 0.5, worst(1)), Infinity);
});

test("quantiles interpolate and survive Infinity", () => {
  assert.equal(analysis.quantile([1, 2, 4], 0.5), 2);
  assert.equal(analysis.quantile([1, 2, 4, 8], 0.5), 3);
  assert.ok(Math.abs(analysis.quantile([0, 10], 0.1) - 1) < 1e-12);
  assert.equal(analysis.quantile([1, 2, Infinity], 0.5), 2);
  assert.equal(analysis.quantile([1, Infinity, Infinity], 0.9), Infinity);
  assert.equal(analysis.quantile([Infinity, Infinity], 0.5), Infinity);
  assert.ok(Number.isNaN(analysis.quantile([], 0.5)));
});

test("a curve's time is the median over its seeds; one that never arrives counts", () => {
  const seeds = [30, 10, 20].map((cost, seed) =>
    run(
      [
        [0, 0, 1],
        [cost, 0, 1e-5],
      ],
      { seed },
    ),
  );
  const lost = run(
    [
      [0, 0, 1],
      [5, 0, 1],
    ],
    { status: "budget", seed: 9 },
  );
  const [problem] = report([
    [curve("near", ...seeds), curve("far", ...seeds.slice(0, 1), lost, { ...lost, seed: 10 })],
  ]).problems;
  assert.equal(analysis.curveTime(problem.curves[0], 1e-4, worst(1)), 20);
  assert.equal(analysis.curveTime(problem.curves[1], 1e-4, worst(1)), Infinity);
});

test("winners change with tau, and a server never wins", () => {
  const whole = report([
    [
      near,
      far,
      server,
      curve(
        "pool",
        run([
          [0, 0, 1],
          [1, 0, 1e-9],
        ]),
      ),
    ],
  ]);
  const { curves } = whole.problems[0];
  const running = analysis.rivals(whole, curves);
  assert.deepEqual(
    running.map((one) => one.id),
    ["near", "far"],
  );
  // to 1e-3: near 10 + 20 tau, far 40 + 4 tau: equal at tau = 1.875
  const map = analysis.winnerMap(running, "worst", [0.1, 1.8, 1.9, 100], [1e-2, 1e-3, 1e-6, 1e-7, 1e-8]);
  assert.deepEqual(map.winner[1], [0, 0, 1, 1]);
  assert.equal(map.time[1][1], 46);
  assert.equal(map.time[1][2], 47.6);
  assert.deepEqual(map.winner[3], [1, 1, 1, 1], "only far reaches 1e-7");
  assert.deepEqual(map.winner[4], [-1, -1, -1, -1]);
  assert.equal(analysis.bestTime(running, 1e-3, worst(0)), 10);
});

test("profile: shares rise where a method comes within a factor; unsolved problems are left out", () => {
  const scaled = (id, factor) =>
    curve(
      id,
      run([
        [0, 0, 1],
        [10 * factor, 0, 1e-7],
      ]),
    );
  const never = (id) =>
    curve(
      id,
      run(
        [
          [0, 0, 1],
          [10, 0, 0.5],
        ],
        { status: "budget" },
      ),
    );
  const whole = report([
    [scaled("near", 1), scaled("far", 3), server],
    [scaled("near", 4), scaled("far", 1), server],
    [scaled("near", 1), never("far"), server],
    [never("near"), never("far"), server],
  ]);
  const profile = analysis.performanceProfile(whole, ["near", "far", "server"], 1e-6, worst(1));
  assert.equal(profile.problems, 3);
  assert.deepEqual(
    profile.curves.map((one) => one.id),
    ["near", "far"],
  );
  assert.deepEqual(profile.curves[0].factors, [1, 1, 4]);
  assert.deepEqual(profile.curves[0].shares, [1 / 3, 2 / 3, 1]);
  assert.deepEqual(profile.curves[1].factors, [1, 3]);
  assert.deepEqual(profile.curves[1].shares, [1 / 3, 2 / 3]);
  assert.deepEqual(staircase([1, 3], [0.5, 1], 5), { xs: [1, 1, 1, 3, 3, 5], ys: [0, 0, 0.5, 0.5, 1, 1] });
});

test("bands: median and quantiles on the records of all seeds, straight on the log scale between them", () => {
  const seeds = [
    run(
      [
        [0, 0, 1],
        [2, 0, 1e-2],
        [4, 0, 1e-4],
      ],
      { seed: 1 },
    ),
    run(
      [
        [0, 0, 1],
        [4, 0, 1e-2],
      ],
      { seed: 2 },
    ),
    run(
      [
        [0, 0, 1],
        [2, 0, 1],
      ],
      { seed: 3, status: "diverged" },
    ),
  ];
  const [problem] = report([[curve("near", ...seeds)]]).problems;
  const band = analysis.band(problem.curves[0], "computations", worst(0));
  assert.deepEqual(band.x, [0, 2, 4]);
  // at 2: 1e-2, 1e-1 (half way from 1 to 1e-2), 1; at 4: 1e-4, 1e-2, and the diverged one is lost
  assert.ok(Math.abs(band.mid[1] - 0.1) < 1e-15);
  assert.equal(band.mid[2], 1e-2);
  assert.equal(band.high[2], Infinity);
  assert.ok(Math.abs(band.low[1] - (1e-2 + 0.2 * (0.1 - 1e-2))) < 1e-15);
});

test("lower bound: gap_0 exp(-cost/scale) with the scale of its axis", () => {
  const [problem] = report([[near]]).problems;
  assert.deepEqual(analysis.lowerBound(problem, "computations", worst(7)), { gap0: 1, scale: 10 });
  assert.deepEqual(analysis.lowerBound(problem, "communications", worst(7)), { gap0: 1, scale: 50 });
  assert.deepEqual(analysis.lowerBound(problem, "time", worst(7)), { gap0: 1, scale: 360 });
  assert.deepEqual(analysis.lowerBound(problem, "time", { measure: "mean", tau: 0 }), { gap0: 0.5, scale: 10 });
  for (const axis of ["bytes", "wall"]) assert.equal(analysis.lowerBound(problem, axis, worst(1)), null);
  assert.equal(analysis.lowerBound(problem, "time", { measure: "consensus", tau: 1 }), null);
  const lonely = { ...problem, kappa_W: null };
  for (const axis of ["communications", "time"]) assert.equal(analysis.lowerBound(lonely, axis, worst(1)), null);
  assert.deepEqual(analysis.lowerBound(lonely, "computations", worst(1)), { gap0: 1, scale: 10 });
});

test("blocks cover the map exactly once", () => {
  const winner = [
    [0, 0, 1],
    [0, 0, 1],
    [2, 0, 1],
  ];
  const covered = winner.map((row) => row.map(() => []));
  for (const block of blocks(winner)) {
    for (let r = block.row0; r < block.row1; ++r)
      for (let c = block.column0; c < block.column1; ++c) covered[r][c].push(block.winner);
  }
  assert.deepEqual(
    covered,
    winner.map((row) => row.map((who) => [who])),
  );
  assert.equal(blocks(winner).length, 4);
});

test("thinning keeps the ends and extremes of every column, in order", () => {
  const same = (value) => value;
  const thin = (points) =>
    curvePieces(
      points.map((point) => point[0]),
      points.map((point) => point[1]),
      0,
      points.length,
      same,
      same,
      1,
    );
  assert.deepEqual(
    thin([
      [0, 5],
      [0, 9],
      [0, 1],
      [0, 3],
      [0, 4],
    ]),
    [
      [
        [0, 5],
        [0, 9],
        [0, 1],
        [0, 4],
      ],
    ],
  );
  assert.deepEqual(
    thin([
      [0, 5],
      [0.1, 1],
      [0.2, 9],
      [0.3, 3],
    ]),
    [
      [
        [0, 5],
        [0.1, 1],
        [0.2, 9],
        [0.3, 3],
      ],
    ],
  );
  assert.deepEqual(
    thin([
      [0, 1],
      [NaN, 1],
      [2, 2],
      [4, NaN],
      [5, 5],
      [7, 7],
    ]),
    [
      [[0, 1]],
      [[2, 2]],
      [
        [5, 5],
        [7, 7],
      ],
    ],
  );
  const many = Array.from({ length: 10000 }, (_, i) => [i / 100, Math.sin(i)]);
  const [kept] = thin(many);
  assert.ok(kept.length <= 4 * 101, `${kept.length}`);
  assert.deepEqual([kept[0], kept.at(-1)], [many[0], many.at(-1)]);
  for (let i = 1; i < kept.length; ++i) assert.ok(kept[i][0] >= kept[i - 1][0]);
});

test("exported text is ASCII", () => {
  assert.equal(ascii("plain text ~!"), "plain text ~!");
  assert.equal(ascii("Gürbüzbalaban, Łódź, ß, κ ≤ 3\n−1"), "Gurbuzbalaban, Lodz, s, kappa <= 3 -1");
  assert.equal(ascii("日本 😀"), "?? ?");
  for (let code = 0xc0; code <= 0x17f; ++code)
    assert.match(ascii(String.fromCharCode(code)), /^[A-Za-z/]$/, code.toString(16));
});

test("errors of agents on a colour scale: logarithmic, unknown stays unknown", () => {
  const { shares, low, high } = errorShares([1e-4, 1e-2, 1e-3, 0, null]);
  assert.deepEqual([shares[0], shares[1], shares[3], shares[4], low, high], [0, 1, 0, null, 1e-4, 1e-2]);
  assert.ok(Math.abs(shares[2] - 0.5) < 1e-12);
  assert.equal(errorShares([0, null]), null);
});

test("ticks stay inside their axis and are few", () => {
  for (const [low, high] of [
    [0, 1],
    [0, 7],
    [0, 12345],
    [0, 3e9],
    [1, 3.9],
    [0, 2e-5],
  ]) {
    const axis = linearAxis([], low, high, 6);
    assert.ok(axis.ticks.length >= 2 && axis.ticks.length <= 8, `${low} ${high}`);
    for (const tick of axis.ticks) assert.ok(tick.value >= low - 1e-9 * high && tick.value <= high * (1 + 1e-9));
  }
  assert.deepEqual(
    logAxis([], -14, 1, 8).ticks.map((tick) => Math.round(Math.log10(tick.value))),
    [-14, -12, -10, -8, -6, -4, -2, 0],
  );
});

test("data of another format are refused", () => {
  assert.throws(() => data.parseReport('{"format": 2, "problems": []}'), /format 2/);
});
