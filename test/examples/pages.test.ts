// The pages of the examples in a real browser, against the built package: two tabs see each other's writes, and nothing is loaded from elsewhere.

import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type Running, started, temporaryFolder } from "../cli/quern.ts";
import { chromiumPath, launchChromium, newTab, warnWithoutChromium } from "../support/chromium.ts";

warnWithoutChromium("PAGES OF EXAMPLES");

/** Starts the example as its README says, with data of its own. */
class Example {
  #folder = temporaryFolder();
  #running: (Running & { readonly url: string }) | undefined;

  async start(name: string): Promise<void> {
    process.env.DATA = this.#folder.path;
    const config = fileURLToPath(new URL(`../../examples/${name}/quern.config.ts`, import.meta.url));
    this.#running = await started(this.#folder.path, "--config", config);
    delete process.env.DATA;
  }

  get api(): string {
    return this.#running?.url ?? "";
  }

  get origin(): string {
    return new URL(this.api).origin;
  }

  async stop(): Promise<void> {
    this.#running?.child.kill("SIGINT");
    await this.#running?.ended;
    this.#folder.remove();
  }
}

describe("the paths of an example with a page", () => {
  const example = new Example();
  beforeAll(() => example.start("todo"));
  afterAll(() => example.stop());

  it("are the page and its two files", async () => {
    for (const path of ["/todo", "/todo/page.js", "/todo/page.css"]) expect((await fetch(example.origin + path)).status, path).toBe(200);
    for (const path of ["/todo/", "/todo/client.ts", "/todo/../todo/page.tsx"]) expect((await fetch(example.origin + path)).status, path).toBe(404);
  });

  it("sign anybody in with a token of the schema, and refuse a request without a name", async () => {
    const signIn = async (body: string) => await (await fetch(`${example.origin}/todo/sign-in`, { method: "POST", body })).json();
    const { token } = await signIn('{"name": "ada"}');
    const headers = { "content-type": "application/graphql", authorization: `Bearer ${token}` };
    const add = (owner: string) =>
      fetch(example.api, {
        method: "POST",
        headers,
        body: `mutation { addTask(input: [{ title: "Oil", owner: { name: "${owner}" } }]) { numUids } }`,
      });
    expect(await (await add("ada")).json()).toMatchObject({ data: { addTask: { numUids: 2 } } });
    expect(await (await add("bob")).json()).toMatchObject({ data: { addTask: null } });
    expect(await ask(example.api, "{ queryTask { title } }")).toMatchObject({ data: { queryTask: [] } });
    for (const body of ["{}", '{"name": 1}', "none"])
      expect(await signIn(body)).toMatchObject({ errors: [{ message: expect.stringContaining("no name") }] });
  });

  it("exist on this machine alone: the server does not start where others reach it", async () => {
    await expect(startedAt("0.0.0.0")).rejects.toThrow("serves at 127.0.0.1 alone");
  });

  const startedAt = (host: string) =>
    started(temporaryFolder().path, "--host", host, "--config", fileURLToPath(new URL("../../examples/todo/quern.config.ts", import.meta.url)));
});

describe.runIf(chromiumPath !== undefined)("a page in a browser", () => {
  let browser: Browser;
  const elsewhere: string[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    expect(elsewhere).toEqual([]);
  });

  /** A tab with storage of its own, as of another person. */
  async function tab(address: string): Promise<Page> {
    const page = await newTab(browser);
    const { origin } = new URL(address);
    page.on("request", (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) elsewhere.push(request.url());
    });
    page.on("pageerror", (error) => elsewhere.push(`error: ${error.message}`));
    await page.goto(address);
    return page;
  }

  describe("todo, with Apollo Client", () => {
    const example = new Example();
    beforeAll(() => example.start("todo"));
    afterAll(() => example.stop());

    async function signedIn(name: string): Promise<Page> {
      const page = await tab(`${example.origin}/todo`);
      await page.getByLabel("Your name").fill(name);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("0 open").waitFor();
      return page;
    }

    it("shows a task in another tab of its owner at once, with its changes, and not to others", async () => {
      const [first, second, other] = await Promise.all([signedIn("ada"), signedIn("ada"), signedIn("bob")]);
      await first.getByLabel("New task").fill("Paint the boat");
      await first.getByRole("button", { name: "Add" }).click();
      await second.getByText("Paint the boat").waitFor();
      await second.getByText("1 open").waitFor();

      await second.getByRole("checkbox").click();
      await first.getByText("0 open").waitFor();
      expect(await first.getByRole("checkbox").isChecked()).toBe(true);

      await other.getByLabel("New task").fill("Bail");
      await other.getByRole("button", { name: "Add" }).click();
      await other.getByText("Bail").waitFor();
      expect(await other.getByText("Paint the boat").count()).toBe(0);

      await first.getByRole("button", { name: "Delete what is done" }).click();
      await second.getByText("Paint the boat").waitFor({ state: "detached" });
      expect(await first.getByText("Bail").count()).toBe(0);
      expect(await other.getByText("Bail").count()).toBe(1);
    });

    it("shows the reason of a refusal at the field that is wrong", async () => {
      const page = await signedIn("cleo");
      const field = page.getByLabel("New task");
      expect(await field.getAttribute("aria-invalid")).toBe("false");
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByRole("alert").textContent()).toBe("Task.title breaks @length(min: 1, max: 200): found 0 characters.");
      expect(await field.getAttribute("aria-invalid")).toBe("true");

      await field.fill("Bail");
      await page.getByRole("button", { name: "Add" }).click();
      await page.getByText("1 open").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
    });
  });

  describe("chat, with urql", () => {
    const example = new Example();
    beforeAll(() => example.start("chat"));
    afterAll(() => example.stop());

    async function chatting(name: string, transport: string): Promise<Page> {
      const page = await tab(`${example.origin}/chat`);
      await page.getByLabel("Name").fill(name);
      await page.getByLabel(transport).check();
      await page.getByText("0 messages").waitFor();
      return page;
    }

    async function say(page: Page, text: string): Promise<void> {
      await page.getByLabel("Message").fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    }

    it("brings messages by WebSocket and by event stream, to the room they were sent to", async () => {
      const [bySocket, byEvents] = await Promise.all([chatting("Ada", "WebSocket"), chatting("Bob", "event stream")]);
      await say(bySocket, "Ahoy");
      await byEvents.getByText("Ahoy").waitFor();
      await say(byEvents, "Ahoy yourself");
      await bySocket.getByText("Ahoy yourself").waitFor();

      await byEvents.getByLabel("Room").fill("galley");
      await byEvents.getByText("0 messages").waitFor();
      await say(byEvents, "Soup");
      await byEvents.getByText("Soup").waitFor();
      await say(bySocket, "Anybody?");
      await bySocket.getByText("3 messages").waitFor();
      expect(await bySocket.getByText("Soup").count()).toBe(0);
    });
  });
});
