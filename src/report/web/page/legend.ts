// SPDX-License-Identifier: Apache-2.0
// The curves: on or off, what each method is, and how its runs ended.
import { Curve, MethodInfo, Problem, Run, diverged, isCentralized, own } from "../figures/data";
import { h, replace } from "./dom";
import { plural, short } from "./format";
import { State } from "./state";
import { swatch } from "./swatch";

const statusWords: { [status: string]: string } = {
  converged: "reached its goal",
  budget: "used up its budget",
  diverged: "diverged",
  interrupted: "interrupted",
};

/** "reached its goal", or counts when runs differ. */
export function statusText(curve: Curve): string {
  const counts = new Map<string, number>();
  for (const run of curve.runs) counts.set(run.status, (counts.get(run.status) ?? 0) + 1);
  const word = (status: string): string => statusWords[status] ?? status;
  if (counts.size === 1) {
    const [only] = counts.keys();
    return curve.runs.length === 1 ? word(only) : `${word(only)}, all ${curve.runs.length} runs`;
  }
  return [...counts].map(([status, count]) => `${plural(count, "run")} ${word(status)}`).join(", ");
}

function definition(name: string, value: string): HTMLElement[] {
  return value === "" ? [] : [h("dt", {}, name), h("dd", {}, value)];
}

function runText(run: Run): string {
  const { computations, communications, worst } = run.trace;
  const last = computations.length - 1;
  const counts =
    last < 0
      ? "no records"
      : `${short(computations[last])} computations, ${short(communications[last])} communications`;
  const gap = last >= 0 && worst[last] === worst[last] ? `, worst gap ${short(worst[last])}` : "";
  const message = run.message ? `: ${run.message}` : "";
  return `seed ${run.seed}, ${statusWords[run.status] ?? run.status}${message}; ${counts}${gap}, ${short(run.seconds)} s`;
}

function details(curve: Curve, info: MethodInfo | null, runs: Run[]): HTMLElement {
  const parameters = Object.entries(curve.parameters)
    .map(([name, value]) => `${name} = ${typeof value === "number" ? short(value, 5) : value}`)
    .join(", ");
  const rule = info ? info.rule.split(/;\s+/).join("\n") : "";
  return h(
    "details",
    {},
    h("summary", {}, "Details", h("span", { class: "hidden" }, ` of ${curve.label}`)),
    h(
      "dl",
      {},
      ...(rule ? [h("dt", {}, "rule"), h("dd", {}, h("pre", {}, rule))] : []),
      ...definition("cost", info?.cost ?? ""),
      ...definition("rate", info?.rate ?? ""),
      ...definition("set", curve.set.join(", ")),
      ...definition("parameters", parameters),
      ...definition("from", info?.citation ?? ""),
      runs.length > 0 ? h("dt", {}, runs.length === 1 ? "run" : "runs") : null,
      ...runs.map((run) => h("dd", {}, runText(run), run.directory ? h("code", {}, ` ${run.directory}`) : null)),
    ),
  );
}

function entry(state: State, curve: Curve, runs: Run[]): HTMLElement {
  const info = own(state.report.methods, curve.method);
  const lost = diverged(curve) > 0;
  const box = h("input", {
    type: "checkbox",
    "data-curve": curve.id,
    onchange: () => state.show([curve.id], box.checked),
  });
  box.checked = !state.hidden.has(curve.id);
  return h(
    "li",
    { class: "curve" },
    h("label", {}, box, swatch(state.theme, state.style(curve)), h("span", { class: "name" }, curve.label)),
    h(
      "span",
      { class: "summary" },
      info?.summary ?? "",
      isCentralized(state.report, curve) ? " (centralized: a yardstick, never a winner)" : "",
    ),
    h("span", { class: lost ? "status lost" : "status" }, lost ? "✕ " : "", statusText(curve)),
    details(curve, info, runs),
  );
}

/** Over all problems a curve has too many runs to list each. */
export function legend(
  state: State,
  problem: Problem,
  listRuns: boolean,
): { element: HTMLElement; update: () => void } {
  const list = h("ul", { class: "curves" });
  const all = (visible: boolean): void =>
    state.show(
      problem.curves.map((curve) => curve.id),
      visible,
    );
  const element = h(
    "div",
    { class: "legend" },
    list,
    problem.curves.length > 1
      ? h(
          "p",
          { class: "controls help" },
          h("button", { type: "button", onclick: () => all(true) }, "All"),
          h("button", { type: "button", onclick: () => all(false) }, "None"),
          " What is not ticked is left out of every figure and table.",
        )
      : null,
  );
  const fill = (): void =>
    replace(list, ...problem.curves.map((curve) => entry(state, curve, listRuns ? curve.runs : [])));
  fill();
  const update = (): void => {
    for (const box of list.querySelectorAll<HTMLInputElement>("input[data-curve]")) {
      box.checked = !state.hidden.has(box.dataset.curve ?? "");
    }
    list
      .querySelectorAll("svg.swatch")
      .forEach((old, i) => old.replaceWith(swatch(state.theme, state.style(problem.curves[i]))));
  };
  return { element, update };
}
