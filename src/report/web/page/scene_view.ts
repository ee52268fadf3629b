// SPDX-License-Identifier: Apache-2.0
// A scene on the page: the same shapes as in the exported figure, with the page's own text.
import { Stroke } from "../figures/figure";
import { Item, Scene, TextItem } from "../figures/scene";
import { dashArray, num, pathData } from "../figures/svg";
import { SvgAttributes, s, uniqueId } from "./dom";

function strokeAttributes(stroke: Stroke | null): SvgAttributes {
  if (!stroke) return {};
  return {
    stroke: stroke.colour,
    "stroke-width": num(stroke.width),
    "stroke-linejoin": "round",
    "stroke-dasharray": stroke.dash.length > 0 ? dashArray(stroke) : undefined,
  };
}

function textElement(item: TextItem): SVGTextElement {
  const place = item.upwards
    ? { transform: `translate(${num(item.x)} ${num(item.y)}) rotate(-90)` }
    : { x: num(item.x), y: num(item.y) };
  const element = s("text", { ...place, "font-size": item.size, "text-anchor": item.anchor, fill: item.colour });
  let raised = 0;
  for (const piece of item.text) {
    const level = piece.kind === "sup" ? 0.36 : piece.kind === "sub" ? -0.15 : 0;
    const attributes: SvgAttributes = {
      dy: num((raised - level) * item.size),
      "font-size": level !== 0 ? num(0.72 * item.size) : undefined,
      "font-style": piece.kind === "symbol" && piece.text !== "×" ? "italic" : undefined,
    };
    element.appendChild(s("tspan", attributes, piece.text));
    raised = level;
  }
  return element;
}

function element(item: Item, clipId: string): SVGElement {
  switch (item.kind) {
    case "path": {
      const d = pathData(item.lines, item.closed);
      const opacity = item.opacity < 1 ? item.opacity : undefined;
      return s("path", { d, fill: item.fill ?? "none", "fill-opacity": opacity, ...strokeAttributes(item.stroke) });
    }
    case "circle": {
      const at = { cx: num(item.x), cy: num(item.y), r: num(item.radius) };
      const title = item.title ? s("title", {}, item.title) : null;
      return s("circle", { ...at, fill: item.fill, ...strokeAttributes(item.outline) }, title);
    }
    case "text":
      return textElement(item);
    case "clip":
      return s("g", { "clip-path": `url(#${clipId})` }, ...item.items.map((inner) => element(inner, clipId)));
  }
}

export function sceneView(scene: Scene): SVGSVGElement {
  const clipId = uniqueId();
  const { x, y, width, height } = scene.plot;
  return s(
    "svg",
    {
      viewBox: `0 0 ${scene.width} ${scene.height}`,
      width: Math.round(scene.width * 1.5),
      height: Math.round(scene.height * 1.5),
      role: "img",
      "aria-label": scene.title,
      class: "scene",
    },
    s("clipPath", { id: clipId }, s("rect", { x, y, width, height })),
    ...scene.items.map((item) => element(item, clipId)),
  );
}
