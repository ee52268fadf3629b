// SPDX-License-Identifier: Apache-2.0
// Every formula of docs/ in the two notations that GitHub renders, ```math and $`...`$, through KaTeX.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import katex from "katex";

const docs = new URL("../../docs/", import.meta.url);

function formulas(text) {
  const found = [];
  const blocks = /^```(\w*)\n([\s\S]*?)^```$/gm;
  for (const [, language, content] of text.matchAll(blocks)) if (language === "math") found.push([content, true]);
  for (const [, content] of text.replace(blocks, "").matchAll(/\$`(.*?)`\$/g)) found.push([content, false]);
  return found;
}

for (const file of readdirSync(docs).filter((name) => name.endsWith(".md"))) {
  test(file, () => {
    const text = readFileSync(new URL(file, docs), "utf8");
    for (const [formula, displayMode] of formulas(text))
      assert.doesNotThrow(() => katex.renderToString(formula, { displayMode, throwOnError: true, strict: "error" }), formula);
  });
}

test("methods.md is full of formulas", () => {
  const text = readFileSync(new URL("methods.md", docs), "utf8");
  const methods = text.match(/^### `/gm).length;
  assert.ok(formulas(text).length > 4 * methods, "a rule, a rate and a cost each, and the assumptions");
});

test("what does not parse is noticed", () => {
  assert.throws(() => katex.renderToString("\\sqrt{", { throwOnError: true, strict: "error" }));
});
