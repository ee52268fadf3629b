// SPDX-License-Identifier: Apache-2.0
// Reads the outlines of the characters our figures use from MathJax's Computer Modern, so that exported figures look like the
// paper around them and depend on no font.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
// ASCII and the signs x, -, <=, square root, dot
const upright = [...range(0x20, 0x7e), 0xd7, 0x2212, 0x2264, 0x221a, 0x22c5];
// epsilon, kappa, lambda, mu, tau: kept under their own code points, drawn slanted
const slanted = [0x3b5, 0x3ba, 0x3bb, 0x3bc, 0x3c4];
const mathematicalItalic = (greek) => 0x1d6fc + greek - 0x3b1;

// A CommonJS module: exports.glyphs = {code: [advance, path in 1/1000 em, y upwards]}.
export function glyphModule() {
  const { normal } = require("mathjax-full/js/output/svg/fonts/tex/normal.js");
  const outline = (code, source) => {
    if (!normal[source]) throw new Error(`no outline for U+${source.toString(16)}`);
    const [, , width, { p: path } = {}] = normal[source];
    return [code, [Math.round(width * 1000), path ? `M${path}Z` : ""]];
  };
  const table = Object.fromEntries([
    ...upright.map((code) => outline(code, code)),
    ...slanted.map((code) => outline(code, mathematicalItalic(code))),
  ]);
  return `exports.glyphs = ${JSON.stringify(table)};\n`;
}
