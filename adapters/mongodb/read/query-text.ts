// Prints a query in the syntax of `mongosh`.

import { BSON, type Document } from "mongodb";
import { asFind, type PlainFind } from "../session/find-command.ts";

/** Long lists are shortened: the text is for people. */
const longest = 2_000;

export function shownQuery(collection: string, pipeline: readonly Document[]): string {
  const name = /^[A-Za-z_][A-Za-z0-9_]*$/.test(collection) ? `db.${collection}` : `db.getCollection(${JSON.stringify(collection)})`;
  const find = asFind(pipeline);
  const text = `${name}.${find === undefined ? `aggregate(${shown([...pipeline])})` : shownFind(find)}`;
  return text.length <= longest ? text : `${text.slice(0, longest)} ...`;
}

function shownFind({ filter, projection, ...cursor }: PlainFind): string {
  const args = projection === undefined ? [filter] : [filter, projection];
  const calls = Object.entries(cursor).map(([method, value]) => `.${method}(${shown(value)})`);
  return `find(${args.map(shown).join(", ")})${calls.join("")}`;
}

function shown(value: unknown): string {
  return BSON.EJSON.stringify(value, { relaxed: true });
}
