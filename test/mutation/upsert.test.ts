// `add<T>(upsert: true)`: operations.md 3.5, row by row.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Reader { id: ID! card: String! @id  name: String  town: String  labels: [String!]  state: String @default(add: {value: "new"}, update: {value: "touched"})
      loans: [Loan]  locker: Locker @hasInverse(field: owner) }
    type Loan { id: ID! note: String }
    type Locker { number: Int! @id  colour: String  owner: Reader }
    type Member { email: String @id  phone: String @id  name: String! }
    interface Item { barcode: String! @id(interface: true) }
    type Volume implements Item { title: String }
    type Disc implements Item { minutes: Int }
  `);
});
beforeEach(async () => {
  await api.run(`mutation { a: deleteReader(filter: {}) { numUids } b: deleteMember(filter: {}) { numUids } c: deleteLocker(filter: {}) { numUids }
    d: addReader(input: [{card: "U1", name: "first", town: "Ulm", labels: ["a"], loans: [{note: "x"}], locker: {number: 1, colour: "red"}}]) { numUids } }`);
});
afterAll(() => api.close());

const upsert = (input: string, fields = "card name town") =>
  api.run(`mutation { addReader(input: [${input}], upsert: true) { reader(order: {asc: card}) { ${fields} } numUids } }`);

describe("upsert", () => {
  it("creates missing objects, changes existing ones, and counts the new ones", async () => {
    expect(await upsert(`{card: "U1", town: "Bonn"}, {card: "U2", name: "two"}`)).toEqual({
      addReader: {
        reader: [
          { card: "U1", name: "first", town: "Bonn" },
          { card: "U2", name: "two", town: null },
        ],
        numUids: 1,
      },
    });
  });

  it("ignores null, and lists the existing object", async () => {
    expect(await upsert(`{card: "U1", name: null}`)).toEqual({ addReader: { reader: [{ card: "U1", name: "first", town: "Ulm" }], numUids: 0 } });
  });

  it("adds to lists, of values and of links", async () => {
    expect(await upsert(`{card: "U1", labels: ["b", "a"], loans: [{note: "y"}]}`, "labels loans(order: {asc: note}) { note }")).toEqual({
      addReader: { reader: [{ labels: ["a", "b"], loans: [{ note: "x" }, { note: "y" }] }], numUids: 1 },
    });
  });

  it("replaces a single link on both sides, and never changes what is linked", async () => {
    await api.run(`mutation { addReader(input: [{card: "U3", locker: {number: 2, colour: "blue"}}]) { numUids } }`);
    expect(await upsert(`{card: "U1", locker: {number: 2, colour: "green"}}`, "locker { number colour owner { card } }")).toEqual({
      addReader: { reader: [{ locker: { number: 2, colour: "blue", owner: { card: "U1" } } }], numUids: 0 },
    });
    expect(await api.run(`{ getReader(card: "U3") { locker { number } } getLocker(number: 1) { owner { card } } }`)).toEqual({
      getReader: { locker: null },
      getLocker: { owner: null },
    });
  });

  it("uses the update default for existing objects and the add default for new ones", async () => {
    expect(await upsert(`{card: "U1"}, {card: "U2"}`, "card state")).toEqual({
      addReader: {
        reader: [
          { card: "U1", state: "touched" },
          { card: "U2", state: "new" },
        ],
        numUids: 1,
      },
    });
  });

  it("finds by any key and changes the others", async () => {
    await api.run(`mutation { addMember(input: [{email: "a@x", phone: "1", name: "A"}, {email: "b@x", name: "B"}]) { numUids } }`);
    const member = (input: string) => `mutation { addMember(input: [${input}], upsert: true) { member { email phone name } numUids } }`;
    expect(await api.run(member(`{email: "a@x", phone: "2", name: "AA"}`))).toEqual({
      addMember: { member: [{ email: "a@x", phone: "2", name: "AA" }], numUids: 0 },
    });
    expect(await api.refused(member(`{email: "b@x", phone: "2", name: "Mix"}`))).toEqual([
      "couldn't rewrite mutation addMember because failed to rewrite mutation payload because multiple nodes found for given xid values, updation not possible",
    ]);
    expect(await api.run(member(`{name: "nobody"}`))).toEqual({ addMember: { member: [{ email: null, phone: null, name: "nobody" }], numUids: 1 } });
  });

  it("changes an object once, whichever keys name it", async () => {
    await api.run(`mutation { addMember(input: [{email: "c@x", phone: "3", name: "C"}]) { numUids } }`);
    const twice = `mutation { addMember(input: [{email: "c@x", name: "C1"}, {phone: "3", name: "C2"}], upsert: true) { numUids } }`;
    expect(await api.refused(twice)).toEqual([
      "couldn't rewrite mutation addMember because failed to rewrite mutation payload because duplicate XID found: 3",
    ]);
  });

  it("refuses a repeated key, and a key of a sibling type", async () => {
    expect(await api.refused(`mutation { addReader(input: [{card: "D"}, {card: "D"}], upsert: true) { numUids } }`)).toHaveLength(1);
    await api.run(`mutation { addVolume(input: [{barcode: "V"}]) { numUids } }`);
    expect(await api.refused(`mutation { addDisc(input: [{barcode: "V"}], upsert: true) { numUids } }`)).toEqual([
      "couldn't rewrite mutation addDisc because failed to rewrite mutation payload because id V already exists for field barcode in some other implementing type of interface Item",
    ]);
  });

  it("is off for null and false", async () => {
    for (const off of ["null", "false"]) {
      expect(await api.refused(`mutation { addReader(input: [{card: "U1"}], upsert: ${off}) { numUids } }`)).toHaveLength(1);
    }
  });
});
