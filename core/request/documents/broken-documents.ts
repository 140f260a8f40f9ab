// Finds the trusted documents that an API would refuse.

import { setImmediate as nextTurn } from "node:timers/promises";
import { type DocumentNode, GraphQLError } from "graphql";
import { QuernError } from "../../ground/errors.ts";
import type { Limits } from "../../ground/limits.ts";
import type { Api } from "../../schema/api/api.ts";
import type { BrokenDocument } from "../../schema/deployment/compare-deployment.ts";
import { Documents, operationsOf } from "./documents.ts";

/** What documents are checked against. */
export interface DocumentCheck {
  readonly api: Api;
  readonly limits: Limits;
}

/** How long it works before it lets other tasks run. */
const sliceMs = 5;

/** Those of `documents` that the API refuses, in their order. Lets others run every few milliseconds. */
export async function findBrokenDocuments(
  documents: Iterable<readonly [id: string, text: string]>,
  check: DocumentCheck,
): Promise<readonly BrokenDocument[]> {
  const documentsOfApi = new Documents(check.api, check.limits);
  const broken: BrokenDocument[] = [];
  let begun = performance.now();
  for (const [id, text] of documents) {
    const found = problemOf(text, documentsOfApi);
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

function problemOf(text: string, documentsOfApi: Documents): Omit<BrokenDocument, "id"> | undefined {
  let document: DocumentNode | undefined;
  try {
    document = documentsOfApi.parse(text);
    const [first] = documentsOfApi.validate(document);
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
