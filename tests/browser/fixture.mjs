// SPDX-License-Identifier: Apache-2.0
// Reports for the tests: seeded synthetic traces in the shape the program writes.

/** Small, seeded, good enough for noise: a mulberry. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const info = (name, family, summary, cost) => ({
  name,
  family,
  summary,
  rule: "X+ = X - W X - step grad F(X);  Lambda+ = Lambda + rho W X",
  cost,
  rate: "sqrt(kappa_f kappa_W) log(1/eps)",
  citation: "Arjevani, Bruna, Can, Gurbuzbalaban, Jegelka, Lin. IDEAL. NeurIPS 2020",
});

export const methods = {
  ideal: info(
    "ideal",
    "augmented Lagrangian",
    "inexact accelerated augmented Lagrangian on W",
    "(T, T) an outer iteration",
  ),
  mideal: info(
    "mideal",
    "augmented Lagrangian",
    "multi-stage IDEAL: J rounds of Chebyshev gossip after each gradient",
    "(T, T J) an outer iteration",
  ),
  extra: info(
    "extra",
    "primal",
    "exact first-order method with a correction of decentralized gradient descent",
    "(1, 1)",
  ),
  dgd: info("dgd", "primal", "decentralized gradient descent with a constant step", "(1, 1)"),
  ssda: info("ssda", "dual", "accelerated dual ascent", "(T, 1)"),
  agd: info("agd", "centralized", "accelerated gradient descent, as a server would run it", "(1, 0)"),
};

// Error reduction a computation, communications a computation, error floor.
const behaviour = {
  ideal: { rate: 0.02, rounds: 1, floor: 1e-14 },
  mideal: { rate: 0.05, rounds: 6, floor: 1e-14 },
  extra: { rate: 0.006, rounds: 1, floor: 1e-14 },
  dgd: { rate: 0.02, rounds: 1, floor: 3e-4 },
  ssda: { rate: 0.012, rounds: 0.25, floor: 1e-14 },
  agd: { rate: 0.07, rounds: 0, floor: 1e-14 },
};

export function trace(method, { points = 400, computations = 1600, noise = 0, seed = 1, diverges = false } = {}) {
  const next = random(seed);
  const { rate, rounds, floor } = behaviour[method];
  const speed = rate * (1 + noise * (next() - 0.5));
  const out = {
    computations: [],
    communications: [],
    bytes: [],
    seconds: [],
    suboptimality: [],
    worst: [],
    consensus: [],
  };
  for (let k = 0; k < points; ++k) {
    const c = Math.round((computations * k) / (points - 1));
    const decay = diverges ? Math.exp(0.04 * c) : Math.exp(-speed * c) + floor;
    const wiggle = k === 0 ? 1 : 1 + 0.4 * Math.sin(0.11 * c) * (1 - 0.5 * next());
    const worst = 0.69 * decay * wiggle;
    const lost = !Number.isFinite(worst) || worst > 1e12;
    out.computations.push(c);
    out.communications.push(Math.floor(rounds * c));
    out.bytes.push(Math.floor(rounds * c) * 8 * 784 * 16);
    out.seconds.push(c * 2e-4 * (1 + rounds * 0.1));
    out.worst.push(lost ? null : worst);
    out.suboptimality.push(lost ? null : worst * 0.4);
    out.consensus.push(k === 0 ? 0 : lost ? null : Math.sqrt(decay) * 0.1);
  }
  return out;
}

function run(method, agents, options) {
  const recorded = trace(method, options);
  const last = recorded.worst[recorded.worst.length - 1];
  const next = random(options.seed + 7);
  return {
    seed: options.seed,
    status: options.diverges ? "diverged" : last !== null && last <= 1e-10 ? "converged" : "budget",
    message: options.diverges ? "suboptimality passed 1e12 at computation 712" : "",
    directory: `runs/${method}-${options.seed}`,
    seconds: recorded.seconds[recorded.seconds.length - 1],
    agents: last === null ? null : Array.from({ length: agents }, () => last * (0.05 + 0.95 * next())),
    trace: recorded,
  };
}

export function curve(id, method, agents, { seeds = [1], ...options } = {}) {
  return {
    id,
    label: id,
    method,
    set: id === method ? [] : ["T=100"],
    parameters: { T: 100, rho: 0.0123, carry: true, solver: "agd" },
    runs: seeds.map((seed) => run(method, agents, { ...options, seed })),
  };
}

function cycle(n) {
  const angle = (i) => (2 * Math.PI * i) / n;
  return {
    x: Array.from({ length: n }, (_, i) => 0.5 + 0.5 * Math.cos(angle(i))),
    y: Array.from({ length: n }, (_, i) => 0.5 + 0.5 * Math.sin(angle(i))),
    edges: Array.from({ length: n }, (_, i) => [i, (i + 1) % n]),
  };
}

export function problem(id, title, curves, { agents = 16, kappaW = 26.3, kappaF = 940 } = {}) {
  return {
    id,
    title,
    data: { name: "mnist", rows: 11982, columns: 784, dimension: 784, sparse: false },
    loss: "logistic",
    l2: 1e-3,
    partition: "even",
    graph: `cycle:${agents}`,
    mixing: "laplacian",
    agents,
    edges: agents,
    L: 0.94,
    mu: 1e-3,
    kappa_f: kappaF,
    lambda_max: 4,
    lambda_min: 4 / kappaW,
    kappa_W: kappaW,
    f_star: 0.0712345678901,
    gradient_norm: 3.1e-13,
    certified_gap: 4.8e-23,
    floor: 1.1e-14,
    spectrum: Array.from({ length: agents }, (_, i) => 2 - 2 * Math.cos((2 * Math.PI * Math.ceil(i / 2)) / agents)),
    drawing: cycle(agents),
    curves,
  };
}

export function report(problems, changes = {}) {
  return {
    format: 1,
    title: "IDEAL and its rivals on MNIST",
    version: "0.1.0",
    date: "2026-11-16 02:30 UTC",
    command: "ideal compare experiment.toml --out runs/mnist",
    config: '[data]\nname = "mnist"\nclasses = [3, 8]\n\n[graph]\nspec = "cycle:16"\n',
    environment: { cpu: "an example CPU", threads: 2, compiler: "g++ 12.2.0", system: "Debian GNU/Linux 12" },
    taus: [0.1, 4, 100],
    jobs: 2,
    methods,
    problems,
    ...changes,
  };
}

/** Three problems, several seeds, a method that diverges, a centralized baseline. */
export function typical() {
  const curves = (agents, scale) => [
    curve("ideal", "ideal", agents, { seeds: [1, 2, 3, 4, 5], noise: 0.5, computations: 1600 * scale }),
    curve("mideal", "mideal", agents, { computations: 1000 * scale }),
    curve("extra", "extra", agents, { computations: 1800 * scale, noise: 1.5 }),
    curve("dgd", "dgd", agents, { computations: 1600 * scale }),
    curve("ssda", "ssda", agents, { computations: 1600 * scale, noise: 0.8, seeds: [1 + Math.round(10 * scale)] }),
    curve("dgd step-scale=4", "dgd", agents, { computations: 1200, diverges: true }),
    curve("agd", "agd", agents, { computations: 600 }),
  ];
  return report([
    problem("mnist-cycle-16", "mnist 3,8, logistic, cycle:16", curves(16, 1)),
    problem("mnist-barbell-8", "mnist 3,8, logistic, barbell:8", curves(8, 1.4), { agents: 8, kappaW: 61.2 }),
    problem("mnist-torus-5x5", "mnist 3,8, logistic, torus:5x5", curves(25, 0.8), { agents: 25, kappaW: 5.2 }),
  ]);
}

/** One curve, nothing to compare: a single `ideal solve`. */
export function single() {
  return report([problem("solve", "synthetic, ridge, complete:8", [curve("ideal", "ideal", 8)], { agents: 8 })], {
    title: "ideal on a synthetic problem",
    command: "ideal solve --method ideal",
  });
}

/** Everything that may be missing is missing, and every method fails. */
export function barren() {
  const bare = problem("barren", "all methods diverge", [
    curve("dgd", "dgd", 4, { diverges: true }),
    curve("extra", "extra", 4, { diverges: true }),
  ]);
  return report([{ ...bare, drawing: null, spectrum: null, certified_gap: null, floor: 0, kappa_W: null }], {
    taus: [],
  });
}

/** A report of 30 curves with `points` records each. */
export function large(points) {
  const names = ["ideal", "mideal", "extra", "ssda", "dgd"];
  const curves = Array.from({ length: 30 }, (_, i) =>
    curve(`${names[i % 5]} T=${10 * (i + 1)}`, names[i % 5], 16, {
      points,
      computations: 20000,
      seeds: [i + 1],
      noise: 1.9,
    }),
  );
  return report([problem("large", "30 curves", curves)]);
}

const evilText =
  "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>${alert(1)}\u2028%_#&{}\\";

/** Every string is an attack. */
export function evil() {
  const twist = (value, key) => {
    if (typeof value === "string") return key === "status" || key === "method" ? value : evilText + value;
    if (Array.isArray(value)) return value.map((item) => twist(item));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, twist(v, k)]));
    }
    return value;
  };
  const bad = twist(typical());
  bad.environment[evilText] = evilText;
  bad.methods.__proto__ = {};
  bad.problems[0].curves[0].method = "constructor";
  bad.problems[0].curves[1].parameters[evilText] = evilText;
  return bad;
}

/** The program's escapes: the JSON never leaves its element. */
export function embed(template, data) {
  const unicode = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, unicode);
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const title = data.title.replace(/[&<>"']/g, (char) => entities[char]);
  return template.replace("@TITLE@", () => title).replace("@DATA@", () => json);
}
