// Which documents are kept: as many as their texts, and the plans made from them, leave room for.

import type { Plugin as EnvelopPlugin } from "@envelop/core";
import type { OperationDefinitionNode } from "graphql";
import { expect, it } from "vitest";
import { resolveLimits } from "../../core/ground/limits.ts";
import { runAtOnce } from "../../core/ground/work.ts";
import { Documents } from "../../core/request/documents/documents.ts";
import { temporaryKernel } from "../support/kernel.ts";

async function withDocuments(use: (documents: Documents) => void): Promise<void> {
  const { kernel, remove } = await temporaryKernel();
  try {
    await kernel.deploy("type Mill { name: String  next: Mill }");
    const api = kernel.deployment?.api;
    if (api === undefined) throw new Error("nothing is deployed");
    use(new Documents(api, resolveLimits()));
  } finally {
    await remove();
  }
}

/** A thousand times a fragment of ninety fields, of which only one is asked for: 25 kB of text, 93,000 fields to look at. */
function wide(name: string): string {
  const left = Array.from({ length: 90 }, () => "name @skip(if: true)").join(" ");
  const places = Array.from({ length: 1_000 }, (_, i) => `a${i}: next { ...W }`).join(" ");
  return `query ${name} { queryMill { ${places} } } fragment W on Mill { name ${left} }`;
}

function plan(documents: Documents, text: string): unknown {
  const document = documents.parse(text);
  const [definition] = document.definitions;
  for (const { selection } of runAtOnce(documents.operation(document, definition as OperationDefinitionNode)).plan.roots) selection.select({});
  return document;
}

it("caches documents and their plans for the next request", () =>
  withDocuments((documents) => {
    const first = plan(documents, "{ queryMill { name } }");
    for (let i = 0; i < 100; i++) plan(documents, `{ a${i}: queryMill { name } }`);
    expect(documents.parse("{ queryMill { name } }") === first).toBe(true);
  }));

it("weighs a document by the size of its expanded fragments", () =>
  withDocuments((documents) => {
    const first = plan(documents, wide("Q"));
    expect(documents.parse(wide("Q")) === first).toBe(true);
    for (let i = 0; i < 30; i++) plan(documents, wide(`Q${i}`));
    const last = plan(documents, wide("R"));
    expect(documents.parse(wide("R")) === last).toBe(true);
    expect(documents.parse(wide("Q")) === first).toBe(false);
  }));

it("weighs a document by the memory of its tree and its plan, which take a hundred times its text", () =>
  withDocuments((documents) => {
    const fields = (name: string) => `{ ${Array.from({ length: 150 }, (_, i) => `${name}${i}: queryMill { name }`).join(" ")} }`;
    const first = plan(documents, fields("a"));
    for (let i = 0; i < 250; i++) plan(documents, fields(`a${i}_`));
    const last = plan(documents, fields("b"));
    expect(documents.parse(fields("b")) === last).toBe(true);
    expect(documents.parse(fields("a")) === first).toBe(false);
  }));

it("keeps documents that are used again, whatever number of others is sent once", () =>
  withDocuments((documents) => {
    const fields = (name: string) => `{ ${Array.from({ length: 150 }, (_, i) => `${name}${i}: queryMill { name }`).join(" ")} }`;
    const first = plan(documents, fields("a"));
    expect(documents.parse(fields("a")) === first).toBe(true);
    for (let i = 0; i < 250; i++) plan(documents, fields(`a${i}_`));
    expect(documents.parse(fields("a")) === first).toBe(true);
  }));

const many = () => Array.from({ length: 250 }, (_, n) => `{ ${Array.from({ length: 150 }, (_, i) => `a${n}_${i}: queryMill { name }`).join(" ")} }`);

it("counts the look-ups of one request as one use", () =>
  withDocuments((documents) => {
    const requests = many().map((text) => ({ text }));
    const sent = requests.map((request) => {
      documents.parse(request.text, request);
      return documents.parse(request.text, request);
    });
    expect(bytesKept(requests, sent, documents)).toBeLessThan(17 * 2 ** 20);
  }));

it("counts the look-ups of two requests as two", () =>
  withDocuments((documents) => {
    const requests = many().map((text) => ({ text }));
    const sent = requests.map((request) => {
      documents.parse(request.text, { ...request });
      return documents.parse(request.text, request);
    });
    expect(bytesKept(requests, sent, documents)).toBeGreaterThan(40 * 2 ** 20);
  }));

/** Of the newest documents until one is gone. */
function bytesKept(requests: readonly { readonly text: string }[], sent: readonly unknown[], documents: Documents): number {
  const kept = requests
    .map(({ text }, n) => [text, sent[n]] as const)
    .reverse()
    .findIndex(([text, document]) => documents.parse(text) !== document);
  return kept * (requests[0]?.text.length ?? 0) * 150;
}

it("a query on a live connection counts as one use of its document", async () => {
  const parsed: unknown[] = [];
  const spy: EnvelopPlugin = {
    onParse:
      () =>
      ({ result }) =>
        void parsed.push(result),
  };
  const { kernel, remove } = await temporaryKernel({ envelop: [spy] });
  try {
    await kernel.deploy("type Mill { name: String  next: Mill }");
    const texts = many();
    for (const query of texts) for await (const _answer of kernel.live({ query }));
    const looked = parsed.splice(0);
    expect(looked).toHaveLength(2 * texts.length);
    for (const query of texts.toReversed()) for await (const _answer of kernel.live({ query }));
    const first = new Set(looked);
    // Both look-ups of those that were kept.
    const kept = parsed.filter((document) => first.has(document)).length / 2;
    expect(kept * (texts[0]?.length ?? 0) * 150).toBeLessThan(17 * 2 ** 20);
  } finally {
    await remove();
  }
});

it("keeps fewer of those that are used once: a quarter of the memory of all", () =>
  withDocuments((documents) => {
    const texts = Array.from({ length: 250 }, (_, n) => `{ ${Array.from({ length: 150 }, (_, i) => `a${n}_${i}: queryMill { name }`).join(" ")} }`);
    const sent = texts.map((text) => plan(documents, text));
    // The newest first: each that is gone is parsed anew, and would displace another.
    const kept = texts
      .map((text, n) => [text, sent[n]] as const)
      .reverse()
      .findIndex(([text, document]) => documents.parse(text) !== document);
    const bytes = (texts[0]?.length ?? 0) * 150;
    expect(kept * bytes).toBeGreaterThan(8 * 2 ** 20);
    expect(kept * bytes).toBeLessThan(17 * 2 ** 20);
  }));

it("suggests names in the first ten errors of a short document too, and in the same ones when it is sent again", () =>
  withDocuments((documents) => {
    const wrong = documents.parse(`{ ${Array.from({ length: 12 }, (_, i) => `a${i}: queryMil { name }`).join(" ")} }`);
    const suggesting = () => documents.validate(wrong).map(({ message }) => message.includes("Did you mean"));
    expect(suggesting()).toEqual([...Array(10).fill(true), false, false]);
    expect(suggesting()).toEqual([...Array(10).fill(true), false, false]);
  }));
