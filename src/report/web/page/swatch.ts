// SPDX-License-Identifier: Apache-2.0
// The look of a curve, small: for legends, tables and tooltips.
import { markCorners } from "../figures/scene";
import { num } from "../figures/svg";
import { Mark, Theme, lineStyle } from "../figures/theme";
import { s } from "./dom";

function markElement(mark: Mark, x: number, y: number, colour: string): SVGElement {
  const corners = markCorners(mark, 3.4);
  if (!corners) return s("circle", { cx: x, cy: y, r: 3.4, fill: colour });
  return s("polygon", { points: corners.map(([dx, dy]) => `${num(x + dx)},${num(y + dy)}`).join(" "), fill: colour });
}

export function swatch(theme: Theme, style: number): SVGSVGElement {
  const { colour, dash, mark } = lineStyle(theme, style);
  const line: { [name: string]: string | number } = { x1: 0, y1: 6, x2: 32, y2: 6, stroke: colour, "stroke-width": 2 };
  if (dash.length > 0) line["stroke-dasharray"] = dash.map((length) => 2 * length).join(" ");
  return s(
    "svg",
    { class: "swatch", width: 32, height: 12, viewBox: "0 0 32 12", "aria-hidden": "true" },
    s("line", line),
    markElement(mark, 16, 6, colour),
  );
}
