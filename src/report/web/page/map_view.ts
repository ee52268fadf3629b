// SPDX-License-Identifier: Apache-2.0
// The map of winners, with a reading under the pointer or the arrow keys.
import { Problem } from "../figures/data";
import { Scene } from "../figures/scene";
import { light } from "../figures/theme";
import { Winners, winners, winnersFigure } from "../figures/winners";
import { h, s } from "./dom";
import { emptyState, figureCard } from "./figure_card";
import { short } from "./format";
import { Change, State } from "./state";

interface Place {
  row: number;
  column: number;
}

function emptyReason(model: Winners): string | null {
  if (model.map.curves.length === 0) return "No decentralized method on show: there is nobody to win.";
  const won = model.map.winner.some((row) => row.some((who) => who >= 0));
  return won ? null : "No decentralized method on show came closer than its start.";
}

export function mapView(
  state: State,
  problem: Problem,
): { element: HTMLElement; update: (changes: Set<Change>) => void } {
  const name = state.names.winners(state.report.problems.indexOf(problem));
  let model: Winners = winners(state.report, problem, state.chosen(problem), state.view);
  let drawn: { svg: SVGSVGElement; scene: Scene } | null = null;
  let place: Place | null = null;
  const hint = "Point at the map, or focus it and use the arrow keys. Click or Enter sets τ.";
  const reading = h("p", { class: "reading help", "aria-live": "polite" }, hint);
  const caption = "The fastest method for each price of a communication and accuracy.";
  const card = figureCard("the map of winners", caption, (theme) => winnersFigure(name, model, theme), light);
  const stage = card.element.querySelector<HTMLElement>(".drawing")!;
  const empty = emptyState("");
  const element = h("div", { class: "map" }, card.element, reading, empty);

  const line = (): void => {
    drawn?.svg.querySelector(".now")?.remove();
    const [low, high] = model.tauDecades;
    const share = (Math.log10(state.tau) - low) / (high - low);
    if (!drawn || !(share >= 0 && share <= 1)) return;
    const { x, y, width, height } = drawn.scene.plot;
    const at = x + share * width;
    drawn.svg.appendChild(
      s("line", {
        class: "now",
        x1: at,
        x2: at,
        y1: y,
        y2: y + height,
        stroke: state.theme.ink,
        "stroke-width": 1,
        "stroke-dasharray": "2 2",
      }),
    );
  };

  const cursor = (): void => {
    drawn?.svg.querySelector(".here")?.remove();
    if (!drawn || !place) return;
    const { x, y, width, height } = drawn.scene.plot;
    const { taus, epss } = model.map;
    const at = {
      cx: x + ((place.column + 0.5) / taus.length) * width,
      cy: y + ((place.row + 0.5) / epss.length) * height,
    };
    drawn.svg.appendChild(
      s("circle", { class: "here", ...at, r: 4, fill: "none", stroke: state.theme.ink, "stroke-width": 1.5 }),
    );
    const who = model.map.winner[place.row][place.column];
    const winner =
      who < 0
        ? "reached by none"
        : `${model.map.curves[who].label} in ${short(model.map.time[place.row][place.column])}`;
    reading.textContent = `τ = ${short(taus[place.column], 2)}, ε = ${short(epss[place.row], 2)}: ${winner}`;
  };

  const redraw = (): void => {
    model = winners(state.report, problem, state.chosen(problem), state.view);
    const reason = emptyReason(model);
    card.element.hidden = reading.hidden = reason !== null;
    empty.hidden = reason === null;
    empty.textContent = reason;
    if (reason !== null) return;
    drawn = card.draw((theme) => winnersFigure(name, model, theme), state.theme);
    drawn.svg.addEventListener("pointermove", (event) => {
      place = placeAt(event);
      cursor();
    });
    drawn.svg.addEventListener("click", (event) => {
      place = placeAt(event);
      if (place) state.set("tau", Number(model.map.taus[place.column].toPrecision(3)));
    });
    line();
    cursor();
  };

  function placeAt(event: MouseEvent): Place | null {
    const box = drawn!.svg.getBoundingClientRect();
    const { x, y, width, height } = drawn!.scene.plot;
    const across = (((event.clientX - box.left) / box.width) * drawn!.scene.width - x) / width;
    const down = (((event.clientY - box.top) / box.height) * drawn!.scene.height - y) / height;
    if (across < 0 || across >= 1 || down < 0 || down >= 1) return null;
    return { row: Math.floor(down * model.map.epss.length), column: Math.floor(across * model.map.taus.length) };
  }

  stage.tabIndex = 0;
  stage.setAttribute("role", "application");
  stage.setAttribute("aria-label", "Map of winners");
  stage.addEventListener("keydown", (event) => {
    const { taus, epss } = model.map;
    const steps: { [key: string]: [number, number] } = {
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    };
    const step = steps[event.key];
    if (step) {
      const from = place ?? { row: epss.length >> 1, column: taus.length >> 1 };
      const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
      place = { row: clamp(from.row + step[0], epss.length), column: clamp(from.column + step[1], taus.length) };
      cursor();
    } else if (event.key === "Enter" && place) {
      state.set("tau", Number(taus[place.column].toPrecision(3)));
    } else {
      return;
    }
    event.preventDefault();
  });

  redraw();
  return {
    element,
    update: (changes) => {
      if (changes.has("curves") || changes.has("measure") || changes.has("theme")) redraw();
      else if (changes.has("tau")) line();
    },
  };
}
