// What the stores of earlier formats in this folder hold: every kind of structure, lists and indexes of several blocks, values that were changed, and
// nodes and links that were removed.

import type { Kernel } from "../../../../core/index.ts";

export const schema = `
  type Boat {
    name: String! @id
    kind: String @search(by: [hash])
    note: String @search(by: [term, fulltext, regexp])
    title: String @search(by: [exact])
    length: Float @search
    crew: Int @search
    tonnes: Int64 @search
    launched: DateTime @search
    sails: Boolean @search
    colours: [String] @search(by: [hash])
    place: Point @search
    shape: [Float!] @embedding @search(by: ["hnsw(metric: euclidean)"])
    harbour: Harbour @hasInverse(field: boats)
    sisters: [Boat]
  }
  type Harbour { code: String! @id  boats: [Boat] }
`;

const harbours = 3;
/** More than two chunks of a list and two blocks of an ordered index hold. */
const boats = 560;
/** Longer than what a key holds as it is. */
const longTitle = "The long way round ".repeat(20);

export interface Boat {
  readonly name: string;
  readonly [field: string]: unknown;
}

const codeOf = (i: number) => `port ${i % harbours}`;

export function boatAt(i: number): Boat {
  return {
    name: `boat ${i}`,
    kind: i % 5 === 0 ? "ketch" : "yawl",
    note: `${i % 2 === 0 ? "even" : "odd"} keel, hull number ${(i * 7919) % 90}`,
    title: i === 7 ? longTitle : `Title ${(i * 31) % boats}`,
    length: i / 4,
    crew: (i * 17) % 40,
    tonnes: String(9_007_199_254_740_993n + BigInt(i)),
    launched: new Date(Date.UTC(1950, 0, 1 + i * 20)).toISOString(),
    sails: i % 3 !== 0,
    colours: i % 2 === 0 ? ["red", "blue"] : ["white"],
    place: { latitude: (i % 4) + 0.5, longitude: (i % 3) + 0.25 },
    shape: [i / boats, (i % 16) / 16, (i % 7) / 7],
  };
}

const removed = (i: number) => i % 97 === 96;
const changed = (i: number) => i % 50 === 49;
const crewAfter = 1_000;

/** What is in the store, by the names of the boats. */
export const kept: ReadonlyMap<string, Boat> = new Map(
  Array.from({ length: boats }, (_, i) => i)
    .filter((i) => !removed(i))
    .map((i) => [`boat ${i}`, { ...boatAt(i), ...(changed(i) && { crew: crewAfter, note: "changed" }), harbour: { code: codeOf(i) } }]),
);

/** Large whole numbers come as texts: `JSON.parse` would round them. */
export async function ask(kernel: Kernel, query: string, variables: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { body } = await kernel.execute({ query, variables: JSON.parse(JSON.stringify(variables)) });
  const { data, errors } = JSON.parse(body.replaceAll(/:(\d{16,})/g, ':"$1"'));
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

/** Fills an empty store. Each in this folder was written so, by the last version of its format. */
export async function fill(kernel: Kernel): Promise<void> {
  await kernel.deploy(schema);
  await ask(kernel, "mutation ($input: [AddHarbourInput!]!) { addHarbour(input: $input) { numUids } }", {
    input: Array.from({ length: harbours }, (_, i) => ({ code: codeOf(i) })),
  });
  for (let first = 0; first < boats; first += 140) {
    const input = Array.from({ length: 140 }, (_, i) => ({ ...boatAt(first + i), harbour: { code: codeOf(first + i) } }));
    await ask(kernel, "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }", { input });
  }
  const names = (holds: (i: number) => boolean) =>
    Array.from({ length: boats }, (_, i) => i)
      .filter(holds)
      .map((i) => `boat ${i}`);
  const sister =
    "mutation ($names: [String], $of: String) { updateBoat(input: { filter: { name: { in: $names } }, set: { sisters: [{ name: $of }] } }) { numUids } }";
  await ask(kernel, sister, { names: names((i) => i > 0 && i < 300), of: "boat 0" });
  const change = `mutation ($names: [String]) { updateBoat(input: { filter: { name: { in: $names } }, set: { crew: ${crewAfter}, note: "changed" } }) { numUids } }`;
  await ask(kernel, change, { names: names(changed) });
  await ask(kernel, "mutation ($names: [String]) { deleteBoat(filter: { name: { in: $names } }) { numUids } }", { names: names(removed) });
}
