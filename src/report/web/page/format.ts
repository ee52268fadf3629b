// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

export function power(exponent: number): string {
  const digits = String(Math.abs(exponent)).replace(/\d/g, (digit) => superscripts[Number(digit)]);
  return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

/** Three digits; thousands apart; powers of ten far from 1. */
export function short(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "unknown";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)) + 1e-12);
  if (exponent < -3 || exponent > 6) {
    const mantissa = Number((value / 10 ** exponent).toPrecision(digits));
    if (mantissa === 1) return power(exponent);
    return `${String(mantissa).replace("-", "−")}·${power(exponent)}`;
  }
  const rounded = exponent >= digits ? Math.round(value) : Number(value.toPrecision(digits));
  return grouped(rounded);
}

/** 12 345 with a thin space that does not break. */
function grouped(value: number): string {
  const [whole, part] = String(value).split(".");
  const spaced = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return (part ? `${spaced}.${part}` : spaced).replace("-", "−");
}

export function accuracy(eps: number): string {
  const exponent = Math.log10(eps);
  return Math.abs(exponent - Math.round(exponent)) < 1e-9 ? power(Math.round(exponent)) : short(eps);
}

const byteUnits = ["B", "kB", "MB", "GB", "TB", "PB"];

export function bytes(value: number): string {
  let unit = 0;
  let scaled = value;
  while (Math.abs(scaled) >= 1000 && unit + 1 < byteUnits.length) {
    scaled /= 1000;
    ++unit;
  }
  return `${short(scaled)} ${byteUnits[unit]}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
