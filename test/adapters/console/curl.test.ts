// The operation of the page Query as a command: a shell that runs it gets the answer that the console shows.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { curlCommand } from "../../../adapters/console/app/model/curl.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { line, token as signed } from "../../plugins/auth/token.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser } from "./console-browser.ts";

const rule = `query ($WHO: String!) { queryBoat(filter: { owner: { eq: $WHO } }) { name } }`;
const schema = `type Boat @auth(query: { rule: "${rule}" }) { name: String! @id  owner: String @search(by: [hash]) }\n${line}`;

let stack: TemporaryKernel;
let server: Listening;
beforeAll(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
  server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  await stack.kernel.deploy(schema);
  const query = `mutation { addBoat(input: [{ name: "Ada's \\"$HOME\\"", owner: "ann" }, { name: "Bea", owner: "bob" }]) { numUids } }`;
  await stack.kernel.execute({ query, as: "system" });
});
afterAll(async () => {
  await server?.close(0);
  await stack?.remove();
});

async function shell(command: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { env: { PATH: process.env.PATH, QUERN_ADMIN_TOKEN: "desk" } });
  return JSON.parse(stdout).data;
}

const query = `query ($name: String!) {\n  getBoat(name: $name) { name }  # 'quoted'\n}`;
const variables = { name: `Ada's "$HOME"` };

describe("an operation as curl", () => {
  const command = (as: Parameters<typeof curlCommand>[0]["as"]) => curlCommand({ base: `${server.url}/console`, query, variables, as });

  it("asks as the client, whatever signs the operation and its values have", async () => {
    const token = signed({ WHO: "ann" });
    expect(await shell(command({ kind: "client", headers: { "X-Harbour": token } }))).toEqual({ getBoat: { name: `Ada's "$HOME"` } });
    expect(await shell(command({ kind: "client", headers: {} }))).toEqual({ getBoat: null });
  });

  it("asks as an administrator, without the token in its text", async () => {
    const text = command({ kind: "administrator" });
    expect(text).not.toContain("desk");
    expect(await shell(text)).toEqual({ getBoat: { name: `Ada's "$HOME"` } });
  });
});

describe.runIf(chromiumPath !== undefined)("the page Query", () => {
  const { visit } = consoleBrowser(() => server.url);

  it("shows its operation as a command that runs", async () => {
    const page = await visit("query");
    await page.getByRole("button", { name: "As curl" }).click();
    const text = await page.getByRole("dialog").locator("pre").textContent();
    expect(await shell(text ?? "")).toMatchObject({ queryBoat: [{ name: `Ada's "$HOME"` }, { name: "Bea" }] });
  });
});
