// SPDX-License-Identifier: Apache-2.0
// Colours, dashes and marks. Hues stay apart for colour-blind readers; dash and mark tell curves apart without colour.

export interface Theme {
  ink: string;
  quiet: string; // secondary text, axes
  grid: string;
  paper: string;
  series: string[];
}

export const light: Theme = {
  ink: "#1a1c20",
  quiet: "#565b64",
  grid: "#e3e5e9",
  paper: "#ffffff",
  series: ["#0068a8", "#c8500a", "#007a5a", "#a03d8f", "#8a6500", "#3c3c9e", "#9c1f45", "#4d5560"],
};

export const dark: Theme = {
  ink: "#e7e9ee",
  quiet: "#a4abb8",
  grid: "#2e333c",
  paper: "#15181d",
  series: ["#62b5f0", "#ff9a5c", "#3ecf9f", "#e79bd8", "#e3bb52", "#a3a5ff", "#ff8ba6", "#b4bcc8"],
};

export type Mark = "circle" | "square" | "triangle" | "diamond" | "cross" | "down";

export interface LineStyle {
  colour: string;
  dash: number[]; // in units of the line's width; empty: solid
  mark: Mark;
}

const marks: Mark[] = ["circle", "square", "triangle", "diamond", "down", "cross"];
const dashes: number[][] = [[], [5, 2.5], [1.2, 2], [7, 2, 1.2, 2]];

/** The look of the curve at `index`: colours first, then dashes; marks run through a cycle of another length. */
export function lineStyle(theme: Theme, index: number): LineStyle {
  const colours = theme.series.length;
  return {
    colour: theme.series[index % colours],
    dash: dashes[Math.floor(index / colours) % dashes.length],
    mark: marks[index % marks.length],
  };
}

function channels(hex: string): number[] {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function hex2(value: number): string {
  const text = Math.round(value).toString(16);
  return text.length < 2 ? "0" + text : text;
}

/** From `a` (part 0) to `b` (part 1). */
export function mix(a: string, b: string, part: number): string {
  const from = channels(a);
  const to = channels(b);
  return "#" + from.map((value, i) => hex2(value + part * (to[i] - value))).join("");
}

// Dark to light at even steps of lightness, blue to yellow: readable without colour and by colour-blind eyes.
const ramp = ["#1f2a6b", "#35608d", "#2f8f8b", "#5fbf6a", "#f3e04a"];

/** A colour for a share in [0, 1]. */
export function rampColour(share: number): string {
  const place = Math.max(0, Math.min(1, share)) * (ramp.length - 1);
  const below = Math.min(Math.floor(place), ramp.length - 2);
  return mix(ramp[below], ramp[below + 1], place - below);
}

export function rgb(hex: string): number[] {
  return channels(hex).map((value) => value / 255);
}
