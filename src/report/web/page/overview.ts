// SPDX-License-Identifier: Apache-2.0
// All problems at once: who is fastest where, and performance profiles.
import { accuracies, gapMeasure } from "../figures/analysis";
import { Curve, Problem } from "../figures/data";
import { Figure } from "../figures/figure";
import { profileFigure, profileModel } from "../figures/profile";
import { Theme, light } from "../figures/theme";
import { Child, h, replace, uniqueId } from "./dom";
import { emptyState, figureCard } from "./figure_card";
import { accuracy, plural, short } from "./format";
import { legend } from "./legend";
import { PageView, kappaF, kappaW, measureChoice } from "./problem_view";
import { Change, State } from "./state";
import { fastest } from "./tables";

function epsChoice(state: State): HTMLElement {
  const id = uniqueId();
  const select = h("select", { id, "data-choice": "eps", onchange: () => state.set("eps", Number(select.value)) });
  for (const eps of accuracies) select.appendChild(h("option", { value: eps }, accuracy(eps)));
  select.value = String(state.eps);
  return h("p", { class: "choice" }, h("label", { for: id }, "To accuracy "), select);
}

function winnersTable(state: State): HTMLElement {
  const view = { measure: gapMeasure(state.measure), tau: state.tau };
  const caption = `The fastest method and its time at τ = ${short(state.tau)}`;
  const rows = state.report.problems.map((problem, index) => {
    const cells = accuracies.map((eps) => {
      const best = fastest(state.report, state.chosen(problem), eps, view);
      if (!best) return h("td", { class: "never" }, "–", h("span", { class: "hidden" }, "reached by none"));
      return h("td", {}, best.label, h("small", {}, ` ${short(best.time)}`));
    });
    const open = h("button", { type: "button", class: "link", onclick: () => state.set("page", index) }, problem.title);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, open),
      h("td", {}, short(problem.kappa_f)),
      h("td", {}, short(problem.kappa_W)),
      ...cells,
    );
  });
  const columns: Child[][] = [["problem"], kappaF(), kappaW(), ...accuracies.map((eps) => [accuracy(eps)])];
  return h(
    "div",
    { class: "scroller", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "times names" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...columns.map((name) => h("th", { scope: "col" }, ...name)))),
      h("tbody", {}, ...rows),
    ),
  );
}

/** All curves, as if they were of one problem: for the legend. */
function everything(state: State): Problem {
  const curves = new Map<string, Curve>();
  for (const problem of state.report.problems) {
    for (const curve of problem.curves) {
      const known = curves.get(curve.id);
      curves.set(curve.id, known ? { ...known, runs: [...known.runs, ...curve.runs] } : curve);
    }
  }
  return { ...state.report.problems[0], curves: [...curves.values()] };
}

export function overview(state: State): PageView {
  const figure = (theme: Theme): Figure => {
    const model = profileModel(state.report, state.chosenIds(), state.eps, state.view);
    return profileFigure(state.names.profile(state.tau, state.eps), model, theme);
  };
  const card = figureCard(
    "the performance profile",
    "For each method, the share of problems it solves within a factor of the fastest.",
    figure,
    light,
  );
  const table = h("div", {});
  const empty = emptyState("No decentralized method on show reaches this accuracy on any problem.");
  const list = legend(state, everything(state), false);
  const draw = (): void => {
    const model = profileModel(state.report, state.chosenIds(), state.eps, state.view);
    const nobody = model.profile.problems === 0;
    empty.hidden = !nobody;
    card.element.hidden = nobody;
    if (!nobody) card.draw(figure, state.theme);
    replace(table, winnersTable(state));
  };
  draw();
  const element = h(
    "article",
    {},
    h("h2", {}, "All problems"),
    h("p", {}, `${plural(state.report.problems.length, "problem")}. Choose one above, or here, for its curves.`),
    h("section", { "aria-label": "Winners" }, table),
    h(
      "section",
      { "aria-label": "Performance profile" },
      h("h3", {}, "Performance profile"),
      h("div", { class: "toolbar" }, epsChoice(state), measureChoice(state)),
      card.element,
      empty,
    ),
    h("section", { "aria-label": "Methods" }, h("h3", {}, "Methods"), list.element),
  );
  return {
    element,
    update: (changes: Set<Change>) => {
      draw();
      if (changes.has("curves") || changes.has("theme")) list.update();
    },
    dispose: () => undefined,
  };
}
