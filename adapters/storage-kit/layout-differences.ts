// Names what differs between two layouts, for the operator of two servers whose plugins do not agree.

import type { Layout } from "../../core/storage.ts";

interface Named {
  readonly name: string;
}

/** The parts of a layout, the most telling first: a type differs where one of its fields does. */
const parts: readonly (readonly [what: string, of: (layout: Layout) => readonly Named[]])[] = [
  ["index", ({ indexes }) => indexes],
  ["key", ({ keys }) => keys],
  ["field", ({ fields }) => fields],
  ["link", ({ edges }) => edges],
  ["type", ({ types }) => types],
];

const listed = 5;

/** A list such as `only the deployed layout has index Post.title/term; field Post.rank differs`. At most five are named. */
export function layoutDifferences(deployed: Layout, own: Layout): string {
  const found = parts.flatMap(([what, of]) => differences(what, of(deployed), of(own)));
  if (found.length === 0) return "the same structures in another order; list the plugins in the order of the other server";
  const rest = found.length - listed;
  return `${found.slice(0, listed).join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
}

function differences(what: string, deployed: readonly Named[], own: readonly Named[]): readonly string[] {
  const [before, after] = [textsOf(deployed), textsOf(own)];
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `only the deployed layout has ${what} ${name}`);
  const added = [...after].flatMap(([name, text]) => {
    if (!before.has(name)) return [`only this server's layout has ${what} ${name}`];
    return before.get(name) === text ? [] : [`${what} ${name} differs`];
  });
  return [...gone, ...added];
}

function textsOf(named: readonly Named[]): ReadonlyMap<string, string> {
  return new Map(named.map((each) => [each.name, JSON.stringify(each)]));
}
