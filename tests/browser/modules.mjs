// SPDX-License-Identifier: Apache-2.0
// The figure script as it is shipped, and the compiled modules beside it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { figuresPath } from "./browser.mjs";

const require = createRequire(import.meta.url);

export const figuresScript = readFileSync(figuresPath, "utf8");

export function loadFigures() {
  return new Function(`${figuresScript}\nreturn idealFigures;`)();
}

/** The exports of one module of the figures. */
export function loadModule(path) {
  return require(join(dirname(figuresPath), "objects/es5", path));
}
