// `add<T>`: operations.md 3.1, 3.3, 3.9.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    enum Light { SUN SHADE HALF }
    type Plant { id: ID!  sku: String! @id  name: String! @search(by: [hash])  latin: String  price: Float  sold: Int64  hardy: Boolean  light: Light
      tags: [String!]  sizes: [Int!]  bed: Bed  pots: [Pot!]  notes: [Note]  constructor: String }
    type Bed { id: ID! label: String! @search(by: [hash])  row: Int }
    type Pot { id: ID! colour: String! @search(by: [hash]) }
    type Note { id: ID! text: String }
    type Box { code: String! @id  content: String }
    type Stamp { text: String }
  `);
});
afterAll(() => api.close());

const wrapped = (reason: string) => `couldn't rewrite mutation addPlant because failed to rewrite mutation payload because ${reason}`;

describe("a new object", () => {
  it("is returned as it is stored", async () => {
    const answer = await api.run(`mutation { addPlant(input: [{sku: "P-1", name: "Thyme", price: 0, sold: 9007199254740993, hardy: false, light: HALF,
      tags: ["b", "a", "b"], sizes: [2, 1, 2], constructor: "c"}]) { plant { sku name latin price sold hardy light tags sizes constructor bed { label } pots { colour } } numUids } }`);
    const plant = {
      sku: "P-1",
      name: "Thyme",
      latin: null,
      price: 0,
      sold: 9007199254740993n,
      hardy: false,
      light: "HALF",
      tags: ["b", "a"],
      sizes: [2, 1],
    };
    expect(answer).toEqual({ addPlant: { plant: [{ ...plant, constructor: "c", bed: null, pots: [] }], numUids: 1 } });
  });

  it("accepts a single object instead of a list; an empty list adds nothing", async () => {
    const answer = await api.run(
      `mutation { one: addBox(input: {code: "B-1"}) { box { code content } numUids }  none: addBox(input: []) { box { code } numUids } }`,
    );
    expect(answer).toEqual({ one: { box: [{ code: "B-1", content: null }], numUids: 1 }, none: { box: [], numUids: 0 } });
  });

  it("stores empty and blank texts, and drops nulls and empty lists", async () => {
    const answer = await api.run(
      `mutation { addPlant(input: [{sku: " ", name: "", latin: null, tags: [], pots: [], bed: null}]) { plant { sku name latin tags pots { colour } bed { label } } } }`,
    );
    expect(answer).toEqual({ addPlant: { plant: [{ sku: " ", name: "", latin: null, tags: [], pots: [], bed: null }] } });
  });

  it("needs neither a key nor an ID", async () => {
    expect(await api.run(`mutation { addStamp(input: [{text: "x"}, {text: "x"}]) { stamp { text } numUids } }`)).toEqual({
      addStamp: { stamp: [{ text: "x" }, { text: "x" }], numUids: 2 },
    });
  });

  it("gets an ascending id; its children's ids follow its own", async () => {
    const { addPlant } = (await api.run(
      `mutation { addPlant(input: [{sku: "O-1", name: "n", pots: [{colour: "o"}]}, {sku: "O-2", name: "n"}]) { plant { id sku pots { id } } } }`,
    )) as { addPlant: { plant: { id: string; sku: string; pots: { id: string }[] }[] } };
    const [first, second] = addPlant.plant;
    expect([first?.sku, second?.sku]).toEqual(["O-1", "O-2"]);
    expect(Number(first?.pots[0]?.id)).toBeGreaterThan(Number(first?.id));
  });
});

describe("an add", () => {
  it("is refused for an existing key; none of the other objects is stored", async () => {
    await api.run(`mutation { addPlant(input: [{sku: "K-1", name: "n"}]) { numUids } }`);
    expect(await api.refused(`mutation { addPlant(input: [{sku: "K-2", name: "n"}, {sku: "K-1", name: "m"}]) { numUids } }`)).toEqual([
      wrapped("id K-1 already exists for field sku inside type Plant"),
    ]);
    expect(await api.run(`{ getPlant(sku: "K-2") { name } k: getPlant(sku: "K-1") { name } }`)).toEqual({ getPlant: null, k: { name: "n" } });
  });

  it("is refused for two existing keys: both are reported, in the order of the input", async () => {
    await api.run(`mutation { addBox(input: [{code: "T-1"}, {code: "T-2"}]) { numUids } }`);
    const reason = (code: string) =>
      `couldn't rewrite mutation addBox because failed to rewrite mutation payload because id ${code} already exists for field code inside type Box`;
    expect(await api.refused(`mutation { addBox(input: [{code: "T-2"}, {code: "T-3"}, {code: "T-1"}]) { numUids } }`)).toEqual([
      reason("T-2"),
      reason("T-1"),
    ]);
    expect(await api.run(`{ getBox(code: "T-3") { code } }`)).toEqual({ getBox: null });
  });

  it("is refused for a key that was taken at the same moment", async () => {
    const add = `mutation { addBox(input: [{code: "R-1"}]) { numUids } }`;
    const answers = await Promise.all([api.send(add), api.send(add), api.send(add)]);
    const reason =
      "couldn't rewrite mutation addBox because failed to rewrite mutation payload because id R-1 already exists for field code inside type Box";
    const refused = { data: { addBox: null }, errors: [{ message: reason, path: ["addBox"] }] };
    expect(answers.filter(({ errors }) => errors !== undefined)).toMatchObject([refused, refused]);
    expect(await api.run(`{ queryBox(filter: { code: { eq: "R-1" } }) { code } }`)).toEqual({ queryBox: [{ code: "R-1" }] });
  });

  it("reports each faulty item with one error that has a path and no location", async () => {
    const { errors } = await api.send(
      `mutation { a: addPlant(input: [{sku: "E", name: "n", pots: [{id: "0xfffffff1"}, {id: "0xfffffff2"}], bed: {id: "1"}}]) { numUids } }`,
    );
    expect(errors).toEqual([
      { message: wrapped(`ID "1" isn't a Bed`), path: ["a"] },
      { message: wrapped(`ID "0xfffffff1" isn't a Pot`), path: ["a"] },
      { message: wrapped(`ID "0xfffffff2" isn't a Pot`), path: ["a"] },
    ]);
  });

  it("reports faults found without a look-up before all others", async () => {
    await api.send(`mutation { addPlant(input: [{sku: "F-1", name: "n"}]) { numUids } }`);
    expect(
      await api.refused(
        `mutation { addPlant(input: [{sku: "F-1", name: "n"}, {sku: "", name: "n"}, {sku: "F-2", name: "n", pots: [{id: "pier"}]}]) { numUids } }`,
      ),
    ).toEqual([wrapped("encountered an empty value for @id field `Plant.sku`"), wrapped("ID argument (pier) was not able to be parsed")]);
  });

  it("is refused for a null in a list, with the location of the field", async () => {
    const { errors } = await api.send(`mutation { addPlant(input: [{sku: "N-1", name: "n", notes: [null]}]) { numUids } }`);
    expect(errors).toEqual([
      {
        message: "mutation addPlant failed because Dgraph execution failed because got unsupported type for list: Plant.notes",
        locations: [{ line: 1, column: 12 }],
        path: ["addPlant"],
      },
    ]);
  });
});

describe("several mutations in one operation", () => {
  it("see earlier commits, stop at the first failure, and keep earlier commits", async () => {
    const { data, errors } = await api.send(`mutation {
      a: addBox(input: [{code: "S-1"}]) { numUids }
      u: updateBox(input: {filter: {code: {eq: "S-1"}}, set: {content: "seen"}}) { box { content } }
      b: addBox(input: [{code: "S-1"}]) { numUids }
      c: addBox(input: [{code: "S-2"}]) { numUids } }`);
    expect(data).toEqual({ a: { numUids: 1 }, u: { box: [{ content: "seen" }] }, b: null });
    expect(errors?.map((each) => each.message)).toEqual([
      "couldn't rewrite mutation addBox because failed to rewrite mutation payload because id S-1 already exists for field code inside type Box",
      "Mutation c was not executed because of a previous error.",
    ]);
    expect(await api.run(`{ getBox(code: "S-2") { code } }`)).toEqual({ getBox: null });
  });
});
