import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../core/ground/work.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import { compileFilter, coversAllOnlyByNulls } from "../../core/query/plan/filter.ts";
import { printPredicate } from "../../core/query/plan/print-predicate.ts";
import type { FilterShape } from "../../core/schema/api/api.ts";
import { buildDeployment } from "../../core/schema/deployment/build-deployment.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";

const schema = `
  type Boat { id: ID!  name: String @search(by: [hash])  seats: Int @search  sold: Boolean @search  labels: [String]  crew: [Sailor] }
  type Sailor { id: ID!  nick: String! @id }
`;

/** The filter of `type`, in words. */
function compiled(value: unknown, more: readonly DirectivePlugin[] = []): string {
  const { model, hooks } = runAtOnce(buildDeployment(schema, [identityPlugin(), searchPlugin(), ...more]));
  const node = model.nodeTypes.get("Boat");
  if (!node) throw new TypeError("no Boat");
  const filters = hooks.flatMap((each) => each.hooks.api?.().filters ?? []).filter((each) => each.field.owner === node);
  const shape: FilterShape = { node, id: "id", fields: new Map(filters.map((each) => [each.field.name, each])), links: new Map() };
  return printPredicate(compileFilter(shape, value, { hooks }));
}

const small = { seats: { lt: 4 } };
const sold = { sold: true };

describe("members of one filter object", () => {
  it.each([
    ["nothing given", undefined, "everything"],
    ["null", null, "everything"],
    ["an empty object", {}, "everything"],
    ["one field", small, "Boat.seats < 4"],
    ["several fields: all of them", { ...small, ...sold }, "Boat.seats < 4 and Boat.sold = true"],
    ["and: joined to the rest", { ...small, and: [sold] }, "Boat.seats < 4 and Boat.sold = true"],
    ["and with one object", { and: small }, "Boat.seats < 4"],
    ["not: joined to the rest", { ...sold, not: small }, "Boat.sold = true and not Boat.seats < 4"],
    ["or beside a field widens it", { ...small, or: sold }, "Boat.seats < 4 or Boat.sold = true"],
    ["or beside an id widens it", { id: ["0x7"], or: sold }, "uid in (0x7) or Boat.sold = true"],
    ["and beside an id narrows it", { id: ["0x7"], and: sold }, "uid in (0x7) and Boat.sold = true"],
    ["or written before the field", { or: sold, ...small }, "Boat.seats < 4 or Boat.sold = true"],
    ["or beside and", { and: [small], or: [sold] }, "Boat.seats < 4 or Boat.sold = true"],
    ["or alone", { or: [small, sold] }, "Boat.seats < 4 or Boat.sold = true"],
    ["or of several fields each", { or: [{ ...small, ...sold }, { has: "name" }] }, "(Boat.seats < 4 and Boat.sold = true) or has Boat.name"],
    ["or inside and", { ...sold, and: [{ or: [small, { has: "name" }] }] }, "Boat.sold = true and (Boat.seats < 4 or has Boat.name)"],
  ])("combine into one condition: %s", (_, value, expected) => {
    expect(compiled(value)).toBe(expected);
  });
});

describe("empty members", () => {
  it.each([
    ["a field that is null", { seats: null }, "everything"],
    ["an operator object without operators", { seats: {} }, "everything"],
    ["an operator that is null", { seats: { gt: null } }, "everything"],
    ["an empty and", { and: [] }, "everything"],
    ["an and of nothing", { and: [{}] }, "everything"],
    ["an empty or, alone", { or: [] }, "everything"],
    ["an or of an empty object, alone", { or: {} }, "everything"],
    ["an empty or beside a field does not widen it", { ...small, or: [] }, "Boat.seats < 4"],
    ["an empty member of or does not widen the others", { or: [{}, small] }, "Boat.seats < 4"],
    ["a member of or whose operator is null", { or: [{ seats: { gt: null } }, sold] }, "Boat.sold = true"],
    ["null beside null", { and: null, or: null, not: null, ...sold }, "Boat.sold = true"],
    ["a null in a list", { and: [null, small] }, "Boat.seats < 4"],
    ["no names in has", { has: [] }, "everything"],
    ["a null among the names of has", { has: [null, "name"] }, "has Boat.name"],
    ["only nulls in has", { has: [null] }, "everything"],
    ["nested emptiness", { and: [{ or: [] }, { and: [{}] }] }, "everything"],
  ])("are dropped: %s", (_, value, expected) => {
    expect(compiled(value)).toBe(expected);
  });

  it.each([[{ not: {} }], [{ not: { seats: {} } }], [{ not: { seats: { gt: null } } }], [{ ...small, not: { and: [] } }]])(
    "are a mistake under a negation: %j",
    (value) => {
      expect(() => compiled(value)).toThrow(/"not" on Boat negates nothing/);
    },
  );
});

describe("members with a special meaning", () => {
  it.each([
    ["eq: null asks for missing values", { seats: { eq: null } }, "not has Boat.seats"],
    ["in: [] matches nothing", { seats: { in: [] } }, "nothing"],
    ["one id", { id: "0x2a" }, "uid in (0x2a)"],
    ["ids in any order and spelling, each once", { id: ["0xff", "42", "0X2A", "256"] }, "uid in (0x2a, 0xff, 0x100)"],
    ["texts that are no ids are nobody", { id: ["pier", "", "-1", " 7 "] }, "nothing"],
    ["no ids: nobody", { id: [] }, "nothing"],
    ["but others of the list stay", { id: ["pier", "0x7"] }, "uid in (0x7)"],
    ["not nobody: everybody", { not: { id: [] } }, "everything"],
    ["an id of null says nothing", { id: null }, "everything"],
    ["has of a value", { has: "labels" }, "has Boat.labels"],
    ["has of a link", { has: "crew" }, "linked(Boat.crew, everything)"],
    ["has of several: every one", { has: ["name", "crew"] }, "has Boat.name and linked(Boat.crew, everything)"],
    ["false is a value", { sold: false }, "Boat.sold = false"],
  ])("become the condition that they mean: %s", (_, value, expected) => {
    expect(compiled(value)).toBe(expected);
  });
});

describe("operand hooks", () => {
  const lowercase: DirectivePlugin = {
    name: "lowercase",
    definitions: "",
    model: () => ({ operand: (field, value) => (field.name === "name" && typeof value === "string" ? value.toLowerCase() : value) }),
  };

  it("change every operand of their field and of no other field", () => {
    expect(compiled({ name: { in: ["Argo", "ZEUS"] }, seats: { ge: 2 } }, [lowercase])).toBe('Boat.name in ("argo", "zeus") and Boat.seats >= 2');
    expect(compiled({ not: { name: { eq: "Argo" } } }, [lowercase])).toBe('not Boat.name = "argo"');
  });
});

describe("a filter that covers everything only through nulls", () => {
  it.each([
    [{ seats: null }],
    [{ seats: {} }],
    [{ and: [] }],
    [{ or: [{}] }],
    [{ seats: { gt: null } }],
    [{ has: [] }],
    [{ has: [null] }],
    [{ and: [{ seats: null }, {}] }],
    [{ not: null }],
  ])("%j does", (value) => {
    expect(coversAllOnlyByNulls(undefined, value)).toBe(true);
    expect(compiled(value)).toBe("everything");
  });

  it.each([
    [{}],
    [null],
    [undefined],
    [{ seats: { eq: null } }],
    [{ id: [] }],
    [{ seats: { in: [] } }],
    [{ sold: false }],
    [{ seats: null, sold: true }],
    [{ has: "name" }],
  ])("%j does not", (value) => {
    expect(coversAllOnlyByNulls(undefined, value)).toBe(false);
  });
});
