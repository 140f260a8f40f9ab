// Fields of union type in inputs: operations.md 3.2, 3.3, 3.6.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, deploy } from "./api.ts";

let api: Api;
beforeAll(async () => {
  api = await deploy(`
    type Dish { title: String! @id  price: Float }
    type Snack { id: ID!  label: String! @search(by: [hash]) }
    type Cook { badge: String! @id  name: String! }
    union Thing = Dish | Snack | Cook
    type Guest { ticket: String! @id  favourite: Thing  things: [Thing!] }
  `);
  await api.run(
    `mutation { a: addDish(input: [{title: "soup", price: 2}]) { numUids } b: addCook(input: [{badge: "c1", name: "Ada"}]) { numUids } }`,
  );
});
afterAll(() => api.close());

const shown = "{ __typename ... on Dish { title price } ... on Snack { label } ... on Cook { badge } }";
const wrapped = (field: string, reason: string) => `couldn't rewrite mutation ${field} because failed to rewrite mutation payload because ${reason}`;

describe("a union in an input", () => {
  it("is a reference or a new object of the named member type", async () => {
    const answer = await api.run(`mutation { addGuest(input: [
      {ticket: "g1", favourite: {dishRef: {title: "soup", price: 99}}, things: [{dishRef: {title: "pie"}}, {snackRef: {label: "gum"}}, {cookRef: {badge: "c1"}}]},
      {ticket: "g2", favourite: {snackRef: {label: "crisps"}}}, {ticket: "g3", favourite: null, things: []}]) { guest { favourite ${shown} things ${shown} } numUids } }`);
    expect(answer).toEqual({
      addGuest: {
        guest: [
          {
            favourite: { __typename: "Dish", title: "soup", price: 2 },
            things: expect.arrayContaining([
              { __typename: "Dish", title: "pie", price: null },
              { __typename: "Snack", label: "gum" },
              { __typename: "Cook", badge: "c1" },
            ]),
          },
          { favourite: { __typename: "Snack", label: "crisps" }, things: [] },
          { favourite: null, things: [] },
        ],
        numUids: 6,
      },
    });
  });

  it.each([
    ["{}", "value for field `favourite` in type `Guest` must have exactly one child, found 0 children"],
    ["{dishRef: null}", "value for field `favourite` in type `Guest` must have exactly one child, found 0 children"],
    ['{snackRef: {label: "x"}, dishRef: {title: "y"}}', "value for field `favourite` in type `Guest` must have exactly one child, found 2 children"],
    ['{cookRef: {badge: "c9"}}', "type Cook requires a value for field name, but no value present"],
    ['{snackRef: {id: "0xfffffff"}}', `ID "0xfffffff" isn't a Snack`],
  ])("as %s is refused", async (favourite, reason) => {
    expect(await api.refused(`mutation { addGuest(input: [{ticket: "g9", favourite: ${favourite}}]) { numUids } }`)).toEqual([
      wrapped("addGuest", reason),
    ]);
  });

  it("in a list reports each faulty element separately", async () => {
    expect(
      await api.refused(
        `mutation { addGuest(input: [{ticket: "g9", things: [{}, {dishRef: {title: "a"}, snackRef: {label: "b"}}, {dishRef: {title: "ok"}}]}]) { numUids } }`,
      ),
    ).toEqual([
      wrapped("addGuest", "value for field `things` in type `Guest` index `0` must have exactly one child, found 0 children"),
      wrapped("addGuest", "value for field `things` in type `Guest` index `1` must have exactly one child, found 2 children"),
    ]);
  });

  it("is set, added to and removed", async () => {
    await api.run(
      `mutation { addGuest(input: [{ticket: "u", favourite: {dishRef: {title: "soup"}}, things: [{dishRef: {title: "soup"}}]}]) { numUids } }`,
    );
    const update = (input: string) =>
      api.run(`mutation { updateGuest(input: {filter: {ticket: {eq: "u"}}, ${input}}) { guest { favourite ${shown} things ${shown} } } }`);
    const soup = { __typename: "Dish", title: "soup", price: 2 };
    const cook = { __typename: "Cook", badge: "c1" };
    const guest = (favourite: unknown, things: readonly unknown[]) => ({
      updateGuest: { guest: [{ favourite, things: expect.arrayContaining([...things]) }] },
    });
    expect(await update(`set: {favourite: {cookRef: {badge: "c1"}}, things: [{cookRef: {badge: "c1"}}]}`)).toEqual(guest(cook, [soup, cook]));
    expect(await update(`remove: {favourite: {dishRef: {title: "soup"}}, things: [{dishRef: {title: "soup"}}]}`)).toEqual(guest(cook, [cook]));
    expect(
      await api.refused(
        `mutation { updateGuest(input: {filter: {ticket: {eq: "u"}}, remove: {things: [{dishRef: {title: "unknown"}}]}}) { numUids } }`,
      ),
    ).toEqual([wrapped("updateGuest", "id is not provided")]);
    expect(await update(`remove: {favourite: null, things: null}`)).toEqual({ updateGuest: { guest: [{ favourite: null, things: [] }] } });
  });
});
