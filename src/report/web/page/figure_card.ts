// SPDX-License-Identifier: Apache-2.0
// A figure on the page: the drawing, what it shows, and buttons to save it.
import { Figure } from "../figures/figure";
import { Scene, layout } from "../figures/scene";
import { Theme } from "../figures/theme";
import { h, replace } from "./dom";
import { exportButtons } from "./export";
import { sceneView } from "./scene_view";

export interface Card {
  element: HTMLElement;
  /** Draws again; `figure` makes it for a theme. */
  draw: (figure: (theme: Theme) => Figure, theme: Theme) => Drawn;
}

export interface Drawn {
  svg: SVGSVGElement;
  scene: Scene;
}

export function figureCard(what: string, caption: string, make: (theme: Theme) => Figure, light: Theme): Card {
  const holder = h("div", { class: "drawing" });
  let current = make;
  const element = h(
    "figure",
    { class: "card" },
    holder,
    h(
      "figcaption",
      {},
      h("span", {}, caption),
      exportButtons(what, () => current(light)),
    ),
  );
  return {
    element,
    draw: (figure, theme) => {
      current = figure;
      const scene = layout(figure(theme), theme);
      const svg = sceneView(scene);
      replace(holder, svg);
      return { svg, scene };
    },
  };
}

export function emptyState(text: string): HTMLElement {
  return h("p", { class: "empty" }, text);
}
