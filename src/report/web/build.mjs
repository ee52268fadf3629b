// SPDX-License-Identifier: Apache-2.0
// Builds the report: page.html (a template, see the placeholders in page/page.html) and figures.js (plain ES5, for the
// program's embedded interpreter). The output directory is the first argument, or IDEAL_WEB_OUT, or dist/.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { glyphModule } from "./glyphs.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? process.env.IDEAL_WEB_OUT ?? join(here, "dist"));
const require = createRequire(import.meta.url);

function compile(project, target) {
  try {
    execFileSync(
      process.execPath,
      [require.resolve("typescript/bin/tsc"), "-p", join(here, project), "--outDir", target],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
  } catch (error) {
    process.stdout.write(String(error.stdout ?? error));
    process.exit(1);
  }
}

const read = (path) => readFileSync(path, "utf8");
const uplot = (file) => join(dirname(require.resolve("uplot/package.json")), file);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const letters = "/*! The outlines of letters come from MathJax, Apache-2.0. */";

function buildFigures(objects, virtual) {
  compile("tsconfig.figures.json", objects);
  const body = bundle(objects, "figures/main.js", virtual);
  return `${letters}\nvar idealFigures = (function () {\n${body}\nreturn entry.idealFigures;\n})();\n`;
}

function buildPage(objects, virtual) {
  compile("tsconfig.json", objects);
  const ours = bundle(objects, "page/main.js", virtual);
  const notices = `/*!\n${read(uplot("LICENSE"))}*/\n${letters}`;
  const script = `\n${notices}\n${read(uplot("dist/uPlot.iife.min.js"))}\n(function () {\n${ours}\n})();\n`;
  const style = `\n${read(uplot("dist/uPlot.min.css"))}\n${read(join(here, "page/page.css"))}\n`;
  // A script ends at the first `</script`, wherever it stands; `<!--` changes how the rest is read.
  if (/<\/script|<!--/i.test(script)) throw new Error("the page's script holds </script or <!--");
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
  const parts = { POLICY: policy, STYLE: style, SCRIPT: script };
  const html = read(join(here, "page/page.html")).replace(/@([A-Z]+)@/g, (mark, name) => parts[name] ?? mark);
  // what the program fills in
  for (const mark of ["@TITLE@", "@DATA@"]) {
    if (html.split(mark).length !== 2) throw new Error(`the page must hold ${mark} exactly once`);
  }
  return html;
}

const objects = join(out, "objects");
rmSync(objects, { recursive: true, force: true });
mkdirSync(objects, { recursive: true });
// tsc writes CommonJS, which the unit tests load
writeFileSync(join(objects, "package.json"), '{ "type": "commonjs" }\n');
const virtual = { glyphs: glyphModule() };
writeFileSync(join(out, "figures.js"), buildFigures(join(objects, "es5"), virtual));
writeFileSync(join(out, "page.html"), buildPage(join(objects, "page"), virtual));
