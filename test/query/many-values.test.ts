// Conditions with many values or many ranges of one field: a storage looks these up a few at a time, and must find the same.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseJson } from "../../core/ground/json/parse-json.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

interface Boat {
  readonly name: string;
  readonly seats: number | null;
  readonly length: number;
}

/** Several boats of one number of seats, one of ten without. */
const boats: readonly Boat[] = Array.from({ length: 600 }, (_, i) => ({
  name: `b${i}`,
  seats: i % 10 === 0 ? null : (i * 7) % 200,
  length: ((i * 13) % 600) / 4,
}));

let stack: TemporaryKernel;
beforeAll(async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy("type Boat { name: String! @id  seats: Int @search  length: Float @search }");
  const query = "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }";
  expect((await stack.kernel.execute({ query, variables: { input: boats } })).requestErrors).toBe(false);
});
afterAll(() => stack?.remove());

async function names(filter: unknown): Promise<readonly string[]> {
  const query = "query ($filter: BoatFilter) { queryBoat(filter: $filter) { name } aggregateBoat(filter: $filter) { count } }";
  const { data } = parseJson((await stack.kernel.execute({ query, variables: { filter } })).body) as {
    readonly data: { readonly queryBoat: readonly { readonly name: string }[]; readonly aggregateBoat: { readonly count: number } };
  };
  expect(data.aggregateBoat.count).toBe(data.queryBoat.length);
  return data.queryBoat.map(({ name }) => name).sort();
}

const which = (holds: (boat: Boat) => boolean) =>
  boats
    .filter(holds)
    .map(({ name }) => name)
    .sort();

describe("many values of one field", () => {
  // Neither sorted nor distinct, and most are no boat's. 63 to 65: as many as are looked up at once, and one more or less.
  it.each([0, 1, 63, 64, 65, 500])("find what each of %i finds", async (count) => {
    const values = Array.from({ length: count }, (_, i) => (i * 37) % 411);
    const isOne = ({ seats }: Boat) => seats !== null && values.includes(seats);
    expect(await names({ seats: { in: values } })).toEqual(which(isOne));
    expect(await names({ not: { seats: { in: values } } })).toEqual(which((boat) => !isOne(boat)));
    expect(await names({ seats: { in: values }, length: { lt: 40 } })).toEqual(which((boat) => isOne(boat) && boat.length < 40));
  });
});

describe("many ranges of one field", () => {
  it.each([2, 64, 65, 300])("find what each of %i finds, where they overlap too", async (count) => {
    const ranges = Array.from({ length: count }, (_, i) => ({ min: (i * 29) % 151, max: ((i * 29) % 151) + (i % 3) / 2 }));
    const isIn = ({ length }: Boat) => ranges.some(({ min, max }) => length >= min && length <= max);
    expect(await names({ or: ranges.map((between) => ({ length: { between } })) })).toEqual(which(isIn));
    expect(await names({ not: { or: ranges.map((between) => ({ length: { between } })) } })).toEqual(which((boat) => !isIn(boat)));
  });
});
