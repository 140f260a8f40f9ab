// GraphiQL in a real browser: what its Headers pane says counts for subscriptions as it does for queries.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { wsTransport } from "../../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../../adapters/yoga/index.ts";
import type { Listening } from "../../../../core/transport.ts";
import { line, token as signed } from "../../../plugins/auth/token.ts";
import { chromiumPath, launchChromium, newTab, warnWithoutChromium } from "../../../support/chromium.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";

warnWithoutChromium("GRAPHIQL IN A BROWSER");

const schema = `type Berth @withSubscription @auth(query: { rule: "query ($WHO: String!) { queryBerth(filter: { owner: { eq: $WHO } }) { owner } }" }) {
  owner: String! @id
}
${line}
`;
const token = signed({ WHO: "ann" });

describe.runIf(chromiumPath !== undefined).each(Object.entries({ ws: wsTransport, yoga: yogaTransport }))("GraphiQL on %s", (_name, transport) => {
  let browser: Browser;
  const ending: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
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

  /** A page of its own; it stays open, because a browser without pages ends. */
  async function opened({ url }: Listening, query = ""): Promise<Page> {
    const page = await newTab(browser);
    await page.goto(`${url}/graphql${query === "" ? "" : `?query=${encodeURIComponent(query)}`}`);
    return page;
  }

  /** As a visitor does it: in the pane, then the button. */
  async function run(page: Page, headers: object): Promise<void> {
    await page.getByRole("button", { name: "Headers", exact: true }).click();
    await page.locator(".graphiql-editor-tool .graphiql-editor:not(.hidden)").last().click();
    await page.keyboard.insertText(JSON.stringify(headers));
    await page.locator(".graphiql-execute-button").click();
  }

  it("a subscription shows what the query shows under @auth, and each change", async () => {
    const { stack, server } = await serving({});
    const add = (owner: string) =>
      stack.kernel.execute({ query: `mutation { addBerth(input: [{ owner: "${owner}" }]) { numUids } }`, headers: { "x-harbour": token } });
    await add("ann");
    for (const operation of ["query", "subscription"]) {
      const page = await opened(server, `${operation} { queryBerth { owner } }`);
      await run(page, { "X-Harbour": token });
      await page.locator(".result-window", { hasText: '"ann"' }).waitFor();
      if (operation === "query") continue;
      await stack.kernel.execute({
        query: 'mutation { deleteBerth(filter: { owner: { eq: "ann" } }) { numUids } }',
        headers: { "x-harbour": token },
      });
      await page.locator(".result-window", { hasText: '"queryBerth": []' }).waitFor();
    }
  });

  it("says why there is no documentation where introspection is off", async () => {
    const { server } = await serving({ introspection: false, admin: { token: "desk" } });
    const page = await opened(server);
    await page.locator(".graphiql-query-editor", { hasText: "Introspection is switched off on this server" }).waitFor();
  });
});
