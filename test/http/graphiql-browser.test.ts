// GraphiQL in a real browser: what its Headers pane says counts for subscriptions as it does for queries.

import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/index.ts";
import { line, token as signed } from "../plugins/auth/token.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

const executablePath = [process.env.QUERN_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path): path is string => path !== undefined && existsSync(path),
);
if (executablePath === undefined)
  console.warn("GRAPHIQL IN A BROWSER IS LEFT OUT: there is no Chromium. Install it, or name it in QUERN_TEST_CHROMIUM.");

const args = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const schema = `type Berth @withSubscription @auth(query: { rule: "query ($WHO: String!) { queryBerth(filter: { owner: { eq: $WHO } }) { owner } }" }) {
  owner: String! @id
}
${line}
`;
const token = signed({ WHO: "ann" });

describe.runIf(executablePath !== undefined).each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("GraphiQL on %s", (_name, transport) => {
  let browser: Browser;
  const ending: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ ...(executablePath !== undefined && { executablePath }), args });
  });
  afterAll(async () => {
    await browser?.close();
    for (const end of ending.reverse()) await end();
  });

  async function serving(config: TemporaryConfig): Promise<{ readonly stack: TemporaryKernel; readonly server: Listening }> {
    const stack = await temporaryKernel(config);
    ending.push(() => stack.remove());
    await stack.kernel.deploy(schema);
    const server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    ending.push(() => server.close(0));
    return { stack, server };
  }

  /** With a document and headers as a visitor would have typed them. */
  async function opened(server: Listening, { query, headers = "" }: { readonly query: string; readonly headers?: string }): Promise<Page> {
    const page = await browser.newPage();
    await page.addInitScript((tabs) => localStorage.setItem("graphiql:tabState", tabs), tabWith(query, headers));
    await page.goto(`${server.url}/graphql`);
    return page;
  }

  it("a subscription shows what the query shows under @auth, and each change", async () => {
    const { stack, server } = await serving({});
    const add = (owner: string) =>
      stack.kernel.execute({ query: `mutation { addBerth(input: [{ owner: "${owner}" }]) { numUids } }`, headers: { "x-harbour": token } });
    await add("ann");
    for (const operation of ["query", "subscription"]) {
      const page = await opened(server, { query: `${operation} { queryBerth { owner } }`, headers: JSON.stringify({ "X-Harbour": token }) });
      await page.getByRole("button", { name: /execute query/i }).click();
      await page.locator(".result-window", { hasText: '"ann"' }).waitFor();
      if (operation === "subscription") {
        await stack.kernel.execute({
          query: 'mutation { deleteBerth(filter: { owner: { eq: "ann" } }) { numUids } }',
          headers: { "x-harbour": token },
        });
        await page.locator(".result-window", { hasText: '"queryBerth": []' }).waitFor();
      }
      await page.close();
    }
  });

  it("says why there is no documentation where introspection is off, and shows it to who has the token", async () => {
    const { server } = await serving({ introspection: false, admin: { token: "desk" } });
    const page = await opened(server, { query: "{ __typename }" });
    await page.getByRole("button", { name: /documentation explorer/i }).click();
    await page
      .getByText(/Introspection is switched off|Error fetching schema/)
      .first()
      .waitFor();
    await page.locator(".result-window", { hasText: "Introspection is switched off on this server" }).waitFor();
    expect(await page.locator("body").innerText()).not.toContain("queryBerth");
    await page.close();
  });
});

function tabWith(query: string, headers: string): string {
  return JSON.stringify({
    tabs: [{ id: "1", hash: "1", title: "t", query, variables: "", headers, operationName: null, response: null }],
    activeTabIndex: 0,
  });
}
