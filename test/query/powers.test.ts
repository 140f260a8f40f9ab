import { describe, expect, it } from "vitest";
import type { Predicate, Storage } from "../../core/storage.ts";
import { deploy, overriding, type TestApi } from "./harness.ts";

const schema = `
  interface Vessel { hull: String! @id  owner: Owner }
  type Ketch implements Vessel { sails: Int @search }
  type Yawl implements Vessel { sails: Int @search }
  type Owner { name: String! @id  rank: Int  ketches: [Ketch] @hasInverse(field: owner)  yawls: [Yawl] @hasInverse(field: owner)  friends: [Owner] @hasInverse(field: friends)  mentor: Owner }
`;

async function marina(around?: (storage: Storage) => Storage): Promise<TestApi> {
  const api = await deploy(schema, around ? { around } : {});
  await api.seed({
    ann: ["Owner", { name: "ann", rank: 1, ketches: ["k1", "k2"], yawls: ["y1"], friends: ["ben", "cat"], mentor: "cat" }],
    ben: ["Owner", { name: "ben", ketches: ["k3"], mentor: "ann" }],
    cat: ["Owner", { name: "cat", rank: 3, mentor: "cat" }],
    k1: ["Ketch", { hull: "k1", sails: 2 }],
    k2: ["Ketch", { hull: "k2" }],
    k3: ["Ketch", { hull: "k3" }],
    y1: ["Yawl", { hull: "y1", sails: 5 }],
  });
  return api;
}

/** A store that knows no semi-join, and says so when it meets one. */
function withoutLinked(storage: Storage): Storage {
  return overriding(storage, {
    supports: { ...storage.supports, linked: false },
    snapshot: (options) => {
      const snapshot = storage.snapshot(options);
      return overriding(snapshot, {
        find: (request) => snapshot.find(plain(request)),
        follow: (request) => snapshot.follow(plain(request)),
        aggregate: (request) => {
          plain(request.over);
          return snapshot.aggregate(request);
        },
      });
    },
  });
}

function plain<R extends { readonly where?: Predicate }>(request: R): R {
  if (JSON.stringify(request.where ?? {}).includes('"linked"')) throw new TypeError("a semi-join");
  return request;
}

describe("a storage without semi-joins", () => {
  it.each([
    ["has a link", "{ queryOwner(filter: {has: ketches}) { name } }"],
    ["has none", "{ queryOwner(filter: {not: {has: mentor}}) { name } queryVessel(filter: {has: owner}) { hull } }"],
    ["one of two", '{ queryOwner(filter: {or: [{has: yawls}, {name: {eq: "cat"}}]}) { name } }'],
    ["its own inverse", "{ queryOwner(filter: {has: friends}) { name } }"],
    [
      "cascade through several ends",
      "{ queryOwner @cascade { name ketches { sails } yawls { hull } } queryVessel @cascade { hull owner { rank } } }",
    ],
    [
      "cascade past an offset",
      "{ queryOwner @cascade { name ketches(offset: 1) { hull } } two: queryOwner @cascade { name friends(offset: 1) { name } } }",
    ],
    ["cascade at depth", "{ queryOwner @cascade { name mentor { name mentor { name rank ketches { hull } } } } }"],
    [
      "below a link",
      "{ queryOwner { name friends(filter: {has: ketches}) { name ketchesAggregate(filter: {has: owner}) { count } } } aggregateOwner(filter: {has: ketches}) { count } }",
    ],
  ])("answers alike: %s", async (_, text) => {
    const [plainly, natively] = [await marina(withoutLinked), await marina()];
    const answer = await plainly.ask(text);
    expect(answer).toEqual(await natively.ask(text));
    expect(answer.errors).toBeUndefined();
  });
});

describe("a storage without orders by language", () => {
  const words = `
    type Shelf { no: Int! @id  books: [Book] }
    type Book { title: String @dgraph(pred: "Book.title@de")  year: Int }
  `;
  const asked = `{
    queryBook(order: {asc: title}) { title } down: queryBook(order: {desc: title, then: {asc: year}}, first: 3) { title }
    queryShelf { no books(order: {asc: title}, offset: 1, first: 2) { title year } }
  }`;

  it.each([[true], [false]])("sorts by the field's language (collation: %s)", async (collation) => {
    const api = await deploy(words, {
      around: (storage) => overriding(storage, { supports: { ...storage.supports, collation: collation && storage.supports.collation } }),
    });
    await api.seed({
      z: ["Book", { title: "Zebra", year: 1 }],
      ä: ["Book", { title: "Äpfel", year: 2 }],
      a: ["Book", { title: "Apfel", year: 3 }],
      none: ["Book", { year: 4 }],
      one: ["Shelf", { no: 1, books: ["z", "ä", "a", "none"] }],
      two: ["Shelf", { no: 2, books: ["none", "z"] }],
    });
    expect(await api.ask(asked)).toEqual({
      data: {
        queryBook: [{ title: "Apfel" }, { title: "Äpfel" }, { title: "Zebra" }, { title: null }],
        down: [{ title: "Zebra" }, { title: "Äpfel" }, { title: "Apfel" }],
        queryShelf: [
          {
            no: 1,
            books: [
              { title: "Äpfel", year: 2 },
              { title: "Zebra", year: 1 },
            ],
          },
          { no: 2, books: [{ title: null, year: 4 }] },
        ],
      },
    });
  });
});
