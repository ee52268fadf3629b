// SPDX-License-Identifier: Apache-2.0
// Elements from code. Strings become text nodes, never markup: data cannot leave its place.

export type Child = Node | string | null;

type Attributes = { [name: string]: string | number | boolean | null | ((event: Event) => void) };

/** Attributes that start with `on` are listeners; false and null leave an attribute out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

export function append(parent: Node, children: Child[]): void {
  for (const child of children) {
    if (child !== null) parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

export function replace(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

export type SvgAttributes = { [name: string]: string | number | undefined };

const svgNamespace = "http://www.w3.org/2000/svg";

export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: SvgAttributes,
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

let counter = 0;

/** For labels that must name an element. */
export function uniqueId(): string {
  return `id${++counter}`;
}
