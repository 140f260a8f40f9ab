// Groups are counted: what they hold in memory is bounded by `limits.maxTouchedNodes`, whichever way they are made.

import { describe, expect, it } from "vitest";
import { deploy } from "../auth/harness.ts";
import { line, token } from "../auth/token.ts";

const clerk = '@auth(query: { rule: "{ $ROLE: { eq: \\"clerk\\" } }" })';
const schema = `${line}
  type Shelf { name: String! @id  boxes: [Box] @hasInverse(field: shelf) }
  type Box @groupBy(fields: ["no", "shade", "hidden", "shelf", "packed"]) {
    no: Int @search  shade: Int  hidden: Int ${clerk}  shelf: Shelf  packed: DateTime
  }`;
const boxes = 600;

async function store(maxTouchedNodes: number) {
  const { ask } = await deploy(schema, { fieldRules: true }, { limits: { maxTouchedNodes } });
  const input = Array.from(
    { length: boxes },
    (_, i) => `{ no: ${i}, shade: ${i % 7}, hidden: ${i}, packed: "2031-04-09T06:00:00.${String(i).padStart(3, "0")}Z", shelf: { name: "s" } }`,
  );
  const added = await ask(`mutation { addBox(input: [${input.join(" ")}]) { numUids } }`);
  expect(added.errors).toBeUndefined();
  return ask;
}

const limit = /^The request touches more than 5000 nodes \(limits\.maxTouchedNodes\)/;

describe("groups against limits.maxTouchedNodes", () => {
  it.each([
    ["of an index", "{ groupBox(by: [{ field: no }], first: 1) { count } }"],
    ["that having would leave out", "{ groupBox(by: [{ field: no }], having: { count: { gt: 1 } }) { count } }"],
    ["of dates", "{ groupBox(by: [{ field: packed }], first: 1) { count } }"],
    ["of several fields", "{ groupBox(by: [{ field: shade }, { field: no }], first: 1) { count } }"],
    ["beside a list", "{ queryShelf { boxesGroup(by: [{ field: no }], first: 1) { count } } }"],
  ])("counts each group %s as ten nodes", async (_, query) => {
    const ask = await store(5_000);
    const { errors } = await ask(query);
    expect(errors?.[0]?.message).toMatch(limit);
    expect(
      (await ask(query.replaceAll("no }", "shade }").replace("{ field: shade }, ", "").replace("packed }", "packed, unit: DAY }"))).errors,
    ).toBeUndefined();
  });

  it("counts the groups of a field that a rule hides from some, as this caller sees them", async () => {
    const ask = await store(5_000);
    const query = "{ groupBox(by: [{ field: hidden }], first: 1) { count } }";
    expect((await ask(query, token({ ROLE: "clerk" }))).errors?.[0]?.message).toMatch(limit);
    expect(await ask(query, token({ ROLE: "guest" }))).toEqual({ data: { groupBox: [{ count: boxes }] } });
  });
});
