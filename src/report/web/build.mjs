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
const uplot = (file) => join(dirname(require.resolve("uplot/package.json")), "dist", file);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function fill(template, values) {
  return template.replace(/@([A-Z]+)@/g, (placeholder, name) => values[name] ?? placeholder);
}

const objects = join(out, "objects");
mkdirSync(out, { recursive: true });
rmSync(objects, { recursive: true, force: true });
mkdirSync(objects, { recursive: true });
// tsc writes CommonJS; the unit tests load it
writeFileSync(join(objects, "package.json"), '{ "type": "commonjs" }\n');
const virtual = { glyphs: glyphModule() };

compile("tsconfig.figures.json", join(objects, "es5"));
const figures = bundle(join(objects, "es5"), "figures/main.js", virtual);
writeFileSync(
  join(out, "figures.js"),
  `var idealFigures = (function () {\n${figures}\nreturn entry.idealFigures;\n})();\n`,
);

compile("tsconfig.json", join(objects, "page"));
const page = bundle(join(objects, "page"), "page/main.js", virtual);
// A script ends at the first `</script`, wherever it stands, and `<!--` changes how the rest is read.
const script = `\n${read(uplot("uPlot.iife.min.js"))}\n(function () {\n${page}\n})();\n`;
if (/<\/script|<!--/i.test(script)) throw new Error("the script would end early: found </script or <!--");
const style = `\n${read(uplot("uPlot.min.css"))}\n${read(join(here, "page/page.css"))}\n`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
writeFileSync(
  join(out, "page.html"),
  fill(read(join(here, "page/page.html")), { POLICY: policy, STYLE: style, SCRIPT: script }),
);
