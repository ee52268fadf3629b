// SPDX-License-Identifier: Apache-2.0
// The map over (tau, eps) of which method is fastest.
import { View, WinnerMap, accuracyRange, log10, logGrid, rivals, winnerMap } from "./analysis";
import { logAxis } from "./axis";
import { Chosen } from "./convergence";
import { Problem, Report } from "./data";
import { Cell, Figure, LabelLayer, LegendEntry, Table } from "./figure";
import { epsSymbol, plain, tauSymbol } from "./text";
import { Theme, mix } from "./theme";

const tauCells = 72;
const epsCells = 48;

export interface Winners {
  problem: Problem;
  map: WinnerMap;
  styles: number[]; // of map.curves
  tauDecades: [number, number];
  epsDecades: [number, number];
}

/** A decade beyond the regimes worth naming, on either side. */
export function tauDecades(taus: number[]): [number, number] {
  const positive = taus.filter((tau) => tau > 0 && isFinite(tau));
  if (positive.length === 0) return [-2, 3];
  const low = Math.floor(log10(Math.min.apply(null, positive)) + 1e-9) - 1;
  const high = Math.ceil(log10(Math.max.apply(null, positive)) - 1e-9) + 1;
  return [Math.max(-6, low), Math.min(9, high)];
}

/** Centres of `count` cells between two powers of ten. */
function centres(from: number, to: number, count: number): number[] {
  const half = (to - from) / count / 2;
  return logGrid(from + half, to - half, count);
}

export function winners(report: Report, problem: Problem, chosen: Chosen[], view: View): Winners {
  const running = rivals(
    report,
    chosen.map((one) => one.curve),
  );
  const styles = running.map((curve) => chosen.filter((one) => one.curve === curve)[0].style);
  const [tauLow, tauHigh] = tauDecades(report.taus);
  const [epsHigh, epsLow] = accuracyRange(problem, running, view.measure);
  const map = winnerMap(running, view.measure, centres(tauLow, tauHigh, tauCells), centres(epsHigh, epsLow, epsCells));
  return { problem, map, styles, tauDecades: [tauLow, tauHigh], epsDecades: [epsLow, epsHigh] };
}

// ---- regions --------------------------------------------------------------------------------------------

interface Block {
  row0: number;
  row1: number;
  column0: number;
  column1: number; // one past the end
  winner: number;
}

/** Runs of equal cells, joined with equal runs below: few rectangles instead of thousands of cells. */
export function blocks(winner: number[][]): Block[] {
  const done: Block[] = [];
  let open: Block[] = [];
  winner.forEach((row, r) => {
    const next: Block[] = [];
    let start = 0;
    for (let c = 1; c <= row.length; ++c) {
      if (c < row.length && row[c] === row[start]) continue;
      const run: Block = { row0: r, row1: r + 1, column0: start, column1: c, winner: row[start] };
      const above = open.filter((b) => b.column0 === start && b.column1 === c && b.winner === run.winner)[0];
      if (above) above.row1 = r + 1;
      next.push(above || run);
      start = c;
    }
    for (const block of open) if (next.indexOf(block) < 0) done.push(block);
    open = next;
  });
  return done.concat(open);
}

/** How far each cell is from another winner or the edge, in steps of a king. */
function depths(winner: number[][]): number[][] {
  const rows = winner.length;
  const columns = rows > 0 ? winner[0].length : 0;
  const depth = winner.map((row) => row.map(() => Infinity));
  const relax = (r: number, c: number, dr: number, dc: number): void => {
    const [nr, nc] = [r + dr, c + dc];
    const inside = nr >= 0 && nr < rows && nc >= 0 && nc < columns && winner[nr][nc] === winner[r][c];
    depth[r][c] = Math.min(depth[r][c], inside ? depth[nr][nc] + 1 : 1);
  };
  for (let r = 0; r < rows; ++r) {
    for (let c = 0; c < columns; ++c) {
      for (const [dr, dc] of [
        [-1, -1],
        [-1, 0],
        [-1, 1],
        [0, -1],
      ])
        relax(r, c, dr, dc);
    }
  }
  for (let r = rows - 1; r >= 0; --r) {
    for (let c = columns - 1; c >= 0; --c) {
      for (const [dr, dc] of [
        [1, 1],
        [1, 0],
        [1, -1],
        [0, 1],
      ])
        relax(r, c, dr, dc);
    }
  }
  return depth;
}

/** The deepest cell of each winner's land: where its letter fits best. */
function letterPlaces(winner: number[][]): { winner: number; row: number; column: number }[] {
  const depth = depths(winner);
  const best: { [winner: number]: { winner: number; row: number; column: number; depth: number } } = {};
  winner.forEach((row, r) =>
    row.forEach((who, c) => {
      if (!best[who] || depth[r][c] > best[who].depth)
        best[who] = { winner: who, row: r, column: c, depth: depth[r][c] };
    }),
  );
  return Object.keys(best)
    .map((who) => best[Number(who)])
    .filter((place) => place.depth >= 2);
}

// ---- figure ---------------------------------------------------------------------------------------------

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Winners in order of their land, largest first, with their letters. */
export function landLetters(map: WinnerMap): { winner: number; letter: string; share: number }[] {
  const count: { [winner: number]: number } = {};
  let all = 0;
  for (const row of map.winner) {
    for (const who of row) {
      count[who] = (count[who] || 0) + 1;
      ++all;
    }
  }
  const order = Object.keys(count)
    .map(Number)
    .filter((who) => who >= 0)
    .sort((a, b) => count[b] - count[a] || a - b);
  return order.map((winner, i) => ({
    winner,
    letter: alphabet.charAt(i % alphabet.length),
    share: count[winner] / all,
  }));
}

function table(model: Winners): Table {
  const rows: (string | number)[][] = [];
  model.map.epss.forEach((eps, r) =>
    model.map.taus.forEach((tau, c) => {
      const who = model.map.winner[r][c];
      const round = (value: number): number => Number(value.toPrecision(9));
      rows.push([round(tau), round(eps), who < 0 ? "" : model.map.curves[who].label, round(model.map.time[r][c])]);
    }),
  );
  return { columns: ["tau", "eps", "winner", "time"], rows };
}

export function winnersFigure(name: string, model: Winners, theme: Theme): Figure {
  const { map } = model;
  const fill = (who: number): string =>
    who < 0 ? theme.grid : mix(theme.series[model.styles[who] % theme.series.length], theme.paper, 0.55);
  const [tauLow, tauHigh] = model.tauDecades;
  const [epsLow, epsHigh] = model.epsDecades;
  const tauAt = (column: number): number => Math.pow(10, tauLow + ((tauHigh - tauLow) * column) / map.taus.length);
  const epsAt = (row: number): number => Math.pow(10, epsHigh - ((epsHigh - epsLow) * row) / map.epss.length);
  const cells: Cell[] = blocks(map.winner).map((block) => ({
    x0: tauAt(block.column0),
    x1: tauAt(block.column1),
    y0: epsAt(block.row0),
    y1: epsAt(block.row1),
    fill: fill(block.winner),
  }));
  const letters = landLetters(map);
  const labels: LabelLayer[] = [];
  for (const place of letterPlaces(map.winner)) {
    const land = letters.filter((one) => one.winner === place.winner)[0];
    if (!land) continue;
    const [x, y] = [tauAt(place.column + 0.5), epsAt(place.row + 0.5)];
    labels.push({ kind: "label", x, y, text: plain(land.letter), colour: theme.ink });
  }
  const legend: LegendEntry[] = letters.map((land) => ({
    text: plain(map.curves[land.winner].label),
    swatch: { kind: "box", fill: fill(land.winner), letter: land.letter },
  }));
  if (map.winner.some((row) => row.indexOf(-1) >= 0)) {
    legend.push({ text: plain("reached by none"), swatch: { kind: "box", fill: theme.grid, letter: "" } });
  }
  const yAxis = logAxis(plain("accuracy ").concat(epsSymbol), epsLow, epsHigh, 8);
  return {
    name,
    title: `${model.problem.title}: the fastest method`,
    width: 340,
    height: 200,
    axes: { x: logAxis(tauSymbolLabel(), tauLow, tauHigh, 8), y: yAxis },
    framed: true,
    layers: [{ kind: "cells", cells }, ...labels],
    legend,
    bar: null,
    note: null,
    table: table(model),
  };
}

function tauSymbolLabel(): ReturnType<typeof plain> {
  return [tauSymbol].concat(plain(" (price of a communication in computations)"));
}
