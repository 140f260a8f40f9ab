// The Chromium of this machine, for specs of pages. Without one they are left out, with a line that says so.

import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export const chromiumPath = [process.env.QUERN_TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path): path is string => path !== undefined && existsSync(path),
);

/** @param what is left out, in capitals */
export function warnWithoutChromium(what: string): void {
  if (chromiumPath === undefined) console.info(`${what} IS LEFT OUT: there is no Chromium. Install it, or name it in QUERN_TEST_CHROMIUM.`);
}

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

/** Its profile is a new folder, which goes with it. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ ...(chromiumPath !== undefined && { executablePath: chromiumPath }), args });
}

/** A tab with cookies and storage of its own. Each wait in it has two minutes: a machine that is busy with other things draws late. */
export async function newTab(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(120_000);
  return await context.newPage();
}
