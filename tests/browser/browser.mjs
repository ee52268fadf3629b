// SPDX-License-Identifier: Apache-2.0
// A browser for the tests, and pages made from the template under test.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { embed } from "./fixture.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "../../src/report/web/dist");

export const templatePath = process.env.IDEAL_PAGE ?? join(dist, "page.html");
export const figuresPath = process.env.IDEAL_FIGURES ?? join(dist, "figures.js");

const flags = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Notes what happens on a page from each `begin` on. */
function watched(page) {
  let seen = { trouble: [], requests: [] };
  page.on("console", (message) => message.type() === "error" && seen.trouble.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => seen.trouble.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    seen.trouble.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => seen.requests.push(request.url()));
  const ready = page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  async function begin() {
    await ready;
    await page.goto("about:blank");
    await page.emulateMedia({ media: null });
    await page.mouse.move(0, 0);
    seen = { trouble: [], requests: [] };
    return seen;
  }
  return { page, begin };
}

/** A folder and a browser, both gone after `close`. */
export async function openBrowser() {
  const folder = mkdtempSync(join(tmpdir(), "ideal-browser-"));
  const browser = await chromium.launch({
    executablePath: process.env.IDEAL_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    chromiumSandbox: false,
    args: flags,
  });
  let count = 0;
  const pages = new Map();

  /** A page with these settings. A new one takes two seconds of a core, so it is used again. */
  async function pageWith(settings) {
    const key = JSON.stringify(settings);
    if (!pages.has(key)) pages.set(key, watched(await (await browser.newContext(settings)).newPage()));
    return pages.get(key);
  }

  /** Opens a report; everything that must not happen is collected in `trouble`. */
  async function open(data, { width = 1200, height = 900, colorScheme = "light", ...rest } = {}) {
    const file = join(folder, `report-${++count}.html`);
    writeFileSync(file, embed(readFileSync(templatePath, "utf8"), data));
    const watch = await pageWith({ viewport: { width, height }, colorScheme, acceptDownloads: true, ...rest });
    const seen = await watch.begin();
    const url = pathToFileURL(file).href;
    await watch.page.goto(url);
    return { page: watch.page, ...seen, url };
  }

  async function close() {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }

  return { open, close, folder };
}
