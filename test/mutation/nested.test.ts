// What an object below another one means: the tables of operations.md 3.3 and 3.4 on data.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Film { code: String! @id  title: String  studio: Studio  cast: [Person!]  reels: [Reel!]  sequel: Film  related: [Film] @hasInverse(field: related) }
    type Studio { name: String! @id  city: String!  founder: Person  films: [Film] @hasInverse(field: studio) }
    type Person { id: ID!  email: String @id  tag: String @id  name: String! }
    type Reel { id: ID!  label: String! @search(by: [hash])  shelf: Shelf }
    type Shelf { id: ID!  place: String }
    type Chapter { no: Int! @id  novel: Novel! }
    type Novel { title: String! @id  chapters: [Chapter] @hasInverse(field: novel) }
    interface Item { id: ID! barcode: String! @id(interface: true) }
    type Volume implements Item { title: String }
    type Disc implements Item { minutes: Int }
    type Loan { id: ID!  item: Item }
    type Clerk { login: String! @id  state: String! @default(add: {value: "new"}) }
    type Desk { id: ID!  clerk: Clerk }
  `);
  await api.run(`mutation {
    addStudio(input: [{name: "Pathe", city: "Paris"}]) { numUids }
    addPerson(input: [{email: "ann@x", tag: "ann", name: "Ann"}, {email: "bob@x", tag: "bob", name: "Bob"}]) { numUids }
    addReel(input: [{label: "once"}]) { numUids }
    addVolume(input: [{barcode: "I1", title: "T"}]) { numUids } }`);
});
afterAll(() => api.close());

async function ids(query: string): Promise<readonly string[]> {
  return Object.values((await api.run(query)) as Record<string, { id: string }[]>).flatMap((list) => list.map((each) => each.id));
}
const refusedFilm = (input: string) => api.refused(`mutation { addFilm(input: [${input}]) { numUids } }`);
const wrapped = (reason: string) => `couldn't rewrite mutation addFilm because failed to rewrite mutation payload because ${reason}`;

describe("a nested object", () => {
  it("with an ID is a reference, whatever else it holds", async () => {
    const [id] = await ids(`{ queryPerson(filter: {email: {eq: "ann@x"}}) { id } }`);
    const answer = await api.run(
      `mutation ($id: ID) { addFilm(input: [{code: "R1", cast: [{id: $id, email: "", name: "Changed"}]}]) { film { cast { name email } } numUids } }`,
      { id },
    );
    expect(answer).toEqual({ addFilm: { film: [{ cast: [{ name: "Ann", email: "ann@x" }] }], numUids: 1 } });
  });

  it("with the ID of another type is refused", async () => {
    const [id] = await ids(`{ queryPerson(filter: {email: {eq: "ann@x"}}) { id } }`);
    expect(await refusedFilm(`{code: "R2", reels: [{id: "${id}"}]}`)).toEqual([wrapped(`ID "${id}" isn't a Reel`)]);
  });

  it("with an existing key is a reference: its other members are ignored", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "R3", studio: {name: "Pathe", city: "Rome", founder: {email: "no@x", name: "No"}}}]) { film { studio { city founder { name } } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ studio: { city: "Paris", founder: null } }], numUids: 1 } });
  });

  it("with one known and one unknown key is the known object; with keys of two objects it is refused", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "R4", cast: [{email: "ann@x", tag: "new"}]}]) { film { cast { name tag } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ cast: [{ name: "Ann", tag: "ann" }] }], numUids: 1 } });
    expect(await refusedFilm(`{code: "R5", cast: [{email: "ann@x", tag: "bob"}]}`)).toEqual([
      wrapped("multiple nodes found for given xid values, updation not possible"),
    ]);
  });

  it("with a new key is new, if nothing required is missing", async () => {
    expect(await refusedFilm(`{code: "R6", studio: {name: "Nope"}}`)).toEqual([
      wrapped("type Studio requires a value for field city, but no value present"),
    ]);
    expect(await refusedFilm(`{code: "R6", studio: {}}`)).toEqual([wrapped("field name cannot be empty")]);
    expect(await refusedFilm(`{code: "R6", studio: {name: null, city: "c"}}`)).toEqual([wrapped("field name cannot be empty")]);
    expect(await api.run(`mutation { addFilm(input: [{code: "R6", studio: {name: "Ufa", city: "Berlin"}}]) { numUids } }`)).toEqual({
      addFilm: { numUids: 2 },
    });
  });

  it("of a type without keys may stay incomplete", async () => {
    const { data, errors } = await api.send(
      `mutation { addFilm(input: [{code: "R7", reels: [{shelf: {place: "s"}}]}]) { film { code reels { shelf { place } } } numUids } }`,
    );
    expect([data, errors]).toEqual([{ addFilm: { film: [{ code: "R7", reels: [{ shelf: { place: "s" } }] }], numUids: 3 } }, undefined]);
  });

  it("with a default for its required field is complete", async () => {
    expect(
      await api.run(
        `mutation { addDesk(input: [{clerk: {login: "c1"}}, {clerk: {login: "c2", state: null}}]) { desk { clerk { login state } } numUids } }`,
      ),
    ).toEqual({
      addDesk: { desk: [{ clerk: { login: "c1", state: "new" } }, { clerk: { login: "c2", state: "new" } }], numUids: 4 },
    });
  });

  it("may omit the required field that leads back to its parent", async () => {
    const answer = await api.run(
      `mutation { addNovel(input: [{title: "Nana", chapters: [{no: 1}, {no: 2, novel: {title: "Other"}}]}]) { novel { chapters(order: {asc: no}) { no novel { title } } } numUids } }`,
    );
    const chapters = [1, 2].map((no) => ({ no, novel: { title: "Nana" } }));
    expect(answer).toEqual({ addNovel: { novel: [{ chapters }], numUids: 3 } });
    expect(await api.run(`{ getNovel(title: "Other") { title } }`)).toEqual({ getNovel: null });
  });

  it("repeated by ID is one link", async () => {
    const [id] = await ids(`{ queryReel(first: 1) { id } }`);
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "R8", reels: [{id: "${id}"}, {id: "${id}"}, {label: "fresh"}]}]) { film { reelsAggregate { count } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ reelsAggregate: { count: 2 } }], numUids: 2 } });
  });

  it("with a fault four levels down refuses the whole mutation", async () => {
    expect(await refusedFilm(`{code: "R9", reels: [{label: "e", shelf: {id: "0xfffffff"}}]}`)).toEqual([wrapped(`ID "0xfffffff" isn't a Shelf`)]);
    expect(await api.run(`{ getFilm(code: "R9") { code } queryReel(filter: {label: {eq: "e"}}) { label } }`)).toEqual({
      getFilm: null,
      queryReel: [],
    });
  });
});

describe("one key several times", () => {
  it("is one object, wherever its description occurs", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "H3", title: "Three", sequel: {code: "H4"}}, {code: "H4", title: "Four", sequel: {code: "H3"}}]) { film(order: {asc: code}) { code sequel { code title } } numUids } }`,
    );
    expect(answer).toEqual({
      addFilm: {
        film: [
          { code: "H3", sequel: { code: "H4", title: "Four" } },
          { code: "H4", sequel: { code: "H3", title: "Three" } },
        ],
        numUids: 2,
      },
    });
  });

  it("without a description is reported once for each mention", async () => {
    const missing = wrapped("type Person requires a value for field name, but no value present");
    expect(await refusedFilm(`{code: "H5", cast: [{email: "c@y"}, {email: "c@y"}]}`)).toEqual([missing, missing]);
  });

  it("of an existing object must not be described in contradicting ways", async () => {
    expect(await refusedFilm(`{code: "H6", studio: {name: "Pathe", city: "Oslo"}}, {code: "H7", studio: {name: "Pathe", city: "Umea"}}`)).toEqual([
      wrapped("duplicate XID found: Pathe"),
    ]);
  });

  it("may close a cycle", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "K1", sequel: {code: "K2", sequel: {code: "K3", sequel: {code: "K1"}}}}]) { film { sequel { sequel { sequel { code } } } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ sequel: { sequel: { sequel: { code: "K1" } } } }], numUids: 3 } });
  });

  it("unites two keys that one object names", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "L1", cast: [{email: "m@y", tag: "m", name: "M"}, {email: "m@y"}, {tag: "m"}]}]) { film { cast { email tag name } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ cast: [{ email: "m@y", tag: "m", name: "M" }] }], numUids: 2 } });
  });
});

describe("one key of an existing object, another of a new one", () => {
  it("refers to the existing object wherever either key is used", async () => {
    const answer = await api.run(
      `mutation { addFilm(input: [{code: "X1", cast: [{email: "ann@x", tag: "other", name: "A"}, {tag: "other"}]}]) { film { cast { email tag } } numUids } }`,
    );
    expect(answer).toEqual({ addFilm: { film: [{ cast: [{ email: "ann@x", tag: "ann" }] }], numUids: 1 } });
  });

  it("must not refer to two existing objects", async () => {
    expect(
      await refusedFilm(`{code: "X2", cast: [{email: "ann@x", tag: "z", name: "A"}, {email: "bob@x", tag: "z", name: "A"}, {tag: "z"}]}`),
    ).toEqual([wrapped("duplicate XID found: z")]);
  });
});

describe("a reference through an interface", () => {
  it("finds any implementing type by key, creates none", async () => {
    expect(await api.run(`mutation { addLoan(input: [{item: {barcode: "I1"}}]) { loan { item { __typename barcode } } numUids } }`)).toEqual({
      addLoan: { loan: [{ item: { __typename: "Volume", barcode: "I1" } }], numUids: 1 },
    });
    expect(await api.refused(`mutation { addLoan(input: [{item: {barcode: "I9"}}]) { numUids } }`)).toHaveLength(1);
    expect(await api.run(`mutation { addDisc(input: [{barcode: "I9", minutes: 1}]) { numUids } }`)).toEqual({ addDisc: { numUids: 1 } });
  });

  it("reports what is missing", async () => {
    const reason = (text: string) => `couldn't rewrite mutation addLoan because failed to rewrite mutation payload because ${text}`;
    expect(await api.refused(`mutation { addLoan(input: [{item: {}}]) { numUids } }`)).toEqual([reason("field barcode cannot be empty")]);
  });

  it("knows a key of a sibling type", async () => {
    expect(await api.refused(`mutation { addDisc(input: [{barcode: "I1"}]) { numUids } }`)).toEqual([
      "couldn't rewrite mutation addDisc because failed to rewrite mutation payload because id I1 already exists for field barcode in some other implementing type of interface Item",
    ]);
  });
});
