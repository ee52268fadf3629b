// SPDX-License-Identifier: Apache-2.0
// On paper there is nothing to choose: every problem with its main figures and tables, light, without controls.
import { AxisName } from "../figures/analysis";
import { convergence, convergenceFigure } from "../figures/convergence";
import { Problem } from "../figures/data";
import { Figure } from "../figures/figure";
import { finalErrors } from "../figures/names";
import { graphFigure, spectrumFigure } from "../figures/network";
import { profileFigure, profileModel } from "../figures/profile";
import { layout } from "../figures/scene";
import { light } from "../figures/theme";
import { winners, winnersFigure } from "../figures/winners";
import { h, replace } from "./dom";
import { sceneView } from "./scene_view";
import { State } from "./state";
import { timeTables } from "./tables";

const printedAxes: AxisName[] = ["time", "computations", "communications"];

function problemFigures(state: State, problem: Problem): Figure[] {
  const chosen = state.chosen(problem);
  if (chosen.length === 0) return [];
  const figures = printedAxes.map((axis) =>
    convergenceFigure(axis, convergence(problem, chosen, axis, state.view), light),
  );
  const map = winners(state.report, problem, chosen, state.view);
  if (map.map.curves.length > 0) figures.push(winnersFigure("winners", map, light));
  if (problem.drawing) figures.push(graphFigure("graph", problem, problem.drawing, finalErrors(problem.curves), light));
  if (problem.spectrum && problem.spectrum.length > 0)
    figures.push(spectrumFigure("spectrum", problem, problem.spectrum, light));
  return figures;
}

function sheet(title: string, figures: Figure[], tables: HTMLElement[]): HTMLElement {
  return h(
    "article",
    {},
    h("h2", {}, title),
    h(
      "div",
      { class: "sheet" },
      ...figures.map((figure) =>
        h("figure", {}, sceneView(layout(figure, light)), h("figcaption", {}, figure.title.replace(`${title}: `, ""))),
      ),
    ),
    h("div", { class: "tables" }, ...tables),
  );
}

function printout(state: State): HTMLElement[] {
  const sheets = state.report.problems.map((problem) =>
    sheet(problem.title, problemFigures(state, problem), timeTables(state, problem)),
  );
  if (state.report.problems.length < 2) return sheets;
  const profile = profileFigure("profile", profileModel(state.report, state.chosenIds(), state.eps, state.view), light);
  return [sheet("All problems", [profile], []), ...sheets];
}

/** Fills `holder` while the page is printed. */
export function preparePrinting(state: State, holder: HTMLElement): void {
  const fill = (): void => {
    const { theme } = state;
    state.theme = light;
    replace(holder, ...printout(state));
    state.theme = theme;
  };
  addEventListener("beforeprint", fill);
  addEventListener("afterprint", () => replace(holder));
  matchMedia("print").addEventListener("change", (event) => (event.matches ? fill() : replace(holder)));
}
