import { compare } from "bcrypt";
import { describe, expect, it } from "vitest";
import type { InputChanges, InputObject, RequestView, Stored } from "../../../core/plugin.ts";
import { deploy, errorsOf, typeOf } from "../../schema/deployment/harness.ts";
import { useFullCost } from "../../support/bcrypt.ts";

const request: RequestView = { id: "r", now: "2031-04-09T06:00:00Z", headers: {}, facts: {} };

async function changes(role: InputObject["role"], values: Readonly<Record<string, Stored | null>>): Promise<InputChanges | undefined> {
  const deployed = deploy('type A @secret(field: "pass") { a: Int }');
  const hook = deployed.hooks.find(({ plugin }) => plugin === "secret")?.hooks.values;
  return hook?.({ type: typeOf(deployed, "A"), role, values: new Map(Object.entries(values)) }, request);
}

const signatures = (schema: string) =>
  deploy(schema)
    .hooks.find(({ plugin }) => plugin === "secret")
    ?.hooks.api?.()
    .roots?.map(({ signature }) => signature.replace(/"[^"]*" /g, ""));

describe("@secret", () => {
  it("adds a password field to inputs only, after all other fields", () => {
    const type = typeOf(deploy('type A @secret(field: "pass") { a: Int, b: Int }'), "A");
    expect([...type.fields.keys()]).toEqual(["a", "b", "pass"]);
    expect(type.fields.get("pass")).toMatchObject({
      kind: "password",
      stored: "A.pass",
      type: { nonNull: true },
      exposure: { output: false, input: true, has: false, order: false, aggregate: "none" },
    });
  });

  it("may set its storage name", () => {
    const deployed = deploy('type A @secret(field: "pass", pred: "pwd") { a: Int }');
    expect(deployed.layout.fields).toContainEqual({ name: "pwd", kind: "password", list: false });
  });

  it("on an interface is inherited by every type, under the interface's storage name", () => {
    const deployed = deploy('interface I @secret(field: "pass") { i: Int }\ntype A implements I { a: Int }');
    expect(typeOf(deployed, "A").fields.get("pass")).toMatchObject({ stored: "I.pass" });
    expect(deployed.layout.types).toEqual([{ name: "A", fields: ["A.a", "I.i", "I.pass"] }]);
    expect(typeOf(deployed, "A").definition.directives?.map((directive) => directive.name.value)).toEqual(["secret"]);
  });

  it.each([
    ['@secret(field: "")', '1:6 Type A; Argument "field" of secret directive is empty'],
    ["@secret", '1:6 Type A; Argument "field" of secret directive is empty'],
    ['@secret(field: "a")', "1:6 Type A; has a secret directive and field of the same name a"],
    ['@secret(field: "x") @secret(field: "x")', "1:6 Type A; has more than one secret fields x,x"],
  ])("is refused: %s", (directive, error) => {
    expect(errorsOf(`type A ${directive} { a: Int }`)).toEqual([error]);
  });

  it("counts inherited ones, even of one name", () => {
    expect(errorsOf('interface I @secret(field: "x") { i: Int }\ntype A implements I @secret(field: "x") { a: Int }')).toEqual([
      "2:6 Type A; has more than one secret fields x,x",
    ]);
  });
});

describe("the check of a password", () => {
  it("identifies the node by its ID, otherwise by its first key", () => {
    expect(signatures('type A @secret(field: "p") { id: ID, k: String! @id }')).toEqual(["checkAPassword(id: ID, p: String!): A"]);
    expect(signatures('type A @secret(field: "p") { k: Int @id, l: String! @id }')).toEqual(["checkAPassword(k: Int, p: String!): A"]);
    expect(signatures('type A @secret(field: "p") { l: String! @id }')).toEqual(["checkAPassword(l: String!, p: String!): A"]);
  });

  it("is absent for a type without ID and key, and when it is disabled", () => {
    expect(signatures('type A @secret(field: "p") { a: Int }')).toEqual([]);
    expect(signatures('type A @secret(field: "p") @generate(query: {password: false}) { id: ID!, a: Int }')).toEqual([]);
  });

  it("exists for an interface and for its types", () => {
    expect(signatures('interface I @secret(field: "p") { id: ID! }\ntype A implements I { a: Int }')).toEqual([
      "checkIPassword(id: ID!, p: String!): I",
      "checkAPassword(id: ID!, p: String!): A",
    ]);
  });
});

describe("written passwords", () => {
  it.each(["add", "nested", "set"] as const)("are hashed with cost 10 (%s)", async (role) => {
    useFullCost();
    const given = await changes(role, { a: 1, pass: "correct horse" });
    const hash = given?.values?.get("pass");
    expect([...(given?.values?.keys() ?? [])]).toEqual(["pass"]);
    expect(hash).toMatch(/^\$2[aby]\$10\$/);
    expect(await compare("correct horse", String(hash))).toBe(true);
    expect(await compare("correct horsf", String(hash))).toBe(false);
  });

  it("have 6 to 72 bytes, not letters", async () => {
    const refusal = async (password: string) => (await changes("add", { pass: password }))?.refuse?.message;
    expect(await refusal("12345")).toBe("Password too short, i.e. should have at least 6 chars");
    expect(await refusal("ääa")).toBe("Password too short, i.e. should have at least 6 chars");
    expect(await refusal("äää")).toBeUndefined();
    expect(await refusal("x".repeat(72))).toBeUndefined();
    expect(await refusal("x".repeat(73))).toBe("bcrypt: password length exceeds 72 bytes");
    expect(await refusal("ä".repeat(37))).toBe("bcrypt: password length exceeds 72 bytes");
  });

  it("are unchanged when absent, null, or in remove", async () => {
    expect([await changes("set", { a: 1 }), await changes("set", { pass: null }), await changes("remove", { pass: null })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("are hashed without blocking the event loop", async () => {
    useFullCost();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await Promise.all(Array.from({ length: 8 }, () => changes("add", { pass: "correct horse" })));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });
});
