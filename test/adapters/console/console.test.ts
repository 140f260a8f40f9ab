// The console in a real browser, and the paths that serve it. One server and one browser for all of it.

import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { line, token as signed } from "../../plugins/auth/token.ts";
import { chromiumPath, warnWithoutChromium } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { consoleBrowser, fillEditor, pageWidth } from "./console-browser.ts";

warnWithoutChromium("THE CONSOLE IN A BROWSER");

const schema = `enum Rig { SLOOP KETCH }
type Harbour { name: String! @id  boats: [Boat] @hasInverse(field: harbour) }
type Boat @auth(query: { rule: "query ($WHO: String!) { queryBoat(filter: { owner: { eq: $WHO } }) { id } }" }) {
  id: ID!
  name: String! @search(by: [exact, term]) @length(max: 40)
  owner: String @search(by: [hash])
  rig: Rig
  built: DateTime
  tonnes: Int64 @search
  berth: Point
  harbour: Harbour
}
${line}
`;

let stack: TemporaryKernel;
let servers: Record<"ws" | "yoga", Listening>;
beforeAll(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
  const where = { host: "127.0.0.1", port: 0 };
  servers = { ws: await wsTransport().listen(stack.kernel, where), yoga: await yogaTransport().listen(stack.kernel, where) };
});
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close(0)));
  await stack.remove();
});

describe.each(["ws", "yoga"] as const)("the console on %s", (transport) => {
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${servers[transport].url}${path}`, { headers: { accept: "text/html", ...headers }, redirect: "manual" });

  it("is a page that runs and asks its own origin only, and whose files browsers keep", async () => {
    const page = await get("/console");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self';.* connect-src 'self';.* frame-ancestors 'none'/,
    );
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const files = [...(await page.text()).matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThanOrEqual(2);
    for (const file of files) {
      expect(file).toMatch(/^console\/[\w-]+\.(?:js|css)$/);
      const response = await get(`/${file}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("public,max-age=31536000,immutable");
      expect(response.headers.get("content-encoding")).toBe("gzip");
    }
  });

  it("takes at most a megabyte, compressed", async () => {
    const files = [...(await (await get("/console")).text()).matchAll(/"(console\/[^"]+)"/g)].map(([, path = ""]) => path);
    const sizes = await Promise.all(files.map(async (file) => Number((await get(`/${file}`)).headers.get("content-length"))));
    expect(sizes.every((size) => size > 1_000)).toBe(true);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    console.info(`The console takes ${Math.round(total / 1_024)} KiB, compressed.`);
    expect(total).toBeLessThan(2 ** 20);
  });

  it("is not framed, and not kept for a year, by any other way to it: only files whose names hold a hash are", async () => {
    for (const path of ["/console/index.html", "/console/index.html?x=1", "/console/LICENSES.md"]) {
      const { status, headers } = await get(path);
      expect([status, headers.get("location")], path).toEqual(path.includes("index") ? [302, "../console"] : [200, null]);
      expect(headers.get("content-security-policy"), path).toMatch(/^default-src 'none';.* frame-ancestors 'none'/);
      expect([headers.get("x-frame-options"), headers.get("cache-control")], path).toEqual(["DENY", "no-cache"]);
    }
  });

  it("has no other files, and no other methods", async () => {
    for (const path of ["/console/", "/console/missing.js", "/console/../server.js", "/console/..%2f..%2findex.js", "/console/index.html/x"])
      expect((await get(path)).status, path).toBe(404);
    expect((await fetch(`${servers[transport].url}/console`, { method: "POST" })).status).toBe(405);
  });

  it("is where a browser gets to from /; other clients find nothing there", async () => {
    const front = await get("/");
    expect([front.status, front.headers.get("location")]).toEqual([302, "console"]);
    expect((await get("/", { accept: "application/json" })).status).toBe(404);
  });
});

it("a server without the console has none of it", async () => {
  const without = await temporaryKernel({ console: false });
  const ask = (url: string) => without.kernel.http({ method: "GET", url, headers: { accept: "text/html" }, body: new Uint8Array(0) });
  expect((await ask("/console")).status).toBe(404);
  expect((await ask("/console/index.html")).status).toBe(404);
  expect((await ask("/")).headers.location).toBe("graphql");
  await without.remove();
});

describe.runIf(chromiumPath !== undefined)("the console in a browser", () => {
  const { visit } = consoleBrowser(() => servers.ws.url);

  beforeAll(async () => {
    await stack.kernel.deploy(schema);
    await write(`mutation {
      addHarbour(input: [{ name: "Kiel" }, { name: "Faro" }]) { numUids }
      addBoat(input: [
        { name: "Ada", owner: "ann", rig: SLOOP, built: "1999-05-01T12:00:00+02:00", tonnes: 9007199254740993, berth: { longitude: 10.1, latitude: 54.3 }, harbour: { name: "Kiel" } }
        { name: "Bea", owner: "bob", tonnes: 3, harbour: { name: "Kiel" } }
        { name: "Cleo", owner: "bob", tonnes: 20 }
      ]) { numUids }
    }`);
  });

  async function write(query: string): Promise<void> {
    const { body } = await stack.kernel.execute({ query, as: "system" });
    expect(JSON.parse(body)).not.toHaveProperty("errors");
  }

  const cell = (page: Page, row: string, field: string): Locator =>
    page.locator(".body .row", { has: page.locator(`[data-field="name"]`, { hasText: row }) }).locator(`[data-field="${field}"]`);

  it("asks for the token, refuses a wrong one, and keeps the right one out of the address", async () => {
    const page = await visit("data/Harbour", { token: "wrong" });
    await page.getByText("The server does not accept this token.").waitFor();
    await page.getByLabel("Admin token").fill("desk");
    await page.getByRole("button", { name: "Open" }).click();
    await cell(page, "Kiel", "name").waitFor();
    expect(page.url()).not.toMatch(/desk|wrong/);
    await page.reload();
    await cell(page, "Kiel", "name").waitFor();
  });

  it("shows types with counts, and values exactly as they are stored", async () => {
    const page = await visit("data/Boat");
    await cell(page, "Ada", "tonnes").getByText("9,007,199,254,740,993", { exact: true }).waitFor();
    await cell(page, "Ada", "built").getByText("1999-05-01T12:00:00+02:00").waitFor();
    await cell(page, "Ada", "berth").getByText("54.3° N, 10.1° E").waitFor();
    await cell(page, "Cleo", "harbour").getByText("–").waitFor();
    await page.getByRole("navigation", { name: "Types" }).getByRole("link", { name: "Boat 3" }).waitFor();
  });

  it("edits in place by keyboard; a value that does not fit is refused beside it, and other tabs see the new one", async () => {
    const [page, other] = [await visit("data/Boat"), await visit("data/Boat")];
    await cell(other, "Bea", "tonnes").getByText("3", { exact: true }).waitFor();
    const panel = page.locator("aside.panel");
    await cell(page, "Bea", "name").click();
    await panel.waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    for (const _ of ["owner", "rig", "built", "tonnes"]) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("F2");
    await page.keyboard.type("many");
    await page.keyboard.press("Enter");
    await page.getByText("Expected a whole number (Int64).").waitFor();
    await page.getByLabel("tonnes").fill("-9223372036854775808");
    await page.keyboard.press("Enter");
    for (const each of [page, other]) await cell(each, "Bea", "tonnes").getByText("-9,223,372,036,854,775,808", { exact: true }).waitFor();
  });

  it("filters and orders by the generated API", async () => {
    const page = await visit("data/Boat");
    await page.getByRole("button", { name: "tonnes" }).click();
    await page.getByRole("button", { name: "tonnes" }).click();
    await page.locator('[aria-sort="descending"]').waitFor();
    await page.locator(".body .row").first().getByText("Ada").waitFor();
    await page.getByRole("button", { name: "+ Filter" }).click();
    await page.getByLabel("Field").selectOption("owner");
    await page.getByLabel("Value", { exact: true }).fill("bob");
    await page.getByRole("button", { name: "Add", exact: true }).first().click();
    await page.getByText("2 nodes").waitFor();
    await cell(page, "Ada", "name").waitFor({ state: "detached" });
  });

  it("adds a node by a form made from its input, follows links both ways, and deletes after a confirmation", async () => {
    const page = await visit("data/Boat");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const form = page.getByRole("dialog", { name: "Add Boat" });
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await form.getByText("A value is required.").waitFor();
    await form.getByLabel("name").fill("D".repeat(41));
    await form.getByRole("button", { name: "Add", exact: true }).click();
    // At its field, and nowhere else.
    await form.locator(".form-field").getByText("Boat.name breaks @length(max: 40): found 41 characters.").waitFor();
    await form.getByLabel("name").fill("Dora");
    await form.getByLabel("harbour").fill("far");
    await page.getByRole("option", { name: "Faro" }).waitFor();
    await page.keyboard.press("Enter");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await cell(page, "Dora", "harbour").getByRole("link", { name: "Faro" }).click();
    const panel = page.getByRole("complementary", { name: "Harbour Faro" });
    await panel.getByRole("link", { name: "Dora" }).click();
    await page.getByRole("heading", { name: "Dora" }).waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.locator(".json", { hasText: '"name": "Faro"' }).waitFor();
    await page.locator(".panel").getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete Dora?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await cell(page, "Dora", "name").waitFor();
    await page.locator(".panel").getByRole("button", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete" }).click();
    await cell(page, "Dora", "name").waitFor({ state: "detached" });
    await page.getByText("3 nodes").waitFor();
  });

  it("shows a client what its token allows", async () => {
    const page = await visit("data/Boat");
    await cell(page, "Bea", "name").waitFor();
    await page.getByRole("button", { name: "As: Administrator" }).click();
    await page.getByLabel("Token", { exact: true }).fill(signed({ WHO: "ann" }));
    expect(await page.getByLabel("Header").inputValue()).toBe("X-Harbour");
    await page.getByRole("button", { name: "Use this token" }).click();
    await cell(page, "Bea", "name").waitFor({ state: "detached" });
    await cell(page, "Ada", "name").waitFor();
    await page.getByText("1 node", { exact: true }).waitFor();
  });

  it("fits a narrow screen", async () => {
    const page = await visit("data/Boat", { width: 400 });
    await cell(page, "Ada", "name").click();
    await page.getByRole("heading", { name: "Ada" }).waitFor();
    expect(await pageWidth(page)).toBe(400);
    await page.goto(`${servers.ws.url}/console#/schema`);
    await page.getByText("This text is deployed.").waitFor();
    expect(await pageWidth(page)).toBe(400);
  });

  it("shows the server's errors in the schema, refuses its deploy, and deploys what is right after a look at the changes", async () => {
    const page = await visit("schema");
    const editor = page.getByRole("textbox", { name: "Schema" });
    const append = async (text: string) => {
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.insertText(text);
    };
    await append("\ntype Crane { reach: Strin }");
    await page.locator(".problems", { hasText: 'did you mean "String"?' }).waitFor();
    await page.locator(".cm-lintRange-error", { hasText: "Strin" }).waitFor();
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByText("The deploy was refused. The API is unchanged.").waitFor();
    expect(stack.kernel.deployment?.document).not.toContain("Crane");
    await append("");
    for (const _ of "Strin }") await page.keyboard.press("Backspace");
    await page.keyboard.insertText("String @search(by: [term]) }");
    await page.getByText("Valid. A deploy changes this:").waitFor();
    expect(await page.locator("details.safe", { hasText: "API, safe" }).textContent()).toContain("queryCrane");
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByText(/Deployed in \d+ ms/).waitFor();
    expect(stack.kernel.deployment?.document).toContain("Crane");
    await page.goto(`${servers.ws.url}/console#/data/Crane`);
    await page.getByText("There are no Crane nodes").waitFor();
  });

  it("remembers deployed texts, shows what changed between two of them, and brings one back into the editor", async () => {
    await stack.kernel.deploy(`${schema}type Pier { length: Float }\n`);
    await stack.kernel.deploy(`${schema}type Quay { length: Float }\n`);
    const page = await visit("schema");
    await page.getByRole("tab", { name: "History" }).click();
    const deploys = page.getByRole("list", { name: "Deploys" });
    await deploys.getByText("deployed now").waitFor();
    await page.locator(".cm-changedLine", { hasText: "Quay" }).waitFor();
    await page.locator(".cm-deletedChunk", { hasText: "Pier" }).waitFor();
    await deploys.getByRole("button").last().click();
    await page.locator(".cm-changedLine", { hasText: "enum Rig" }).waitFor();
    await page.getByLabel("Compared with").selectOption({ index: 1 });
    await page.locator(".cm-deletedChunk", { hasText: "Quay" }).waitFor();
    expect(await pageWidth(page)).toBe(1280);
    await page.getByRole("button", { name: "Bring back into the editor" }).click();
    await page.getByText("A deploy changes this:").waitFor();
    expect(await page.getByRole("textbox", { name: "Schema" }).textContent()).not.toContain("Quay");
    expect(stack.kernel.deployment?.document).toContain("Quay");
  });

  it("runs an operation as the chosen identity, and shows its plan beside the answer", async () => {
    const page = await visit("query");
    await fillEditor(page, "Operation", "{ queryBoat(order: { asc: name }) { name tonnes } }");
    await page.keyboard.press("Control+Enter");
    await page.locator(".result .json", { hasText: '"tonnes": 9007199254740993' }).waitFor();
    await page.getByRole("tab", { name: "Plan" }).click();
    await page.locator(".result .json", { hasText: "find Boat" }).waitFor();
    await page.getByRole("button", { name: "As: Administrator" }).click();
    await page.getByRole("button", { name: "Anonymous" }).click();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("tab", { name: "Answer" }).click();
    await page.locator(".result .json", { hasText: '"queryBoat": []' }).waitFor();
  });
});
