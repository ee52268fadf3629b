// SPDX-License-Identifier: Apache-2.0
// All figures of a report at once, for the command line. The page exports the same figures one by one.
import { View, axisNames } from "./analysis";
import { Chosen, convergence, convergenceFigure } from "./convergence";
import { Report, curveIds, parseReport } from "./data";
import { Figure } from "./figure";
import { Format, Names, defaultEps, figureNames, figureWriter, finalErrors } from "./names";
import { graphFigure, spectrumFigure } from "./network";
import { profileFigure, profileModel } from "./profile";
import { light } from "./theme";
import { winners, winnersFigure } from "./winners";

interface Options {
  formats: Format[];
  tau: number | null;
}

function problemFigures(report: Report, index: number, taus: number[], names: Names): Figure[] {
  const problem = report.problems[index];
  const ids = curveIds(report);
  const chosen: Chosen[] = problem.curves.map((curve) => ({ curve, style: ids.indexOf(curve.id) }));
  const figures: Figure[] = [];
  const view = (tau: number): View => ({ measure: "worst", tau });
  for (const axis of axisNames) {
    for (const tau of axis === "time" ? taus : [0]) {
      const model = convergence(problem, chosen, axis, view(tau));
      figures.push(convergenceFigure(names.convergence(index, axis, tau), model, light));
    }
  }
  figures.push(winnersFigure(names.winners(index), winners(report, problem, chosen, view(0)), light));
  if (problem.drawing) {
    figures.push(graphFigure(names.graph(index), problem, problem.drawing, finalErrors(problem.curves), light));
  }
  if (problem.spectrum && problem.spectrum.length > 0) {
    figures.push(spectrumFigure(names.spectrum(index), problem, problem.spectrum, light));
  }
  return figures;
}

function profileFigures(report: Report, taus: number[], names: Names): Figure[] {
  if (report.problems.length < 2) return [];
  const chosen = curveIds(report).map((id, style) => ({ id, style }));
  return taus.map((tau) => {
    const model = profileModel(report, chosen, defaultEps, { measure: "worst", tau });
    return profileFigure(names.profile(tau, defaultEps), model, light);
  });
}

/** File name to content, as JSON text. */
export function idealFigures(dataText: string, optionsText: string): string {
  const report = parseReport(dataText);
  const options = JSON.parse(optionsText) as Options;
  const taus = typeof options.tau === "number" ? [options.tau] : report.taus;
  const names = figureNames(report);
  const files: { [name: string]: string } = {};
  const add = (figure: Figure): void => {
    const write = figureWriter(figure, light);
    for (const format of options.formats) files[figure.name + "." + format] = write(format);
  };
  report.problems.forEach((_, index) => problemFigures(report, index, taus, names).forEach(add));
  profileFigures(report, taus, names).forEach(add);
  return JSON.stringify(files);
}
