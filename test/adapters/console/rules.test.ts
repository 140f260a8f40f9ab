// The pages Rules and Query: an operation tried as somebody, and why it gave what it gave.

import { generateKeyPairSync } from "node:crypto";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { line, secret, token as signed } from "../../plugins/auth/token.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { compatibleKernel, type TemporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser, fillEditor, pageWidth } from "./console-browser.ts";

const types = `type Boat @generate(subscription: true) @auth(
  query: { or: [{ rule: "query ($WHO: String!) { queryBoat(filter: { owner: { eq: $WHO } }) { name } }" }, { rule: "{ $ROLE: { eq: \\"MASTER\\" } }" }] }
  add: { rule: "{ $ROLE: { eq: \\"MASTER\\" } }" }
) {
  name: String! @id
  owner: String @search(by: [hash])
}`;
const { publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
const foreignLine = line.replace(JSON.stringify(secret), JSON.stringify(publicKey)).replace("HS256", "RS256");

describe.runIf(chromiumPath !== undefined)("rules in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await compatibleKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  beforeEach(async () => {
    await stack.kernel.deploy(`${types}\n${line}`);
    await stack.kernel.erase({ kind: "data" });
    await write(
      'mutation { addBoat(input: [{ name: "Ada", owner: "ann" }, { name: "Bea", owner: "bob" }, { name: "Cleo", owner: "bob" }]) { numUids } }',
    );
  });
  const write = async (query: string) => void (await stack.kernel.execute({ query, as: "system" }));
  const { visit } = consoleBrowser(() => server.url);
  const all = "{ queryBoat { name } }";
  const run = (page: Page) => page.getByRole("button", { name: "Run", exact: true }).click();
  const rule = (page: Page, type: string) => page.locator(".applied-rules li", { hasText: type });

  it("lists the rules of the schema, and the claims that they ask about", async () => {
    const page = await visit("rules");
    await rule(page, "Boat").first().getByText("owner: {eq: $WHO}").waitFor();
    expect(await page.getByLabel("Claims").inputValue()).toBe('{\n  "WHO": "",\n  "ROLE": ""\n}');
  });

  it("signs a token with the given claims, and shows what which rule left of the operation, and how much an administrator gets", async () => {
    const page = await visit("rules");
    await page.getByLabel("Claims").fill('{ "WHO": "bob" }');
    await fillEditor(page, "Operation", all);
    await run(page);
    await rule(page, "to be read").getByText('Nodes where Boat.owner = "bob"').waitFor();
    await page.getByText("2 results; an administrator gets 3, of which 2 are the same").waitFor();
    await page.getByRole("group").getByText("as written on Boat, query").click();
    await page.getByText('or ({ $ROLE: { eq: "MASTER" } })').waitFor();
    await page.getByRole("tab", { name: "Answer" }).click();
    await page.locator(".result .json", { hasText: "Bea" }).waitFor();
    await page.getByLabel("Claims").fill('{ "ROLE": "MASTER" }');
    await page.keyboard.press("Tab");
    await run(page);
    await page.locator(".result .json", { hasText: "Ada" }).waitFor();
    await page.getByRole("tab", { name: "Rules" }).click();
    await rule(page, "Boat").getByText("All nodes.").waitFor();
  });

  it("tries a mutation for real, says so before, and names the rule that refuses it", async () => {
    const page = await visit("rules");
    await page.getByRole("tab", { name: "Nobody" }).click();
    await fillEditor(page, "Operation", 'mutation { addBoat(input: [{ name: "Dora" }]) { numUids } }');
    await page.getByRole("button", { name: "Run, and write" }).click();
    await rule(page, "to be added").getByText("No node.").waitFor();
    await page.getByText("authorization failed").waitFor();
    await page.getByRole("tab", { name: "Claims" }).click();
    await page.getByLabel("Claims").fill('{ "ROLE": "MASTER" }');
    await page.getByRole("button", { name: "Run, and write" }).click();
    await rule(page, "to be added").getByText("All nodes.").waitFor();
    expect(JSON.parse((await stack.kernel.execute({ query: all, as: "system" })).body)).toMatchObject({
      data: { queryBoat: expect.arrayContaining([{ name: "Dora" }]) },
    });
  });

  it("says that the server cannot sign where it has a public key only, and takes a pasted token, also a bad one", async () => {
    await stack.kernel.deploy(`${types}\n${foreignLine}`);
    const page = await visit("rules");
    await page.getByLabel("Claims").fill('{ "WHO": "bob" }');
    await run(page);
    await page.getByText("has the public half of an RS256 key, which cannot sign").waitFor();
    await stack.kernel.deploy(`${types}\n${line}`);
    await page.getByRole("tab", { name: "Token" }).click();
    await page.getByLabel("Token").fill("garbage");
    await page.getByText("This is no token").waitFor();
    await run(page);
    await page.getByText("unable to parse jwt token").first().waitFor();
    await page.getByLabel("Token").fill(signed({ WHO: "ann" }));
    await page.getByText('"WHO": "ann"').waitFor();
    await run(page);
    await page.getByText("1 result; an administrator gets").waitFor();
    await page.getByRole("button", { name: "Use everywhere" }).click();
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByText("1 node", { exact: true }).waitFor();
  });

  it("refuses claims, variables and operations that are garbage, each with its reason", async () => {
    const page = await visit("rules");
    await page.getByLabel("Claims").fill("{ WHO: ann");
    await run(page);
    await page.getByText("Claims are a JSON object").waitFor();
    await page.getByLabel("Claims").fill("");
    await page.getByLabel("Variables").fill("[1]");
    await run(page);
    await page.getByText("Variables are a JSON object").waitFor();
    await page.getByLabel("Variables").fill("");
    await fillEditor(page, "Operation", "{ queryBoot { name }");
    await run(page);
    await page.getByText("Syntax Error").first().waitFor();
  });

  it("asks for the admin token again when it is wrong, and fits a narrow screen", async () => {
    await (await visit("rules", { token: "wrong" })).getByText("The server does not accept this token.").waitFor();
    const page = await visit("rules", { width: 400 });
    await run(page);
    await page.locator(".difference").waitFor();
    expect(await pageWidth(page)).toBe(400);
  });

  it("keeps operations in tabs, sends their headers, and keeps a subscription of a client live", async () => {
    const page = await visit("query");
    await fillEditor(page, "Operation", "query Mine { queryBoat { name } }");
    await page.getByRole("button", { name: "New operation" }).click();
    await fillEditor(page, "Operation", "subscription Live { queryBoat { name } }");
    await page.getByRole("tab", { name: "Headers" }).click();
    await page.getByLabel("Headers").fill(JSON.stringify({ "X-Harbour": signed({ WHO: "bob" }) }));
    await page.getByRole("button", { name: "As: Administrator" }).click();
    await page.getByRole("button", { name: "Anonymous" }).click();
    await run(page);
    await page.getByText("1 result, live").waitFor();
    await write('mutation { addBoat(input: [{ name: "Elsa", owner: "bob" }]) { numUids } }');
    await page.locator(".result .json", { hasText: "Elsa" }).waitFor();
    await page.getByRole("tab", { name: "Rules" }).click();
    await rule(page, "Boat").getByText('Boat.owner = "bob"').waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("results, ended").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Mine", exact: true }).click();
    await page.getByRole("textbox", { name: "Operation" }).getByText("query Mine").waitFor();
    await page.getByRole("button", { name: "Close Live" }).click();
    const operations = page.getByRole("region", { name: "Operations" }).getByRole("button");
    await expect.poll(() => operations.allTextContents()).toEqual(["Mine", "+"]);
  });
});
