// SPDX-License-Identifier: Apache-2.0
// A scene as a PDF of one page, uncompressed ASCII. Text is drawn as outlines, so there is no font to embed or to miss.
import { Stroke } from "./figure";
import { CircleItem, Item, PathItem, Point, Scene, TextItem } from "./scene";
import { num } from "./svg";
import { ascii, layoutText } from "./text";
import { rgb } from "./theme";

function colour(hex: string, operator: "rg" | "RG"): string {
  return rgb(hex).map(num).join(" ") + " " + operator;
}

function strokeState(stroke: Stroke): string {
  const dash = stroke.dash.map((length) => num(length * stroke.width)).join(" ");
  return `${colour(stroke.colour, "RG")} ${num(stroke.width)} w [${dash}] 0 d`;
}

function outline(lines: Point[][], closed: boolean): string {
  return lines
    .map(
      (line) =>
        line.map((point, i) => `${num(point[0])} ${num(point[1])} ${i === 0 ? "m" : "l"}`).join("\n") +
        (closed ? "\nh" : ""),
    )
    .join("\n");
}

function paint(fill: boolean, stroke: boolean): string {
  return fill && stroke ? "B" : fill ? "f" : stroke ? "S" : "n";
}

function pathOperators(item: PathItem, states: Opacities): string {
  if (item.lines.length === 0) return "";
  const out: string[] = [];
  if (item.opacity < 1) out.push(`/${states.name(item.opacity)} gs`);
  if (item.fill) out.push(colour(item.fill, "rg"));
  if (item.stroke) out.push(strokeState(item.stroke));
  out.push(outline(item.lines, item.closed), paint(item.fill !== null, item.stroke !== null));
  return `q\n${out.join("\n")}\nQ`;
}

function circleOperators(item: CircleItem): string {
  const { x, y, radius: r } = item;
  // a quarter of a circle as a cubic
  const k = 0.5523 * r;
  const curve = (...values: number[]): string => values.map(num).join(" ") + " c";
  const out = [colour(item.fill, "rg")];
  if (item.outline) out.push(strokeState(item.outline));
  out.push(
    `${num(x + r)} ${num(y)} m`,
    curve(x + r, y + k, x + k, y + r, x, y + r),
    curve(x - k, y + r, x - r, y + k, x - r, y),
    curve(x - r, y - k, x - k, y - r, x, y - r),
    curve(x + k, y - r, x + r, y - k, x + r, y),
    "h",
    paint(true, item.outline !== null),
  );
  return `q\n${out.join("\n")}\nQ`;
}

const translated: { [path: string]: string } = {};

/** Text repeats its letters, and the interpreter in the program is slow: each outline is translated once. */
function glyphOperators(path: string): string {
  return translated[path] || (translated[path] = cubicOperators(path));
}

/** An outline of the glyph table (M L H V Q T Z, absolute) in PDF's operators, which know cubics only. */
function cubicOperators(path: string): string {
  const out: string[] = [];
  let [x, y, controlX, controlY] = [0, 0, 0, 0];
  const quadratic = (cx: number, cy: number, toX: number, toY: number): void => {
    const first = [x + (2 / 3) * (cx - x), y + (2 / 3) * (cy - y)];
    const second = [toX + (2 / 3) * (cx - toX), toY + (2 / 3) * (cy - toY)];
    out.push([first[0], first[1], second[0], second[1], toX, toY].map(Math.round).join(" ") + " c");
    [controlX, controlY, x, y] = [cx, cy, toX, toY];
  };
  const commands = path.match(/[MLHVQTZ][^MLHVQTZ]*/g) || [];
  for (const command of commands) {
    const values = (command.slice(1).match(/-?[0-9.]+/g) || []).map(Number);
    const letter = command.charAt(0);
    // T reflects the control point of a quadratic just before it, and nothing else
    if (letter !== "Q" && letter !== "T") [controlX, controlY] = [NaN, NaN];
    if (letter === "Z") out.push("h");
    if (letter === "Q") quadratic(values[0], values[1], values[2], values[3]);
    if (letter === "T") {
      const known = controlX === controlX;
      quadratic(known ? 2 * x - controlX : x, known ? 2 * y - controlY : y, values[0], values[1]);
    }
    if (letter === "M" || letter === "L") [x, y] = [values[0], values[1]];
    if (letter === "H") x = values[0];
    if (letter === "V") y = values[0];
    if (letter === "M") out.push(`${num(x)} ${num(y)} m`);
    if (letter === "L" || letter === "H" || letter === "V") out.push(`${num(x)} ${num(y)} l`);
  }
  return out.join("\n");
}

function textOperators(item: TextItem): string {
  const { glyphs, width } = layoutText(item.text, item.size);
  const start = item.anchor === "start" ? 0 : item.anchor === "middle" ? -width / 2 : -width;
  const turn = item.upwards ? "0 -1 1 0" : "1 0 0 1";
  const out = [colour(item.colour, "rg"), `${turn} ${num(item.x)} ${num(item.y)} cm`];
  for (const glyph of glyphs) {
    const scale = (glyph.size / 1000).toPrecision(3);
    out.push(
      `q ${scale} 0 0 -${scale} ${num(start + glyph.x)} ${num(-glyph.y)} cm`,
      glyphOperators(glyph.outline),
      "f Q",
    );
  }
  return `q\n${out.join("\n")}\nQ`;
}

/** Graphics states for translucent fills, named as they come up. */
class Opacities {
  private readonly values: number[] = [];

  name(opacity: number): string {
    let index = this.values.indexOf(opacity);
    if (index < 0) index = this.values.push(opacity) - 1;
    return "a" + index;
  }

  resources(): string {
    const states = this.values.map((value, i) => `/a${i} << /ca ${num(value)} >>`);
    return states.length > 0 ? `/ExtGState << ${states.join(" ")} >>` : "";
  }
}

function operators(item: Item, states: Opacities): string {
  switch (item.kind) {
    case "path":
      return pathOperators(item, states);
    case "circle":
      return circleOperators(item);
    case "text":
      return textOperators(item);
    case "clip": {
      const { x, y, width, height } = item.box;
      const inside = item.items.map((inner) => operators(inner, states)).join("\n");
      return `q\n${[x, y, width, height].map(num).join(" ")} re W n\n${inside}\nQ`;
    }
  }
}

function literal(text: string): string {
  return "(" + ascii(text).replace(/[\\()]/g, (char) => "\\" + char) + ")";
}

/** Objects with the table of their byte offsets, which PDF asks for; all is ASCII, so characters are bytes. */
function assemble(objects: string[], trailer: string): string {
  let out = "%PDF-1.4\n";
  const offsets = objects.map((body, i) => {
    const offset = out.length;
    out += `${i + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = out.length;
  const ten = (value: number): string => ("0000000000" + value).slice(-10);
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  out += offsets.map((offset) => `${ten(offset)} 00000 n \n`).join("");
  return out + `trailer\n<< /Size ${objects.length + 1} ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
}

export function toPdf(scene: Scene): string {
  const states = new Opacities();
  // y downwards, as in the scene
  const body = [`1 0 0 -1 0 ${scene.height} cm`, "1 j"].concat(scene.items.map((item) => operators(item, states)));
  const stream = body.join("\n") + "\n";
  return assemble(
    [
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${scene.width} ${scene.height}] /Resources << ${states.resources()} >> /Contents 4 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}endstream`,
      `<< /Title ${literal(scene.title)} /Producer (ideal) >>`,
    ],
    "/Root 1 0 R /Info 5 0 R",
  );
}
