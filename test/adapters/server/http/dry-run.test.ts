// ?dryRun=true asks for what a deploy asks for: a token, an address that may administrate, a method that changes, no page of another site.

import { expect, it } from "vitest";
import type { AdminConfig } from "../../../../adapters/server/index.ts";
import type { HttpRequest } from "../../../../core/plugin.ts";
import { temporaryKernel } from "../../../support/kernel.ts";

const from = "203.0.113.7";

async function ask(admin: AdminConfig, request: Partial<HttpRequest> = {}) {
  const { kernel, remove } = await temporaryKernel({ admin });
  try {
    await kernel.deploy("type Boat { name: String }");
    const body = new TextEncoder().encode("type Ship { name: String }");
    const answer = await kernel.http({
      method: "POST",
      url: "/admin/schema?dryRun=true",
      body,
      remoteAddress: from,
      ...request,
      headers: { host: "localhost", ...request.headers },
    });
    expect(kernel.deployment?.document).toBe("type Boat { name: String }");
    return { status: answer.status, body: JSON.parse(String(answer.body)) };
  } finally {
    await remove();
  }
}

const token = "desk-token-1";
const compared = { status: 200, body: { data: { code: "Success", message: "Nothing was changed" } } };

it.each([
  ["this machine, where it is open,", { open: "loopback" }, { remoteAddress: "127.0.0.1" }],
  ["a client with the token", { token }, { headers: { "x-service-authtoken": token } }],
  ["an address on the list, with the token,", { token, allow: [from] }, { headers: { "x-service-authtoken": token } }],
  ["PUT", { token }, { method: "PUT", headers: { "x-service-authtoken": token } }],
] as const)("%s may compare", async (_, admin, request) => {
  expect(await ask(admin, request)).toMatchObject(compared);
});

it.each([
  ["another machine", { open: "loopback" }, {}, 200],
  ["this machine, by default,", {}, { remoteAddress: "127.0.0.1" }, 200],
  ["a wrong token", { token }, { headers: { "x-service-authtoken": "guess" } }, 200],
  ["GET", { token }, { method: "GET", headers: { "x-service-authtoken": token } }, 400],
  ["a page of another site", { open: "loopback" }, { remoteAddress: "127.0.0.1", headers: { "sec-fetch-site": "cross-site" } }, 200],
] as const)("%s may not compare", async (_, admin, request, status) => {
  const answer = await ask(admin, request);
  expect(answer.status).toBe(status);
  expect(answer.body.data).toBeUndefined();
  expect(answer.body.errors).toHaveLength(1);
});
