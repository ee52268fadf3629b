// SPDX-License-Identifier: Apache-2.0
// The price of a communication: a logarithmic slider, the number itself, and the regimes worth naming.
import { tauDecades } from "../figures/winners";
import { h, uniqueId } from "./dom";
import { short } from "./format";
import { State } from "./state";

const stepsPerDecade = 40;

/** Two or three digits, so that the slider shows numbers people would write. */
function neat(value: number): number {
  return Number(value.toPrecision(3));
}

export function tauControl(state: State): HTMLElement {
  const [low, high] = tauDecades(state.report.taus);
  const toPlace = (tau: number): number => Math.round((Math.log10(tau) - low) * stepsPerDecade);
  const toTau = (place: number): number => neat(10 ** (low + place / stepsPerDecade));
  const id = uniqueId();
  const slider = h("input", {
    type: "range",
    id,
    min: 0,
    max: (high - low) * stepsPerDecade,
    step: 1,
    "aria-describedby": `${id}-help`,
    oninput: () => state.set("tau", toTau(slider.valueAsNumber)),
  });
  const number = h("input", {
    type: "number",
    min: 0,
    step: "any",
    inputmode: "decimal",
    "aria-label": "τ as a number",
    onchange: () => {
      const value = number.valueAsNumber;
      if (value >= 0 && Number.isFinite(value)) state.set("tau", value);
      update();
    },
  });
  const marks = state.report.taus.map((tau) =>
    h("button", { type: "button", class: "mark", "data-tau": tau, onclick: () => state.set("tau", tau) }, short(tau)),
  );
  const ends = h(
    "span",
    { class: "ends", "aria-hidden": "true" },
    `${short(10 ** low)}`,
    h("span", {}, short(10 ** high)),
  );

  function update(): void {
    slider.value = String(state.tau > 0 ? toPlace(state.tau) : 0);
    slider.setAttribute("aria-valuetext", `τ = ${short(state.tau)}`);
    number.value = String(state.tau);
    for (const mark of marks) mark.setAttribute("aria-pressed", String(Number(mark.dataset.tau) === state.tau));
  }
  update();
  state.listen((changes) => {
    if (changes.has("tau")) update();
  });
  return h(
    "div",
    { class: "tau", role: "group", "aria-label": "Price of a communication" },
    h("label", { for: id }, h("i", {}, "τ"), " = "),
    number,
    h("div", { class: "track" }, slider, ends),
    marks.length > 0 ? h("div", { class: "marks", role: "group", "aria-label": "Named regimes" }, ...marks) : null,
    h(
      "span",
      { class: "help", id: `${id}-help` },
      "computations a communication costs; time = computations + τ · communications",
    ),
  );
}
