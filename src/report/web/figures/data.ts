// SPDX-License-Identifier: Apache-2.0
// What a report is made from. The program writes this object; every string in it is untrusted text.

export type Column = Float64Array;

export interface Trace {
  computations: Column;
  communications: Column;
  bytes: Column;
  seconds: Column;
  suboptimality: Column;
  worst: Column;
  consensus: Column;
}

export type Status = "converged" | "budget" | "diverged" | "interrupted";

export interface Run {
  seed: number;
  status: Status;
  message: string;
  directory: string;
  seconds: number;
  agents: number[] | null;
  trace: Trace;
  /** Where an accuracy was first reached, noted when first asked for: records are many, questions repeat. */
  reached: { [question: string]: number };
}

export interface Curve {
  id: string;
  label: string;
  method: string;
  set: string[];
  parameters: { [key: string]: number | string | boolean };
  runs: Run[];
}

export interface Drawing {
  x: number[];
  y: number[];
  edges: [number, number][];
}

export interface Problem {
  id: string;
  title: string;
  data: { name: string; rows: number; columns: number; dimension: number; sparse: boolean };
  loss: string;
  l2: number;
  partition: string;
  graph: string;
  mixing: string;
  agents: number;
  edges: number;
  L: number;
  mu: number;
  kappa_f: number;
  lambda_max: number;
  lambda_min: number;
  kappa_W: number;
  f_star: number;
  gradient_norm: number;
  certified_gap: number | null;
  floor: number;
  spectrum: number[] | null;
  drawing: Drawing | null;
  curves: Curve[];
}

export interface MethodInfo {
  name: string;
  family: string;
  summary: string;
  rule: string;
  cost: string;
  rate: string;
  citation: string;
}

export interface Report {
  format: number;
  title: string;
  version: string;
  date: string;
  command: string;
  config: string;
  environment: { [key: string]: string | number };
  taus: number[];
  jobs: number;
  methods: { [id: string]: MethodInfo };
  problems: Problem[];
}

const columns: (keyof Trace)[] = [
  "computations",
  "communications",
  "bytes",
  "seconds",
  "suboptimality",
  "worst",
  "consensus",
];

/** JSON has no NaN: the program writes null. As a number, null would be 0, the best gap of all. */
function column(values: (number | null)[] | undefined): Column {
  const length = values ? values.length : 0;
  const out = new Float64Array(length);
  for (let i = 0; i < length; ++i) {
    const value = values![i];
    out[i] = value === null ? NaN : value;
  }
  return out;
}

export function parseReport(text: string): Report {
  const report = JSON.parse(text) as Report;
  if (report.format !== 1) {
    throw new Error("data of format " + report.format + " (this page reads format 1). Render the report again.");
  }
  for (const problem of report.problems) {
    for (const curve of problem.curves) {
      for (const run of curve.runs) {
        const raw = run.trace as unknown as { [name: string]: (number | null)[] };
        const trace = {} as Trace;
        for (const name of columns) trace[name] = column(raw[name]);
        run.trace = trace;
        run.reached = {};
      }
    }
  }
  return report;
}

/** A method that never communicates stands for a server with all the data: shown, but no rival. */
export function isCentralized(report: Report, curve: Curve): boolean {
  const info = own(report.methods, curve.method);
  return info !== null && (info.family === "centralized" || /^\([^,()]*,\s*0\)/.test(info.cost));
}

/** Keys are untrusted: `constructor` must not find what every object has. */
export function own<T>(object: { [key: string]: T }, key: string): T | null {
  return Object.prototype.hasOwnProperty.call(object, key) ? object[key] : null;
}

/** Every curve's identity over all problems, in order of first appearance: colours and line styles follow it. */
export function curveIds(report: Report): string[] {
  const ids: string[] = [];
  const seen: { [id: string]: boolean } = {};
  for (const problem of report.problems) {
    for (const curve of problem.curves) {
      const key = "id:" + curve.id;
      if (!seen[key]) {
        seen[key] = true;
        ids.push(curve.id);
      }
    }
  }
  return ids;
}

export function diverged(curve: Curve): number {
  return curve.runs.filter((run) => run.status === "diverged").length;
}
