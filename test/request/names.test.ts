// Names that every object of JavaScript has are names like any other: of types, fields, keys, values, variables, in answers.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let place: TemporaryKernel;
beforeAll(async () => {
  place = await temporaryKernel();
  await place.kernel.deploy(`
    type constructor { key: String! @id  toString: Int @search  then: String @search(by: [exact])  valueOf: [String] @search(by: [hash])
      hasOwnProperty: Boolean @search  isPrototypeOf: constructor }
    type Team @dgraph(type: "toString") { key: String! @id  name: String @dgraph(pred: "constructor") @search(by: [exact])
      points: Int @dgraph(pred: "valueOf") @search }`);
  await answerTo(`mutation {
    addconstructor(input: [{ key: "__proto__", toString: 1, then: "b", valueOf: ["constructor"], hasOwnProperty: false }, { key: "toString", then: "a", isPrototypeOf: { key: "__proto__" } }]) { numUids }
    addTeam(input: [{ key: "a", name: "Kent", points: 3 }, { key: "b" }]) { numUids }
  }`);
});
afterAll(async () => {
  const { faults } = await place.kernel.storage.verify();
  await place.remove();
  expect(faults).toEqual([]);
});

/** As text: a comparison of objects would not see `__proto__`. */
async function answerTo(query: string, variables = "{}"): Promise<string> {
  const body = new TextEncoder().encode(`{"query":${JSON.stringify(query)},"variables":${variables}}`);
  const answer = await place.kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
  return String(answer.body).replace(/,"extensions":\{[^{}]*\}\}$/, "}");
}

describe("stored data under such names", () => {
  it.each([
    [
      "a type and its fields, there or not",
      "{ queryconstructor(order: { asc: then }) { key toString then valueOf hasOwnProperty isPrototypeOf { key } } }",
      `{"queryconstructor":[{"key":"toString","toString":null,"then":"a","valueOf":[],"hasOwnProperty":null,"isPrototypeOf":{"key":"__proto__"}},` +
        `{"key":"__proto__","toString":1,"then":"b","valueOf":["constructor"],"hasOwnProperty":false,"isPrototypeOf":null}]}`,
    ],
    [
      "names of the store",
      "{ queryTeam { key name points } aggregateTeam { nameMax pointsSum } }",
      `{"queryTeam":[{"key":"a","name":"Kent","points":3},{"key":"b","name":null,"points":null}],"aggregateTeam":{"nameMax":"Kent","pointsSum":3}}`,
    ],
    [
      "in filters",
      `{ queryconstructor(filter: { toString: { eq: null } }) { key } queryTeam(filter: { not: { has: name } }) { key } }`,
      `{"queryconstructor":[{"key":"toString"}],"queryTeam":[{"key":"b"}]}`,
    ],
    [
      "keys",
      `{ getconstructor(key: "__proto__") { key } no: getconstructor(key: "valueOf") { key } }`,
      `{"getconstructor":{"key":"__proto__"},"no":null}`,
    ],
  ])("are read: %s", async (_, query, data) => {
    expect(await answerTo(query)).toBe(`{"data":${data}}`);
  });

  it("are changed, and deleted with everything that follows", async () => {
    const answer = await answerTo(`mutation {
      addTeam(input: { key: "c", points: 1 }) { team { name points } }
      updateTeam(input: { filter: { key: { eq: "c" } }, set: { name: "Hull" }, remove: { points: 1 } }) { team { name points } }
      deleteTeam(filter: { key: { eq: "c" } }) { team { name points } } }`);
    expect(answer).toBe(
      `{"data":{"addTeam":{"team":[{"name":null,"points":1}]},"updateTeam":{"team":[{"name":"Hull","points":null}]},"deleteTeam":{"team":[{"name":"Hull","points":null}]}}}`,
    );
  });
});

describe("variables with such names", () => {
  const ask =
    "query ($__proto__: String, $constructor: Int) { queryconstructor(filter: { key: { eq: $__proto__ }, toString: { eq: $constructor } }) { key } }";

  it.each([
    ["given", `{ "__proto__": "__proto__", "constructor": 1 }`, "__proto__"],
    ["one not given, which asks for missing values", `{ "__proto__": "toString" }`, "toString"],
  ])("have their values: %s", async (_, variables, key) => {
    expect(await answerTo(ask, variables)).toBe(`{"data":{"queryconstructor":[{"key":"${key}"}]}}`);
  });

  it("are not given by objects alone", async () => {
    expect(
      await answerTo("query ($toString: constructorFilter, $valueOf: Int) { queryconstructor(filter: $toString, first: $valueOf) { key } }"),
    ).toBe(`{"data":{"queryconstructor":[{"key":"__proto__"},{"key":"toString"}]}}`);
  });
});

it("names in an answer may be those of members of every object", async () => {
  expect(await answerTo(`{ __proto__: getTeam(key: "b") { constructor: key __proto__: name } toString: __typename }`)).toBe(
    `{"data":{"__proto__":{"constructor":"b","__proto__":null},"toString":"Query"}}`,
  );
});
