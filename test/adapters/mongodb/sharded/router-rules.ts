// What routers of MongoDB 6.0 refuse, or what does not hold over shards, each with the page of MongoDB's documentation that says so.

import type { Document } from "mongodb";
import { shardKeyOf } from "../../../../adapters/mongodb/sharding/shard-keys.ts";
import { joinsIn, valuesOf } from "./simulated-shards.ts";

export interface RouterRule {
  readonly says: string;
  readonly source: string;
  /** Whether the command breaks it. */
  readonly breaks: (command: Document) => boolean;
}

const docs = "https://www.mongodb.com/docs/v6.0";

export const routerRules: readonly RouterRule[] = [
  {
    says: "In a transaction, $lookup reads no sharded collection before MongoDB 8.0.",
    source: `${docs}/reference/operator/aggregation/lookup/`,
    breaks: (command) => inTransaction(command) && stages(command).some(([stage, { from }]) => stage === "$lookup" && isSharded(from)),
  },
  {
    says: "In a transaction there is no $unionWith.",
    source: `${docs}/reference/operator/aggregation/unionWith/`,
    breaks: (command) => inTransaction(command) && stages(command).some(([stage]) => stage === "$unionWith"),
  },
  {
    says: "In a transaction, count and distinct of a sharded collection are refused; so are commands that make or change collections.",
    source: `${docs}/core/transactions-operations/`,
    breaks: (command) => inTransaction(command) && /^(count|distinct|create|createIndexes|drop|collMod|listCollections)$/.test(nameOf(command)),
  },
  {
    says: "The collection that $graphLookup reads is not sharded inside a transaction, and $out writes to none that is.",
    source: `${docs}/reference/operator/aggregation/out/`,
    breaks: (command) => /"\$(graphLookup|out|merge)"/.test(JSON.stringify(command.pipeline ?? [])),
  },
  {
    says: "An update, replacement or removal of one document names the shard key or `_id`.",
    source: `${docs}/core/sharded-cluster-query-router/`,
    breaks: (command) =>
      [...(command.updates ?? []), ...(command.deletes ?? [])].some(
        (each: Document) =>
          (each.limit === 1 || (each.q !== undefined && each.u !== undefined && !each.multi)) && !namesOne(collectionOf(command), each.q),
      ),
  },
  {
    says: "An upsert names the whole shard key by equality.",
    source: `${docs}/reference/method/db.collection.updateOne/`,
    breaks: (command) => (command.updates ?? []).some((each: Document) => each.upsert && !namesShardKey(collectionOf(command), each.q)),
  },
  {
    says: "An update that changes the shard key of a document is a removal and an insert, and needs a transaction of its own kind: none is sent.",
    source: `${docs}/core/sharding-change-shard-key-value/`,
    breaks: (command) => (command.updates ?? []).some((each: Document) => changes(each.u, Object.keys(shardKeyOf(collectionOf(command)) ?? {}))),
  },
  {
    says: "findAndModify names the shard key of a sharded collection.",
    source: `${docs}/reference/command/findAndModify/`,
    breaks: (command) => nameOf(command) === "findAndModify" && !namesShardKey(collectionOf(command), command.query ?? {}),
  },
  {
    says: "Reads of secondaries with the concern `available` may find documents that have moved: reads go to primaries, with a concern of their own.",
    source: `${docs}/reference/read-concern-available/`,
    breaks: (command) => command.readConcern?.level === "available" || (command.$readPreference?.mode ?? "primary") !== "primary",
  },
  {
    says: "bulkWrite of the deployment is of MongoDB 8.0, and group, mapReduce, eval and parallelCollectionScan are of no router.",
    source: `${docs}/reference/command/`,
    breaks: (command) => /^(bulkWrite|group|mapReduce|eval|parallelCollectionScan)$/.test(nameOf(command)),
  },
];

function nameOf(command: Document): string {
  return Object.keys(command)[0] ?? "";
}

function collectionOf(command: Document): string {
  return String(command[nameOf(command)]);
}

function inTransaction(command: Document): boolean {
  return command.autocommit === false;
}

function isSharded(collection: unknown): boolean {
  return shardKeyOf(String(collection)) !== undefined;
}

/** Those inside others too. */
function stages(command: Document): readonly (readonly [string, Document])[] {
  return inside(command.pipeline ?? []);
}

function inside(value: unknown): readonly (readonly [string, Document])[] {
  return joinsIn(value).flatMap((each) => [each, ...inside(each[1].pipeline ?? [])]);
}

function namesShardKey(collection: string, filter: Document): boolean {
  return Object.keys(shardKeyOf(collection) ?? {}).every((name) => valuesOf(filter, name)?.length === 1);
}

function namesOne(collection: string, filter: Document): boolean {
  return !isSharded(collection) || namesShardKey(collection, filter) || valuesOf(filter, "_id")?.length === 1;
}

function changes(update: unknown, properties: readonly string[]): boolean {
  const parts: readonly Document[] = Array.isArray(update) ? update : [{ ...Object(update) }];
  return parts.some((part) =>
    Object.entries(part).some(([operator, changed]) => operator !== "$setOnInsert" && properties.some((name) => name in Object(changed))),
  );
}
