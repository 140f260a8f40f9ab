// Reads the documents of a collection before they are taken in, and says in sentences what does not fit.

import type { Document } from "mongodb";
import type { Connection } from "../connection/connection.ts";
import type { KeyRuntime, LayoutRuntime } from "../layout/layout-runtime.ts";
import { adopted, type FieldSource, type ForeignType, type Problems, shownId } from "./foreign-documents.ts";

/** Different problems, and properties without a field, that are counted. Their number is bounded by the schema, that of properties is not. */
const mostCounted = 100;
const idsShown = 3;
const keyValuesShown = 10;

export interface Survey {
  readonly documents: number;
  /** Why the documents cannot be taken in, a sentence each. */
  readonly obstacles: readonly string[];
  /** Properties that no field takes, with the number of documents that have them. */
  readonly left: ReadonlyMap<string, number>;
}

export interface SurveyOptions {
  readonly connection: Connection;
  readonly schema: LayoutRuntime;
  readonly collection: string;
  /** Called after each batch with the number of documents that were read. */
  readonly each: (documents: number) => void;
}

export async function surveyForeign(foreign: ForeignType, { connection, schema, collection, each }: SurveyOptions): Promise<Survey> {
  const problems = new CountedProblems();
  const left = new Map<string, number>();
  const taken = new Set(["_id", ...foreign.sources.map(({ from }) => from)]);
  let documents = 0;
  const cursor = connection.db.collection<Document>(collection).find({}, { batchSize: 1_000 });
  for await (const doc of cursor) {
    adopted(foreign, doc, problems);
    for (const name in doc) if (!taken.has(name) && (left.has(name) || left.size < mostCounted)) left.set(name, (left.get(name) ?? 0) + 1);
    if (++documents % 1_000 === 0) each(documents);
  }
  const keys = schema.keys.filter((key) => key.types.has(foreign.type));
  const duplicates: string[] = [];
  for (const key of keys) duplicates.push(...(await duplicatesOf(key, foreign, connection, collection)));
  return { documents, obstacles: [...problems.sentences(), ...duplicates].map((what) => `The collection "${collection}": ${what}.`), left };
}

class CountedProblems implements Problems {
  readonly #found = new Map<string, { count: number; readonly ids: string[] }>();

  note(what: string, id: unknown): void {
    let known = this.#found.get(what);
    if (known === undefined) {
      if (this.#found.size === mostCounted) return;
      known = { count: 0, ids: [] };
      this.#found.set(what, known);
    }
    known.count++;
    if (known.ids.length < idsShown) known.ids.push(shownId(id));
  }

  sentences(): readonly string[] {
    return [...this.#found].map(([what, { count, ids }]) => {
      const others = count > ids.length ? " and others" : "";
      return `${what}, in ${count === 1 ? "one document" : `${count} documents`} (_id ${ids.join(", ")}${others})`;
    });
  }
}

/** Values of a key that several documents have. */
async function duplicatesOf(key: KeyRuntime, { sources }: ForeignType, connection: Connection, collection: string): Promise<readonly string[]> {
  // What is taken in has no links yet.
  if (key.ends.length > 0) return [];
  const parts = key.fields.flatMap((field) => sources.find((source) => source.field === field) ?? []);
  if (parts.length < key.fields.length || parts.some(isUnique) || parts.some(({ field }) => field.list)) return [];
  const names = parts.map(({ from }) => from);
  const crowded = connection.db
    .collection(collection)
    .aggregate(
      [
        { $match: Object.fromEntries(names.map((name) => [name, { $ne: null }])) },
        { $group: { _id: Object.fromEntries(names.map((name, i) => [`v${i}`, `$${name}`])), count: { $sum: 1 } } },
        { $match: { count: { $gt: 1 } } },
        { $limit: keyValuesShown },
      ],
      { allowDiskUse: true },
    );
  const shown: string[] = [];
  for await (const { _id, count } of crowded) shown.push(`${names.map((_, i) => shownId(_id[`v${i}`])).join(", ")} is in ${count} documents`);
  return shown.length === 0 ? [] : [`${names.join(" and ")} must be unique, but ${shown.join("; ")}`];
}

function isUnique({ from }: FieldSource): boolean {
  return from === "_id";
}
