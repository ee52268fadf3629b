// SPDX-License-Identifier: Apache-2.0
// The graph with its agents' final errors, and the spectrum of its weights.
import { Curve, Problem } from "../figures/data";
import { graphFigure, spectrumFigure } from "../figures/network";
import { Theme, light } from "../figures/theme";
import { Figure } from "../figures/figure";
import { h, uniqueId } from "./dom";
import { Card, emptyState, figureCard } from "./figure_card";
import { Change, State } from "./state";

function withErrors(problem: Problem): Curve[] {
  return problem.curves.filter((curve) => curve.runs.some((run) => run.agents !== null));
}

function errorsOf(curve: Curve | undefined): number[] | null {
  const run = curve?.runs.find((one) => one.agents !== null);
  return run?.agents ?? null;
}

export function networkView(
  state: State,
  problem: Problem,
): { element: HTMLElement; update: (changes: Set<Change>) => void } {
  const index = state.report.problems.indexOf(problem);
  const known = withErrors(problem);
  const coloured = (): Curve | undefined => known.find((curve) => curve.id === state.node) ?? known[0];
  const graph = (theme: Theme): Figure =>
    graphFigure(state.names.graph(index), problem, problem.drawing!, errorsOf(coloured()), theme);
  const spectrum = (theme: Theme): Figure =>
    spectrumFigure(state.names.spectrum(index), problem, problem.spectrum!, theme);

  const graphCard: Card | null = problem.drawing
    ? figureCard(
        "the graph",
        known.length > 0
          ? "Agents, coloured by their final suboptimality."
          : "The network. Final errors of the agents were not recorded.",
        graph,
        light,
      )
    : null;
  const spectrumCard: Card | null =
    problem.spectrum && problem.spectrum.length > 0
      ? figureCard("the spectrum", "Eigenvalues of the mixing matrix W.", spectrum, light)
      : null;

  const id = uniqueId();
  const choice = h("select", { id, onchange: () => state.set("node", choice.value) });
  for (const curve of known) choice.appendChild(h("option", { value: curve.id }, curve.label));
  const picker =
    graphCard && known.length > 1
      ? h("p", { class: "controls" }, h("label", { for: id }, "Colour by the errors of "), choice)
      : null;

  const draw = (): void => {
    choice.value = coloured()?.id ?? "";
    graphCard?.draw(graph, state.theme);
    spectrumCard?.draw(spectrum, state.theme);
  };
  draw();
  const element = h(
    "div",
    { class: "network" },
    picker,
    h(
      "div",
      { class: "pair" },
      graphCard ? graphCard.element : emptyState("The graph is too large to be drawn."),
      spectrumCard ? spectrumCard.element : emptyState("The graph is too large to list its eigenvalues."),
    ),
  );
  return {
    element,
    update: (changes) => {
      if (changes.has("theme") || changes.has("node")) draw();
    },
  };
}
