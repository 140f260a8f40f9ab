// Storage names that the text of a schema does not tell: those of renamed things, and of things that later schemas left out.
// The kernel remembers them beside the data, so that a rename need be said only once and what was left out can be named again.

import type { Field, LinkField, Model, NodeType, ValueField } from "../../contracts/model.ts";

export interface KeptNames {
  /** By name of the type in the schema. */
  readonly types: NameMemory;
  /** By `Type.field`, the type being the one that declares the field. */
  readonly fields: NameMemory;
}

/** Names in storage by name in the schema. */
export interface NameMemory {
  /** Of renamed things: theirs whenever a schema has them. */
  readonly kept: ReadonlyMap<string, string>;
  /** Of things that the deployed schema does not show: only a rename asks for them. */
  readonly left: ReadonlyMap<string, string>;
}

const noNames: NameMemory = Object.freeze({ kept: new Map<string, string>(), left: new Map<string, string>() });
export const nothingKept: KeptNames = Object.freeze({ types: noNames, fields: noNames });

/** What a schema that is about to be deployed follows. */
export interface History {
  /** The model that it replaces; undefined when it is itself the deployed one, served again after a start. */
  readonly deployed: Model | undefined;
  readonly kept: KeptNames;
}

/** Whether there is nothing to remember. */
export function keepsNothing({ types, fields }: KeptNames): boolean {
  return [types, fields].every(({ kept, left }) => kept.size === 0 && left.size === 0);
}

/** Fields with a name in storage, each where it is declared. */
export function namedFields({ nodeTypes }: Pick<Model, "nodeTypes">): readonly (ValueField | LinkField)[] {
  return [...nodeTypes.values()].flatMap((type) =>
    [...type.fields.values()].filter((field) => field.role === "value" || field.role === "link").filter((field) => field.origin === type),
  );
}

export function fieldKey({ origin, name }: Field): string {
  return `${origin.name}.${name}`;
}

/**
 * What to remember once `model` is deployed.
 *
 * @param keeps whether a thing of `model` has its name from an earlier schema, and not from the text
 */
export function keptAfter(model: Model, { deployed, kept }: History, keeps: (thing: NodeType | Field) => boolean): KeptNames {
  const before = deployed ?? { nodeTypes: new Map<string, NodeType>() };
  return {
    types: remembered(kept.types, typesOf(before), typesOf(model), keeps),
    fields: remembered(kept.fields, fieldsOf(before), fieldsOf(model), keeps),
  };
}

interface Shown {
  readonly key: string;
  readonly stored: string;
  readonly thing: NodeType | Field;
}

function typesOf({ nodeTypes }: Pick<Model, "nodeTypes">): readonly Shown[] {
  return [...nodeTypes.values()].map((thing) => ({ key: thing.name, stored: thing.stored, thing }));
}

function fieldsOf(model: Pick<Model, "nodeTypes">): readonly Shown[] {
  return namedFields(model).map((thing) => ({ key: fieldKey(thing), stored: thing.stored, thing }));
}

function remembered(memory: NameMemory, before: readonly Shown[], now: readonly Shown[], keeps: (thing: NodeType | Field) => boolean): NameMemory {
  const keys = new Set(now.map(({ key }) => key));
  const taken = new Set(now.map(({ stored }) => stored));
  const isAway = ([key, stored]: readonly [string, string]) => !keys.has(key) && !taken.has(stored);
  const renamed = now.filter(({ thing }) => keeps(thing)).map(asEntry);
  const kept = new Map([...[...memory.kept].filter(isAway), ...renamed]);
  const left = [...memory.left, ...before.map(asEntry)].filter((entry) => isAway(entry) && !kept.has(entry[0]));
  return { kept, left: new Map(left) };
}

function asEntry({ key, stored }: Shown): readonly [string, string] {
  return [key, stored];
}
