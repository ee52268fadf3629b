// SPDX-License-Identifier: Apache-2.0
// Filled in by the build (glyphs.mjs): a stand-in so that the sources can be type-checked alone.

/** Code point to advance and outline, in 1/1000 em with y upwards. */
export const glyphs: { [code: number]: [number, string] } = {};
