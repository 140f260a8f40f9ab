// Orders by several keys, with values missing in each and ties in all: every page is a part of the one whole list.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

interface Row {
  readonly name: string;
  readonly size: number | null;
  readonly tag: string | null;
  readonly at: number | null;
}

type Field = "size" | "tag" | "at";
interface Key {
  readonly field: Field;
  readonly up: boolean;
}

/** Every combination twice, so that the last word is the order of making; in an order of making that is no other order. */
const rows: readonly Row[] = [0, 1]
  .flatMap((copy) =>
    [2, null, 1].flatMap((size) =>
      ["b", null, "", "a"].flatMap((tag) => [1.5, null, -1.5].map((at) => ({ name: `${copy}-${size}-${tag}-${at}`, size, tag, at }))),
    ),
  )
  .map((row, i, all) => all[(i * 29) % all.length] ?? row);

let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy(`
    interface Thing { name: String! @id  size: Int @search  tag: String @search(by: [exact])  at: Float @search }
    type Cup implements Thing { shelf: Shelf }
    type Pot implements Thing { lid: Boolean }
    type Shelf { no: Int! @id  cups: [Cup] @hasInverse(field: shelf) }
  `);
  for (const row of rows) await made("Cup", { ...row, shelf: { no: 1 } });
  await made("Cup", { name: "alone", size: 1, shelf: { no: 2 } });
});
afterAll(() => stack?.remove());

async function made(type: string, input: object): Promise<void> {
  const { errors } = JSON.parse(
    (await stack.kernel.execute({ query: `mutation ($i: [Add${type}Input!]!) { add${type}(input: $i) { numUids } }`, variables: { i: [input] } }))
      .body,
  );
  expect(errors).toBeUndefined();
}

async function asked(query: string): Promise<unknown> {
  const { data, errors } = JSON.parse((await stack.kernel.execute({ query })).body);
  expect(errors).toBeUndefined();
  return data;
}

/** Missing values last in both directions; ties in the order of making. */
function sorted(keys: readonly Key[]): readonly string[] {
  const compare = (a: Row, b: Row): number => {
    for (const { field, up } of keys) {
      const [x, y] = [a[field], b[field]];
      if (x === y) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      return x < y === up ? -1 : 1;
    }
    return 0;
  };
  return [...rows].sort(compare).map(({ name }) => name);
}

const orderText = (keys: readonly Key[]) =>
  keys.reduceRight((then, { field, up }) => `{${up ? "asc" : "desc"}: ${field}${then === "" ? "" : `, then: ${then}`}}`, "");

const directions = [true, false];
const three = directions.flatMap((a) =>
  directions.flatMap((b) =>
    directions.map((c): readonly Key[] => [
      { field: "size", up: a },
      { field: "tag", up: b },
      { field: "at", up: c },
    ]),
  ),
);
const fewer: readonly (readonly Key[])[] = directions.flatMap((up) => [
  [{ field: "size", up }],
  [{ field: "at", up }],
  [
    { field: "tag", up },
    { field: "size", up: !up },
  ],
]);
const pages = [
  { first: 1, offset: 0 },
  { first: 7, offset: 0 },
  { first: 7, offset: 7 },
  { first: 10, offset: 23 },
  { first: 50, offset: 40 },
  { first: 5, offset: 72 },
];
const names = (list: readonly string[]) => list.map((name) => ({ name }));

describe.each([...three, ...fewer].map((keys) => [orderText(keys), keys] as const))("order: %s", (order, keys) => {
  it("gives the whole list", async () => {
    expect(await asked(`{ list: queryCup(order: ${order}, filter: {not: {name: {eq: "alone"}}}) { name } }`)).toEqual({ list: names(sorted(keys)) });
  });

  it("gives pages of it: of a type, of an interface, and of the partners of an object", async () => {
    const whole = sorted(keys);
    for (const { first, offset } of pages) {
      const page = names(whole.slice(offset, offset + first));
      const cut = `order: ${order}, first: ${first}, offset: ${offset}`;
      const filter = 'filter: {not: {name: {eq: "alone"}}}';
      const query = `{ cups: queryCup(${cut}, ${filter}) { name } things: queryThing(${cut}, ${filter}) { name } shelf: getShelf(no: 1) { cups(${cut}) { name } } }`;
      expect(await asked(query), cut).toEqual({ cups: page, things: page, shelf: { cups: page } });
    }
  });

  it("gives the rest behind an offset", async () => {
    expect(await asked(`{ getShelf(no: 1) { cups(order: ${order}, offset: 60) { name } } }`)).toEqual({
      getShelf: { cups: names(sorted(keys).slice(60)) },
    });
  });

  it("cuts the partners of each of several objects by itself", async () => {
    expect(await asked(`{ queryShelf(order: {asc: no}) { cups(order: ${order}, first: 3, offset: 1) { name } } }`)).toEqual({
      queryShelf: [{ cups: names(sorted(keys).slice(1, 4)) }, { cups: [] }],
    });
  });
});
