// `developmentToken` of the admin API: what an administrator tries as somebody is tried with a token that the schema's own secret signs.

import { decodeJwt } from "jose";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ask, json } from "../../adapters/server/http/ask.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { line, namespace } from "./token.ts";

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
});
afterEach(() => stack.remove());

const sign = async (variables: object, headers: Readonly<Record<string, string>> = { "x-service-authtoken": "desk" }) => {
  const query = "mutation ($claims: String!, $expires: String) { developmentToken(claims: $claims, expires: $expires) { header token } }";
  const sent = { path: "/admin", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify({ query, variables }) };
  return json(await ask(stack.kernel, sent)) as {
    readonly data?: { readonly developmentToken: { readonly header: string; readonly token: string } | null };
    readonly errors?: readonly { readonly message: string }[];
  };
};

it("signs the claims for as long as it is asked to", async () => {
  await stack.kernel.deploy(`type Note { text: String }\n${line}`);
  const made = (await sign({ claims: '{"WHO": "ann", "sub": "a1"}', expires: "30m" })).data?.developmentToken;
  expect(made?.header).toBe("X-Harbour");
  const claims = decodeJwt(made?.token ?? "");
  expect(claims).toMatchObject({ sub: "a1", [namespace]: { WHO: "ann" } });
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(1_800);
});

it("refuses what is no JSON object, no lifetime, and a schema without a secret", async () => {
  expect((await sign({ claims: "{}" })).errors?.[0]?.message).toMatch(/no schema is deployed/);
  await stack.kernel.deploy("type Note { text: String }");
  expect((await sign({ claims: "{}" })).errors?.[0]?.message).toMatch(/has no line # Service\.Authorization/);
  await stack.kernel.deploy(`type Note { text: String }\n${line}`);
  expect((await sign({ claims: "[1]" })).errors?.[0]?.message).toMatch(/the claims are no JSON object: \[1\]/);
  for (const expires of ["", "soon", "-1h", "8 hours and a bit"])
    expect((await sign({ claims: "{}", expires })).errors?.[0]?.message, expires).toMatch(/is no lifetime; write one such as 30m, 8h or 7d/);
});

it("signs for administrators alone", async () => {
  await stack.kernel.deploy(`type Note { text: String }\n${line}`);
  for (const headers of [{}, { "x-service-authtoken": "desks" }]) {
    const answer = await sign({ claims: "{}" }, headers);
    expect(answer.errors).toHaveLength(1);
    expect(JSON.stringify(answer)).not.toContain("eyJ");
  }
});
