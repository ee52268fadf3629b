// SPDX-License-Identifier: Apache-2.0
// One problem: convergence, time to accuracy, winners, network, certificate.
import { AxisName, Measure, axisNames } from "../figures/analysis";
import { convergence, convergenceFigure } from "../figures/convergence";
import { Problem, diverged } from "../figures/data";
import { light } from "../figures/theme";
import { Chart } from "./chart";
import { Child, append, h, replace, uniqueId } from "./dom";
import { exportButtons } from "./export";
import { emptyState } from "./figure_card";
import { plural, short } from "./format";
import { legend } from "./legend";
import { mapView } from "./map_view";
import { networkView } from "./network_view";
import { Change, State } from "./state";
import { timeTable } from "./tables";

export interface PageView {
  element: HTMLElement;
  update: (changes: Set<Change>) => void;
  dispose: () => void;
}

const axisTitles: { [axis in AxisName]: string } = {
  computations: "Computations",
  communications: "Communications",
  bytes: "Bytes",
  time: "Simulated time",
  wall: "Wall time",
};

const measureTitles: [Measure, string][] = [
  ["worst", "worst agent"],
  ["mean", "average of the agents"],
  ["consensus", "distance to consensus"],
];

function axisChoice(state: State): HTMLElement {
  const name = uniqueId();
  return h(
    "fieldset",
    { class: "segments" },
    h("legend", {}, "Against"),
    ...axisNames.map((axis) => {
      const radio = h("input", { type: "radio", name, value: axis, onchange: () => state.set("axis", axis) });
      radio.checked = state.axis === axis;
      return h("label", {}, radio, h("span", {}, axisTitles[axis]));
    }),
  );
}

export function measureChoice(state: State): HTMLElement {
  const id = uniqueId();
  const select = h("select", {
    id,
    "data-choice": "measure",
    onchange: () => state.set("measure", select.value as Measure),
  });
  for (const [value, title] of measureTitles) select.appendChild(h("option", { value }, title));
  select.value = state.measure;
  return h("p", { class: "choice" }, h("label", { for: id }, "Error of the "), select);
}

/** What a reader should know before believing the plot. */
function remarks(state: State, problem: Problem): string[] {
  const out: string[] = [];
  const { axis, measure } = state;
  const bounded = measure !== "consensus" && (axis === "computations" || axis === "communications" || axis === "time");
  if (bounded && problem.kappa_W)
    out.push("The dashed line is the lower bound for every method of this kind, its constant left out.");
  if (measure !== "consensus" && problem.floor > 0)
    out.push(`Gaps below ${short(problem.floor, 2)} are rounding and drawn there.`);
  if (axis === "wall" && state.report.jobs > 1) {
    out.push(`${state.report.jobs} runs shared the machine while wall time was measured: compare it with care.`);
  }
  if (problem.curves.some((curve) => curve.runs.length > 1))
    out.push("Curves with several seeds show the median; the band holds 10 to 90 %.");
  const lost = problem.curves.filter((curve) => diverged(curve) > 0);
  if (lost.length > 0) out.push(`Diverged: ${lost.map((curve) => curve.label).join(", ")}.`);
  return out;
}

function emptyReason(state: State, problem: Problem): string | null {
  const chosen = state.chosen(problem);
  if (problem.curves.length === 0) return "There are no runs of this problem.";
  if (chosen.length === 0) return "All curves are switched off. Tick one below to see it.";
  const silent = chosen.every(({ curve }) =>
    curve.runs.every((run) => !(run.trace.communications[run.trace.communications.length - 1] > 0)),
  );
  if (silent && (state.axis === "communications" || state.axis === "bytes")) return "No curve on show communicates.";
  return null;
}

function convergenceSection(state: State, problem: Problem): PageView {
  const chart = new Chart();
  const index = state.report.problems.indexOf(problem);
  const notes = h("ul", { class: "remarks" });
  const empty = emptyState("");
  const list = legend(state, problem, true);
  const model = () => convergence(problem, state.chosen(problem), state.axis, state.view);
  const figure = () => convergenceFigure(state.names.convergence(index, state.axis, state.tau), model(), light);
  const draw = (): void => {
    const reason = emptyReason(state, problem);
    empty.hidden = reason === null;
    empty.textContent = reason ?? "";
    chart.element.hidden = reason !== null;
    if (reason === null) chart.draw(model(), state.theme);
    replace(notes, ...remarks(state, problem).map((text) => h("li", {}, text)));
  };
  const element = h(
    "section",
    { "aria-label": "Convergence" },
    h("h3", {}, "Convergence"),
    h("div", { class: "toolbar" }, axisChoice(state), measureChoice(state)),
    h(
      "figure",
      { class: "card wide" },
      chart.element,
      empty,
      h("figcaption", {}, notes, exportButtons("convergence", figure)),
    ),
    list.element,
  );
  return {
    element,
    update: (changes) => {
      const timeless = changes.size === 1 && changes.has("tau") && state.axis !== "time";
      if (!timeless && !(changes.size === 1 && (changes.has("node") || changes.has("eps")))) draw();
      if (changes.has("curves") || changes.has("theme")) list.update();
    },
    dispose: () => chart.dispose(),
  };
}

function tableSection(state: State, problem: Problem): PageView {
  const holder = h("div", { class: "tables" });
  const explanation = h("p", {});
  let named: [number, HTMLElement][] = [];
  // the slider moves often and concerns one table only; a regime it stands on is not shown twice
  const follow = (): void => {
    const own = timeTable(state, problem, state.tau);
    if (holder.firstElementChild) holder.firstElementChild.replaceWith(own);
    else holder.appendChild(own);
    for (const [tau, table] of named) table.hidden = tau === state.tau;
  };
  const draw = (): void => {
    named = state.report.taus.map((tau) => [tau, timeTable(state, problem, tau)]);
    replace(holder);
    follow();
    append(
      holder,
      named.map(([, table]) => table),
    );
    const whose = state.measure === "mean" ? "the average" : "the worst agent";
    explanation.textContent = `Simulated time until the suboptimality of ${whose} is at most ε, the median over seeds. ★ marks the fastest decentralized method.`;
  };
  draw();
  return {
    element: h("section", { "aria-label": "Time to accuracy" }, h("h3", {}, "Time to accuracy"), explanation, holder),
    update: (changes) => {
      if (changes.has("measure") || changes.has("curves") || changes.has("theme")) draw();
      else if (changes.has("tau")) follow();
    },
    dispose: () => undefined,
  };
}

function fact(name: Child[], value: string, title = ""): HTMLElement {
  return h("div", { class: "fact", title: title || null }, h("dt", {}, ...name), h("dd", {}, value));
}

export const kappaF = (): Child[] => ["κ", h("sub", {}, "f")];
export const kappaW = (): Child[] => ["κ", h("sub", {}, "W")];

function facts(problem: Problem): HTMLElement {
  const { data } = problem;
  return h(
    "dl",
    { class: "facts" },
    fact(["data"], `${data.name}: ${short(data.rows)} × ${short(data.columns)}${data.sparse ? ", sparse" : ""}`),
    fact(["loss"], `${problem.loss}, ℓ₂ ${short(problem.l2)}, ${plural(data.dimension, "variable")}`),
    fact(["network"], `${plural(problem.agents, "agent")} on ${problem.graph}`),
    fact(["weights"], problem.mixing),
    fact(["partition"], problem.partition),
    fact(["L"], short(problem.L), "largest smoothness of an agent's loss"),
    fact(["μ"], short(problem.mu), "smallest strong convexity of an agent's loss"),
    fact(kappaF(), short(problem.kappa_f), "L/μ"),
    fact(kappaW(), short(problem.kappa_W), "largest over smallest positive eigenvalue of W"),
  );
}

function spectrumText(problem: Problem): HTMLElement {
  return h(
    "p",
    {},
    `${plural(problem.agents, "agent")}, ${plural(problem.edges, "edge")}; the positive eigenvalues of W lie between `,
    `${short(problem.lambda_min)} and ${short(problem.lambda_max)}`,
    ...(problem.kappa_W ? [", so ", ...kappaW(), ` = ${short(problem.kappa_W)}.`] : ["."]),
  );
}

function certificate(problem: Problem): HTMLElement {
  const sure =
    problem.certified_gap !== null && problem.certified_gap !== undefined
      ? `so f* is right to ${short(problem.certified_gap)}`
      : "strong convexity is not known, so there is no bound on its error";
  return h(
    "section",
    { "aria-label": "The optimum" },
    h("h3", {}, "The optimum"),
    h(
      "p",
      {},
      `f* = ${problem.f_star}. The gradient there has norm ${short(problem.gradient_norm)}, ${sure}. `,
      problem.floor > 0 ? `Gaps below ${short(problem.floor, 2)} are rounding.` : "",
    ),
  );
}

export function problemView(state: State, problem: Problem): PageView {
  const network = networkView(state, problem);
  const sections: PageView[] = [convergenceSection(state, problem), tableSection(state, problem)];
  const map = mapView(state, problem);
  const single =
    problem.curves.length === 1
      ? h("p", { class: "help" }, "With one method there is nothing to compare: it wins wherever it arrives.")
      : null;
  const element = h(
    "article",
    {},
    h("h2", {}, problem.title),
    facts(problem),
    ...sections.map((section) => section.element),
    h("section", { "aria-label": "Which method wins" }, h("h3", {}, "Which method wins"), single, map.element),
    h("section", { "aria-label": "Network" }, h("h3", {}, "Network"), spectrumText(problem), network.element),
    certificate(problem),
  );
  return {
    element,
    update: (changes) => {
      for (const section of sections) section.update(changes);
      map.update(changes);
      network.update(changes);
    },
    dispose: () => sections.forEach((section) => section.dispose()),
  };
}
