import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";

const shop = "type Cup { id: ID!  mark: String! @id  size: Int @search  saucer: Saucer }  type Saucer { mark: String! @id }";

async function cups() {
  const api = await deploy(shop);
  const ids = await api.seed({
    a: ["Cup", { mark: "a", size: 2, saucer: "s" }],
    b: ["Cup", { mark: "b", size: 3 }],
    c: ["Cup", { mark: "c", size: 1 }],
    s: ["Saucer", { mark: "s" }],
  });
  return { api, touched: [ids.c ?? "", ids.a ?? "", ids.c ?? ""] };
}

describe("a mutation's payload", () => {
  it("lists each touched object once, in order of creation", async () => {
    const { api, touched } = await cups();
    expect(
      await api.payload(`mutation { addCup(input: []) { __typename cup { mark saucer { mark } } numUids } }`, { ids: touched, numUids: 3 }),
    ).toEqual({
      data: {
        addCup: {
          __typename: "AddCupPayload",
          cup: [
            { mark: "a", saucer: { mark: "s" } },
            { mark: "c", saucer: null },
          ],
          numUids: 3,
        },
      },
    });
  });

  it("filters, orders and pages its lists, alias by alias", async () => {
    const { api, touched } = await cups();
    const asked = `mutation { x: updateCup(input: {filter: {}}) { small: cup(filter: {size: {lt: 2}}) { mark } bySize: cup(order: {asc: size}) { mark } one: cup(first: 1, offset: 1) { mark } n: numUids } }`;
    expect(await api.payload(asked, { ids: touched, numUids: 2 })).toEqual({
      data: { x: { small: [{ mark: "c" }], bySize: [{ mark: "c" }, { mark: "a" }], one: [{ mark: "c" }], n: 2 } },
    });
  });

  it("is an empty list, not null, when nothing was touched", async () => {
    const { api } = await cups();
    expect(
      await api.payload("mutation { deleteCup(filter: {}) { cup { mark } numUids msg } }", { ids: [], numUids: 0, msg: "No nodes were deleted" }),
    ).toEqual({
      data: { deleteCup: { cup: [], numUids: 0, msg: "No nodes were deleted" } },
    });
  });

  it("reports impossible arguments", async () => {
    const { api, touched } = await cups();
    const { data, errors } = await api.payload("mutation { addCup(input: []) { cup(order: {asc: size}, first: -1) { mark } } }", {
      ids: touched,
      numUids: 1,
    });
    expect(data).toEqual({ addCup: null });
    expect(errors?.map((error) => error.path)).toEqual([["addCup"]]);
  });
});
