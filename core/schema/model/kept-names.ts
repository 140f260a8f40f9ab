// Stored names that the schema text does not determine: those of renamed types and fields, and of those that later schemas removed.
// The kernel stores them beside the data, so that a schema states a rename only once, and can restore what was removed.

import type { Field, LinkField, Model, NodeType, ValueField } from "../../contracts/model.ts";

/** Stored names that outlive the schema text that introduced them. */
export interface KeptNames {
  /** By name of the type in the schema. */
  readonly types: NameMemory;
  /** By `Type.field`, where the type is the one that declares the field. */
  readonly fields: NameMemory;
}

/** Stored names by name in the schema. */
export interface NameMemory {
  /** Of renamed types or fields: they apply whenever a schema contains them. */
  readonly kept: ReadonlyMap<string, string>;
  /** Of types or fields that the deployed schema has removed: only a rename refers to them. */
  readonly left: ReadonlyMap<string, string>;
}

const noNames: NameMemory = Object.freeze({ kept: new Map<string, string>(), left: new Map<string, string>() });
export const nothingKept: KeptNames = Object.freeze({ types: noNames, fields: noNames });

/** The state that a new deployment replaces. */
export interface History {
  /** The model that it replaces; undefined at a restart, and if nothing is deployed. */
  readonly deployed: Model | undefined;
  readonly kept: KeptNames;
}

/** Whether there are no names to store. */
export function keepsNothing({ types, fields }: KeptNames): boolean {
  return [types, fields].every(({ kept, left }) => kept.size === 0 && left.size === 0);
}

/** Stored fields, each at the type that declares it. */
export function namedFields({ nodeTypes }: Pick<Model, "nodeTypes">): readonly (ValueField | LinkField)[] {
  return [...nodeTypes.values()].flatMap((type) =>
    [...type.fields.values()].filter((field) => field.role === "value" || field.role === "link").filter((field) => field.origin === type),
  );
}

/** `Type.field`, with the declaring type. */
export function fieldKey({ origin, name }: Field): string {
  return `${origin.name}.${name}`;
}

/**
 * The names to store when `model` is deployed.
 *
 * @param keeps whether a type or field of `model` has its name from an earlier schema, not from the text
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
