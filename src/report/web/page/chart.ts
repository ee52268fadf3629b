// SPDX-License-Identifier: Apache-2.0
// The interactive plot: uPlot draws axes and handles the pointer; the curves are the ones of the exported figure.
import uPlot = require("uplot");
import { AxisName } from "../figures/analysis";
import { niceStep } from "../figures/axis";
import { Convergence, DrawnCurve, boundLine, curveLabel, measureLabel } from "../figures/convergence";
import { Numbers } from "../figures/figure";
import { Point, curvePieces, markCorners, markPlaces } from "../figures/scene";
import { LineStyle, Theme, lineStyle } from "../figures/theme";
import { h, replace } from "./dom";
import { bytes, power, short } from "./format";
import { swatch } from "./swatch";

interface Range {
  x: [number, number];
  y: [number, number];
}

const font = "12px system-ui, sans-serif";
const mostInTooltip = 8;
const zoomStep = 1.5;

export function formatCost(axis: AxisName, value: number): string {
  return axis === "bytes" ? bytes(value) : axis === "wall" ? `${short(value)} s` : short(value);
}

function axisTitle(axis: AxisName): string {
  return axis === "time" ? "simulated time" : axis === "wall" ? "wall time" : axis;
}

/** Powers of ten while they are enough, then 1, 2 and 5 times them, then even steps. */
function errorSplits(low: number, high: number, most: number): number[] {
  const [from, to] = [Math.log10(low), Math.log10(high)];
  const out: number[] = [];
  if (to - from >= 2) {
    const step = Math.max(1, Math.ceil((to - from) / most));
    for (let k = Math.ceil(from / step - 1e-9) * step; k <= to + 1e-9; k += step) out.push(10 ** k);
    return out;
  }
  for (let k = Math.floor(from); k <= to; ++k) {
    for (const factor of [1, 2, 5]) out.push(factor * 10 ** k);
  }
  const shown = out.filter((value) => value >= low && value <= high);
  if (shown.length >= 2) return shown;
  const step = niceStep(high - low, 4);
  const even: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; ++k) even.push(k * step);
  return even;
}

function errorText(value: number): string {
  const exponent = Math.log10(value);
  return Math.abs(exponent - Math.round(exponent)) < 1e-9 ? power(Math.round(exponent)) : short(value);
}

/** The index of the last record at or before `x`. */
function lastAt(xs: Numbers, x: number): number {
  let [low, high] = [0, xs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Chart {
  readonly element: HTMLElement;
  private readonly holder = h("div", { class: "plot" });
  private readonly tooltip = h("div", { class: "tooltip", hidden: true, role: "status", "aria-live": "polite" });
  private readonly resetButton: HTMLButtonElement;
  private plot: uPlot | null = null;
  private model: Convergence | null = null;
  private theme: Theme | null = null;
  private zoomed: Range | null = null;
  private drawn: Point[][][] = []; // each curve's pieces, as last drawn
  private signature = "";
  private readonly observer: ResizeObserver;

  constructor() {
    const help =
      "Drag to zoom, double-click to reset. Keys: left and right read values, plus and minus zoom, shift and arrows move, 0 resets.";
    const button = (label: string, text: string, press: () => void): HTMLButtonElement =>
      h("button", { type: "button", "aria-label": label, onclick: press }, text);
    this.resetButton = button("Reset zoom", "Reset zoom", () => this.reset());
    this.resetButton.hidden = true;
    this.holder.setAttribute("tabindex", "0");
    this.holder.setAttribute("role", "application");
    this.holder.setAttribute("aria-roledescription", "chart");
    this.holder.addEventListener("keydown", (event) => this.key(event));
    this.holder.addEventListener("blur", () => (this.tooltip.hidden = true));
    this.element = h(
      "div",
      { class: "chart" },
      h("div", { class: "stage" }, this.holder, this.tooltip),
      h(
        "div",
        { class: "zoom" },
        button("Zoom in", "+", () => this.transform(zoomStep, 0, 0)),
        button("Zoom out", "−", () => this.transform(1 / zoomStep, 0, 0)),
        this.resetButton,
        h("span", { class: "help" }, help),
      ),
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.holder);
  }

  /** The ranges on show, for tests and for the reader of the zoom button. */
  get range(): Range {
    const model = this.model!;
    return this.zoomed ?? { x: [0, model.xMax], y: [10 ** model.decades[0], 10 ** model.decades[1]] };
  }

  draw(model: Convergence, theme: Theme): void {
    const axisChanged = this.model !== null && (this.model.axis !== model.axis || this.model.problem !== model.problem);
    const measureChanged = this.model !== null && this.model.view.measure !== model.view.measure;
    this.model = model;
    this.theme = theme;
    if (axisChanged || measureChanged) this.setZoom(null);
    const label = `${model.problem.title}: ${measureLabel(model.view.measure)} of ${model.curves.length} curves against ${axisTitle(model.axis)}`;
    this.holder.setAttribute("aria-label", label);
    this.holder.dataset.last = JSON.stringify(model.curves.map((curve) => curve.xs[curve.xs.length - 1]));
    // uPlot fixes its series when it is made: new curves or colours need a new one, new numbers do not
    const signature = `${theme.ink}/${model.axis}/${model.view.measure}/${model.curves.map((curve) => curve.style).join(",")}`;
    if (!this.plot || signature !== this.signature) {
      this.signature = signature;
      this.rebuild();
    } else {
      this.plot.setData(this.data(), false);
      this.applyRange();
    }
  }

  dispose(): void {
    this.observer.disconnect();
    this.plot?.destroy();
  }

  // ---- uPlot ----------------------------------------------------------------------------------------------

  private data(): uPlot.AlignedData {
    const facets: unknown[] = [null];
    for (const curve of this.model!.curves) facets.push([curve.xs, curve.ys]);
    // mode 2 has data of its own shape, which the types do not know
    return facets as uPlot.AlignedData;
  }

  private size(): { width: number; height: number } {
    const width = Math.max(200, this.holder.clientWidth);
    return { width, height: Math.round(Math.min(460, Math.max(280, width * 0.52))) };
  }

  private rebuild(): void {
    this.plot?.destroy();
    this.plot = null;
    if (this.model!.curves.length === 0) return;
    this.plot = new uPlot(this.options(), this.data(), this.holder);
    this.applyRange();
  }

  private options(): uPlot.Options {
    const theme = this.theme!;
    const model = this.model!;
    const narrow = this.size().width < 480;
    const axis = {
      stroke: theme.quiet,
      font,
      grid: { stroke: theme.grid, width: 1 },
      ticks: { stroke: theme.grid, width: 1 },
    };
    const series = model.curves.map((curve, i) => {
      const { colour, dash } = lineStyle(theme, curve.style);
      return {
        facets: [
          { scale: "x", auto: false },
          { scale: "y", auto: false },
        ],
        stroke: colour,
        width: 1.75,
        dash: dash.map((length) => 1.75 * length),
        paths: () => ({ stroke: this.path(i), fill: null, clip: null, band: null, gaps: null, flags: 0 }),
        points: { show: false },
      };
    });
    return {
      mode: 2,
      ...this.size(),
      legend: { show: false },
      scales: {
        x: { time: false, auto: false, range: (_: uPlot, low: number, high: number) => [low, high] },
        y: { distr: 3, auto: false, range: (_: uPlot, low: number, high: number) => [low, high] },
      },
      axes: [
        {
          ...axis,
          scale: "x",
          size: 34,
          label: axisTitle(model.axis),
          labelFont: font,
          labelSize: 18,
          splits: (_: uPlot, __: number, low: number, high: number) => costSplits(low, high, narrow ? 4 : 8),
          values: (_: uPlot, splits: number[]) => splits.map((value) => formatCost(model.axis, value)),
        },
        {
          ...axis,
          scale: "y",
          label: measureLabel(model.view.measure),
          labelFont: font,
          labelSize: 18,
          size: narrow ? 48 : 58,
          splits: (_: uPlot, __: number, low: number, high: number) => errorSplits(low, high, 8),
          filter: (_: uPlot, splits: number[]) => splits,
          values: (_: uPlot, splits: number[]) => splits.map(errorText),
        },
      ],
      series: [{}, ...series],
      cursor: {
        points: { show: false },
        y: false,
        drag: { x: true, y: true, uni: 24, setScale: false },
        dataIdx: () => null,
        bind: { dblclick: () => () => this.reset() },
      },
      hooks: {
        drawAxes: [() => this.drawBehind()],
        draw: [() => this.drawMarks()],
        setCursor: [() => this.readCursor()],
        setSelect: [() => this.zoomToSelection()],
      },
    } as unknown as uPlot.Options;
  }

  private resize(): void {
    if (!this.plot) return;
    const size = this.size();
    if (size.width === this.plot.width && size.height === this.plot.height) return;
    this.plot.setSize(size);
  }

  private applyRange(): void {
    const { x, y } = this.range;
    this.plot?.batch(() => {
      this.plot!.setScale("x", { min: x[0], max: x[1] });
      this.plot!.setScale("y", { min: y[0], max: y[1] });
    });
  }

  // ---- drawing --------------------------------------------------------------------------------------------

  /** From values to canvas pixels; what is far outside stays near, because canvases dislike huge numbers. */
  private projection(): { toX: (x: number) => number; toY: (y: number) => number } {
    const { left, top, width, height } = this.plot!.bbox;
    const { x, y } = this.range;
    const far = 20000;
    const clamp = (value: number): number => Math.max(-far, Math.min(far, value));
    const across = width / (x[1] - x[0]);
    const high = Math.log10(y[1]);
    const down = height / (high - Math.log10(y[0]));
    return {
      toX: (value) => clamp(left + (value - x[0]) * across),
      toY: (value) => clamp(top + (high - Math.log10(value)) * down),
    };
  }

  private pieces(xs: Numbers, ys: Numbers): Point[][] {
    const { toX, toY } = this.projection();
    // only what is in view, and a record on either side
    const begin = Math.max(0, lastAt(xs, this.range.x[0]));
    const end = Math.min(xs.length, lastAt(xs, this.range.x[1]) + 2);
    return curvePieces(xs, ys, begin, end, toX, toY, 1);
  }

  private trace(lines: Point[][]): Path2D {
    const path = new Path2D();
    for (const line of lines) line.forEach(([x, y], i) => (i === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    return path;
  }

  private path(index: number): Path2D {
    const { xs, ys } = this.model!.curves[index];
    this.drawn[index] = this.pieces(xs, ys);
    return this.trace(this.drawn[index]);
  }

  private clipped(draw: (context: CanvasRenderingContext2D) => void): void {
    const { ctx, bbox } = this.plot!;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx);
    ctx.restore();
  }

  /** Bands and the lower bound, behind the curves. */
  private drawBehind(): void {
    if (!this.plot) return;
    const model = this.model!;
    const theme = this.theme!;
    this.clipped((context) => {
      for (const curve of model.curves) {
        if (!curve.band) continue;
        const upper = this.pieces(curve.xs, curve.band.high);
        const lower = this.pieces(curve.xs, curve.band.low);
        context.fillStyle = lineStyle(theme, curve.style).colour;
        context.globalAlpha = 0.18;
        upper.forEach((line, k) => {
          if (lower[k]) context.fill(this.trace([[...line, ...lower[k].slice().reverse()]]));
        });
      }
      if (!model.bound) return;
      const { xs, ys } = boundLine(model.bound, model);
      context.globalAlpha = 1;
      context.strokeStyle = theme.quiet;
      context.lineWidth = 1.5 * devicePixelRatio;
      context.setLineDash([5 * devicePixelRatio, 5 * devicePixelRatio]);
      const { toX, toY } = this.projection();
      context.stroke(this.trace([xs.map((x, i): Point => [toX(x), toY(ys[i])])]));
    });
  }

  private drawMarks(): void {
    if (!this.plot) return;
    const { bbox } = this.plot;
    this.clipped((context) => {
      this.model!.curves.forEach((curve, index) => {
        const style = lineStyle(this.theme!, curve.style);
        for (const line of this.drawn[index]) {
          for (const place of markPlaces(line, bbox.left, bbox.width, curve.style))
            this.drawMark(context, style, place);
        }
      });
    });
  }

  private drawMark(context: CanvasRenderingContext2D, style: LineStyle, [x, y]: Point): void {
    const radius = 3.6 * devicePixelRatio;
    const corners = markCorners(style.mark, radius);
    context.beginPath();
    if (corners) corners.forEach(([dx, dy]) => context.lineTo(x + dx, y + dy));
    else context.arc(x, y, radius, 0, 2 * Math.PI);
    context.closePath();
    context.fillStyle = style.colour;
    context.strokeStyle = this.theme!.paper;
    context.lineWidth = devicePixelRatio;
    context.fill();
    context.stroke();
  }

  // ---- reading values -------------------------------------------------------------------------------------

  private readCursor(): void {
    const plot = this.plot;
    if (!plot) return;
    const { left, top } = plot.cursor;
    if (left === undefined || left < 0) {
      this.tooltip.hidden = true;
      return;
    }
    const x = plot.posToVal(left, "x");
    const rows = this.valuesAt(x);
    const nearest = rows
      .map((row) => ({ ...row, distance: Math.abs(plot.valToPos(row.value, "y") - (top ?? 0)) }))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, mostInTooltip)
      .sort((a, b) => b.value - a.value);
    replace(
      this.tooltip,
      h("div", { class: "at" }, `${axisTitle(this.model!.axis)}: ${formatCost(this.model!.axis, x)}`),
      ...nearest.map((row) =>
        h(
          "div",
          { class: "row" },
          swatch(this.theme!, row.curve.style),
          h("span", {}, curveLabel(row.curve.curve)),
          h("b", {}, short(row.value)),
        ),
      ),
      rows.length > nearest.length
        ? h("div", { class: "more" }, `and ${rows.length - nearest.length} farther away`)
        : null,
    );
    this.tooltip.hidden = rows.length === 0;
    this.placeTooltip(left, plot);
  }

  /** Every curve that has begun at `x`; a curve that has ended is not continued. */
  private valuesAt(x: number): { curve: DrawnCurve; value: number }[] {
    const out: { curve: DrawnCurve; value: number }[] = [];
    for (const curve of this.model!.curves) {
      const at = lastAt(curve.xs, x);
      if (at < 0 || !(curve.ys[at] > 0)) continue;
      if (at === curve.xs.length - 1 && curve.xs[at] < x) continue;
      out.push({ curve, value: curve.ys[at] });
    }
    return out;
  }

  private placeTooltip(left: number, plot: uPlot): void {
    const offset = plot.bbox.left / devicePixelRatio;
    const width = plot.bbox.width / devicePixelRatio;
    const own = this.tooltip.offsetWidth;
    const x = left + offset + (left > width / 2 ? -own - 14 : 14);
    this.tooltip.style.left = `${Math.max(0, Math.min(x, this.holder.clientWidth - own))}px`;
  }

  // ---- zoom -----------------------------------------------------------------------------------------------

  private setZoom(range: Range | null): void {
    this.zoomed = range;
    this.resetButton.hidden = range === null;
  }

  private show(range: Range | null): void {
    this.setZoom(range);
    this.applyRange();
  }

  reset(): void {
    this.show(null);
  }

  private zoomToSelection(): void {
    const plot = this.plot!;
    const { left, top, width, height } = plot.select;
    if (width < 4 && height < 4) return;
    const range = this.range;
    const wide = width >= 4;
    const tall = height >= 4 && height < plot.bbox.height / devicePixelRatio - 1;
    this.show({
      x: wide ? [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")] : range.x,
      y: tall ? [plot.posToVal(top + height, "y"), plot.posToVal(top, "y")] : range.y,
    });
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  /** Zooms about the middle (factor above 1: closer) and moves by shares of the range. */
  private transform(factor: number, dx: number, dy: number): void {
    const { x, y } = this.range;
    const shift = ([low, high]: [number, number], by: number): [number, number] => {
      const [middle, half] = [(low + high) / 2 + by * (high - low), (high - low) / 2 / factor];
      return [middle - half, middle + half];
    };
    const [low, high] = shift([Math.log10(y[0]), Math.log10(y[1])], dy);
    const across = shift(x, dx);
    this.show({ x: [Math.max(0, across[0]), across[1]], y: [10 ** low, 10 ** high] });
  }

  private moveCursor(direction: number): void {
    const plot = this.plot;
    if (!plot) return;
    const width = plot.bbox.width / devicePixelRatio;
    const from = plot.cursor.left !== undefined && plot.cursor.left >= 0 ? plot.cursor.left : width / 2;
    const left = Math.max(0, Math.min(width, from + (direction * width) / 50));
    plot.setCursor({ left, top: plot.bbox.height / devicePixelRatio / 2 });
  }

  private key(event: KeyboardEvent): void {
    const moves: { [key: string]: [number, number] } = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, 1],
      ArrowDown: [0, -1],
    };
    const move = moves[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (move && event.shiftKey) this.transform(1, 0.1 * move[0], 0.1 * move[1]);
    else if (move && move[0] !== 0) this.moveCursor(move[0]);
    else if (event.key === "+" || event.key === "=") this.transform(zoomStep, 0, 0);
    else if (event.key === "-") this.transform(1 / zoomStep, 0, 0);
    else if (event.key === "0" || event.key === "Escape") this.reset();
    else return;
    event.preventDefault();
  }
}

function costSplits(low: number, high: number, most: number): number[] {
  const step = niceStep(high - low, most);
  const out: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-12); ++k) out.push(k * step);
  return out;
}
