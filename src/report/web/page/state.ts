// SPDX-License-Identifier: Apache-2.0
// What the reader has chosen. Parts of the page listen and redraw; changes within one frame are drawn once.
import { AxisName, Measure, View } from "../figures/analysis";
import { Chosen } from "../figures/convergence";
import { Curve, Problem, Report, curveIds } from "../figures/data";
import { Names, defaultEps, figureNames } from "../figures/names";
import { Theme, light } from "../figures/theme";

export type Change = "page" | "axis" | "measure" | "tau" | "eps" | "curves" | "theme" | "node";

export const overviewPage = -1;

export class State {
  page: number;
  axis: AxisName = "time";
  measure: Measure = "worst";
  tau: number;
  eps = defaultEps;
  theme: Theme = light;
  node: string | null = null; // whose final errors colour the graph
  readonly hidden = new Set<string>();
  readonly names: Names;

  private readonly styles = new Map<string, number>();
  private readonly listeners = new Set<(changes: Set<Change>) => void>();
  private pending: Set<Change> | null = null;

  constructor(readonly report: Report) {
    curveIds(report).forEach((id, index) => this.styles.set(id, index));
    this.names = figureNames(report);
    this.page = report.problems.length > 1 ? overviewPage : 0;
    this.tau = middle(report.taus);
  }

  get view(): View {
    return { measure: this.measure, tau: this.tau };
  }

  get problem(): Problem {
    return this.report.problems[Math.max(0, this.page)];
  }

  style(curve: Curve): number {
    return this.styles.get(curve.id) ?? 0;
  }

  chosen(problem: Problem): Chosen[] {
    return problem.curves
      .filter((curve) => !this.hidden.has(curve.id))
      .map((curve) => ({ curve, style: this.style(curve) }));
  }

  chosenIds(): { id: string; style: number }[] {
    return [...this.styles].filter(([id]) => !this.hidden.has(id)).map(([id, style]) => ({ id, style }));
  }

  set<K extends "page" | "axis" | "measure" | "tau" | "eps" | "theme" | "node">(key: K, value: this[K]): void {
    if (this[key] === value) return;
    (this as Pick<State, K>)[key] = value;
    this.changed(key);
  }

  show(ids: string[], visible: boolean): void {
    for (const id of ids) {
      if (visible) this.hidden.delete(id);
      else this.hidden.add(id);
    }
    this.changed("curves");
  }

  /** Returns how to stop listening. */
  listen(listener: (changes: Set<Change>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private changed(change: Change): void {
    if (this.pending) {
      this.pending.add(change);
      return;
    }
    this.pending = new Set([change]);
    requestAnimationFrame(() => {
      const changes = this.pending ?? new Set();
      this.pending = null;
      for (const listener of [...this.listeners]) listener(changes);
    });
  }
}

/** The regime in the middle of those worth naming. */
function middle(taus: number[]): number {
  const positive = taus.filter((tau) => tau > 0).sort((a, b) => a - b);
  return positive.length > 0 ? positive[Math.floor((positive.length - 1) / 2)] : 1;
}
