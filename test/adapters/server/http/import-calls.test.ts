// /admin/import: only administrators, and only changes that fit the schema.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
  await stack.kernel.deploy("type A { id: ID!  n: Int  big: Int64  tags: [String]  to: B }\ntype B { id: ID!  m: Int }");
});
afterEach(() => stack.remove());

const mark = { fingerprint: "f", phase: "nodes", lines: 1, offset: 0 };

async function call(body: unknown, token = "desk"): Promise<unknown> {
  const { body: answer } = await stack.kernel.http({
    method: "POST",
    url: "/admin/import",
    headers: { host: "localhost", "x-service-authtoken": token, "content-type": "application/json" },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    remoteAddress: "127.0.0.1",
  });
  return JSON.parse(String(answer));
}

const message = async (body: unknown, token?: string): Promise<string> => {
  const answer = (await call(body, token)) as { errors?: readonly { message: string }[] };
  return answer.errors?.[0]?.message ?? "no error";
};

const apply = (...changes: readonly unknown[]) => ({ call: "apply", changes, before: null, mark });
const node = (fields: object) => ({ kind: "create", uid: 5, type: "A", fields });

describe("/admin/import", () => {
  it("needs the admin token", async () => {
    expect(await message({ call: "count" }, "wrong")).not.toBe("no error");
    expect(await call({ call: "count" })).toEqual({ data: { A: 0, B: 0 } });
  });

  it("writes nodes and links with their mark, once", async () => {
    const link = { kind: "link", end: "A.to", from: 5, fromType: "A", to: 6, toType: "B" };
    const changes = apply(node({ "A.n": 3, "A.big": 9007199254740, "A.tags": ["b", "a"] }), { kind: "create", uid: 6, type: "B", fields: {} }, link);
    expect(await call(changes)).toEqual({ data: null });
    expect(await call({ call: "mark" })).toEqual({ data: mark });
    expect(await message(changes)).toMatch(/Another import writes to this store/);
    expect(await call({ call: "taken", uids: [4, 5, 6, 7] })).toEqual({ data: [5, 6] });
    const { body } = await stack.kernel.execute({ query: "{ queryA { id n big tags to { id } } }" });
    expect(JSON.parse(body).data).toEqual({ queryA: [{ id: "0x5", n: 3, big: 9007199254740, tags: ["b", "a"], to: { id: "0x6" } }] });
  });

  it.each([
    ["no JSON", "{", "The body is not JSON."],
    ["no object", "[1]", "it is no object"],
    ["an unknown call", { call: "drop" }, "there is no call drop"],
    ["an unknown type", apply({ kind: "create", uid: 5, type: "C", fields: {} }), "a node has no type of the schema"],
    ["an unknown field", apply(node({ "B.n": 1 })), "there is no field B.n"],
    ["a value that does not fit", apply(node({ "A.n": "3" })), "a value does not fit A.n"],
    ["a list for a single value", apply(node({ "A.n": [3] })), "a value does not fit A.n"],
    ["an integer that is none", apply(node({ "A.big": "x" })), "a value does not fit A.big"],
    ["a link to a wrong type", apply({ kind: "link", end: "A.to", from: 5, fromType: "A", to: 6, toType: "A" }), "a link does not fit the schema"],
    ["a removal", apply({ kind: "remove", uid: 5, type: "A" }), "a link does not fit the schema"],
    ["a uid that is none", apply({ kind: "create", uid: -1, type: "A", fields: {} }), "a uid is no whole number"],
    ["no mark", { call: "apply", changes: [], before: null }, "the mark is invalid"],
  ])("refuses %s", async (_what, body, reason) => {
    expect(await message(body)).toContain(reason);
    expect(await call({ call: "count" })).toEqual({ data: { A: 0, B: 0 } });
  });
});
