// The outbox in the store: a hidden type whose nodes are events that are yet to be delivered.

import type { Create, LayoutAdditions, Uid } from "../../../core/plugin.ts";

/** The hidden type. */
export const entryType = "lambda.Event";

const prefix = `${entryType}.`;

/** Stored fields of an entry. */
export const entryFields = {
  /** Rises along what depends on each other: a transaction that sees an entry gives its own a higher number. */
  sequence: `${prefix}sequence`,
  /** When to deliver it, in milliseconds since 1970; 0: at once. */
  due: `${prefix}due`,
  /** When it was committed, in milliseconds since 1970. */
  born: `${prefix}born`,
  /** How many deliveries have failed. */
  tries: `${prefix}tries`,
  /** The nodes that it is about, in the order of whose events it is delivered; `everyNode`: it waits for all earlier ones. */
  nodes: `${prefix}nodes`,
  /** What is delivered, as JSON. */
  body: `${prefix}body`,
} as const;

export const everyNode = "*";

export const outboxLayout: LayoutAdditions = {
  types: [{ name: entryType, fields: Object.values(entryFields) }],
  fields: [
    { name: entryFields.sequence, kind: "float", list: false },
    { name: entryFields.due, kind: "float", list: false },
    { name: entryFields.born, kind: "float", list: false },
    { name: entryFields.tries, kind: "int", list: false },
    { name: entryFields.nodes, kind: "string", list: true },
    { name: entryFields.body, kind: "string", list: false },
  ],
  indexes: [
    { name: `${entryFields.sequence}/ordered`, field: entryFields.sequence, by: "value", ordered: true },
    { name: `${entryFields.due}/ordered`, field: entryFields.due, by: "value", ordered: true },
    { name: `${entryFields.nodes}/hash`, field: entryFields.nodes, by: "value", ordered: false },
  ],
};

export interface NewEntry {
  readonly uid: Uid;
  readonly sequence: number;
  readonly nodes: readonly string[];
  readonly body: string;
}

export function createEntry({ uid, sequence, nodes, body }: NewEntry): Create {
  const { sequence: number, due, born, tries, nodes: about, body: text } = entryFields;
  const fields = { [number]: sequence, [due]: 0, [born]: Date.now(), [tries]: 0, [about]: nodes, [text]: body };
  return { kind: "create", uid, type: entryType, fields };
}
