// A filter is the same filter wherever it stands: at the root, on nested lists, in aggregates, under `not` and `or`, in updates.
// What the index narrows at the root it narrows there too: counted in nodes that a request touches.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { workMeter } from "../../support/work-meter.ts";

const notes = 4_000;
const shelves = 4;
const meter = workMeter();
let stack: TemporaryKernel;

interface Note {
  readonly n: number;
  readonly text: string;
  readonly shelf: number;
}

const all: readonly Note[] = Array.from({ length: notes }, (_, n) => ({
  n,
  text: n % 500 === 3 ? `needle number ${n}` : `${n % 2 === 0 ? "even" : "odd"} straw ${n}`,
  shelf: n % shelves,
}));

beforeAll(async () => {
  stack = await temporaryKernel({ metrics: meter.metrics });
  await stack.kernel.deploy(`
    type Shelf { no: Int! @id  notes: [Note] }
    type Note { n: Int! @id  text: String @search(by: [term, regexp, fulltext])  place: Point @search  shelf: Shelf @hasInverse(field: notes) }
  `);
  const input = all.map(({ n, text, shelf }) => ({ n, text, shelf: { no: shelf }, place: { longitude: n / 100, latitude: 0 } }));
  for (let start = 0; start < notes; start += 1_000) {
    await run("mutation ($input: [AddNoteInput!]!) { addNote(input: $input) { numUids } }", { input: input.slice(start, start + 1_000) });
  }
});
afterAll(() => stack?.remove());

async function run(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query, variables })).body);
  expect(errors).toBeUndefined();
  return { data, touched: meter.touched() };
}

const near = (n: number) => `{ place: { near: { coordinate: { longitude: ${n / 100}, latitude: 0 }, distance: 1500 } } }`;
const isNear = (to: number) => (note: Note) => Math.abs(note.n - to) <= 1;

const filters: readonly (readonly [filter: string, holds: (note: Note) => boolean])[] = [
  ['{ text: { allofterms: "needle number" } }', ({ n }) => n % 500 === 3],
  ['{ text: { regexp: "/^needle.*3$/" } }', ({ n }) => n % 500 === 3],
  ['{ not: { text: { anyofterms: "straw" } } }', ({ n }) => n % 500 === 3],
  [
    '{ text: { anyoftext: "needles" }, not: { text: { regexp: "/503/" } } }',
    ({ n }) => n % 500 === 3 && n % 1_000 !== 503 && !String(n).includes("503"),
  ],
  [`{ or: [${near(40)}, { text: { alloftext: "needle 3" } }] }`, (note) => isNear(40)(note) || note.n === 3],
  [
    `{ and: [{ text: { anyofterms: "even" } }, { not: { not: ${near(100)} } }] }`,
    (note) => note.n % 2 === 0 && note.n % 500 !== 3 && isNear(100)(note),
  ],
];

describe.each(filters)("%s", (filter, holds) => {
  const wanted = all.filter(holds).map(({ n }) => n);
  const onShelf = (no: number) => wanted.filter((n) => n % shelves === no);

  it("gives the same at the root, on nested lists, and in aggregates", async () => {
    const { data } = await run(`{
      queryNote(filter: ${filter}, order: {asc: n}) { n }
      aggregateNote(filter: ${filter}) { count nMax }
      queryShelf(order: {asc: no}) { notes(filter: ${filter}, order: {asc: n}) { n } notesAggregate(filter: ${filter}) { count nMin } }
    }`);
    expect(data.queryNote.map(({ n }: Note) => n)).toEqual(wanted);
    expect(data.aggregateNote).toEqual({ count: wanted.length, nMax: wanted.at(-1) });
    expect(data.queryShelf).toEqual(
      Array.from({ length: shelves }, (_, no) => {
        const own = onShelf(no);
        return { notes: own.map((n) => ({ n })), notesAggregate: { count: own.length, nMin: own[0] ?? null } };
      }),
    );
  });
});

describe("an indexed filter", () => {
  it("touches few nodes besides its matches, at the root and in counts", async () => {
    for (const filter of ['{ text: { allofterms: "needle number" } }', '{ text: { regexp: "/needle/" } }', near(40)]) {
      expect((await run(`{ queryNote(filter: ${filter}) { n } }`)).touched).toBeLessThan(100);
      expect((await run(`{ aggregateNote(filter: ${filter}) { count nMax } }`)).touched).toBeLessThan(100);
    }
  });

  it("uses the index on long lists too", async () => {
    const filter = '{ text: { allofterms: "needle number", regexp: "/needle/" } }';
    const lists = await run(`{ queryShelf { notes(filter: ${filter}) { n } notesAggregate(filter: ${filter}) { count } } }`);
    // Four lists of 1,000, on which eight notes are found: once to be shown, once to be counted.
    expect(lists.touched).toBeLessThan(100);
  });

  it("under `not` subtracts from the matches of another one, without scanning the other nodes", async () => {
    const filter = '{ text: { allofterms: "needle" }, not: { text: { regexp: "/503/" } } }';
    const { data, touched } = await run(`{ aggregateNote(filter: ${filter}) { count } }`);
    expect(data).toEqual({ aggregateNote: { count: notes / 500 - all.filter(({ n }) => n % 500 === 3 && String(n).includes("503")).length } });
    expect(touched).toBeLessThan(100);
  });
});
