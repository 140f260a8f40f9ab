// Checks the conditions of a deploy: whether a field or end that changes its kind has data.

import { type Condition, otherSide } from "../../storage-kit/index.ts";
import type { Connection } from "../connection/connection.ts";
import type { Catalog } from "../layout/catalog.ts";
import { linkPropertyOf } from "../layout/layout-runtime.ts";
import { collectionOf, propertyOf } from "../layout/names.ts";

/** The messages of the conditions that the data violate. */
export async function violatedConditions(connection: Connection, catalog: Catalog, conditions: readonly Condition[]): Promise<string[]> {
  const messages: string[] = [];
  for (const { kind, name, message } of conditions) {
    if (messages.includes(message)) continue;
    const violated = kind === "field" ? await holdsValues(connection, catalog, name) : await holdsLinks(connection, catalog, name);
    if (violated) messages.push(message);
  }
  return messages;
}

async function holdsValues(connection: Connection, catalog: Catalog, name: string): Promise<boolean> {
  for (const type of catalog.fields[name]?.types ?? [])
    if (await holdsAny(connection, collectionOf(type), { [propertyOf(type, name)]: { $exists: true } })) return true;
  return false;
}

async function holdsLinks(connection: Connection, catalog: Catalog, name: string): Promise<boolean> {
  const end = catalog.ends[name];
  const placement = end && catalog.places[end.links];
  const store = end && catalog.links[end.links];
  if (end === undefined || placement === undefined || store === undefined) return false;
  if (placement.shape === "pairs") {
    const [own, other] = end.side === 0 ? ["a", "b"] : ["b", "a"];
    return await holdsAny(connection, placement.collection, {
      [`${own}Type`]: { $in: [...end.types] },
      [`${other}Type`]: { $in: [...end.partners] },
    });
  }
  const near = store.symmetric || placement.side === end.side ? end.types : end.partners;
  const far = store.symmetric || placement.side === end.side ? end.partners : end.types;
  const all = store.types[store.symmetric ? 0 : otherSide(placement.side)];
  for (const type of near) {
    const property = linkPropertyOf({ placement }, type);
    if (all.every((other) => far.includes(other))) {
      if (await holdsAny(connection, collectionOf(type), { [property]: { $exists: true } })) return true;
      continue;
    }
    for (const other of far) {
      const lookup = { from: collectionOf(other), localField: property, foreignField: "_id", as: "far" };
      const found = await connection
        .collection(collectionOf(type))
        .aggregate([{ $match: { [property]: { $exists: true } } }, { $lookup: lookup }, { $match: { "far.0": { $exists: true } } }, { $limit: 1 }])
        .toArray();
      if (found.length > 0) return true;
    }
  }
  return false;
}

async function holdsAny(connection: Connection, collection: string, filter: Record<string, unknown>): Promise<boolean> {
  return (await connection.collection(collection).findOne(filter, { projection: { _id: 1 } })) !== null;
}
