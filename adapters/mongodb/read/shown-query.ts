// A query as `mongosh` would take it.

import { BSON, type Document } from "mongodb";

/** Long lists are cut: the plan is for people. */
const longest = 2_000;

export function shownQuery(collection: string, pipeline: readonly Document[]): string {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(collection) ? `db.${collection}` : `db.getCollection(${JSON.stringify(collection)})`;
  const text = `${name}.aggregate(${BSON.EJSON.stringify([...pipeline], { relaxed: true })})`;
  return text.length <= longest ? text : `${text.slice(0, longest)} ...`;
}
