// The graph whose files are damaged: every kind of index, lists of one chunk and of many, edits beside blocks, keys, links, vectors. What is written
// and what is answered is the same in every run.

import type { Kernel } from "../../../core/index.ts";

export const schema = `
  type Port {
    code: String! @id
    name: String @search(by: [exact, term])
    boats: [Boat] @hasInverse(field: home)
  }
  type Boat {
    id: ID!
    name: String! @id
    note: String @search(by: [fulltext, trigram])
    kind: String @search(by: [hash])
    metres: Float @search
    built: Int @search
    launched: DateTime @search(by: [year])
    tags: [String] @search(by: [exact])
    home: Port
    escorts: [Boat] @hasInverse(field: escortedBy)
    escortedBy: [Boat]
    shape: [Float!] @embedding @search(by: ["hnsw(metric: euclidean)"])
  }`;

const boats = 1_200;
const ports = 4;
const words = ["oak", "steel", "amber", "swift", "north", "rope", "canvas", "anchor", "tide", "gull", "harbour", "keel"];

const wordAt = (i: number) => words[i % words.length] ?? "";

function boat(i: number) {
  return {
    name: `boat ${i}`,
    note: `${wordAt(i)} and ${wordAt(i * 7 + 3)} number ${(i * 7_919) % 1_000}`,
    kind: `kind ${i % 9}`,
    metres: ((i * 37) % 400) / 8,
    built: 1_900 + ((i * 13) % 120),
    launched: `${1_950 + (i % 60)}-0${1 + (i % 9)}-11T00:00:00Z`,
    tags: [`t${i % 3}`, `u${i % 40}`],
    home: { code: `port ${i % ports}` },
    ...(i > 10 && { escorts: [{ name: `boat ${i % 10}` }, { name: `boat ${i - 1}` }] }),
    ...(i % 8 === 0 && { shape: [i % 50, (i * 3) % 70, 1] }),
  };
}

async function run(kernel: Kernel, query: string, variables: Record<string, unknown> = {}): Promise<string> {
  const answer = JSON.parse((await kernel.execute({ query, variables })).body);
  return JSON.stringify({ data: answer.data, errors: answer.errors });
}

const add = "mutation ($input: [AddBoatInput!]!) { addBoat(input: $input) { numUids } }";

/** The rounds in which the graph is made. The store is opened anew before each: that turns its log into a table. */
export const rounds: readonly ((kernel: Kernel) => Promise<string>)[] = [
  (kernel) =>
    run(kernel, "mutation ($input: [AddPortInput!]!) { addPort(input: $input) { numUids } }", {
      input: Array.from({ length: ports }, (_, i) => ({ code: `port ${i}`, name: `Port ${wordAt(i)} ${i}` })),
    }),
  ...[0, 1, 2].map((round) => (kernel: Kernel) => {
    const share = boats / 3;
    return run(kernel, add, { input: Array.from({ length: share }, (_, i) => boat(round * share + i)) });
  }),
  (kernel) =>
    run(kernel, `mutation { updateBoat(input: { filter: { kind: { eq: "kind 3" } }, set: { built: 2001, note: "painted tide" } }) { numUids } }`),
  (kernel) => run(kernel, `mutation { deleteBoat(filter: { tags: { eq: "u17" } }) { numUids } }`),
];

/** What is written while the damaged store serves. */
export const writes: readonly ((kernel: Kernel) => Promise<string>)[] = [
  (kernel) => run(kernel, add, { input: Array.from({ length: 40 }, (_, i) => boat(boats + i)) }),
  (kernel) =>
    run(
      kernel,
      `mutation { updateBoat(input: { filter: { built: { between: { min: 1930, max: 1950 } } }, set: { metres: 99.5, kind: "kind 1" } }) { numUids } }`,
    ),
  (kernel) => run(kernel, `mutation { deleteBoat(filter: { note: { anyoftext: "gull" }, metres: { lt: 20 } }) { numUids } }`),
  (kernel) =>
    run(
      kernel,
      `mutation { updatePort(input: { filter: { code: { eq: "port 2" } }, remove: { boats: [{ name: "boat 6" }] }, set: { name: "Port far" } }) { numUids } }`,
    ),
];

const questions: readonly string[] = [
  "{ queryBoat { id name note kind metres built launched tags home { code } escorts { name } escortedBy { name } shape } }",
  "{ queryPort { code name boats { name } boatsAggregate { count builtMax metresSum } } }",
  "{ aggregateBoat { count builtMin builtMax metresSum nameMin } }",
  `{ queryBoat(filter: { kind: { eq: "kind 4" } }) { name } }`,
  `{ queryBoat(filter: { note: { anyoftext: "amber keel" } }) { name } }`,
  `{ queryBoat(filter: { note: { regexp: "/number 7.*/" } }) { name } }`,
  `{ queryBoat(filter: { tags: { eq: "t1" } }, order: { desc: metres, then: { asc: name } }, first: 50) { name metres } }`,
  `{ queryBoat(filter: { built: { between: { min: 1950, max: 1990 } } }, order: { asc: built }) { name built } }`,
  `{ queryBoat(filter: { launched: { ge: "1990-01-01T00:00:00Z" } }) { name } }`,
  `{ queryBoat(filter: { metres: { gt: 30 } }) { name } }`,
  `{ queryPort(filter: { name: { anyofterms: "oak amber" } }) { code } }`,
  ...[3, 77, 400, 901, 1_199, 1_210].map((i) => `{ getBoat(name: "boat ${i}") { id built home { name } escorts { name } } }`),
  `{ getPort(code: "port 1") { boats(filter: { kind: { eq: "kind 2" } }) { name } } }`,
  `{ querySimilarBoatByEmbedding(by: shape, topK: 12, vector: [20.0, 30.0, 1.0]) { name } }`,
];

/** Each answer as text. */
export async function askAll(kernel: Kernel): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const question of questions) answers.push(await run(kernel, question));
  return answers;
}
