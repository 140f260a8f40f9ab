// The guide to the first hour, followed as a reader would follow it: its files in an empty folder, its commands in order, its page in a browser. All of it is
// taken from the text of the guide. The packages that it installs are those of this project.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HostedProgram, hosted, temporaryFolder } from "../cli/quern.ts";
import { chromiumPath, launchChromium, newTab, warnWithoutChromium } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { pixel } from "../support/pixel.ts";

warnWithoutChromium("THE PAGE OF THE FIRST HOUR");

const project = join(import.meta.dirname, "../..");
const guide = readFileSync(join(project, "docs/first-hour.md"), "utf8");
const blocks = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(([, language = "", text = ""]) => ({ language, text }));
const commands = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.trim().split("\n"));
const folder = temporaryFolder();
let port: number;
let server: HostedProgram | undefined;
let origin: string;
/** What the commands have printed. */
const printed: string[] = [];

beforeAll(async () => {
  port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  // The first line of a file is its name.
  for (const { text } of blocks) {
    const [, name] = /^(?:#|\/\/|<!--) ([\w.]+\.\w+)\b/.exec(text) ?? [];
    if (name !== undefined) writeFileSync(join(folder.path, name), text);
  }
  for (const command of commands) printed.push(await followed(command));
}, 120_000);
afterAll(async () => {
  server?.kill("SIGINT");
  await server?.ended;
  folder.remove();
});

async function followed(command: string): Promise<string> {
  const [, packages] = /^npm install (?:--save-exact )?(.*)$/.exec(command) ?? [];
  if (packages !== undefined) return install(packages.split(" "));
  const [, args] = /^npx quern (dev .*)$/.exec(command) ?? [];
  if (args === undefined) return await ranInShell(command.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`));
  server = hosted(folder.path, ...args.split(" "), "--port", String(port));
  const { output } = server;
  await eventually(() => expect(output.out).toContain(origin));
  return output.out;
}

/** Those of this project, in the versions that the guide names. */
function install(packages: readonly string[]): string {
  const modules = join(folder.path, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  for (const each of packages) {
    const [name = "", version] = each.split("@");
    const source = name === "quern" ? project : join(project, "node_modules", name);
    symlinkSync(source, join(modules, name));
    if (version !== undefined) expect(JSON.parse(readFileSync(join(source, "package.json"), "utf8")).version).toBe(version);
    if (name === "quern") symlinkSync(join(project, "dist/adapters/cli/main.js"), join(modules, ".bin/quern"));
  }
  return packages.join(" ");
}

async function ranInShell(command: string): Promise<string> {
  return (await promisify(execFile)("bash", ["-c", command], { cwd: folder.path, timeout: 60_000 })).stdout;
}

it("its commands add a photo that its owner sees, and nobody else", () => {
  expect(commands.length).toBeGreaterThan(8);
  const answers = printed.filter((text) => text.startsWith('{"data"')).map((text) => JSON.parse(text).data);
  expect(answers).toEqual([
    { addPhoto: { numUids: expect.any(Number) } },
    { queryPhoto: [{ title: "Gull", image: { url: expect.stringContaining("/gull.png"), type: "image/png", width: 1, height: 1 } }] },
    { queryPhoto: [] },
  ]);
});

describe.runIf(chromiumPath !== undefined)("its page", () => {
  let browser: Browser;
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    expect(problems).toEqual([]);
  });

  /** A private window of somebody who has signed up and opened the link. */
  async function signedUp(name: string): Promise<Page> {
    const page = await newTab(browser);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => request.url().startsWith(origin) || request.url().startsWith("data:") || problems.push(request.url()));
    await page.goto(`${origin}/photos`);
    await page.getByLabel("E-mail").fill(`${name}@example.org`);
    await page.getByLabel("Password").fill("a password of theirs");
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByText("Open the link").waitFor();
    const mail = new RegExp(`Mail to ${name}@example.org: .*\\n(\\S+verify-email\\S+)`);
    await page.goto(await eventually(() => mail.exec(server?.output.err ?? "")?.[1] ?? expect.fail("no mail")));
    await page.getByText(`0 photos of ${name}@example.org`).waitFor();
    return page;
  }

  it("signs people up, takes a photo and no other file, and shows it to its owner alone", async () => {
    const page = await signedUp("bob");
    const add = async (name: string, buffer: Buffer) => {
      await page.getByLabel("Title").fill("A gull");
      await page.getByLabel("Photo").setInputFiles({ name, mimeType: "image/png", buffer });
      await page.getByRole("button", { name: "Add" }).click();
    };
    await add("notes.png", Buffer.from("no picture"));
    await page.getByText("the file is application/octet-stream, and may be image/*").waitFor();
    await add("gull.png", pixel);
    await page.getByText("1 photos of bob@example.org").waitFor();
    const photo = page.getByRole("img", { name: "A gull" });
    await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);

    const other = await signedUp("cleo");
    expect(await other.getByRole("img").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Sign in to see your photos.").waitFor();
    expect(await page.getByRole("img").count()).toBe(0);
  });
});
