// SPDX-License-Identifier: Apache-2.0
// The numbers behind a figure.
import { Table } from "./figure";
import { ascii } from "./text";

function quoted(value: string): string {
  const text = ascii(value);
  return /[",]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

/** Numbers are written so that reading them gives the same bits; what is not finite is left empty. */
export function toCsv(table: Table): string {
  // a label stands in thousands of rows: it is prepared once
  const known: { [text: string]: string } = {};
  const lines = [table.columns.map(quoted).join(",")];
  for (const row of table.rows) {
    let line = "";
    for (let i = 0; i < row.length; ++i) {
      const value = row[i];
      if (i > 0) line += ",";
      if (typeof value === "string") line += known["=" + value] || (known["=" + value] = quoted(value));
      else if (value - value === 0) line += value;
    }
    lines.push(line);
  }
  return lines.join("\n") + "\n";
}
