// Turns the representations of entities into lookups.

import { type FieldName, type LookupPart, type NodeLookup, nextTurn, type Stored, TurnClock, type ValueField } from "../../core/plugin.ts";
import type { Entity, EntityKey, KeyLeaf } from "./entity-keys.ts";
import { keyValue, storedValue } from "./key-values.ts";

/** What the schema says about types. */
export interface EntityTypes {
  /** By type name. */
  readonly entities: ReadonlyMap<string, Entity>;
  isType(name: string): boolean;
}

/** A representation that does not fit the schema. The whole field fails, as it does in Dgraph. */
export class RepresentationError extends Error {
  override readonly name = "RepresentationError";
}

/** So many are read before the clock is looked at. */
const batchSize = 250;

/**
 * The lookups of `representations`, in order; undefined where no node can be meant. Many are read in turns.
 *
 * @throws RepresentationError, or rejects with one
 */
export async function readRepresentations(representations: unknown, types: EntityTypes): Promise<readonly (NodeLookup | undefined)[]> {
  const list = Array.isArray(representations) ? representations : [representations];
  if (list.length === 0) throw new RepresentationError("expecting at least one item in `representations` argument");
  const lookups: (NodeLookup | undefined)[] = [];
  const turn = new TurnClock();
  for (const [i, item] of list.entries()) {
    lookups.push(readOne(item, i, types));
    if (lookups.length % batchSize !== 0 || !turn.isOver) continue;
    await nextTurn();
    turn.restart();
  }
  return lookups;
}

function readOne(item: unknown, i: number, { entities, isType }: EntityTypes): NodeLookup | undefined {
  if (!isRecord(item)) throw new RepresentationError(`error parsing ${i}th item in the \`_representations\` argument`);
  const name = memberOf(item, "__typename");
  if (typeof name !== "string") throw new RepresentationError(`unable to extract __typename from ${i}th item in the \`_representations\` argument`);
  if (!isType(name)) throw new RepresentationError(`type ${name} not found in the schema`);
  const entity = entities.get(name);
  if (!entity) throw new RepresentationError(`type ${name} doesn't have a key Directive`);
  const key = entity.keys.find(({ leaves }) => leaves.every((leaf) => valueAt(item, leaf) !== undefined));
  if (!key)
    throw new RepresentationError(`unable to extract value for key ${fieldsText(entity.keys)} from ${i}th item in the \`_representations\` argument`);
  return lookupBy(entity, key, item);
}

function lookupBy({ type, required }: Entity, { leaves }: EntityKey, item: Representation): NodeLookup | undefined {
  const by: LookupPart[] = [];
  for (const leaf of leaves) {
    const given = valueAt(item, leaf);
    const value = given === null ? undefined : keyValue(leaf, given);
    if (value === undefined) return undefined;
    by.push({ path: leaf.path, field: leaf.field, value });
  }
  return required.length === 0 ? { type, by } : { type, by, represented: representedValues(item, required) };
}

/** What the representation says about fields that computed ones require. */
function representedValues(item: Representation, fields: readonly ValueField[]): ReadonlyMap<FieldName, Stored | undefined> {
  return new Map(
    fields.flatMap((field) => {
      const given = memberOf(item, field.name);
      return given === undefined ? [] : [[field.stored, storedValue(field, given)]];
    }),
  );
}

function fieldsText(keys: readonly EntityKey[]): string {
  const texts = keys.map(({ text }) => `\`${text}\``);
  return `${keys.length === 1 && keys[0]?.leaves.length === 1 ? "field" : "fields"} ${texts.join(" or ")}`;
}

type Representation = Readonly<Record<string, unknown>>;

/** Undefined when it is not there; null when it, or something on the way to it, is null. */
function valueAt(item: Representation, { path, field }: KeyLeaf): unknown {
  let value: unknown = item;
  for (const { name } of [...path, field]) {
    if (value === null) return null;
    if (!isRecord(value)) return undefined;
    value = memberOf(value, name);
  }
  return value;
}

function memberOf(item: Representation, name: string): unknown {
  return Object.hasOwn(item, name) ? item[name] : undefined;
}

function isRecord(value: unknown): value is Representation {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
