// SPDX-License-Identifier: Apache-2.0
// A scene as SVG. Text is drawn as outlines: it looks the same everywhere and needs no font.
import { Stroke } from "./figure";
import { Item, PathItem, Point, Scene, TextItem } from "./scene";
import { layoutText, toPlain, ascii } from "./text";

/** Two decimals are a hundredth of a point. */
export function num(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}

function escape(text: string): string {
  return ascii(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

export function pathData(lines: Point[][], closed: boolean): string {
  return lines
    .map((line) => "M" + line.map((point) => num(point[0]) + " " + num(point[1])).join("L") + (closed ? "Z" : ""))
    .join("");
}

export function dashArray(stroke: Stroke): string {
  return stroke.dash.map((length) => num(length * stroke.width)).join(" ");
}

function strokeAttributes(stroke: Stroke | null): string {
  if (!stroke) return "";
  const dash = stroke.dash.length > 0 ? ` stroke-dasharray="${dashArray(stroke)}"` : "";
  return ` stroke="${stroke.colour}" stroke-width="${num(stroke.width)}" stroke-linejoin="round"${dash}`;
}

function pathElement(item: PathItem): string {
  const opacity = item.opacity < 1 ? ` fill-opacity="${num(item.opacity)}"` : "";
  const fill = item.fill ? item.fill : "none";
  return `<path d="${pathData(item.lines, item.closed)}" fill="${fill}"${opacity}${strokeAttributes(item.stroke)}/>`;
}

function textElement(item: TextItem): string {
  const { glyphs, width } = layoutText(item.text, item.size);
  const start = item.anchor === "start" ? 0 : item.anchor === "middle" ? -width / 2 : -width;
  const turn = item.upwards ? " rotate(-90)" : "";
  const outlines = glyphs.map((glyph) => {
    const scale = glyph.size / 1000;
    const matrix = `translate(${num(start + glyph.x)} ${num(-glyph.y)}) scale(${scale.toPrecision(3)} -${scale.toPrecision(3)})`;
    return `<path transform="${matrix}" d="${glyph.outline}"/>`;
  });
  const label = escape(toPlain(item.text));
  return `<g role="img" aria-label="${label}" fill="${item.colour}" transform="translate(${num(item.x)} ${num(item.y)})${turn}">${outlines.join("")}</g>`;
}

function element(item: Item): string {
  switch (item.kind) {
    case "path":
      return pathElement(item);
    case "circle": {
      const at = `cx="${num(item.x)}" cy="${num(item.y)}" r="${num(item.radius)}"`;
      const title = item.title ? `<title>${escape(item.title)}</title>` : "";
      return `<circle ${at} fill="${item.fill}"${strokeAttributes(item.outline)}>${title}</circle>`;
    }
    case "text":
      return textElement(item);
    case "clip":
      return `<g clip-path="url(#plot)">\n${item.items.map(element).join("\n")}\n</g>`;
  }
}

export function toSvg(scene: Scene): string {
  const { plot } = scene;
  const size = `width="${scene.width}pt" height="${scene.height}pt" viewBox="0 0 ${scene.width} ${scene.height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escape(scene.title)}</title>`,
    `<clipPath id="plot"><rect x="${num(plot.x)}" y="${num(plot.y)}" width="${num(plot.width)}" height="${num(plot.height)}"/></clipPath>`,
    `<rect width="${scene.width}" height="${scene.height}" fill="#ffffff"/>`,
    ...scene.items.map(element),
    "</svg>",
    "",
  ].join("\n");
}
