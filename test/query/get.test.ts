import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const harbors = `
  type Harbor { id: ID!  code: String! @id  phone: String @id  license: Int64 @id  name: String  boats: [Boat] @hasInverse(field: harbor) }
  type HarborTax { id: ID!  code: String! @id }
  type Boat { id: ID!  name: String  harbor: Harbor }
`;

async function ports() {
  const api = await deploy(harbors);
  const ids = await api.seed({
    kiel: ["Harbor", { code: "KIL", phone: "431", license: 9007199254740993n, name: "Kiel" }],
    oslo: ["Harbor", { code: "OSL", name: "Ósló 🛥" }],
    tax: ["HarborTax", { code: "KIL" }],
    argo: ["Boat", { name: "Argo", harbor: "kiel" }],
  });
  return { api, ids };
}

describe("get", () => {
  it("finds by id, by key, and by several that agree", async () => {
    const { api, ids } = await ports();
    const text = `{ a: getHarbor(id: "${ids.kiel}") { name } b: getHarbor(code: "OSL") { name } c: getHarbor(id: "${ids.kiel}", code: "KIL", phone: "431") { code } }`;
    expect(await api.ask(text)).toEqual({ data: { a: { name: "Kiel" }, b: { name: "Ósló 🛥" }, c: { code: "KIL" } } });
  });

  it("answers null where identifiers disagree, name another type, nobody, or are not there", async () => {
    const { api, ids } = await ports();
    const text = `query q($none: String) {
      disagree: getHarbor(id: "${ids.kiel}", code: "OSL") { name }
      otherType: getHarbor(id: "${ids.tax}") { name }
      boat: getHarbor(id: "${ids.argo}") { name }
      nobody: getHarbor(id: "0x7fff") { name }
      beyond: getHarbor(id: "0xffffffffffffffff") { name }
      zero: getHarbor(id: "0") { name }
      case: getHarbor(code: "kil") { name }
      empty: getHarbor(code: "") { name }
      nothing: getHarbor { name }
      null: getHarbor(phone: null) { name }
      absent: getHarbor(phone: $none) { name }
    }`;
    const { data, errors } = await api.ask(text);
    expect(errors).toBeUndefined();
    expect(new Set(Object.values(data as object))).toEqual(new Set([null]));
  });

  it("lets a null identifier count as not given", async () => {
    const { api } = await ports();
    expect(await api.ask(`query q($p: String) { getHarbor(code: "KIL", phone: $p) { name } }`)).toEqual({ data: { getHarbor: { name: "Kiel" } } });
  });

  it("keeps every digit of an Int64 key", async () => {
    const { api } = await ports();
    expect(await api.ask("{ a: getHarbor(license: 9007199254740993) { license } b: getHarbor(license: 9007199254740992) { license } }")).toEqual({
      data: { a: { license: 9007199254740993n }, b: null },
    });
  });

  it.each(["pier", "", "-1", " 0x1 ", "0x1ffffffffffffffff"])("refuses %j as an id, and only that root field", async (id) => {
    const { api } = await ports();
    expect(await api.ask(`{ a: getHarbor(id: ${JSON.stringify(id)}) { name } b: getHarbor(code: "KIL") { name } }`)).toEqual({
      data: { a: null, b: { name: "Kiel" } },
      errors: [
        {
          message: `couldn't rewrite query a because ID argument (${id}) of getHarbor was not able to be parsed`,
          locations: [{ line: 1, column: 3 }],
          path: ["a"],
        },
      ],
    });
  });
});

describe("get through an interface", () => {
  const articles = `
    interface Article { id: ID!  ean: String! @id(interface: true)  shelf: String @id  title: String }
    type Book implements Article { pages: Int }
    type Toy implements Article { minAge: Int }
  `;

  it("finds the object behind it", async () => {
    const api = await deploy(articles);
    const ids = await api.seed({ dune: ["Book", { ean: "1", title: "Dune", pages: 412 }], yoyo: ["Toy", { ean: "2", minAge: 3 }] });
    expect(
      await api.ask(
        `{ a: getArticle(ean: "2") { __typename ean ... on Toy { minAge } } b: getArticle(id: "${ids.dune}") { ... on Book { pages } } c: getBook(ean: "2") { ean } }`,
      ),
    ).toEqual({
      data: { a: { __typename: "Toy", ean: "2", minAge: 3 }, b: { pages: 412 }, c: null },
    });
  });

  it("refuses a key that several objects share", async () => {
    const api = await deploy(articles);
    await api.seed({ dune: ["Book", { ean: "1", shelf: "A" }], yoyo: ["Toy", { ean: "2", shelf: "A" }] });
    const { data, errors } = await api.ask(`{ getArticle(shelf: "A") { ean } getBook(shelf: "A") { ean } }`);
    expect(data).toEqual({ getArticle: null, getBook: { ean: "1" } });
    expect(errors?.map(({ message, path }) => [message.slice(0, 66), path])).toEqual([
      ["A list was returned, but GraphQL was expecting just one item. This", ["getArticle"]],
    ]);
  });
});
