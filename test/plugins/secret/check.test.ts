import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Kernel } from "../../../core/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const schema = `
  interface User @secret(field: "pass") { login: String! @id }
  type Clerk implements User { desk: Int }
  type Guest implements User { room: Int }
  type Safe @secret(field: "code") { id: ID!  label: String }
`;

let stack: TemporaryKernel;
let kernel: Kernel;

async function ask(query: string): Promise<unknown> {
  const { body } = await kernel.execute({ query, headers: {} });
  const answer: { readonly data?: unknown; readonly errors?: unknown } = JSON.parse(body);
  return answer.errors ? { errors: answer.errors } : answer.data;
}

beforeAll(async () => {
  stack = await temporaryKernel();
  kernel = stack.kernel;
  await kernel.deploy(schema);
  await ask('mutation { addClerk(input: [{login: "ada", pass: "engine!", desk: 1}, {login: "zoë", pass: "ünïcödé"}]) { numUids } }');
  await ask('mutation { addGuest(input: [{login: "bob", pass: "engine!"}]) { numUids } }');
});

afterAll(() => stack.remove());

describe("check<T>Password", () => {
  it("returns the node, with any alias and any selection", async () => {
    expect(await ask('{ who: checkClerkPassword(login: "ada", pass: "engine!") { desk login } }')).toEqual({ who: { desk: 1, login: "ada" } });
    expect(await ask('{ checkClerkPassword(login: "zoë", pass: "ünïcödé") { login } }')).toEqual({ checkClerkPassword: { login: "zoë" } });
  });

  it("returns null otherwise: a wrong, too short or too long password, an unknown key, a key of another type", async () => {
    const check = (login: string, pass: string) => ask(`{ checkClerkPassword(login: "${login}", pass: "${pass}") { login } }`);
    const nobody = { checkClerkPassword: null };
    expect(await check("ada", "engine?")).toEqual(nobody);
    expect(await check("ada", "Engine!")).toEqual(nobody);
    expect(await check("ada", "")).toEqual(nobody);
    expect(await check("ada", "x".repeat(80))).toEqual(nobody);
    expect(await check("eve", "engine!")).toEqual(nobody);
    expect(await check("", "engine!")).toEqual(nobody);
    expect(await check("bob", "engine!")).toEqual(nobody);
  });

  it("compares every byte of a candidate, also those that bcrypt ignores", async () => {
    const pass = `long ${"x".repeat(67)}`;
    await ask(`mutation { addClerk(input: [{login: "lou", pass: "${pass}"}]) { numUids } }`);
    const check = (candidate: string) => ask(`{ checkClerkPassword(login: "lou", pass: "${candidate}") { login } }`);
    expect(await check(pass)).toEqual({ checkClerkPassword: { login: "lou" } });
    expect(await check(`${pass}x`)).toEqual({ checkClerkPassword: null });
    expect(await check(`${pass}\\u0000`)).toEqual({ checkClerkPassword: null });
  });

  it("finds nodes of all types of an interface, unless several have the key", async () => {
    const check = () => ask('{ checkUserPassword(login: "bob", pass: "engine!") { __typename login } }');
    expect(await check()).toEqual({ checkUserPassword: { __typename: "Guest", login: "bob" } });
    await ask('mutation { addClerk(input: [{login: "bob", pass: "other 1"}]) { numUids } }');
    expect(await check()).toEqual({ checkUserPassword: null });
    expect(await ask('{ checkGuestPassword(login: "bob", pass: "engine!") { login } }')).toEqual({ checkGuestPassword: { login: "bob" } });
  });

  it("identifies a node by its ID when it has one; an invalid ID matches no node", async () => {
    const added = await ask('mutation { addSafe(input: [{label: "big", code: "123456"}]) { safe { id } } }');
    const id = /0x[0-9a-f]+/.exec(JSON.stringify(added))?.[0];
    expect(await ask(`{ checkSafePassword(id: "${id}", code: "123456") { label } }`)).toEqual({ checkSafePassword: { label: "big" } });
    expect(await ask('{ checkSafePassword(id: "safe", code: "123456") { label } }')).toEqual({ checkSafePassword: null });
    expect(await ask('{ checkSafePassword(id: "0xffff", code: "123456") { label } }')).toEqual({ checkSafePassword: null });
  });

  it("uses the new password after a change, and none after a removal", async () => {
    const check = (pass: string) => ask(`{ checkClerkPassword(login: "zoë", pass: "${pass}") { login } }`);
    const update = (what: string) => ask(`mutation { updateClerk(input: {filter: {login: {eq: "zoë"}}, ${what}}) { numUids } }`);
    await update('set: {pass: "changed 1"}');
    expect([await check("ünïcödé"), await check("changed 1")]).toEqual([{ checkClerkPassword: null }, { checkClerkPassword: { login: "zoë" } }]);
    await update("set: {desk: 7}");
    expect(await check("changed 1")).toEqual({ checkClerkPassword: { login: "zoë" } });
    await update("remove: {pass: null}");
    expect(await check("changed 1")).toEqual({ checkClerkPassword: null });
  });

  it("never returns the password", async () => {
    const members = (type: string) => {
      const found = kernel.deployment?.api.schema.getType(type);
      return found && "getFields" in found ? Object.keys(found.getFields()) : undefined;
    };
    expect([members("Clerk"), members("ClerkFilter"), members("AddClerkInput")]).toEqual([
      ["login", "desk"],
      ["login", "has", "and", "or", "not"],
      ["login", "desk", "pass"],
    ]);
  });
});
