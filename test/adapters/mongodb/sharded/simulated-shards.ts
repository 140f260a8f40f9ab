// To which shards of a cluster a router would send a command: the shard keys of Quern's layout, evaluated over shards of equal size. Where a router may know
// more than this (bounds of ranges, alternatives), the command counts as sent to all.

import { createHash } from "node:crypto";
import { BSON, type Document } from "mongodb";
import { shardKeyOf } from "../../../../adapters/mongodb/sharding/shard-keys.ts";

/** Where collections lie that are not divided. */
const first = 0;

/** The shards, of so many, to which a command goes. Empty: it is none that reads or writes documents. */
export function shardsOf(command: Document, count: number): ReadonlySet<number> {
  const of = (collection: string, filter: Document) => shardsOfFilter(collection, filter, count);
  if (typeof command.find === "string") return of(command.find, command.filter ?? {});
  if (typeof command.aggregate === "string") return shardsOfPipeline(command.aggregate, command.pipeline, count);
  if (typeof command.insert === "string") return union(listed(command.documents).map((document) => of(command.insert, document)));
  if (typeof command.update === "string") return union(listed(command.updates).map(({ q }) => of(command.update, q)));
  if (typeof command.delete === "string") return union(listed(command.deletes).map(({ q }) => of(command.delete, q)));
  if (typeof command.findAndModify === "string") return of(command.findAndModify, command.query ?? {});
  if (others.has(Object.keys(command)[0] ?? "")) return new Set();
  throw new Error(`no router knows where ${JSON.stringify(command).slice(0, 500)} goes`);
}

const others = new Set(["commitTransaction", "abortTransaction"]);

function listed(list: unknown): readonly Document[] {
  return Array.isArray(list) ? list : [];
}

function shardsOfPipeline(collection: string, pipeline: readonly Document[], count: number): ReadonlySet<number> {
  const matches: readonly Document[] = pipeline.slice(0, pipeline.findIndex((stage) => !("$match" in stage)) >>> 0).map(({ $match }) => $match);
  const sets = [shardsOfFilter(collection, { $and: matches }, count)];
  for (const [stage, { coll, from, pipeline: inner = [] }] of joinsIn(pipeline)) {
    // Each document may ask for another one: as a rule from another shard.
    if (stage === "$lookup") sets.push(shardKeyOf(from) === undefined ? new Set([first]) : all(count));
    else sets.push(shardsOfPipeline(coll, inner, count));
  }
  return union(sets);
}

/** The stages that read other collections, each with its name; not those inside others. */
export function joinsIn(value: unknown): readonly (readonly [stage: string, spec: Document])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === "$lookup" || name === "$unionWith" ? [[name, inner] as const] : joinsIn(inner)));
}

function shardsOfFilter(collection: string, filter: Document, count: number): ReadonlySet<number> {
  const key = shardKeyOf(collection);
  const [name] = Object.keys(key ?? {});
  if (name === undefined) return new Set([first]);
  const values = valuesOf(filter, name);
  if (values === undefined) return all(count);
  return values.length === 0 ? new Set([first]) : new Set(values.map((value) => shardOf(value, count)));
}

/** The values of a property of which a document must have one; undefined: it may have any. */
export function valuesOf(filter: Document, name: string): readonly unknown[] | undefined {
  const own = name in filter ? valuesOfCondition(filter[name]) : undefined;
  if (own !== undefined) return own;
  return listed(filter.$and)
    .map((each) => valuesOf(each, name))
    .find((values) => values !== undefined);
}

function valuesOfCondition(condition: unknown): readonly unknown[] | undefined {
  if (typeof condition !== "object" || condition === null) return [condition];
  if ("$eq" in condition) return [condition.$eq];
  return "$in" in condition && Array.isArray(condition.$in) ? condition.$in : undefined;
}

function all(count: number): ReadonlySet<number> {
  return new Set(Array.from({ length: count }, (_, i) => i));
}

export function union(sets: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  return new Set(sets.flatMap((set) => [...set]));
}

/** Collections that are divided by a hash have equal parts of its values, as MongoDB divides new ones. Where keys lie that are divided by their order, their hash decides too. */
function shardOf(value: unknown, count: number): number {
  return Number(((mongoHash(value) + 2n ** 63n) * BigInt(count)) >> 64n);
}

/** What an index with `hashed` has for a value: the first 64 bits of the MD5 sum of a seed, the type and the value. Numbers count as integers. */
export function mongoHash(value: unknown): bigint {
  const sum = createHash("md5").update(int32(0));
  if (typeof value === "number") {
    const integer = Buffer.alloc(8);
    integer.writeBigInt64LE(BigInt(Math.trunc(value)));
    return sum.update(int32(10)).update(integer).digest().readBigInt64LE();
  }
  // A document: its length, the type, an empty name; then the value; then a zero.
  const bytes = BSON.serialize({ "": String(value) }).subarray(6, -1);
  return sum.update(int32(15)).update(bytes).digest().readBigInt64LE();
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
