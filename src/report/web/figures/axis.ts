// SPDX-License-Identifier: Apache-2.0
// Axes and their ticks.
import { log10 } from "./analysis";
import { Text, numberText, plain, powerOfTen } from "./text";

export interface Tick {
  value: number;
  text: Text;
}

export interface Axis {
  label: Text;
  log: boolean;
  min: number;
  max: number;
  ticks: Tick[];
}

/** From a value to its place: 0 at the axis' start, 1 at its end. Made once for many values. */
export function scaleOf(axis: Axis): (value: number) => number {
  if (!axis.log) {
    const span = axis.max - axis.min;
    return (value) => (value - axis.min) / span;
  }
  const low = Math.log(axis.min);
  const span = Math.log(axis.max) - low;
  return (value) => (Math.log(value) - low) / span;
}

/** Whole decades, at most `most` of them labelled. */
export function logAxis(label: Text, low: number, high: number, most: number): Axis {
  const step = Math.max(1, Math.ceil((high - low) / most));
  const ticks: Tick[] = [];
  for (let power = Math.ceil(low / step) * step; power <= high + 1e-9; power += step) {
    // avoid -0
    const whole = Math.round(power) || 0;
    ticks.push({ value: Math.pow(10, whole), text: powerOfTen(whole) });
  }
  return { label, log: true, min: Math.pow(10, low), max: Math.pow(10, high), ticks };
}

/** A step of 1, 2 or 5 times a power of ten that gives at most `most` ticks. */
export function niceStep(range: number, most: number): number {
  const rough = range / most;
  const power = Math.pow(10, Math.floor(log10(rough)));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** From `min` to `max`; a power of ten common to all ticks moves to the label. */
export function linearAxis(label: Text, min: number, max: number, most: number): Axis {
  const top = max > min ? max : min + 1;
  const step = niceStep(top - min, most);
  const largest = Math.max(Math.abs(min), Math.abs(top));
  const exponent = Math.floor(log10(largest) + 1e-9);
  const shared = exponent >= 5 || exponent <= -3 ? exponent : 0;
  const unit = Math.pow(10, shared);
  const ticks: Tick[] = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= top + 1e-9 * step; ++k) {
    ticks.push({ value: k * step, text: numberText(Number(((k * step) / unit).toPrecision(6))) });
  }
  const factor: Text = [
    { kind: "plain", text: " (" },
    { kind: "symbol", text: "\u00d7" },
  ];
  const shown = shared === 0 ? label : label.concat(factor, powerOfTen(shared), plain(")"));
  return { label: shown, log: false, min, max: top, ticks };
}
