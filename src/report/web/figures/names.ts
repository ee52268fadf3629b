// SPDX-License-Identifier: Apache-2.0
// How the files of a report's figures are called, and how a figure becomes a file.
import { AxisName } from "./analysis";
import { toCsv } from "./csv";
import { Curve, Report } from "./data";
import { Figure, slug } from "./figure";
import { toPdf } from "./pdf";
import { Scene, layout } from "./scene";
import { toSvg } from "./svg";
import { toTex } from "./tex";
import { Theme } from "./theme";

export type Format = "svg" | "pdf" | "tex" | "csv";

export const formats: Format[] = ["svg", "pdf", "tex", "csv"];

/** The accuracy of a profile unless another is chosen. */
export const defaultEps = 1e-6;

/** Writes a figure in one format after another; it is laid out once. */
export function figureWriter(figure: Figure, theme: Theme): (format: Format) => string {
  let known: Scene | null = null;
  const scene = (): Scene => known || (known = layout(figure, theme));
  return (format) => {
    switch (format) {
      case "svg":
        return toSvg(scene());
      case "pdf":
        return toPdf(scene());
      case "tex":
        return toTex(figure);
      case "csv":
        return toCsv(figure.table);
    }
  };
}

export interface Names {
  convergence(problem: number, axis: AxisName, tau: number): string;
  winners(problem: number): string;
  graph(problem: number): string;
  spectrum(problem: number): string;
  profile(tau: number, eps: number): string;
}

/** A short number fit for a file name. */
function short(value: number): string {
  const digits = Number(value.toPrecision(4));
  const text = digits !== 0 && Math.abs(digits) < 1e-3 ? digits.toExponential() : String(digits);
  return text.replace("+", "");
}

/** Problems are told apart by their ids as far as file names allow, and by a number beyond that. */
export function figureNames(report: Report): Names {
  const taken: { [path: string]: boolean } = {};
  const problems = report.problems.map((problem) => {
    const base = slug(problem.id);
    let name = base;
    for (let k = 2; taken["/" + name]; ++k) name = `${base}-${k}`;
    taken["/" + name] = true;
    return name;
  });
  return {
    convergence: (problem, axis, tau) => `${problems[problem]}-${axis}` + (axis === "time" ? `-tau${short(tau)}` : ""),
    winners: (problem) => `${problems[problem]}-winners`,
    graph: (problem) => `${problems[problem]}-graph`,
    spectrum: (problem) => `${problems[problem]}-spectrum`,
    profile: (tau, eps) => `profile-tau${short(tau)}-eps${short(eps)}`,
  };
}

/** The final errors of the first curve that recorded them. */
export function finalErrors(curves: Curve[]): number[] | null {
  for (const curve of curves) for (const run of curve.runs) if (run.agents) return run.agents;
  return null;
}
