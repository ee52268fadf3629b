// SPDX-License-Identifier: Apache-2.0
// A figure laid out: shapes and text in points, y downwards. The writers only translate.
import { Axis, scaleOf } from "./axis";
import { BandLayer, CellLayer, DotLayer, Figure, Layer, LegendEntry, LineLayer, Numbers, Stroke } from "./figure";
import { Text, fitText, textWidth } from "./text";
import { Mark, Theme } from "./theme";

export type Point = [number, number];

export interface PathItem {
  kind: "path";
  lines: Point[][];
  closed: boolean;
  stroke: Stroke | null;
  fill: string | null;
  opacity: number;
}

export interface CircleItem {
  kind: "circle";
  x: number;
  y: number;
  radius: number;
  fill: string;
  outline: Stroke | null;
  title: string;
}

export interface TextItem {
  kind: "text";
  x: number;
  y: number; // base line
  text: Text;
  size: number;
  anchor: "start" | "middle" | "end";
  upwards: boolean; // turned by a quarter, reading from below
  colour: string;
}

export interface ClipItem {
  kind: "clip";
  box: Box;
  items: Item[];
}

export type Item = PathItem | CircleItem | TextItem | ClipItem;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Scene {
  title: string;
  width: number;
  height: number;
  plot: Box;
  items: Item[];
}

const labelSize = 9;
const tickSize = 8;
const legendRow = 12;
const tickLength = 3;
const barWidth = 8;

interface Frame {
  figure: Figure;
  theme: Theme;
  box: Box;
  toX: (value: number) => number;
  toY: (value: number) => number;
}

function path(lines: Point[][], stroke: Stroke | null, fill: string | null, closed = false, opacity = 1): PathItem {
  return { kind: "path", lines, stroke, fill, closed, opacity };
}

function text(
  x: number,
  y: number,
  content: Text,
  size: number,
  anchor: TextItem["anchor"],
  colour: string,
  upwards = false,
): TextItem {
  return { kind: "text", x, y, text: content, size, anchor, colour, upwards };
}

function hairline(colour: string): Stroke {
  return { colour, width: 0.5, dash: [] };
}

// ---- data to paper --------------------------------------------------------------------------------------

// far outside the frame, in its heights and widths: where a value beyond all bounds is drawn
const beyond = 50;

function projection(axis: Axis, start: number, length: number): (value: number) => number {
  const scale = scaleOf(axis);
  return (value) => {
    const at = scale(value);
    return start + length * (at > beyond ? beyond : at < -beyond ? -beyond : at);
  };
}

/**
 * A curve on paper, from record `begin` up to `end`: pieces between gaps, without points nobody would see. Of all points in a
 * column of the given width, the first, the lowest, the highest and the last draw the same.
 */
export function curvePieces(
  xs: Numbers,
  ys: Numbers,
  begin: number,
  end: number,
  toX: (value: number) => number,
  toY: (value: number) => number,
  columnWidth: number,
): Point[][] {
  const out: Point[][] = [];
  let current: Point[] = [];
  // the open column: plain numbers, because this loop sees every record at every move of the slider
  let [firstX, firstY, lowX, lowY, highX, highY, lastX, lastY] = [NaN, 0, 0, 0, 0, 0, 0, 0];
  let [inside, lowAt, highAt] = [0, 0, 0];
  const flush = (): void => {
    if (inside > 0) current.push([firstX, firstY]);
    if (inside > 2 && lowAt !== highAt) {
      const low: Point = [lowX, lowY];
      const high: Point = [highX, highY];
      current.push(lowAt < highAt ? low : high, lowAt < highAt ? high : low);
    }
    if (inside > 1) current.push([lastX, lastY]);
    inside = 0;
  };
  for (let i = begin; i < end; ++i) {
    const x = toX(xs[i]);
    const y = toY(ys[i]);
    if (x !== x || y !== y) {
      flush();
      if (current.length > 0) out.push(current);
      current = [];
      continue;
    }
    if (inside > 0 && Math.abs(x - firstX) > columnWidth) flush();
    if (inside++ === 0) {
      firstX = lowX = highX = x;
      firstY = lowY = highY = y;
      lowAt = highAt = i;
    } else if (y < lowY) {
      [lowX, lowY, lowAt] = [x, y, i];
    } else if (y > highY) {
      [highX, highY, highAt] = [x, y, i];
    }
    lastX = x;
    lastY = y;
  }
  flush();
  if (current.length > 0) out.push(current);
  return out;
}

// fine enough for print
const printColumn = 0.4;

function pieces(frame: Frame, xs: Numbers, ys: Numbers): Point[][] {
  return curvePieces(xs, ys, 0, xs.length, frame.toX, frame.toY, printColumn);
}

// ---- marks ----------------------------------------------------------------------------------------------

const marksPerCurve = 7;

/** Corners of a mark around the origin; null for a circle. */
export function markCorners(mark: Mark, radius: number): Point[] | null {
  const r = radius;
  switch (mark) {
    case "circle":
      return null;
    case "square":
      return [
        [-0.85 * r, -0.85 * r],
        [0.85 * r, -0.85 * r],
        [0.85 * r, 0.85 * r],
        [-0.85 * r, 0.85 * r],
      ];
    case "triangle":
      return [
        [0, -1.15 * r],
        [r, 0.75 * r],
        [-r, 0.75 * r],
      ];
    case "down":
      return [
        [0, 1.15 * r],
        [r, -0.75 * r],
        [-r, -0.75 * r],
      ];
    case "diamond":
      return [
        [0, -1.2 * r],
        [r, 0],
        [0, 1.2 * r],
        [-r, 0],
      ];
    case "cross": {
      const a = 0.35 * r;
      const b = 1.1 * r;
      const arm: Point[] = [
        [-a, -b],
        [a, -b],
        [a, -a],
        [b, -a],
        [b, a],
        [a, a],
      ];
      return arm.concat([
        [a, b],
        [-a, b],
        [-a, a],
        [-b, a],
        [-b, -a],
        [-a, -a],
      ]);
    }
  }
}

function markItem(mark: Mark, x: number, y: number, radius: number, colour: string, paper: string): Item {
  const corners = markCorners(mark, radius);
  const outline: Stroke = { colour: paper, width: 0.4, dash: [] };
  if (!corners) return { kind: "circle", x, y, radius, fill: colour, outline, title: "" };
  return path([corners.map((corner): Point => [x + corner[0], y + corner[1]])], outline, colour, true);
}

/** A few places along a curve, at even steps across the plot and at other steps for another curve. */
export function markPlaces(points: Point[], left: number, width: number, shift: number): Point[] {
  const step = width / marksPerCurve;
  const out: Point[] = [];
  let next = left + step * (0.15 + ((shift * 0.37) % 1) * 0.8);
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1];
    const [x1, y1] = points[i];
    while (next < x0) next += step;
    while (next <= x1 && x1 > x0) {
      out.push([next, y0 + ((next - x0) / (x1 - x0)) * (y1 - y0)]);
      next += step;
    }
  }
  return out;
}

// ---- layers ---------------------------------------------------------------------------------------------

function lineItems(frame: Frame, layer: LineLayer): Item[] {
  const lines = pieces(frame, layer.xs, layer.ys);
  const items: Item[] = [path(lines, layer.stroke, null)];
  const mark = layer.mark;
  if (mark) {
    for (const line of lines) {
      for (const [x, y] of markPlaces(line, frame.box.x, frame.box.width, layer.shift)) {
        items.push(markItem(mark, x, y, 2.2, layer.stroke.colour, frame.theme.paper));
      }
    }
  }
  return items;
}

function bandItems(frame: Frame, layer: BandLayer): Item[] {
  const upper = pieces(frame, layer.xs, layer.high);
  const lower = pieces(frame, layer.xs, layer.low);
  const outlines: Point[][] = [];
  for (let k = 0; k < Math.min(upper.length, lower.length); ++k) {
    outlines.push(upper[k].concat(lower[k].slice().reverse()));
  }
  return [path(outlines, null, layer.fill, true, layer.opacity)];
}

function dotItems(frame: Frame, layer: DotLayer): Item[] {
  const items: Item[] = [];
  for (let i = 0; i < layer.xs.length; ++i) {
    items.push({
      kind: "circle",
      x: frame.toX(layer.xs[i]),
      y: frame.toY(layer.ys[i]),
      radius: layer.radius,
      fill: layer.fills[i % layer.fills.length],
      outline: { colour: layer.outline, width: 0.6, dash: [] },
      title: layer.titles[i] || "",
    });
  }
  return items;
}

/** Cells of one colour are one path: filled together they show no seams. */
function cellItems(frame: Frame, layer: CellLayer): Item[] {
  const byFill: { [fill: string]: PathItem } = {};
  for (const cell of layer.cells) {
    const [x0, x1, y0, y1] = [frame.toX(cell.x0), frame.toX(cell.x1), frame.toY(cell.y0), frame.toY(cell.y1)];
    const item = byFill[cell.fill] || (byFill[cell.fill] = path([], null, cell.fill, true));
    item.lines.push([
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ]);
  }
  return Object.keys(byFill).map((fill) => byFill[fill]);
}

function layerItems(frame: Frame, layer: Layer): Item[] {
  switch (layer.kind) {
    case "line":
      return lineItems(frame, layer);
    case "band":
      return bandItems(frame, layer);
    case "dots":
      return dotItems(frame, layer);
    case "cells":
      return cellItems(frame, layer);
    case "segments": {
      const lines = layer.segments.map(([x0, y0, x1, y1]): Point[] => [
        [frame.toX(x0), frame.toY(y0)],
        [frame.toX(x1), frame.toY(y1)],
      ]);
      return [path(lines, layer.stroke, null)];
    }
    case "label": {
      const size = labelSize + 1;
      return [text(frame.toX(layer.x), frame.toY(layer.y) + 0.33 * size, layer.text, size, "middle", layer.colour)];
    }
  }
}

// ---- axes -----------------------------------------------------------------------------------------------

function axisItems(frame: Frame): { below: Item[]; above: Item[] } {
  const { figure, theme, box } = frame;
  const grid: Point[][] = [];
  const ticks: Point[][] = [];
  const labels: Item[] = [];
  const bottom = box.y + box.height;
  for (const tick of figure.axes.x.ticks) {
    const x = frame.toX(tick.value);
    grid.push([
      [x, box.y],
      [x, bottom],
    ]);
    ticks.push([
      [x, bottom],
      [x, bottom + tickLength],
    ]);
    labels.push(text(x, bottom + tickLength + tickSize + 1, tick.text, tickSize, "middle", theme.quiet));
  }
  for (const tick of figure.axes.y.ticks) {
    const y = frame.toY(tick.value);
    grid.push([
      [box.x, y],
      [box.x + box.width, y],
    ]);
    ticks.push([
      [box.x - tickLength, y],
      [box.x, y],
    ]);
    labels.push(text(box.x - tickLength - 3, y + 0.33 * tickSize, tick.text, tickSize, "end", theme.quiet));
  }
  const outline: Point[] = [
    [box.x, box.y],
    [box.x + box.width, box.y],
    [box.x + box.width, bottom],
    [box.x, bottom],
  ];
  const middle = box.x + box.width / 2;
  labels.push(
    text(middle, bottom + tickLength + tickSize + labelSize + 6, figure.axes.x.label, labelSize, "middle", theme.ink),
  );
  labels.push(text(labelSize, box.y + box.height / 2, figure.axes.y.label, labelSize, "middle", theme.ink, true));
  return {
    below: [path(grid, hairline(theme.grid), null)],
    above: [path([outline], hairline(theme.quiet), null, true), path(ticks, hairline(theme.quiet), null), ...labels],
  };
}

function barItems(frame: Frame): Item[] {
  const { figure, theme, box } = frame;
  const bar = figure.bar;
  if (!bar) return [];
  const x = box.x + box.width + 14;
  const step = box.height / bar.colours.length;
  const items: Item[] = bar.colours.map((colour, k) => {
    const bottom = box.y + box.height - k * step;
    // a hair of overlap: no seams between the steps
    const top = Math.max(box.y, bottom - step - 0.3);
    return path(
      [
        [
          [x, top],
          [x + barWidth, top],
          [x + barWidth, bottom],
          [x, bottom],
        ],
      ],
      null,
      colour,
      true,
    );
  });
  const right = x + barWidth + 4;
  items.push(text(right, box.y + tickSize - 1, bar.high, tickSize, "start", theme.quiet));
  items.push(text(right, box.y + box.height, bar.low, tickSize, "start", theme.quiet));
  items.push(text(right + labelSize + 1, box.y + box.height / 2, bar.label, labelSize, "middle", theme.ink, true));
  return items;
}

// ---- legend ---------------------------------------------------------------------------------------------

const swatchWidth = 22;
const columnGap = 14;

function swatchItems(entry: LegendEntry, x: number, y: number, theme: Theme): Item[] {
  const swatch = entry.swatch;
  if (swatch.kind === "line") {
    const items: Item[] = [
      path(
        [
          [
            [x, y],
            [x + swatchWidth, y],
          ],
        ],
        swatch.stroke,
        null,
      ),
    ];
    if (swatch.mark) items.push(markItem(swatch.mark, x + swatchWidth / 2, y, 2.2, swatch.stroke.colour, theme.paper));
    return items;
  }
  const [left, right, top, bottom] = [x + 4, x + swatchWidth - 4, y - 5, y + 5];
  return [
    path(
      [
        [
          [left, top],
          [right, top],
          [right, bottom],
          [left, bottom],
        ],
      ],
      hairline(theme.quiet),
      swatch.fill,
      true,
    ),
    text(
      (left + right) / 2,
      y + 0.33 * tickSize,
      [{ kind: "plain", text: swatch.letter }],
      tickSize,
      "middle",
      theme.ink,
    ),
  ];
}

interface LegendLayout {
  items: Item[];
  height: number;
}

function legendItems(figure: Figure, theme: Theme, left: number, top: number): LegendLayout {
  if (figure.legend.length === 0) return { items: [], height: 0 };
  const room = figure.width - left;
  const fitted = figure.legend.map((entry) => fitText(entry.text, tickSize, room - swatchWidth - 6));
  const widest = Math.max.apply(
    null,
    fitted.map((entry) => textWidth(entry, tickSize)),
  );
  const column = swatchWidth + 6 + widest + columnGap;
  const columns = Math.max(1, Math.min(figure.legend.length, Math.floor((room + columnGap) / column)));
  const rows = Math.ceil(figure.legend.length / columns);
  const items: Item[] = [];
  figure.legend.forEach((entry, i) => {
    const x = left + Math.floor(i / rows) * column;
    const y = top + (i % rows) * legendRow + legendRow / 2;
    items.push(...swatchItems(entry, x, y, theme));
    items.push(text(x + swatchWidth + 6, y + 0.33 * tickSize, fitted[i], tickSize, "start", theme.ink));
  });
  return { items, height: rows * legendRow };
}

// ---- all together ---------------------------------------------------------------------------------------

function plotBox(figure: Figure): Box {
  const right = figure.bar ? 14 + barWidth + 4 + Math.max(textWidth(figure.bar.high, tickSize), labelSize + 8) + 4 : 8;
  // a drawing of a graph is square
  if (!figure.framed) return { x: 8, y: 8, width: figure.height, height: figure.height };
  const tickWidths = figure.axes.y.ticks.map((tick) => textWidth(tick.text, tickSize));
  const left = Math.max.apply(null, tickWidths.concat(0)) + tickLength + 3 + labelSize + 7;
  return { x: left, y: 8, width: figure.width - left - right, height: figure.height };
}

export function layout(figure: Figure, theme: Theme): Scene {
  const box = plotBox(figure);
  const toX = projection(figure.axes.x, box.x, box.width);
  const toY = projection(figure.axes.y, box.y + box.height, -box.height);
  const frame: Frame = { figure, theme, box, toX, toY };
  const layers: Item[] = [];
  for (const layer of figure.layers) layers.push(...layerItems(frame, layer));
  const items: Item[] = [];
  let bottom = box.y + box.height;
  if (figure.framed) {
    const axes = axisItems(frame);
    items.push(...axes.below, { kind: "clip", box, items: layers }, ...axes.above);
    bottom += tickLength + tickSize + labelSize + 12;
  } else {
    items.push(...layers);
    bottom += 8;
  }
  items.push(...barItems(frame));
  const legend = legendItems(figure, theme, figure.framed ? box.x : 8, bottom);
  items.push(...legend.items);
  bottom += legend.height;
  if (figure.note) {
    items.push(text(figure.framed ? box.x : 8, bottom + tickSize + 2, figure.note, tickSize, "start", theme.quiet));
    bottom += tickSize + 6;
  }
  return { title: figure.title, width: figure.width, height: Math.ceil(bottom + 4), plot: box, items };
}
