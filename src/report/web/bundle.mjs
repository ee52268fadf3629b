// SPDX-License-Identifier: Apache-2.0
// Puts CommonJS modules into one script. Enough for our own sources: relative paths, no cycles that are run at load time.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

// `virtual` maps a module's base name to JavaScript that is not on disk. The result declares `entry`, the exports of `main`.
export function bundle(root, main, virtual = {}) {
  const order = [];
  const seen = new Map();

  function visit(file) {
    if (seen.has(file)) return seen.get(file);
    const id = `m${seen.size}`;
    seen.set(file, id);
    const base = file.replace(/^.*\//, "").replace(/\.js$/, "");
    const source = virtual[base] ?? readFileSync(join(root, file), "utf8");
    const linked = source
      .replace(/^"use strict";\n/, "")
      .replace(/require\("uplot"\)/g, "window.uPlot") // its release file, put before ours, sets this
      .replace(/require\("(\.[^"]*)"\)/g, (_, path) => visit(normalize(join(dirname(file), `${path}.js`))));
    order.push(`var ${id} = {};\n(function (exports) {\n${linked}})(${id});`);
    return id;
  }

  const entry = visit(normalize(main));
  return `"use strict";\n${order.join("\n")}\nvar entry = ${entry};`;
}
