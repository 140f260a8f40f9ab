// Writes of values that their caller may write and not read: nothing that they refuse, change or count tells a value.

import { describe, expect, it } from "vitest";
import { deploy } from "./harness.ts";
import { line, token } from "./token.ts";

const forHr = '@auth(query: { rule: "{$ROLE: {eq: \\"HR\\"}}" })';
const schema = `
  type P @unique(fields: ["kind", "grade"]) {
    name: String! @id  rev: Int @version  open: Int @increment @range(min: 0)  kind: String  grade: Int ${forHr}
    sec: Int @search @increment @range(min: 0) ${forHr}  note: String ${forHr}  tags: [String] @length(max: 2) ${forHr}  free: [String] ${forHr}
    badge: String @id ${forHr}  friend: P @hasInverse(field: friendOf) ${forHr}  friendOf: [P]
  }
  ${line}
`;
const hr = token({ ROLE: "HR" });

async function start() {
  const api = await deploy(schema, { fieldRules: true, updateAfter: true });
  const added = await api.ask(`mutation { addP(input: [
    { name: "a", open: 3, sec: 7345, note: "x", tags: ["t"], free: ["t"], kind: "k", grade: 2, badge: "B1", friend: { name: "b" } }, { name: "b" }
  ]) { numUids } }`);
  expect(added.errors).toBeUndefined();
  const whole = async (query: string, headers = {}) => JSON.parse((await api.stack.kernel.execute({ query, headers })).body);
  return { ...api, whole };
}

const update = (patch: string, filter = '{ name: { eq: "a" } }') => `updateP(input: { filter: ${filter}, ${patch} }) { numUids }`;
const mutation = (...fields: readonly string[]) => `mutation { ${fields.map((field, i) => `f${i}: ${field}`).join(" ")} }`;
const reasons = ({ errors = [] }: { readonly errors?: readonly { readonly message: string }[] }) =>
  errors.map(({ message }) => message.replace(/^mutation updateP failed because Dgraph execution failed because /, ""));

describe("an increment", () => {
  const needs = "P.sec: an increment needs the right to read the number of each object that it changes";

  it.each([1, -1, -2000000000, 2147483647])("of a hidden number by %i is refused in the same words", async (by) => {
    const { ask } = await start();
    expect(reasons(await ask(mutation(update(`increment: { sec: ${by} }`))))).toEqual([needs]);
    expect(reasons(await ask(mutation(update(`increment: { sec: ${by} }`, '{ name: { eq: "b" } }'))))).toEqual([needs]);
    expect((await ask('{ getP(name: "a") { sec } }', hr)).data).toEqual({ getP: { sec: 7345 } });
  });

  it("of a number that its caller may read adds, and a refusal names no sum", async () => {
    const { ask } = await start();
    expect((await ask(mutation(update("increment: { sec: 5 }")), hr)).data).toEqual({ f0: { numUids: 1 } });
    expect(reasons(await ask(mutation(update("increment: { open: -5 }"))))).toEqual(["P.open breaks @range(min: 0)."]);
    expect(reasons(await ask(mutation(update("increment: { sec: -8000 }")), hr))).toEqual(["P.sec breaks @range(min: 0)."]);
  });
});

describe("a refusal", () => {
  it("names a value that its caller has sent", async () => {
    const { ask } = await start();
    expect(reasons(await ask(mutation(update("set: { sec: -4 }"))))).toEqual(["P.sec breaks @range(min: 0): found -4."]);
  });

  it("of an addition to a hidden list with rules does not depend on the list; a list without rules is added to", async () => {
    const { ask } = await start();
    const needs = "P.tags: who adds to a list that has rules needs the right to read it, of each object";
    for (const name of ["a", "b"]) {
      for (const tags of ['["t"]', '["u", "v"]', '["u"]'])
        expect(reasons(await ask(mutation(update(`set: { tags: ${tags} }`, `{ name: { eq: "${name}" } }`))))).toEqual([needs]);
    }
    expect((await ask(mutation(update('set: { free: ["u"] }')))).data).toEqual({ f0: { numUids: 1 } });
    expect((await ask('{ getP(name: "a") { tags free } }', hr)).data).toEqual({ getP: { tags: ["t"], free: ["t", "u"] } });
    expect((await ask(mutation(update('set: { tags: ["u"] }')), hr)).data).toEqual({ f0: { numUids: 1 } });
  });

  it("of one part of a combination does not depend on a hidden part; both parts may be written", async () => {
    const { ask } = await start();
    await ask('mutation { addP(input: [{ name: "c", kind: "new", grade: 2 }, { name: "d", kind: "other", grade: 5 }]) { numUids } }', hr);
    const needs = "P: kind and grade are unique together, and who writes one of them needs the right to read the others";
    for (const kind of ["new", "other", "none"]) expect(reasons(await ask(mutation(update(`set: { kind: "${kind}" }`))))).toEqual([needs]);
    expect((await ask(mutation(update('set: { kind: "new", grade: 3 }')))).data).toEqual({ f0: { numUids: 1 } });
    expect((await ask(mutation(update('set: { kind: "k" }')), hr)).data).toEqual({ f0: { numUids: 1 } });
  });

  it("of a reference by a hidden key, of which no object could be made, does not tell that the key is there", async () => {
    const { ask } = await start();
    const refer = (badge: string) => ask(mutation(update(`set: { friendOf: [{ badge: "${badge}" }] }`, '{ name: { eq: "b" } }')));
    const [taken, free] = [await refer("B1"), await refer("B2")];
    expect(taken).toEqual(free);
    expect(taken.errors?.[0]?.message).toContain("type P requires a value for field name, but no value present");
  });
});

describe("what a write changes", () => {
  const guesses = (field: string, values: readonly string[]) => values.map((value) => `{ ${field}: ${value} }`);

  it.each([
    ["remove", guesses("note", ['"x"', '"y"'])],
    ["remove", guesses("sec", ["7345", "1"])],
    ["remove", guesses("free", ['["t"]', '["u"]'])],
    ["remove", guesses("friend", ['{ name: "b" }', '{ name: "a" }'])],
    ["set", guesses("note", ['"x"', '"y"'])],
    ["set", guesses("sec", ["7345", "1"])],
    ["set", guesses("free", ['["t"]', '["u"]'])],
    ["set", guesses("friend", ['{ name: "b" }', '{ name: "a" }'])],
  ])("by %s moves the commit and the version alike for all guesses of %j", async (patch, [right, wrong]) => {
    const outcomes = [];
    for (const guess of [right, wrong]) {
      const { whole, ask, stack } = await start();
      const before = (await whole(mutation(update("set: { open: 4 }")))).extensions.commit;
      const after = (await whole(mutation(update(`${patch}: ${guess}`)))).extensions;
      const { data } = await ask('{ getP(name: "a") { rev } }');
      outcomes.push({ data, isMoved: after.commit > before, touched: after.touched_uids });
      await stack.kernel.close();
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]?.isMoved).toBe(true);
  });

  it("removes a value for who may read it, and clears it for everybody by null", async () => {
    const { ask } = await start();
    const note = async () => (await ask('{ getP(name: "a") { note } }', hr)).data;
    await ask(mutation(update('remove: { note: "x" }')));
    expect(await note()).toEqual({ getP: { note: "x" } });
    await ask(mutation(update('remove: { note: "x" }')), hr);
    expect(await note()).toEqual({ getP: { note: null } });
    await ask(mutation(update('set: { note: "z" }')));
    await ask(mutation(update("remove: { note: null }")));
    expect(await note()).toEqual({ getP: { note: null } });
  });

  it("fails at the same field of a transaction, whatever was guessed before", async () => {
    const { ask } = await start();
    const probe = (guess: string) =>
      ask(
        mutation(update(`set: { note: "${guess}" }`), update("increment: { open: -9 }", "{ rev: { eq: 2 } }"), update("set: { open: -1 }")).replace(
          "mutation",
          "mutation @transaction",
        ),
      );
    const [right, wrong] = [await probe("x"), await probe("y")];
    expect(right).toEqual(wrong);
    expect(right.errors).toHaveLength(1);
  });
});
