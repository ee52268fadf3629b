// SPDX-License-Identifier: Apache-2.0
// Performance profile: the share of problems a method solves within a factor of the fastest.
import { Profile, View, log10, performanceProfile } from "./analysis";
import { linearAxis, logAxis } from "./axis";
import { Report } from "./data";
import { Figure, Layer, LegendEntry, Stroke } from "./figure";
import { epsSymbol, numberText, plain, tauSymbol } from "./text";
import { Theme, lineStyle } from "./theme";

export interface ProfileChoice {
  id: string;
  style: number;
}

export interface ProfileModel {
  profile: Profile;
  styles: number[]; // of profile.curves
  eps: number;
  tau: number;
  factorMax: number;
}

export function profileModel(report: Report, chosen: ProfileChoice[], eps: number, view: View): ProfileModel {
  const profile = performanceProfile(
    report,
    chosen.map((one) => one.id),
    eps,
    view,
  );
  const styles = profile.curves.map((curve) => chosen.filter((one) => one.id === curve.id)[0].style);
  let largest = 1;
  for (const curve of profile.curves) for (const factor of curve.factors) largest = Math.max(largest, factor);
  return { profile, styles, eps, tau: view.tau, factorMax: Math.max(2, 1.15 * largest) };
}

/** The corners of a staircase from factor 1 to the end of the axis. */
export function staircase(factors: number[], shares: number[], end: number): { xs: number[]; ys: number[] } {
  const xs = [1];
  const ys = [0];
  factors.forEach((factor, k) => {
    xs.push(factor, factor);
    ys.push(ys[ys.length - 1], shares[k]);
  });
  xs.push(end);
  ys.push(ys[ys.length - 1]);
  return { xs, ys };
}

export function profileFigure(name: string, model: ProfileModel, theme: Theme): Figure {
  const layers: Layer[] = [];
  const legend: LegendEntry[] = [];
  const rows: (string | number)[][] = [];
  model.profile.curves.forEach((curve, i) => {
    const { colour, dash, mark } = lineStyle(theme, model.styles[i]);
    const stroke: Stroke = { colour, width: 1.2, dash };
    const steps = staircase(curve.factors, curve.shares, model.factorMax);
    layers.push({ kind: "line", ...steps, stroke, mark, shift: model.styles[i] });
    legend.push({ text: plain(curve.label), swatch: { kind: "line", stroke, mark } });
    curve.factors.forEach((factor, k) => rows.push([curve.label, round(factor), round(curve.shares[k])]));
  });
  const factorLabel = plain("factor of the fastest, ").concat(
    tauSymbol,
    plain(" = "),
    numberText(model.tau),
    plain(", "),
    epsSymbol,
    plain(" = "),
    numberText(model.eps),
  );
  return {
    name,
    title: "Performance profile",
    width: 380,
    height: 200,
    axes: {
      // a few powers of ten read better on a logarithmic axis, a narrow range on a straight one
      x:
        model.factorMax > 20
          ? logAxis(factorLabel, 0, log10(model.factorMax), 6)
          : linearAxis(factorLabel, 1, model.factorMax, 8),
      y: linearAxis(plain("share of problems"), 0, 1.02, 6),
    },
    framed: true,
    layers,
    legend,
    bar: null,
    note: null,
    table: { columns: ["curve", "factor", "share"], rows },
  };
}

function round(value: number): number {
  return Number(value.toPrecision(9));
}
