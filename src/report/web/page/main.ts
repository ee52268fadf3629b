// SPDX-License-Identifier: Apache-2.0
// The page: reads the data, builds the shell, shows the chosen problem.
import { Report, parseReport } from "../figures/data";
import { dark, light } from "../figures/theme";
import { about } from "./about";
import { append, h, replace, uniqueId } from "./dom";
import { plural } from "./format";
import { overview } from "./overview";
import { preparePrinting } from "./print";
import { PageView, problemView } from "./problem_view";
import { State, overviewPage } from "./state";
import { tauControl } from "./tau";

const mostTabs = 6;

function pages(report: Report): { page: number; title: string }[] {
  const problems = report.problems.map((problem, page) => ({ page, title: problem.title }));
  return problems.length > 1 ? [{ page: overviewPage, title: "All problems" }, ...problems] : problems;
}

/** Buttons while they fit, a list beyond. */
function navigation(state: State): HTMLElement | null {
  const all = pages(state.report);
  if (all.length < 2) return null;
  if (all.length > mostTabs) {
    const id = uniqueId();
    const select = h("select", { id, onchange: () => state.set("page", Number(select.value)) });
    append(
      select,
      all.map(({ page, title }) => h("option", { value: page }, title)),
    );
    const update = (): void => void (select.value = String(state.page));
    update();
    state.listen(update);
    return h("nav", { "aria-label": "Problems" }, h("label", { for: id }, "Problem "), select);
  }
  const buttons = all.map(({ page, title }) =>
    h("button", { type: "button", "data-page": page, onclick: () => state.set("page", page) }, title),
  );
  const update = (): void => {
    for (const button of buttons) {
      if (Number(button.dataset.page) === state.page) button.setAttribute("aria-current", "page");
      else button.removeAttribute("aria-current");
    }
  };
  update();
  state.listen(update);
  return h("nav", { "aria-label": "Problems", class: "tabs" }, ...buttons);
}

/** Follows the system until the reader decides otherwise. */
function themeButton(state: State): HTMLElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen: "light" | "dark" | null = null;
  const button = h("button", {
    type: "button",
    class: "theme",
    onclick: () => {
      chosen = state.theme === dark ? "light" : "dark";
      apply();
    },
  });
  function apply(): void {
    const isDark = chosen ? chosen === "dark" : system.matches;
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark ? "Use light colours" : "Use dark colours");
    state.set("theme", isDark ? dark : light);
  }
  system.addEventListener("change", apply);
  apply();
  return button;
}

function subtitle(report: Report): string {
  const ids = new Set<string>();
  for (const problem of report.problems) for (const curve of problem.curves) ids.add(curve.id);
  return [plural(ids.size, "curve"), plural(report.problems.length, "problem"), report.date, `ideal ${report.version}`]
    .filter(Boolean)
    .join(" · ");
}

function show(state: State, holder: HTMLElement): void {
  let view: PageView | null = null;
  const open = (): void => {
    view?.dispose();
    view = state.page === overviewPage ? overview(state) : problemView(state, state.problem);
    replace(holder, view.element);
    // the plot needs its width, which it has once it is in the page
    view.update(new Set(["page"]));
  };
  state.listen((changes) => (changes.has("page") ? open() : view?.update(changes)));
  open();
}

function start(root: HTMLElement): void {
  const report = parseReport(document.getElementById("data")?.textContent ?? "");
  if (report.problems.length === 0) {
    append(root, [
      h("h1", {}, report.title),
      h("p", { class: "empty" }, "This report holds no problems."),
      about(report),
    ]);
    return;
  }
  const state = new State(report);
  const holder = h("div", { class: "view" });
  const printed = h("div", { class: "print" });
  append(root, [
    h(
      "header",
      {},
      h("div", {}, h("h1", {}, report.title), h("p", { class: "subtitle" }, subtitle(report))),
      themeButton(state),
    ),
    navigation(state),
    h("div", { class: "bar" }, tauControl(state)),
    holder,
    printed,
    about(report),
  ]);
  show(state, holder);
  preparePrinting(state, printed);
}

const root = document.getElementById("report")!;
try {
  start(root);
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  append(root, [h("p", { class: "empty", role: "alert" }, `The report cannot be shown: ${reason}`)]);
}
