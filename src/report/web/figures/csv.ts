// SPDX-License-Identifier: Apache-2.0
// The numbers behind a figure.
import { Table } from "./figure";
import { ascii } from "./text";

function field(value: string | number): string {
  if (typeof value === "number") return isFinite(value) ? String(value) : "";
  const text = ascii(value);
  return /[",]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

/** Numbers are written so that reading them gives the same bits; what is not finite is left empty. */
export function toCsv(table: Table): string {
  const rows = [table.columns as (string | number)[]].concat(table.rows);
  return rows.map((row) => row.map(field).join(",") + "\n").join("");
}
