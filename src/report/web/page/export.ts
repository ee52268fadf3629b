// SPDX-License-Identifier: Apache-2.0
// Buttons that save a figure. Figures are made when asked for, always for paper (light).
import { Figure } from "../figures/figure";
import { Format, figureWriter, formats } from "../figures/names";
import { light } from "../figures/theme";
import { h } from "./dom";

const types: { [format in Format]: string } = {
  svg: "image/svg+xml",
  pdf: "application/pdf",
  tex: "application/x-tex",
  csv: "text/csv",
};

const labels: { [format in Format]: string } = { svg: "SVG", pdf: "PDF", tex: "TeX", csv: "CSV" };

function save(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: url, download: name });
  link.click();
  // the browser reads the blob after the click has returned
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function exportButtons(what: string, figure: () => Figure): HTMLElement {
  const button = (format: Format): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        "data-format": format,
        "aria-label": `Save ${what} as ${labels[format]}`,
        onclick: () => {
          const made = figure();
          save(`${made.name}.${format}`, figureWriter(made, light)(format), types[format]);
        },
      },
      labels[format],
    );
  return h(
    "div",
    { class: "exports", role: "group", "aria-label": `Save ${what}` },
    h("span", { "aria-hidden": "true" }, "Save"),
    ...formats.map(button),
  );
}
