// SPDX-License-Identifier: Apache-2.0
// What the traces say: costs on an axis, time to an accuracy, winners, profiles, bands, the lower bound.
import { Column, Curve, Problem, Report, Run, isCentralized } from "./data";

export type AxisName = "computations" | "communications" | "bytes" | "time" | "wall";
export type Measure = "worst" | "mean" | "consensus";

export const axisNames: AxisName[] = ["computations", "communications", "bytes", "time", "wall"];
export const accuracies = [1e-4, 1e-6, 1e-8, 1e-10];

/** A view on the traces: which error, and how dear a communication is in computations. */
export interface View {
  measure: Measure;
  tau: number;
}

export function errors(run: Run, measure: Measure): Column {
  switch (measure) {
    case "worst":
      return run.trace.worst;
    case "mean":
      return run.trace.suboptimality;
    case "consensus":
      return run.trace.consensus;
  }
}

export function costs(run: Run, axis: AxisName, tau: number): Column {
  switch (axis) {
    case "computations":
      return run.trace.computations;
    case "communications":
      return run.trace.communications;
    case "bytes":
      return run.trace.bytes;
    case "wall":
      return run.trace.seconds;
    case "time": {
      const computations = run.trace.computations;
      const communications = run.trace.communications;
      const time = new Float64Array(computations.length);
      for (let i = 0; i < time.length; ++i) time[i] = computations[i] + tau * communications[i];
      return time;
    }
  }
}

/** A consensus error is no accuracy: where it is shown, accuracies are those of the worst agent. */
export function gapMeasure(measure: Measure): Measure {
  return measure === "consensus" ? "worst" : measure;
}

/** The first record at or below `eps`, or -1. */
function firstAtOrBelow(run: Run, measure: Measure, eps: number): number {
  const question = measure + " " + eps;
  const known = run.reached[question];
  if (known !== undefined) return known;
  const gaps = errors(run, measure);
  let found = -1;
  for (let i = 0; i < gaps.length && found < 0; ++i) if (gaps[i] <= eps) found = i;
  return (run.reached[question] = found);
}

/** Simulated time at the first record at or below `eps`; Infinity if there is none. */
export function timeToAccuracy(run: Run, eps: number, view: View): number {
  const first = firstAtOrBelow(run, gapMeasure(view.measure), eps);
  return first < 0 ? Infinity : run.trace.computations[first] + view.tau * run.trace.communications[first];
}

/** Linear interpolation between order statistics; `sorted` ascends and may end in Infinity. */
export function quantile(sorted: number[], q: number): number {
  if (sorted.length === 0) return NaN;
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const part = place - below;
  if (part === 0) return sorted[below];
  const above = sorted[below + 1];
  // Infinity - Infinity is not a number
  return above === Infinity ? Infinity : sorted[below] + part * (above - sorted[below]);
}

function ascending(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function median(values: number[]): number {
  if (values.length === 1) return values[0];
  return values.length === 0 ? Infinity : quantile(values.slice().sort(ascending), 0.5);
}

/** Median over the seeds; a seed that never arrives counts as Infinity. */
export function curveTime(curve: Curve, eps: number, view: View): number {
  return median(curve.runs.map((run) => timeToAccuracy(run, eps, view)));
}

export function rivals(report: Report, curves: Curve[]): Curve[] {
  return curves.filter((curve) => !isCentralized(report, curve));
}

/** The fastest time among `curves`, Infinity if none arrives. */
export function bestTime(curves: Curve[], eps: number, view: View): number {
  return Math.min.apply(null, curves.map((curve) => curveTime(curve, eps, view)).concat(Infinity));
}

// ---- who wins where -------------------------------------------------------------------------------------

export interface WinnerMap {
  taus: number[]; // cell centres, ascending
  epss: number[]; // cell centres, descending
  curves: Curve[];
  winner: number[][]; // [eps][tau]: index into curves, or -1
  time: number[][];
}

/** `count` numbers from 10^first to 10^last at equal ratios. */
export function logGrid(first: number, last: number, count: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < count; ++i) out.push(Math.pow(10, first + ((last - first) * i) / Math.max(1, count - 1)));
  return out;
}

/** Counts at the first record at or below each accuracy (descending), in one pass. */
function arrivals(run: Run, measure: Measure, epss: number[]): ([number, number] | null)[] {
  const gaps = errors(run, gapMeasure(measure));
  const out: ([number, number] | null)[] = [];
  let i = 0;
  for (const eps of epss) {
    while (i < gaps.length && !(gaps[i] <= eps)) ++i;
    out.push(i < gaps.length ? [run.trace.computations[i], run.trace.communications[i]] : null);
  }
  return out;
}

export function winnerMap(curves: Curve[], measure: Measure, taus: number[], epss: number[]): WinnerMap {
  const reached = curves.map((curve) => curve.runs.map((run) => arrivals(run, measure, epss)));
  const map: WinnerMap = { taus, epss, curves, winner: [], time: [] };
  epss.forEach((_, row) => {
    const winners: number[] = [];
    const times: number[] = [];
    for (const tau of taus) {
      let winner = -1;
      let best = Infinity;
      for (let c = 0; c < curves.length; ++c) {
        const time = median(
          reached[c].map((arrival) => {
            const counts = arrival[row];
            return counts ? counts[0] + tau * counts[1] : Infinity;
          }),
        );
        if (time < best) {
          best = time;
          winner = c;
        }
      }
      winners.push(winner);
      times.push(best);
    }
    map.winner.push(winners);
    map.time.push(times);
  });
  return map;
}

/** Decades from the start of the slowest curve down to the best gap anyone reached, but not into rounding. */
export function accuracyRange(problem: Problem, curves: Curve[], measure: Measure): [number, number] {
  let start = 0;
  let end = Infinity;
  for (const curve of curves) {
    for (const run of curve.runs) {
      const gaps = errors(run, gapMeasure(measure));
      if (gaps.length > 0 && gaps[0] > start) start = gaps[0];
      for (let i = 0; i < gaps.length; ++i) if (gaps[i] < end) end = gaps[i];
    }
  }
  end = Math.max(end, problem.floor > 0 ? problem.floor : 1e-16);
  const high = start > 0 && start < Infinity ? Math.floor(log10(start)) : 0;
  const low = end < Infinity ? Math.ceil(log10(end)) : -10;
  return [high, Math.min(low, high - 1)];
}

export function log10(value: number): number {
  return Math.log(value) / Math.LN10;
}

// ---- performance profile --------------------------------------------------------------------------------

export interface ProfileCurve {
  id: string;
  label: string;
  factors: number[]; // ascending: at factors[k] the share rises to shares[k]
  shares: number[];
}

export interface Profile {
  problems: number; // those that somebody solved
  curves: ProfileCurve[];
}

/** Share of problems a method solves within a factor of the best; problems nobody solves are left out. */
export function performanceProfile(report: Report, ids: string[], eps: number, view: View): Profile {
  const ratios: { [id: string]: number[] } = {};
  const labels: { [id: string]: string } = {};
  let solved = 0;
  for (const problem of report.problems) {
    const curves = rivals(report, problem.curves).filter((curve) => ids.indexOf(curve.id) >= 0);
    const best = bestTime(curves, eps, view);
    for (const curve of curves) labels["id:" + curve.id] = curve.label;
    if (best === Infinity) continue;
    ++solved;
    for (const curve of curves) {
      const key = "id:" + curve.id;
      const time = curveTime(curve, eps, view);
      // a start that is good enough already costs nothing: all who have it are as good as the best
      const ratio = time === best ? 1 : time / best;
      (ratios[key] = ratios[key] || []).push(ratio);
    }
  }
  const curves: ProfileCurve[] = [];
  for (const id of ids) {
    const key = "id:" + id;
    if (labels[key] === undefined) continue;
    const finite = (ratios[key] || []).filter((ratio) => ratio < Infinity).sort(ascending);
    curves.push({ id, label: labels[key], factors: finite, shares: finite.map((_, k) => (k + 1) / solved) });
  }
  return { problems: solved, curves };
}

// ---- several seeds --------------------------------------------------------------------------------------

export interface Band {
  x: number[];
  low: number[]; // 10 %
  mid: number[];
  high: number[]; // 90 %
}

const bandPoints = 600;

/** Where the seeds of a curve were recorded, thinned evenly. */
function sharedGrid(xs: Column[]): number[] {
  const all: number[] = [];
  for (const x of xs) for (let i = 0; i < x.length; ++i) if (x[i] === x[i]) all.push(x[i]);
  all.sort(ascending);
  const distinct = all.filter((value, i) => i === 0 || value !== all[i - 1]);
  if (distinct.length <= bandPoints) return distinct;
  const out: number[] = [];
  for (let k = 0; k < bandPoints; ++k) {
    out.push(distinct[Math.round((k * (distinct.length - 1)) / (bandPoints - 1))]);
  }
  return out;
}

/**
 * One run on a grid: straight between records on the logarithmic scale. A run that has ended keeps its last error, unless it
 * diverged: then it is lost for good.
 */
function onGrid(x: Column, y: Column, lost: boolean, grid: number[]): number[] {
  let i = 0;
  return grid.map((at) => {
    while (i + 1 < x.length && x[i + 1] <= at) ++i;
    if (x.length === 0 || x[0] > at) return NaN;
    if (i + 1 === x.length) return lost && x[i] < at ? Infinity : y[i];
    if (x[i] === at || !(y[i] > 0) || !(y[i + 1] > 0)) return y[i];
    const part = (at - x[i]) / (x[i + 1] - x[i]);
    return y[i] * Math.pow(y[i + 1] / y[i], part);
  });
}

/** Median and 10-90 % band over the seeds of a curve. */
export function band(curve: Curve, axis: AxisName, view: View): Band {
  const xs = curve.runs.map((run) => costs(run, axis, view.tau));
  const grid = sharedGrid(xs);
  const values = curve.runs.map((run, r) => onGrid(xs[r], errors(run, view.measure), run.status === "diverged", grid));
  const out: Band = { x: grid, low: [], mid: [], high: [] };
  for (let k = 0; k < grid.length; ++k) {
    const here = values.map((value) => value[k]).filter((value) => value === value);
    here.sort(ascending);
    out.low.push(quantile(here, 0.1));
    out.mid.push(quantile(here, 0.5));
    out.high.push(quantile(here, 0.9));
  }
  return out;
}

// ---- lower bound ----------------------------------------------------------------------------------------

export interface LowerBound {
  gap0: number;
  scale: number; // the cost in which the gap falls by a factor e
}

/** The bound without its constant: gap_0 exp(-cost/scale). Not known against bytes and wall time, nor for consensus. */
export function lowerBound(problem: Problem, axis: AxisName, view: View): LowerBound | null {
  if (view.measure === "consensus") return null;
  const rootF = root(problem.kappa_f);
  const rootW = root(problem.kappa_W);
  let scale = NaN;
  if (axis === "computations") scale = rootF;
  if (axis === "communications") scale = rootF * rootW;
  if (axis === "time") scale = rootF * (1 + view.tau * rootW);
  const gap0 = startGap(problem, view.measure);
  return scale > 0 && scale < Infinity && gap0 > 0 && gap0 < Infinity ? { gap0, scale } : null;
}

/** Of a number that may be unknown, which is null: as a number it would be 0. */
function root(value: number | null): number {
  return value === null ? NaN : Math.sqrt(value);
}

/** All methods start from the same point. */
export function startGap(problem: Problem, measure: Measure): number {
  for (const curve of problem.curves) {
    for (const run of curve.runs) {
      const gaps = errors(run, measure);
      if (gaps.length > 0 && gaps[0] > 0) return gaps[0];
    }
  }
  return NaN;
}
