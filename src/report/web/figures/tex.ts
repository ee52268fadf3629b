// SPDX-License-Identifier: Apache-2.0
// A figure for LaTeX: a document of its own (pgfplots, class standalone) whose picture can be pasted into a paper.
import { Axis, scaleOf } from "./axis";
import { CellLayer, Figure, Layer, LegendEntry, LineLayer, Numbers, Stroke } from "./figure";
import { num } from "./svg";
import { Piece, Text, ascii } from "./text";
import { Mark } from "./theme";

const special: { [char: string]: string } = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  // these four need no other font encoding than TeX's own
  "<": "$<$",
  ">": "$>$",
  "|": "$|$",
  '"': "{''}",
  "-": "{-}", // no ligatures: -- is two hyphens
};

const symbols: { [char: string]: string } = {
  "\u03c4": "\\tau",
  "\u03b5": "\\epsilon",
  "\u03ba": "\\kappa",
  "\u03bb": "\\lambda",
  "\u03bc": "\\mu",
  "\u00d7": "\\times",
  "\u2264": "\\le",
};

function escape(text: string): string {
  return ascii(text).replace(/[\\{}$&#%_^~<>|"-]/g, (char) => special[char]);
}

function pieceTex(piece: Piece): string {
  const math = ascii(piece.text);
  if (piece.kind === "symbol") return "$" + (symbols[piece.text] || math) + "$";
  if (piece.kind === "sup") return "$^{" + math + "}$";
  if (piece.kind === "sub") return "$_{" + math + "}$";
  return escape(piece.text);
}

function textTex(text: Text): string {
  return text.map(pieceTex).join("");
}

const markNames: { [mark in Mark]: string } = {
  circle: "*",
  square: "square*",
  triangle: "triangle*",
  diamond: "diamond*",
  cross: "+",
  down: "triangle*, mark options={rotate=180}",
};

/** TeX's colours need names. */
class Colours {
  private readonly known: { [hex: string]: boolean } = {};

  name(hex: string): string {
    this.known[hex] = true;
    return "ideal" + hex.slice(1);
  }

  definitions(): string[] {
    return Object.keys(this.known)
      .sort()
      .map((hex) => `\\definecolor{${this.name(hex)}}{HTML}{${hex.slice(1).toUpperCase()}}`);
  }
}

function strokeOptions(stroke: Stroke, colours: Colours): string {
  const lengths = stroke.dash.map((length, i) => `${i % 2 === 0 ? "on" : "off"} ${num(length * stroke.width)}pt`);
  const dash = lengths.length > 0 ? `, dash pattern=${lengths.join(" ")}` : "";
  return `color=${colours.name(stroke.colour)}, line width=${num(stroke.width)}pt${dash}`;
}

/** TeX's lengths end at 575 cm: what is far outside stays just outside. */
function bounded(axis: Axis): (value: number) => number {
  const scale = scaleOf(axis);
  return (value) => {
    const at = scale(value);
    if (at !== at) return NaN;
    const shown = Math.max(-0.5, Math.min(1.5, at));
    if (shown === at) return value;
    return axis.log ? axis.min * Math.pow(axis.max / axis.min, shown) : axis.min + shown * (axis.max - axis.min);
  };
}

function number(value: number): string {
  return value === value ? String(Number(value.toPrecision(7))) : "nan";
}

/** The memory of TeX is finite: at most this many points a curve. */
const mostPoints = 400;

function coordinates(figure: Figure, xs: Numbers, ys: Numbers): string[] {
  const boundX = bounded(figure.axes.x);
  const boundY = bounded(figure.axes.y);
  const step = Math.max(1, Math.ceil(xs.length / mostPoints));
  const out: string[] = [];
  for (let i = 0; i < xs.length; ++i) {
    if (i % step !== 0 && i !== xs.length - 1) continue;
    out.push(`(${number(boundX(xs[i]))},${number(boundY(ys[i]))})`);
  }
  return out;
}

function wrapped(points: string[]): string {
  const rows: string[] = [];
  for (let i = 0; i < points.length; i += 6) rows.push("  " + points.slice(i, i + 6).join(" "));
  return rows.join("\n");
}

function lineTex(figure: Figure, layer: LineLayer, colours: Colours): string {
  const points = coordinates(figure, layer.xs, layer.ys);
  const repeat = Math.max(1, Math.floor(points.length / 7));
  const phase = 1 + Math.floor(((layer.shift * 0.37) % 1) * repeat);
  const mark = layer.mark
    ? `mark=${markNames[layer.mark]}, mark size=1.6pt, mark repeat=${repeat}, mark phase=${phase}`
    : "mark=none";
  return `\\addplot[${strokeOptions(layer.stroke, colours)}, ${mark}, forget plot] coordinates {\n${wrapped(points)}\n};`;
}

function at(x: number, y: number): string {
  return `(axis cs:${number(x)},${number(y)})`;
}

function cellsTex(layer: CellLayer, colours: Colours): string {
  const byFill: { [fill: string]: string[] } = {};
  for (const cell of layer.cells) {
    (byFill[cell.fill] = byFill[cell.fill] || []).push(`${at(cell.x0, cell.y0)} rectangle ${at(cell.x1, cell.y1)}`);
  }
  return Object.keys(byFill)
    .map((fill) => `\\fill[${colours.name(fill)}]\n  ${byFill[fill].join("\n  ")};`)
    .join("\n");
}

function layerTex(figure: Figure, layer: Layer, colours: Colours): string {
  switch (layer.kind) {
    case "line":
      return lineTex(figure, layer, colours);
    case "band": {
      const outline = coordinates(figure, layer.xs, layer.high).concat(
        coordinates(figure, layer.xs, layer.low).reverse(),
      );
      const known = outline.filter((point) => point.indexOf("nan") < 0);
      const fill = `fill=${colours.name(layer.fill)}, fill opacity=${num(layer.opacity)}, draw=none, forget plot`;
      return `\\addplot[${fill}] coordinates {\n${wrapped(known)}\n} -- cycle;`;
    }
    case "cells":
      return cellsTex(layer, colours);
    case "segments":
      return layer.segments
        .map(([x0, y0, x1, y1]) => `\\draw[${strokeOptions(layer.stroke, colours)}] ${at(x0, y0)} -- ${at(x1, y1)};`)
        .join("\n");
    case "dots": {
      const rows: string[] = [];
      for (let i = 0; i < layer.xs.length; ++i) {
        const fill = colours.name(layer.fills[i % layer.fills.length]);
        const style = `fill=${fill}, draw=${colours.name(layer.outline)}, line width=0.6pt`;
        rows.push(`\\filldraw[${style}] ${at(layer.xs[i], layer.ys[i])} circle[radius=${num(layer.radius)}pt];`);
      }
      return rows.join("\n");
    }
    case "label":
      return `\\node[color=${colours.name(layer.colour)}] at ${at(layer.x, layer.y)} {${textTex(layer.text)}};`;
  }
}

function legendTex(entry: LegendEntry, colours: Colours): string {
  const swatch = entry.swatch;
  if (swatch.kind === "line") {
    const mark = swatch.mark ? `, mark=${markNames[swatch.mark]}, mark size=1.6pt` : "";
    return `\\addlegendimage{${strokeOptions(swatch.stroke, colours)}${mark}}\n\\addlegendentry{${textTex(entry.text)}}`;
  }
  const letter = swatch.letter ? escape(swatch.letter) + ": " : "";
  return `\\addlegendimage{area legend, draw=none, fill=${colours.name(swatch.fill)}}\n\\addlegendentry{${letter}${textTex(entry.text)}}`;
}

function barOptions(figure: Figure): string[] {
  const bar = figure.bar;
  if (!bar) return [];
  const stops = bar.colours.map((hex) => {
    const value = parseInt(hex.slice(1), 16);
    return `rgb255=(${(value >> 16) & 255},${(value >> 8) & 255},${value & 255})`;
  });
  const labels = `yticklabels={${[bar.low, bar.high].map((label) => "{" + textTex(label) + "}").join(",")}}`;
  return [
    `colormap={ideal}{${stops.join(" ")}}`,
    "colorbar",
    "point meta min=0",
    "point meta max=1",
    `colorbar style={ytick={0,1}, ${labels}, ylabel={${textTex(bar.label)}}, width=8pt}`,
  ];
}

function axisOptions(figure: Figure): string {
  const { x, y } = figure.axes;
  const options = [
    "scale only axis",
    `width=${num(figure.framed ? figure.width - 60 : figure.height)}pt`,
    `height=${num(figure.height)}pt`,
    `xmode=${x.log ? "log" : "normal"}`,
    `ymode=${y.log ? "log" : "normal"}`,
    `xmin=${number(x.min)}`,
    `xmax=${number(x.max)}`,
    `ymin=${number(y.min)}`,
    `ymax=${number(y.max)}`,
    "unbounded coords=jump",
    // exact: the axis' own ticks would have to be told about powers of ten again
    `xtick={${x.ticks.map((tick) => number(tick.value)).join(",")}}`,
    `xticklabels={${x.ticks.map((tick) => "{" + textTex(tick.text) + "}").join(",")}}`,
    `ytick={${y.ticks.map((tick) => number(tick.value)).join(",")}}`,
    `yticklabels={${y.ticks.map((tick) => "{" + textTex(tick.text) + "}").join(",")}}`,
    "scaled ticks=false",
    "minor tick num=0",
    `xlabel={${textTex(x.label)}}`,
    `ylabel={${textTex(y.label)}}`,
    "label style={font=\\small}",
    "tick label style={font=\\footnotesize}",
    "legend style={at={(0,0)}, yshift=-32pt, anchor=north west, draw=none, font=\\footnotesize, cells={anchor=west}}",
    "legend columns=2",
  ];
  options.push(figure.framed ? "grid=major, grid style={black!10}, axis on top=false" : "hide axis");
  return options.concat(barOptions(figure)).join(",\n  ");
}

export function toTex(figure: Figure): string {
  const colours = new Colours();
  const layers = figure.layers.map((layer) => layerTex(figure, layer, colours));
  const legend = figure.legend.map((entry) => legendTex(entry, colours));
  const note = figure.note ? [`% ${ascii(figure.note.map((piece) => piece.text).join(""))}`] : [];
  return [
    `% ${ascii(figure.title)}`,
    ...note,
    "\\documentclass{standalone}",
    "\\usepackage{pgfplots}",
    "\\pgfplotsset{compat=1.16}",
    ...colours.definitions(),
    "\\begin{document}",
    "\\begin{tikzpicture}",
    `\\begin{axis}[\n  ${axisOptions(figure)}\n]`,
    ...layers,
    ...legend,
    "\\end{axis}",
    "\\end{tikzpicture}",
    "\\end{document}",
    "",
  ].join("\n");
}
