// SPDX-License-Identifier: Apache-2.0
// The report in a browser, as its reader uses it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { openBrowser } from "./browser.mjs";
import { barren, evil, large, problem, report, single, typical } from "./fixture.mjs";
import { loadFigures } from "./modules.mjs";

let browser;
before(async () => {
  browser = await openBrowser();
});
after(() => browser?.close());

/** Runs `body` on a page and checks that nothing forbidden happened meanwhile. */
async function onPage(data, options, body) {
  const opened = await browser.open(data, options);
  await body(opened.page, opened);
  assert.deepEqual(opened.trouble, []);
  // saving a figure is a download of a blob the page made itself
  assert.deepEqual(
    opened.requests.filter((url) => !url.startsWith("blob:")),
    [opened.url],
    "the page asked the network for something",
  );
}

const frame = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
const openProblem = async (page, index) => {
  await page.click(`nav [data-page="${index}"]`);
  await frame(page);
};
/** Where each drawn curve ends on the x axis. */
const curveEnds = (page) => page.locator(".chart .plot").evaluate((plot) => JSON.parse(plot.dataset.last));
const chartPixels = (page) => page.locator(".chart canvas").evaluate((canvas) => canvas.toDataURL());
const slide = async (page, place) => {
  await page.locator('.tau input[type="range"]').evaluate((slider, value) => {
    slider.value = value;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }, String(place));
  await frame(page);
};
const tableText = (page) => page.locator(".times").first().innerText();

async function save(page, group, format) {
  const download = page.waitForEvent("download");
  await page.locator(`.exports[aria-label="Save ${group}"] [data-format="${format}"]`).click();
  const file = await download;
  return { name: file.suggestedFilename(), content: readFileSync(await file.path(), "utf8") };
}

describe("reading", () => {
  test("the slider redraws curve, table and label at once", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const before = { ends: await curveEnds(page), table: await tableText(page), pixels: await chartPixels(page) };
      await slide(page, 200);
      const tau = Number(await page.locator('.tau input[type="number"]').inputValue());
      assert.equal(tau, 1000);
      const after = { ends: await curveEnds(page), table: await tableText(page), pixels: await chartPixels(page) };
      assert.notEqual(after.table, before.table);
      assert.notEqual(after.pixels, before.pixels);
      const { computations, communications } = typical().problems[0].curves[1].runs[0].trace;
      assert.equal(after.ends[1], computations.at(-1) + 1000 * communications.at(-1));
    }));

  test("number and marks set tau; nonsense is refused", () =>
    onPage(typical(), {}, async (page) => {
      const number = page.locator('.tau input[type="number"]');
      await page.click('.tau [data-tau="100"]');
      await frame(page);
      assert.equal(await number.inputValue(), "100");
      assert.equal(await page.locator('.tau [data-tau="100"]').getAttribute("aria-pressed"), "true");
      await number.fill("0.5");
      await number.press("Enter");
      await frame(page);
      assert.equal(await page.locator('.tau input[type="range"]').getAttribute("aria-valuetext"), "τ = 0.5");
      await number.fill("-3");
      await number.press("Enter");
      await frame(page);
      assert.equal(await number.inputValue(), "0.5");
    }));

  test("axes and errors can be chosen", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const { trace } = typical().problems[0].curves[1].runs[0];
      for (const [axis, column] of [
        ["computations", "computations"],
        ["communications", "communications"],
        ["bytes", "bytes"],
        ["wall", "seconds"],
      ]) {
        await page.check(`.segments input[value="${axis}"]`, { force: true });
        await frame(page);
        assert.equal((await curveEnds(page))[1], trace[column].at(-1), axis);
      }
      const pixels = await chartPixels(page);
      await page.selectOption('[data-choice="measure"]', "consensus");
      await frame(page);
      assert.notEqual(await chartPixels(page), pixels);
    }));

  test("a curve that is not ticked leaves chart, table and map", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const count = (await curveEnds(page)).length;
      assert.match(await page.locator(".map svg").innerHTML(), /mideal/);
      await page.uncheck('[data-curve="mideal"]');
      await frame(page);
      assert.equal((await curveEnds(page)).length, count - 1);
      assert.doesNotMatch(await tableText(page), /mideal/);
      assert.doesNotMatch(await page.locator(".map svg").innerHTML(), /mideal/);
      await page.getByRole("button", { name: "None", exact: true }).click();
      await frame(page);
      assert.match(await page.locator("section[aria-label=Convergence] .empty").innerText(), /switched off/);
      await page.getByRole("button", { name: "All", exact: true }).click();
      await frame(page);
      assert.equal((await curveEnds(page)).length, count);
    }));

  test("winners are marked with a sign and words, and a server is none", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const best = await page.locator(".times").first().locator("td.best").allTextContents();
      assert.equal(best.length, 4);
      for (const text of best) assert.match(text, /★.*fastest/);
      assert.equal(await page.locator("tr.yardstick td.best").count(), 0);
      assert.equal(await page.locator("tr.yardstick").first().locator("th").innerText(), "agd");
    }));

  test("diverged runs are said to be so", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      assert.match(await page.locator(".curve .lost").innerText(), /diverged/);
      assert.match(await page.locator(".remarks").innerText(), /Diverged: dgd step-scale=4/);
      await page.locator(".curve", { hasText: "step-scale=4" }).locator("summary").click();
      assert.match(
        await page.locator(".curve", { hasText: "step-scale=4" }).innerText(),
        /passed 1e12 at computation 712/,
      );
    }));

  test("drag zooms, double-click and button reset", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const whole = await chartPixels(page);
      const over = page.locator(".u-over");
      const reset = page.getByRole("button", { name: "Reset zoom" });
      const drag = async () => {
        await over.scrollIntoViewIfNeeded();
        const box = await over.boundingBox();
        await page.mouse.move(box.x + 0.2 * box.width, box.y + 0.2 * box.height);
        await page.mouse.down();
        await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.7 * box.height, { steps: 5 });
        await page.mouse.up();
        await page.mouse.move(0, 0);
        await frame(page);
      };
      await drag();
      assert.notEqual(await chartPixels(page), whole);
      assert.ok(await reset.isVisible());
      await over.dblclick();
      await page.mouse.move(0, 0);
      await frame(page);
      assert.equal(await chartPixels(page), whole);
      assert.ok(!(await reset.isVisible()));
      await drag();
      await reset.click();
      await frame(page);
      assert.equal(await chartPixels(page), whole);
    }));

  test("the pointer reads values", () =>
    onPage(single(), {}, async (page) => {
      const over = page.locator(".u-over");
      await over.scrollIntoViewIfNeeded();
      const box = await over.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await frame(page);
      const shown = await page.locator(".tooltip").innerText();
      assert.match(shown, /simulated time/);
      assert.match(shown, /ideal/);
    }));

  test("all problems: table, profile, and the way to a problem", () =>
    onPage(typical(), {}, async (page) => {
      assert.equal(await page.locator("table.names tbody tr").count(), 3);
      const before = await page.locator(".drawing svg").innerHTML();
      await page.selectOption('[data-choice="eps"]', "0.0001");
      await frame(page);
      assert.notEqual(await page.locator(".drawing svg").innerHTML(), before);
      await page.getByRole("button", { name: "mnist 3,8, logistic, torus:5x5" }).last().click();
      await frame(page);
      assert.equal(await page.locator("h2").first().innerText(), "mnist 3,8, logistic, torus:5x5");
    }));

  test("many problems are chosen from a list", () => {
    const { problems } = typical();
    const many = Array.from({ length: 9 }, (_, k) => ({ ...problems[k % 3], id: `p${k}`, title: `problem ${k}` }));
    return onPage(report(many), {}, async (page) => {
      await page.selectOption("nav select", "7");
      await frame(page);
      assert.equal(await page.locator("h2").first().innerText(), "problem 7");
    });
  });
});

describe("keyboard", () => {
  test("everything can be reached, and focus is visible", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      await page.evaluate(() => document.activeElement.blur());
      const wanted = await page.evaluate(
        () =>
          [...document.querySelectorAll("button, select, input, summary, [tabindex='0']")].filter(
            (e) => e.checkVisibility() && e.type !== "radio" && !e.closest("details:not([open]) > :not(summary)"),
          ).length,
      );
      const seen = new Set();
      for (let i = 0; i < wanted + 20; ++i) {
        await page.keyboard.press("Tab");
        const [key, outlined] = await page.evaluate(() => {
          const e = document.activeElement;
          const shown = e.matches(".segments input") ? e.nextElementSibling : e;
          e.dataset.seen ??= String(Math.random());
          return [e === document.body ? "" : e.dataset.seen + e.type, getComputedStyle(shown).outlineStyle !== "none"];
        });
        if (!key) continue;
        assert.ok(outlined, "focus is not visible");
        if (!key.endsWith("radio")) seen.add(key);
      }
      assert.equal(seen.size, wanted);
    }));

  test("the chart reads, zooms and resets with keys", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const whole = await chartPixels(page);
      await page.locator(".chart .plot").focus();
      await page.keyboard.press("ArrowRight");
      await frame(page);
      assert.match(await page.locator(".tooltip").innerText(), /simulated time/);
      await page.keyboard.press("+");
      await frame(page);
      assert.notEqual(await chartPixels(page), whole);
      await page.keyboard.press("0");
      await frame(page);
      assert.equal(await chartPixels(page), whole);
    }));

  test("the slider and the map obey arrow keys", () =>
    onPage(typical(), {}, async (page) => {
      await openProblem(page, 0);
      const slider = page.locator('.tau input[type="range"]');
      await slider.focus();
      await page.keyboard.press("ArrowRight");
      await frame(page);
      assert.notEqual(await page.locator('.tau input[type="number"]').inputValue(), "4");
      await page.locator(".map .drawing").focus();
      await page.keyboard.press("ArrowLeft");
      assert.match(await page.locator(".reading").innerText(), /τ = .* ε = /);
      await page.keyboard.press("Enter");
      await frame(page);
      const tau = Number(await page.locator('.tau input[type="number"]').inputValue());
      assert.ok(tau > 0.1 && tau < 100);
    }));
});

describe("every window", () => {
  const cases = { typical: typical(), single: single(), barren: barren(), evil: evil() };
  for (const [name, data] of Object.entries(cases)) {
    test(`a phone shows ${name} without scrolling sideways`, () =>
      onPage(data, { width: 360, height: 740 }, async (page) => {
        for (let k = -1; k < (data.problems.length > 1 ? 3 : -1); ++k) {
          await openProblem(page, k);
          const width = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(width <= 360, `${name} ${k}: ${width}`);
        }
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
      }));
  }

  /** Text whose contrast with what is behind it is below 4.5. */
  const poorContrast = () => {
    const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const parse = (text) => text.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const behind = (element) => {
      for (let e = element; e; e = e.parentElement) {
        const colour = parse(getComputedStyle(e).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) return colour;
      }
      return [255, 255, 255];
    };
    const out = [];
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement;
      if (!node.textContent.trim() || !element.checkVisibility() || element.closest("option")) continue;
      const style = getComputedStyle(element);
      const colour = parse(element.closest("svg") ? style.fill : style.color);
      const [a, b] = [luminance(colour), luminance(behind(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      // letters on the map stand on its colours
      if (contrast < 4.5 && !element.closest(".map svg")) out.push(`${contrast.toFixed(2)} ${node.textContent}`);
    }
    return out;
  };

  for (const colorScheme of ["light", "dark"]) {
    test(`${colorScheme} follows the system, can be changed, and is readable`, () =>
      onPage(typical(), { colorScheme }, async (page) => {
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const [dark, light] = ["rgb(21, 24, 29)", "rgb(255, 255, 255)"];
        assert.equal(await paper(), colorScheme === "dark" ? dark : light);
        await openProblem(page, 0);
        await page.waitForTimeout(200);
        assert.deepEqual(await page.evaluate(poorContrast), []);
        const before = await chartPixels(page);
        await page.click(".theme");
        await frame(page);
        assert.equal(await paper(), colorScheme === "dark" ? light : dark);
        assert.notEqual(await chartPixels(page), before);
      }));
  }

  test("paper shows every problem, light and without controls", () =>
    onPage(typical(), { colorScheme: "dark" }, async (page) => {
      await page.emulateMedia({ media: "print" });
      await frame(page);
      assert.equal(await page.locator(".print article").count(), 4);
      assert.equal(await page.locator(".print figure svg").count(), 1 + 3 * 6);
      assert.equal(await page.locator("button:visible, select:visible, input:visible").count(), 0);
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
      const pdf = await page.pdf();
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
      await page.emulateMedia({ media: "screen" });
      await frame(page);
      assert.equal(await page.locator(".print article").count(), 0);
    }));

  test("little data have their say: one curve, all diverged, nothing drawn", async () => {
    await onPage(single(), {}, async (page) => {
      assert.match(await page.locator("section[aria-label='Which method wins']").innerText(), /nothing to compare/);
      assert.equal(await page.locator("nav").count(), 0);
    });
    await onPage(barren(), {}, async (page) => {
      assert.match(await page.locator("section[aria-label=Network]").innerText(), /too large to be drawn/);
      assert.match(await tableText(page), /diverged/);
      assert.match(await page.locator(".map .empty").innerText(), /closer than its start/);
      assert.match(await page.locator("section[aria-label='The optimum']").innerText(), /no bound/);
    });
    await onPage(report([]), {}, async (page) => assert.match(await page.locator(".empty").innerText(), /no problems/));
    const silent = report([problem("silent", "silent", [typical().problems[0].curves[6]])]);
    await onPage(silent, {}, async (page) => {
      await page.check('.segments input[value="communications"]', { force: true });
      await frame(page);
      assert.match(await page.locator("section[aria-label=Convergence] .empty").innerText(), /communicates/);
      assert.match(await page.locator(".map .empty").innerText(), /nobody to win/);
    });
  });
});

describe("untrusted text", () => {
  test("does nothing but stand there", () =>
    onPage(evil(), {}, async (page) => {
      for (const k of [0, 1, 2, -1]) await openProblem(page, k);
      await openProblem(page, 0);
      for (const summary of await page.locator("summary").all()) await summary.click();
      assert.equal(await page.evaluate(() => window.evil), undefined);
      assert.equal(await page.locator("main script, main img").count(), 0);
      assert.match(await page.locator("h1").innerText(), /<\/script><script>/);
      assert.equal(await page.title(), evil().title);
    }));
});

describe("saving", () => {
  const wellFormed = (page, svg) =>
    page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
      return parsed.querySelector("parsererror") ? parsed.documentElement.textContent : parsed.documentElement.nodeName;
    }, svg);

  test("the page saves what the command line writes", () =>
    onPage(typical(), {}, async (page) => {
      const files = JSON.parse(
        loadFigures()(JSON.stringify(typical()), '{"formats":["svg","pdf","tex","csv"],"tau":4}'),
      );
      const check = async (group, format) => {
        const { name, content } = await save(page, group, format);
        assert.ok(name in files, name);
        assert.ok(content === files[name], `${name} differs`);
        if (format === "svg") assert.equal(await wellFormed(page, content), "svg");
      };
      for (const format of ["svg", "pdf"]) await check("the performance profile", format);
      await openProblem(page, 1);
      for (const format of ["svg", "pdf", "tex", "csv"]) await check("convergence", format);
      await page.check('.segments input[value="bytes"]', { force: true });
      for (const group of ["convergence", "the map of winners", "the graph", "the spectrum"]) await check(group, "svg");
    }));

  test("what is saved is what is shown, on paper's colours", () =>
    onPage(typical(), { colorScheme: "dark" }, async (page) => {
      await openProblem(page, 0);
      await page.uncheck('[data-curve="extra"]');
      await frame(page);
      const { content } = await save(page, "convergence", "csv");
      assert.ok(!content.includes("extra,") && content.includes("mideal,"));
      const svg = (await save(page, "convergence", "svg")).content;
      assert.match(svg, /fill="#ffffff"/);
      assert.doesNotMatch(svg, /#15181d/);
    }));

  test("hostile names stay text in SVG", () =>
    onPage(evil(), {}, async (page) => {
      await openProblem(page, 1);
      const { name, content } = await save(page, "convergence", "svg");
      assert.match(name, /^[a-z0-9.-]+$/);
      assert.equal(await wellFormed(page, content), "svg");
      assert.doesNotMatch(content, /<script|<img/);
    }));

  test("the command is copied", () =>
    onPage(single(), { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await page.getByRole("button", { name: "Copy the command" }).click();
      await page.getByText("Copied").waitFor();
    }));
});

for (const points of [1500, 20000]) {
  test(`30 curves of ${points} points open and follow the slider`, { timeout: 120000 }, (t) =>
    onPage(large(points), {}, (page) => slideThrough(t, page)),
  );
}

async function slideThrough(t, page) {
  await frame(page);
  const opened = await page.evaluate(() => performance.now());
  const moves = await page.evaluate(async () => {
    const slider = document.querySelector('.tau input[type="range"]');
    const times = [];
    for (let place = 40; place < 60; ++place) {
      const start = performance.now();
      slider.value = String(place);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b);
  });
  t.diagnostic(
    `drawn ${Math.round(opened)} ms after navigation; a move of the slider takes ${Math.round(moves[10])} ms (median of 20)`,
  );
  assert.ok(opened < 30000 && moves[10] < 2000);
}
