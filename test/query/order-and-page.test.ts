import { parseValue, valueFromASTUntyped } from "graphql";
import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../core/ground/work.ts";
import { noOrder } from "../../core/query/level/sort-key.ts";
import { compileOrder, compilePage } from "../../core/query/plan/order-and-page.ts";
import { buildDeployment } from "../../core/schema/deployment/build-deployment.ts";

const { model } = runAtOnce(buildDeployment("type Boat { id: ID!  name: String  seats: Int  launched: DateTime }", []));

/** `value` as written in a request. */
function ordered(value: string): string {
  const boat = model.nodeTypes.get("Boat");
  if (!boat) throw new TypeError("no Boat");
  return compileOrder(boat, valueFromASTUntyped(parseValue(value)), { linkOrders: new Map() })
    .order.map(({ field, direction }) => `${field} ${direction}`)
    .join(", ");
}

const byName = { order: [{ field: "Boat.name", direction: "asc" as const }], related: undefined };

describe("order", () => {
  it.each([
    ["null", ""],
    ["{}", ""],
    ["{asc: name}", "Boat.name asc"],
    ["{desc: seats, then: {asc: name, then: {desc: launched}}}", "Boat.seats desc, Boat.name asc, Boat.launched desc"],
    ["{asc: name, desc: seats}", "Boat.name asc"],
    ["{asc: null, desc: seats}", "Boat.seats desc"],
    ["{then: {asc: name}}", "Boat.name asc"],
    ["{asc: name, then: null}", "Boat.name asc"],
  ])("%s is the order %j", (value, expected) => {
    expect(ordered(value)).toBe(expected);
  });

  it("refuses a field that is named twice", () => {
    expect(() => ordered("{asc: seats, then: {desc: seats}}")).toThrow("Sorting by an attribute: [Boat.seats] can only be done once");
  });
});

describe("page", () => {
  it.each([
    [{ first: 3, offset: undefined }, { first: 3 }],
    [
      { first: 3, offset: 2 },
      { first: 3, offset: 2 },
    ],
    [{ first: 0, offset: undefined }, undefined],
    [{ first: 0, offset: 4 }, { offset: 4 }],
    [{ first: undefined, offset: -4 }, undefined],
    [{ first: -2, offset: 7 }, { last: 2 }],
    [{ first: null, offset: null }, undefined],
  ])("%j is the page %j", (given, expected) => {
    expect(compilePage(given, noOrder)).toEqual(expected);
  });

  it("refuses a negative first under an order", () => {
    expect(() => compilePage({ first: -3, offset: 0 }, byName)).toThrow(
      "We do not yet support negative or infinite count with sorting: Boat.name -3. Try flipping order and return first few elements instead.",
    );
  });
});
