// SPDX-License-Identifier: Apache-2.0
// A figure before it is drawn: axes, layers in data coordinates, legend, and the numbers behind it.
import { Axis } from "./axis";
import { Text } from "./text";
import { Mark } from "./theme";

export type Numbers = ArrayLike<number>;

export interface Stroke {
  colour: string;
  width: number;
  dash: number[]; // in units of the width
}

export interface LineLayer {
  kind: "line";
  xs: Numbers;
  ys: Numbers; // NaN breaks the line
  stroke: Stroke;
  mark: Mark | null;
  shift: number; // which curve this is: marks of different curves stand at different places
}

export interface BandLayer {
  kind: "band";
  xs: Numbers;
  low: Numbers;
  high: Numbers;
  fill: string;
  opacity: number;
}

export interface Cell {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
  fill: string;
}

export interface CellLayer {
  kind: "cells";
  cells: Cell[];
}

export interface SegmentLayer {
  kind: "segments";
  segments: [number, number, number, number][];
  stroke: Stroke;
}

export interface DotLayer {
  kind: "dots";
  xs: Numbers;
  ys: Numbers;
  radius: number;
  fills: string[]; // one for all, or one each
  outline: string;
  titles: string[]; // shown when pointed at; may be empty
}

export interface LabelLayer {
  kind: "label";
  x: number;
  y: number;
  text: Text;
  colour: string;
}

export type Layer = LineLayer | BandLayer | CellLayer | SegmentLayer | DotLayer | LabelLayer;

export interface LegendEntry {
  text: Text;
  swatch: { kind: "line"; stroke: Stroke; mark: Mark | null } | { kind: "box"; fill: string; letter: string };
}

/** A colour scale beside the plot. */
export interface ColourBar {
  label: Text;
  low: Text;
  high: Text;
  colours: string[]; // from low to high
}

export interface Table {
  columns: string[];
  rows: (string | number)[][];
}

export interface Figure {
  name: string; // of its files, without the ending
  title: string;
  width: number; // points
  height: number; // of the plot, without labels and legend
  axes: { x: Axis; y: Axis };
  framed: boolean; // false: coordinates only, as for a drawing of a graph
  layers: Layer[];
  legend: LegendEntry[];
  bar: ColourBar | null;
  note: Text | null; // a line below the plot
  table: Table;
}

/** A name that is safe as part of a file name everywhere. */
export function slug(text: string): string {
  const out = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return out || "problem";
}
