// A browser with tabs that show the console of one server. Whatever a page logs as an error, and each request to another origin, fails the spec.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { launchChromium, newTab } from "../../support/chromium.ts";

export interface Visit {
  readonly token?: string;
  readonly width?: number;
  readonly height?: number;
  /** Of the browser: `de-DE`. */
  readonly locale?: string;
  /** How many times slower the page runs than the machine. */
  readonly slowdown?: number;
  /** What the page may log as an error: that the server refused something. */
  readonly expected?: RegExp;
}

/** A desk and a phone. */
export const screens = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** @param url of the server, known when a spec runs */
export function consoleBrowser(url: () => string) {
  let browser: Browser;
  const open: Page[] = [];
  const problems: string[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Promise.all(open.splice(0).map((page) => page.context().close()));
    expect(problems.splice(0)).toEqual([]);
  });
  return {
    /** A tab of its own, with the token in its address. */
    async visit(path: string, { token = "desk", width = 1280, height = 800, slowdown = 1, locale = "en-US", expected }: Visit = {}): Promise<Page> {
      const page = await newTab(browser, { viewport: { width, height }, locale });
      open.push(page);
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("console", (message) => message.type() === "error" && !expected?.test(message.text()) && problems.push(message.text()));
      page.on("request", (request) => request.url().startsWith(url()) || problems.push(`it asked ${request.url()}`));
      if (slowdown > 1) await (await page.context().newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: slowdown });
      await page.goto(`${url()}/console#token=${token}&/${path}`);
      return page;
    },
  };
}

/** Writes a text into an editor, instead of the one that it has. */
export async function fillEditor(page: Page, name: string, text: string): Promise<void> {
  await page.getByRole("textbox", { name }).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

export async function pageWidth(page: Page): Promise<number> {
  return await page.evaluate("document.documentElement.scrollWidth");
}

/** What breaks a rule, as axe reports it. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What breaks a rule of WCAG 2.2, levels A and AA: `color-contrast: .hint …`. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const options = { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] };
  const { violations } = await page.evaluate<{ readonly violations: readonly Violation[] }>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`));
}

/** Fits the screen, and passes axe. */
export async function assertFits(page: Page): Promise<void> {
  expect(await faultsOf(page)).toEqual([]);
  expect(await pageWidth(page)).toBe(page.viewportSize()?.width);
}
