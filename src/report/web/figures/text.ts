// SPDX-License-Identifier: Apache-2.0
// Text of a figure: plain pieces (untrusted, never markup), symbols, raised and lowered pieces.
import { glyphs } from "./glyphs";

export interface Piece {
  kind: "plain" | "symbol" | "sup" | "sub";
  text: string;
}

export type Text = Piece[];

export function plain(text: string): Text {
  return [{ kind: "plain", text: ascii(text) }];
}

export const tauSymbol: Piece = { kind: "symbol", text: "\u03c4" };
export const epsSymbol: Piece = { kind: "symbol", text: "\u03b5" };

/** 10 to a whole power. */
export function powerOfTen(power: number): Text {
  return [
    { kind: "plain", text: "10" },
    { kind: "sup", text: String(power).replace("-", "\u2212") },
  ];
}

/** Up to four digits; powers of ten far from 1 as 3x10^5. */
export function numberText(value: number): Text {
  if (value === 0 || !isFinite(value)) return plain(String(value));
  const [digits, exponent] = value.toExponential(3).split("e");
  const power = Number(exponent);
  if (power >= -3 && power <= 4) return plain(String(Number(value.toPrecision(4))).replace("-", "\u2212"));
  const mantissa = String(Number(digits));
  if (mantissa === "1") return powerOfTen(power);
  const factor: Text = [
    { kind: "plain", text: mantissa },
    { kind: "symbol", text: "\u00d7" },
  ];
  return factor.concat(powerOfTen(power));
}

/** For reading aloud, metadata and tables. */
export function toPlain(text: Text): string {
  return text.map((piece) => (piece.kind === "sup" ? "^" : piece.kind === "sub" ? "_" : "") + piece.text).join("");
}

// ---- ASCII ----------------------------------------------------------------------------------------------

// The accented letters of Latin-1 and Latin Extended-A in code order, by their base letters.
const latin1 = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty";
const extendedA =
  "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
const greek =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega".split(
    " ",
  );
const signs: { [code: string]: string } = {
  "\u2212": "-",
  "\u2264": "<=",
  "\u2265": ">=",
  "\u2013": "-",
  "\u2014": "-",
  "\u2018": "'",
  "\u2019": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u2026": "...",
  "\u00b7": ".",
  "\u221a": "sqrt",
  "\u00a0": " ",
};

function fold(char: string): string {
  const code = char.charCodeAt(0);
  if (code >= 0x20 && code < 0x7f) return char;
  if (char === "\n" || char === "\t" || char === "\r") return " ";
  if (signs[char] !== undefined) return signs[char];
  if (code >= 0xc0 && code <= 0xff) return latin1.charAt(code - 0xc0);
  if (code >= 0x100 && code <= 0x17f) return extendedA.charAt(code - 0x100);
  if (code >= 0x3b1 && code <= 0x3c9) return greek[code - 0x3b1];
  if (code >= 0x391 && code <= 0x3a9) return greek[code - 0x391];
  return "?";
}

/** Exported figures hold ASCII only: letters lose their accents, Greek is spelled, the rest becomes a question mark. */
export function ascii(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  let out = "";
  for (let i = 0; i < text.length; ++i) {
    const code = text.charCodeAt(i);
    // the second half of a character beyond the basic plane: its first half became the question mark
    if (code >= 0xdc00 && code <= 0xdfff) continue;
    out += fold(text.charAt(i));
  }
  return out;
}

// ---- outlines -------------------------------------------------------------------------------------------

export interface PlacedGlyph {
  outline: string;
  x: number; // from the start of the text, in its size's unit
  y: number; // upwards from the base line
  size: number;
}

export interface TextLayout {
  glyphs: PlacedGlyph[];
  width: number;
}

const scriptSize = 0.7;

export function layoutText(text: Text, size: number): TextLayout {
  const out: TextLayout = { glyphs: [], width: 0 };
  for (const piece of text) {
    const script = piece.kind === "sup" || piece.kind === "sub";
    const scale = script ? scriptSize * size : size;
    const y = piece.kind === "sup" ? 0.36 * size : piece.kind === "sub" ? -0.15 * size : 0;
    for (let i = 0; i < piece.text.length; ++i) {
      const glyph = glyphs[piece.text.charCodeAt(i)] || glyphs["?".charCodeAt(0)];
      if (glyph[1]) out.glyphs.push({ outline: glyph[1], x: out.width, y, size: scale });
      out.width += (glyph[0] / 1000) * scale;
    }
  }
  return out;
}

export function textWidth(text: Text, size: number): number {
  return layoutText(text, size).width;
}

/** Shortened with dots so that it fits. */
export function fitText(text: Text, size: number, room: number): Text {
  if (textWidth(text, size) <= room || text.length !== 1) return text;
  const whole = text[0].text;
  let keep = whole.length;
  while (keep > 1 && textWidth(plain(whole.slice(0, keep) + "..."), size) > room) --keep;
  return plain(whole.slice(0, keep) + "...");
}
