// Which of the documents that the operator trusts an API would refuse.

import { setImmediate as nextTurn } from "node:timers/promises";
import { type DocumentNode, GraphQLError } from "graphql";
import { QuernError } from "../ground/errors.ts";
import type { Limits } from "../ground/limits.ts";
import type { Api } from "../schema/api/api.ts";
import type { BrokenDocument } from "../schema/deployment/compare-deployment.ts";
import { Documents, operationsOf } from "./documents.ts";

export interface Judging {
  readonly api: Api;
  readonly limits: Limits;
}

/** How long it works before others have their turn. */
const sliceMs = 5;

export async function findBrokenDocuments(
  documents: Iterable<readonly [id: string, text: string]>,
  judging: Judging,
): Promise<readonly BrokenDocument[]> {
  const judge = new Documents(judging.api, judging.limits);
  const broken: BrokenDocument[] = [];
  let begun = performance.now();
  for (const [id, text] of documents) {
    const found = problemOf(text, judge);
    if (found !== undefined) broken.push({ id, ...found });
    if (performance.now() - begun < sliceMs) continue;
    await nextTurn();
    begun = performance.now();
  }
  return broken;
}

/** `4f1c (BoatList): Cannot query field "seats" on type "Boat".` */
export function brokenText({ id, name, message }: BrokenDocument): string {
  return `${id}${name === undefined ? "" : ` (${name})`}: ${message}`;
}

function problemOf(text: string, judge: Documents): Omit<BrokenDocument, "id"> | undefined {
  let document: DocumentNode | undefined;
  try {
    document = judge.parse(text);
    const [first] = judge.validate(document);
    return first && { ...named(document), message: first.message };
  } catch (thrown) {
    if (thrown instanceof GraphQLError || thrown instanceof QuernError) return { ...named(document), message: thrown.message };
    throw thrown;
  }
}

function named(document: DocumentNode | undefined): Pick<BrokenDocument, "name"> {
  const names = document === undefined ? [] : operationsOf(document).flatMap(({ name }) => (name === undefined ? [] : [name.value]));
  return names.length === 0 ? {} : { name: names.join(", ") };
}
