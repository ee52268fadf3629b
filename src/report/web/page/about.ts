// SPDX-License-Identifier: Apache-2.0
// How to repeat what is shown: command, configuration, machine.
import { Report } from "../figures/data";
import { h } from "./dom";

async function copy(text: string, source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // a page opened from a file may not have the clipboard: select, and let the old way try
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}

function copyable(text: string, what: string): HTMLElement {
  const source = h("pre", { tabindex: "0", "aria-label": what }, text);
  const button = h(
    "button",
    { type: "button", class: "copy", "aria-label": `Copy ${what}`, onclick: () => void press() },
    "Copy",
  );
  const press = async (): Promise<void> => {
    button.textContent = (await copy(text, source)) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  };
  return h("div", { class: "copyable" }, source, button);
}

function seeds(report: Report): string {
  const found = new Set<number>();
  for (const problem of report.problems)
    for (const curve of problem.curves) for (const run of curve.runs) found.add(run.seed);
  return [...found].sort((a, b) => a - b).join(", ");
}

export function about(report: Report): HTMLElement {
  const environment: [string, string | number][] = [
    ["ideal", report.version],
    ["date", report.date],
    ["seeds", seeds(report)],
    ["runs at a time", report.jobs],
    ...Object.entries(report.environment).filter(([name]) => name !== "version" && name !== "date"),
  ];
  return h(
    "section",
    { class: "about", "aria-label": "Repeat this" },
    h("h2", {}, "Repeat this"),
    copyable(report.command, "the command"),
    report.config
      ? h("details", {}, h("summary", {}, "Configuration"), copyable(report.config, "the configuration"))
      : null,
    h(
      "dl",
      { class: "facts" },
      ...environment.map(([name, value]) => h("div", { class: "fact" }, h("dt", {}, name), h("dd", {}, String(value)))),
    ),
  );
}
