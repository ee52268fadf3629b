// SPDX-License-Identifier: Apache-2.0
// Error against a cost, a curve for each method: what is drawn, on paper and on the page.
import { AxisName, LowerBound, Measure, View, band, costs, errors, log10, lowerBound, startGap } from "./analysis";
import { Axis, linearAxis, logAxis } from "./axis";
import { Curve, Problem, diverged } from "./data";
import { Figure, Layer, LegendEntry, Numbers, Stroke, Table } from "./figure";
import { Text, numberText, plain, tauSymbol } from "./text";
import { Theme, lineStyle } from "./theme";

export interface DrawnCurve {
  curve: Curve;
  style: number; // see lineStyle
  xs: Numbers;
  ys: Numbers;
  band: { low: Numbers; high: Numbers } | null;
}

/** A curve and the number of its look. */
export interface Chosen {
  curve: Curve;
  style: number;
}

export interface Convergence {
  problem: Problem;
  axis: AxisName;
  view: View;
  curves: DrawnCurve[];
  bound: LowerBound | null;
  xMax: number;
  decades: [number, number];
}

export function axisLabel(axis: AxisName, tau: number): Text {
  switch (axis) {
    case "computations":
      return plain("computations (gradients of every agent)");
    case "communications":
      return plain("communications (rounds)");
    case "bytes":
      return plain("bytes sent by all agents");
    case "wall":
      return plain("wall time in seconds");
    case "time":
      return plain("simulated time, ").concat(tauSymbol, plain(" = "), numberText(tau));
  }
}

export function measureLabel(measure: Measure): string {
  switch (measure) {
    case "worst":
      return "suboptimality of the worst agent";
    case "mean":
      return "suboptimality of the average";
    case "consensus":
      return "distance to consensus";
  }
}

const beyondAll = 1e300;

/** What a logarithmic scale can show: gaps within rounding of f* stand at that floor, and zero elsewhere is a gap. */
function drawable(values: Numbers, problem: Problem, measure: Measure): Float64Array {
  const floor = measure === "consensus" || !(problem.floor > 0) ? 0 : problem.floor;
  const out = new Float64Array(values.length);
  for (let i = 0; i < values.length; ++i) {
    const value = values[i];
    if (value > 0) out[i] = Math.min(Math.max(value, floor), beyondAll);
    else out[i] = value <= 0 && floor > 0 ? floor : NaN;
  }
  return out;
}

export function drawnCurve(problem: Problem, chosen: Chosen, axis: AxisName, view: View): DrawnCurve {
  const { curve, style } = chosen;
  const clean = (values: Numbers): Float64Array => drawable(values, problem, view.measure);
  if (curve.runs.length === 1) {
    const run = curve.runs[0];
    return { curve, style, xs: costs(run, axis, view.tau), ys: clean(errors(run, view.measure)), band: null };
  }
  const seeds = band(curve, axis, view);
  return { curve, style, xs: seeds.x, ys: clean(seeds.mid), band: { low: clean(seeds.low), high: clean(seeds.high) } };
}

/** Whole decades that show every curve from its start, without following a diverging one. */
function decades(problem: Problem, curves: DrawnCurve[], measure: Measure): [number, number] {
  const start = measure === "consensus" ? NaN : startGap(problem, measure);
  let low = Infinity;
  let high = 0;
  for (const { curve, ys } of curves) {
    const limit = diverged(curve) > 0 ? 10 * start : start === start ? 1000 * start : Infinity;
    for (let i = 0; i < ys.length; ++i) {
      if (!(ys[i] <= limit)) continue;
      if (ys[i] < low) low = ys[i];
      if (ys[i] > high) high = ys[i];
    }
  }
  if (!(high > 0)) return [-1, 1];
  const top = Math.ceil(log10(high) - 1e-9);
  return [Math.min(Math.floor(log10(low) + 1e-9), top - 1), top];
}

/** Where a curve ends: at its first record within rounding, or its last that is known (a diverged run has no more). */
function endOf({ xs, ys }: DrawnCurve, floor: number): number {
  let end = 0;
  for (let i = 0; i < xs.length; ++i) {
    if (ys[i] === ys[i] && isFinite(xs[i])) end = xs[i];
    if (ys[i] <= floor) break;
  }
  return end;
}

export function convergence(problem: Problem, chosen: Chosen[], axis: AxisName, view: View): Convergence {
  const curves = chosen.map((one) => drawnCurve(problem, one, axis, view));
  const floor = view.measure === "consensus" ? 0 : problem.floor;
  const xMax = Math.max.apply(null, curves.map((drawn) => endOf(drawn, floor)).concat(0));
  return {
    problem,
    axis,
    view,
    curves,
    bound: lowerBound(problem, axis, view),
    xMax: xMax > 0 ? xMax : 1,
    decades: decades(problem, curves, view.measure),
  };
}

/** From the start to where the line leaves the plot. */
export function boundLine(bound: LowerBound, model: Convergence): { xs: number[]; ys: number[] } {
  const bottom = Math.pow(10, model.decades[0]);
  const end = Math.min(model.xMax, bound.scale * Math.log(bound.gap0 / bottom));
  return { xs: [0, end], ys: [bound.gap0, bound.gap0 * Math.exp(-end / bound.scale)] };
}

export function curveLabel(curve: Curve): string {
  const lost = diverged(curve);
  if (lost === 0) return curve.label;
  return (
    curve.label + (lost === curve.runs.length ? " (diverged)" : ` (${lost} of ${curve.runs.length} seeds diverged)`)
  );
}

function table(model: Convergence): Table {
  const columns = ["curve", "seed", model.axis === "wall" ? "seconds" : model.axis, measureColumn(model.view.measure)];
  const rows: (string | number)[][] = [];
  for (const { curve } of model.curves) {
    for (const run of curve.runs) {
      const xs = costs(run, model.axis, model.view.tau);
      const ys = errors(run, model.view.measure);
      for (let i = 0; i < xs.length; ++i) rows.push([curve.label, run.seed, xs[i], ys[i]]);
    }
  }
  return { columns, rows };
}

function measureColumn(measure: Measure): string {
  return measure === "worst" ? "worst_suboptimality" : measure === "mean" ? "suboptimality" : "consensus";
}

export function convergenceAxes(model: Convergence): { x: Axis; y: Axis } {
  return {
    x: linearAxis(axisLabel(model.axis, model.view.tau), 0, model.xMax, 6),
    y: logAxis(plain(measureLabel(model.view.measure)), model.decades[0], model.decades[1], 8),
  };
}

export function convergenceFigure(name: string, model: Convergence, theme: Theme): Figure {
  const layers: Layer[] = [];
  const legend: LegendEntry[] = [];
  for (const drawn of model.curves) {
    if (drawn.band) {
      const { low, high } = drawn.band;
      const fill = lineStyle(theme, drawn.style).colour;
      layers.push({ kind: "band", xs: drawn.xs, low, high, fill, opacity: 0.16 });
    }
  }
  if (model.bound) {
    const stroke: Stroke = { colour: theme.quiet, width: 1, dash: [3, 3] };
    layers.push({ kind: "line", ...boundLine(model.bound, model), stroke, mark: null, shift: 0 });
  }
  model.curves.forEach((drawn) => {
    const { colour, dash, mark } = lineStyle(theme, drawn.style);
    const stroke: Stroke = { colour, width: 1.1, dash };
    layers.push({ kind: "line", xs: drawn.xs, ys: drawn.ys, stroke, mark, shift: drawn.style });
    legend.push({ text: plain(curveLabel(drawn.curve)), swatch: { kind: "line", stroke, mark } });
  });
  if (model.bound) {
    const stroke: Stroke = { colour: theme.quiet, width: 1, dash: [3, 3] };
    legend.push({ text: plain("lower bound, constant left out"), swatch: { kind: "line", stroke, mark: null } });
  }
  return {
    name,
    title: `${model.problem.title}: ${measureLabel(model.view.measure)} against ${model.axis}`,
    width: 380,
    height: 220,
    axes: convergenceAxes(model),
    framed: true,
    layers,
    legend,
    bar: null,
    note: model.curves.some((drawn) => drawn.band !== null)
      ? plain("Lines are medians over seeds; bands hold 10 to 90 %.")
      : null,
    table: table(model),
  };
}
