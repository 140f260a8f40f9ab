// Transactions of MongoDB do not support `$unionWith`: runs its parts one after another, until the page is full.

import type { Document } from "mongodb";
import type { Doc } from "../connection/connection.ts";
import type { Take } from "./take.ts";

interface Part {
  readonly collection: string;
  readonly pipeline: readonly Document[];
}

type Run = (part: Part, take: Take) => Promise<void>;

/** Runs a pipeline as pipelines without `$unionWith`. A union is followed by others, `$skip`, `$limit` or a flag. */
export function readUnionApart(query: Part, run: Run): (take: Take) => Promise<void> {
  const first = query.pipeline.findIndex((stage) => "$unionWith" in stage);
  if (first < 0) return (take) => run(query, take);
  return async (take) => {
    let docs = await all(run, { collection: query.collection, pipeline: query.pipeline.slice(0, first) });
    const rest = query.pipeline.slice(first);
    for (const [i, stage] of rest.entries()) {
      if ("$unionWith" in stage) {
        if (!isFull(docs.length, rest.slice(i + 1)))
          docs = docs.concat(await all(run, { collection: stage.$unionWith.coll, pipeline: stage.$unionWith.pipeline }));
      } else docs = applied(stage, docs);
    }
    await take(docs);
  };
}

async function all(run: Run, part: Part): Promise<Doc[]> {
  const found: Doc[] = [];
  await readUnionApart(
    part,
    run,
  )((docs) => {
    for (const doc of docs) found.push(doc);
    return true;
  });
  return found;
}

/** Whether the next stages would drop all documents of another part. */
function isFull(count: number, stages: readonly Document[]): boolean {
  let skip = 0;
  for (const stage of stages) {
    if ("$skip" in stage) skip += stage.$skip;
    else return "$limit" in stage && count >= skip + stage.$limit;
  }
  return false;
}

function applied(stage: Document, docs: readonly Doc[]): Doc[] {
  if ("$skip" in stage) return docs.slice(stage.$skip);
  if ("$limit" in stage) return docs.slice(0, stage.$limit);
  const set: Document = stage.$set ?? {};
  const marks = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, value.$literal]));
  return docs.map((doc) => ({ ...doc, ...marks }));
}
