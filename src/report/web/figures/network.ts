// SPDX-License-Identifier: Apache-2.0
// The graph, its nodes coloured by the final error of their agents, and the spectrum of its weights.
import { log10 } from "./analysis";
import { Axis, linearAxis } from "./axis";
import { Drawing, Problem } from "./data";
import { ColourBar, Figure, Table } from "./figure";
import { numberText, plain } from "./text";
import { Theme, rampColour } from "./theme";

const side = 240;

function unitAxis(): Axis {
  return { label: [], log: false, min: -0.04, max: 1.04, ticks: [] };
}

/** Shares of a logarithmic scale from the smallest to the largest error; null where an error is unknown. */
export function errorShares(errors: number[]): { shares: (number | null)[]; low: number; high: number } | null {
  const positive = errors.filter((error) => error !== null && error > 0 && isFinite(error));
  if (positive.length === 0) return null;
  const low = Math.min.apply(null, positive);
  const high = Math.max.apply(null, positive);
  const range = log10(high) - log10(low);
  const shares = errors.map((error) => {
    if (error === null || error !== error) return null;
    if (error <= low) return 0;
    return range > 0 ? Math.min(1, (log10(error) - log10(low)) / range) : 0;
  });
  return { shares, low, high };
}

function neighbours(drawing: Drawing): number[][] {
  const lists: number[][] = drawing.x.map(() => []);
  for (const [i, j] of drawing.edges) {
    lists[i].push(j);
    lists[j].push(i);
  }
  return lists;
}

function graphTable(drawing: Drawing, errors: number[] | null): Table {
  const lists = neighbours(drawing);
  return {
    columns: ["agent", "x", "y", "suboptimality", "neighbours"],
    rows: drawing.x.map((x, i) => [i, x, drawing.y[i], errors ? errors[i] : "", lists[i].join(" ")]),
  };
}

export function graphFigure(
  name: string,
  problem: Problem,
  drawing: Drawing,
  errors: number[] | null,
  theme: Theme,
): Figure {
  const scale = errors ? errorShares(errors) : null;
  const unknown = theme.grid;
  const fills = scale ? scale.shares.map((share) => (share === null ? unknown : rampColour(share))) : [theme.series[0]];
  let bar: ColourBar | null = null;
  if (scale) {
    const colours: string[] = [];
    for (let k = 0; k < 24; ++k) colours.push(rampColour(k / 23));
    bar = {
      label: plain("final suboptimality"),
      low: numberText(rounded(scale.low, 2)),
      high: numberText(rounded(scale.high, 2)),
      colours,
    };
  }
  const { x, y, edges } = drawing;
  const many = x.length > 100;
  return {
    name,
    title: `${problem.title}: the network`,
    width: side + (bar ? 90 : 16),
    height: side,
    axes: { x: unitAxis(), y: unitAxis() },
    framed: false,
    layers: [
      {
        kind: "segments",
        segments: edges.map(([i, j]): [number, number, number, number] => [x[i], y[i], x[j], y[j]]),
        stroke: { colour: theme.quiet, width: many ? 0.4 : 0.8, dash: [] },
      },
      {
        kind: "dots",
        xs: x,
        ys: y,
        radius: many ? 2.4 : 4.6,
        fills,
        outline: theme.quiet,
        titles: agentTitles(x.length, errors),
      },
    ],
    legend: [],
    bar,
    note: null,
    table: graphTable(drawing, errors),
  };
}

function agentTitles(agents: number, errors: number[] | null): string[] {
  const out: string[] = [];
  for (let i = 0; i < agents; ++i) {
    const known = errors && errors[i] !== null && isFinite(errors[i]);
    out.push(`agent ${i}` + (known ? `: ${errors![i].toPrecision(3)}` : ""));
  }
  return out;
}

function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

export function spectrumFigure(name: string, problem: Problem, spectrum: number[], theme: Theme): Figure {
  const index = spectrum.map((_, k) => k + 1);
  const top = Math.max.apply(null, spectrum.concat(0));
  return {
    name,
    title: `${problem.title}: eigenvalues of W`,
    width: 300,
    height: 180,
    axes: {
      x: linearAxis(plain("index"), 0, spectrum.length + 1, 6),
      y: linearAxis(plain("eigenvalue of W"), Math.min(0, -0.04 * top), top > 0 ? 1.06 * top : 1, 6),
    },
    framed: true,
    layers: [
      {
        kind: "dots",
        xs: index,
        ys: spectrum,
        radius: spectrum.length > 120 ? 1.2 : 2.4,
        fills: [theme.series[0]],
        outline: theme.paper,
        titles: spectrum.map((value, k) => `eigenvalue ${k + 1}: ${rounded(value, 6)}`),
      },
    ],
    legend: [],
    bar: null,
    note: null,
    table: { columns: ["index", "eigenvalue"], rows: spectrum.map((value, k) => [k + 1, value]) },
  };
}
