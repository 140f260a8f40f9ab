// `npm run screenshots`: the pictures of the documents, taken of the built console over the packages of the example.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";

interface Picture {
  readonly file: string;
  readonly address: string;
  readonly scheme: "light" | "dark";
  readonly act: (page: Page) => Promise<void>;
}

const root = join(import.meta.dirname, "../..");
const example = join(root, "examples/debian-packages");
const built = (path: string) => import(join(root, "dist/adapters", path, "index.js"));

const pictures: readonly Picture[] = [
  {
    file: "console-data.png",
    address: "data/Package/git",
    scheme: "light",
    act: async (page) => {
      await page.getByRole("heading", { name: "git" }).waitFor();
      await page.locator(".links a").first().waitFor();
    },
  },
  {
    file: "console-schema.png",
    address: "schema",
    scheme: "dark",
    act: async (page) => {
      await page.getByRole("textbox", { name: "Schema" }).click();
      await page.keyboard.press("Control+End");
      await page.keyboard.insertText(
        "\ntype Review {\n  id: ID!\n  text: String! @search(by: [fulltext])\n  stars: Int @search\n  package: Pakage!\n}\n",
      );
      await page.locator(".problems li").first().waitFor();
    },
  },
  {
    file: "console-store.png",
    address: "store",
    scheme: "light",
    act: async (page) => {
      await page.getByRole("button", { name: "Check indexes, links and keys" }).click();
      await page.getByText(/index entries: no faults/).waitFor();
    },
  },
];

const data = mkdtempSync(join(tmpdir(), "quern-screenshots-"));
const loading = [join(root, "dist/adapters/cli/main.js"), "import", join(example, "packages.ndjson"), "--type", "Package", "--data", data];
spawnSync(process.execPath, [...loading, "--schema", join(example, "schema.graphql")], { stdio: "inherit" });
const [{ serve }, { standardStack }] = await Promise.all([built("server"), built("cli")]);
const server = await serve({ ...standardStack({ data }), port: 0, admin: { open: "loopback" }, log: { level: "silent" } });
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];
const browser = await chromium.launch({ executablePath: process.env.QUERN_TEST_CHROMIUM ?? "/usr/bin/chromium", args });
try {
  for (const { file, address, scheme, act } of pictures) {
    const page = await (await browser.newContext({ viewport: { width: 1200, height: 700 }, colorScheme: scheme })).newPage();
    await page.goto(`${server.urls[0]}/console#/${address}`);
    await act(page);
    await page.waitForTimeout(1_000);
    await page.screenshot({ path: join(root, "docs", file), animations: "disabled" });
    console.log(`docs/${file}`);
  }
} finally {
  await browser.close();
  await server.close(0);
  rmSync(data, { recursive: true });
}
