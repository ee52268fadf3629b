// SPDX-License-Identifier: Apache-2.0
// Time to an accuracy: a table for the slider's tau and one for each regime worth naming.
import { View, accuracies, bestTime, curveTime, gapMeasure, rivals } from "../figures/analysis";
import { Chosen } from "../figures/convergence";
import { Problem, Report, diverged, isCentralized } from "../figures/data";
import { h } from "./dom";
import { accuracy, short } from "./format";
import { State } from "./state";
import { swatch } from "./swatch";

function cell(time: number, wins: boolean, lost: boolean): HTMLElement {
  if (time === Infinity) {
    return h(
      "td",
      { class: "never" },
      lost ? "diverged" : "–",
      lost ? null : h("span", { class: "hidden" }, "not reached"),
    );
  }
  if (!wins) return h("td", {}, short(time));
  return h(
    "td",
    { class: "best" },
    h("span", { "aria-hidden": "true" }, "★ "),
    short(time),
    h("span", { class: "hidden" }, ", fastest"),
  );
}

function row(state: State, one: Chosen, best: number[], view: View): HTMLElement {
  const { curve, style } = one;
  const yardstick = isCentralized(state.report, curve);
  const lost = diverged(curve) === curve.runs.length;
  const times = accuracies.map((eps) => curveTime(curve, eps, view));
  return h(
    "tr",
    { class: yardstick ? "yardstick" : null },
    h("th", { scope: "row" }, swatch(state.theme, style), h("span", {}, curve.label)),
    ...times.map((time, k) => cell(time, !yardstick && time === best[k] && time < Infinity, lost)),
  );
}

export function timeTable(state: State, problem: Problem, tau: number): HTMLElement {
  const caption = `at τ = ${short(tau)}`;
  const view: View = { measure: gapMeasure(state.measure), tau };
  const chosen = state.chosen(problem);
  const running = rivals(
    state.report,
    chosen.map((one) => one.curve),
  );
  const best = accuracies.map((eps) => bestTime(running, eps, view));
  const note = (eps: number): string => (eps < problem.floor ? " (rounding)" : "");
  return h(
    "div",
    { class: "scroller", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "times", "data-tau": tau },
      h("caption", {}, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "to reach"),
          ...accuracies.map((eps) => h("th", { scope: "col" }, accuracy(eps) + note(eps))),
        ),
      ),
      h("tbody", {}, ...chosen.map((one) => row(state, one, best, view))),
    ),
  );
}

export function timeTables(state: State, problem: Problem): HTMLElement[] {
  const others = state.report.taus.filter((tau) => tau !== state.tau);
  return [state.tau, ...others].map((tau) => timeTable(state, problem, tau));
}

/** The fastest method to `eps`, in words. */
export function fastest(
  report: Report,
  chosen: Chosen[],
  eps: number,
  view: View,
): { label: string; time: number } | null {
  const running = rivals(
    report,
    chosen.map((one) => one.curve),
  );
  const best = bestTime(running, eps, view);
  if (best === Infinity) return null;
  const winner = running.filter((curve) => curveTime(curve, eps, view) === best)[0];
  return { label: winner.label, time: best };
}
