// The pages of the examples in a real browser, against the built package: two tabs see each other's writes, and nothing is loaded from elsewhere.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Running, started, temporaryFolder } from "../cli/quern.ts";
import { codeNow } from "../plugins/accounts/one-time-code.ts";
import { chromiumPath, launchChromium, newTab, warnWithoutChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { pixel } from "../support/pixel.ts";

warnWithoutChromium("PAGES OF EXAMPLES");

/** Starts the example as its README says, with data of its own. */
class Example {
  #folder = temporaryFolder();
  #running: (Running & { readonly url: string }) | undefined;
  /** What the server has printed to standard error. */
  printed = "";

  async start(name: string, environment: Readonly<Record<string, string>> = {}): Promise<void> {
    Object.assign(process.env, environment, { DATA: join(this.#folder.path, "data") });
    const example = new URL(`../../examples/${name}/quern.config.ts`, import.meta.url);
    // Each tab is a client of its own, behind a proxy: a server counts the tries of each address.
    const config = join(this.#folder.path, "proxied.config.mts");
    writeFileSync(config, `import config from "${example}";\nexport default { ...config, trustProxy: ["127.0.0.1"] };\n`);
    this.#running = await started(this.#folder.path, "--config", config);
    this.#running.child.stderr?.on("data", (chunk) => {
      this.printed += chunk;
    });
    for (const variable of [...Object.keys(environment), "DATA"]) delete process.env[variable];
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

  it("list the providers that are configured, and no others", async () => {
    expect(await (await fetch(`${example.origin}/todo/providers`)).json()).toEqual([]);
  });
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

  let clients = 0;
  const ofNewClient = () => ({ "x-forwarded-for": `203.0.113.${++clients}` });

  /** A tab with storage of its own, as of another person. */
  async function tab(address: string, providers: readonly string[] = []): Promise<Page> {
    const page = await newTab(browser, { extraHTTPHeaders: ofNewClient() });
    const own = [new URL(address).origin, "data:", ...providers];
    page.on("request", (request) => {
      if (!own.some((each) => request.url().startsWith(each))) elsewhere.push(request.url());
    });
    page.on("pageerror", (error) => elsewhere.push(`error: ${error.message}`));
    await page.goto(address);
    return page;
  }

  describe("todo, with Apollo Client and the client of better-auth", () => {
    const example = new Example();
    let provider: ChildProcess;
    let port: string;
    beforeAll(async () => {
      port = String(await freePort());
      await example.start("todo", { OIDC_ISSUER: `http://127.0.0.1:${port}` });
      provider = spawn(process.execPath, [fileURLToPath(new URL("../../examples/todo/provider.mjs", import.meta.url))], {
        env: { ...process.env, PORT: port, TASKS: example.origin },
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(provider.stdout ?? provider, "data");
    });
    afterAll(async () => {
      provider.kill();
      await example.stop();
    });

    const password = "correct horse battery staple";

    async function fill(page: Page, fields: Readonly<Record<string, string>>, button: string): Promise<void> {
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
      await page.locator("form").getByRole("button", { name: button }).click();
    }

    /** The link of the newest mail to somebody. */
    async function mailed(email: string, path: string): Promise<string> {
      const links = () => [...example.printed.matchAll(new RegExp(`Mail to ${email}: .*\\n(\\S+${path}\\S+)`, "g"))];
      return await eventually(() => links().at(-1)?.[1] ?? expect.fail(`no mail to ${email}`));
    }

    async function signUp(name: string): Promise<Page> {
      const email = `${name}@example.org`;
      const page = await tab(`${example.origin}/todo`);
      await page.getByRole("button", { name: "New here" }).click();
      await fill(page, { Name: name, "E-mail": email, Password: password }, "Sign up");
      await page.getByText("Open the link").waitFor();
      await page.goto(await mailed(email, "verify-email"));
      await page.getByText(`Tasks of ${name}`).waitFor();
      await page.getByText("0 open").waitFor();
      return page;
    }

    async function signIn(page: Page, email: string, with_ = password): Promise<void> {
      await page.context().setExtraHTTPHeaders(ofNewClient());
      await fill(page, { "E-mail": email, Password: with_ }, "Sign in");
    }

    it("shows a task in another tab of its owner at once, with its changes, and not to others", async () => {
      const [first, second, other] = await Promise.all([signUp("ada"), tab(`${example.origin}/todo`), signUp("bob")]);
      await signIn(second, "ada@example.org");
      await second.getByText("0 open").waitFor();
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
      const page = await signUp("cleo");
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

    it("sets a new password by a link, after which the old one opens nothing and other tabs are signed out", async () => {
      const page = await signUp("dora");
      const forgetful = await tab(`${example.origin}/todo`);
      await forgetful.getByRole("button", { name: "Forgotten password" }).click();
      await fill(forgetful, { "E-mail": "dora@example.org" }, "Send a link");
      await forgetful.getByText("it gets a mail").waitFor();
      await forgetful.goto(await mailed("dora@example.org", "reset-password"));
      await fill(forgetful, { "New password": "another horse battery" }, "Set it");
      await forgetful.getByLabel("E-mail").waitFor();
      expect(forgetful.url()).toBe(`${example.origin}/todo`);
      await signIn(forgetful, "dora@example.org");
      await forgetful.getByRole("alert").waitFor();
      await signIn(forgetful, "dora@example.org", "another horse battery");
      await forgetful.getByText("Tasks of dora").waitFor();
      await page.reload();
      await page.getByLabel("E-mail").waitFor();
    });

    it("asks for the second factor once it is on, and takes a backup code in its place", async () => {
      const page = await signUp("emil");
      await page.getByRole("button", { name: "Second factor" }).click();
      await fill(page, { Password: password }, "Turn it on");
      const key = (await page.locator("[data-what=key]").textContent()) ?? "";
      const [backup = ""] = ((await page.locator("[data-what=codes]").textContent()) ?? "").split(" ");
      await fill(page, { "Code of your app": await codeNow(key) }, "Confirm");
      await page.getByText("0 open").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("E-mail").waitFor();

      for (const code of [() => codeNow(key), async () => backup]) {
        await signIn(page, "emil@example.org");
        await page.getByLabel("Code of your app").fill("000000");
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByRole("alert").waitFor();
        await fill(page, { "Code of your app": await code() }, "Continue");
        await page.getByText("Tasks of emil").waitFor();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("E-mail").waitFor();
      }
    });

    it("signs in by a provider, whose user is one of the schema", async () => {
      const page = await tab(`${example.origin}/todo`, [`http://127.0.0.1:${port}`]);
      await page.getByRole("button", { name: "Sign in by oidc" }).click();
      await page.getByLabel("Your e-mail").fill("fred@example.org");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByText("Tasks of fred").waitFor();
      await page.getByText("0 open").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByLabel("E-mail").waitFor();
    });
  });

  describe("chat, with urql", () => {
    const example = new Example();
    beforeAll(() => example.start("chat"));
    afterAll(() => example.stop());

    async function chatting(name: string, transport: string, room = "lobby"): Promise<Page> {
      const page = await tab(`${example.origin}/chat`);
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Room").fill(room);
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

    it("shows a picture in the other tab, and says why it takes no other file", async () => {
      const [sender, other] = await Promise.all([chatting("Cleo", "WebSocket", "deck"), chatting("Dora", "event stream", "deck")]);
      const send = async (name: string, buffer: Buffer) => {
        await sender.getByLabel("Picture").setInputFiles({ name, mimeType: "image/png", buffer });
        await sender.getByRole("button", { name: "Send" }).click();
      };
      await send("notes.png", Buffer.from("no picture"));
      await sender.getByRole("alert").waitFor();
      expect(await sender.getByRole("alert").textContent()).toBe(
        "Type Message; Field picture: the file is application/octet-stream, and may be image/*.",
      );
      await send("gull.png", pixel);
      const shown = other.getByRole("img", { name: "gull.png" });
      await shown.waitFor();
      await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
      await other.getByText("1 messages").waitFor();
      expect(await sender.getByRole("alert").count()).toBe(0);
    });
  });
});
