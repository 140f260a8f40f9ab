// Files in and out of the console: what is exported is imported again, and rows that are wrong are named before anything is written.

import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { guarded, unguarded } from "../../../adapters/console/app/transfer/formula-guard.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import fc from "../../support/properties.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const schema = `enum Rig { SLOOP KETCH }
type Harbour { name: String! @id  boats: [Boat] @hasInverse(field: harbour) }
type Boat {
  name: String! @id
  note: String
  rig: Rig
  tonnes: Int64
  built: DateTime
  tags: [String]
  place: Point
  crew: Int @range(min: 1)
  harbour: Harbour
  mates: [Boat]
  holds: [Cargo]
}
type Crate { code: String! @id }
union Cargo = Crate | Harbour
`;

const texts = fc.oneof(fc.string(), fc.stringMatching(/^'{0,3}[=+\-@\t\r\n0-9.e]{0,4}/));

describe("the guard against formulas in CSV", () => {
  it("gives every text back, and leaves none that a spreadsheet runs", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(unguarded(guarded(text))).toBe(text);
        expect(/^[=@\t\r\n]/.test(guarded(text))).toBe(false);
      }),
    );
    expect(["=1", "+a", "-5", "-5a", "@x", "\tx", "'=1", "it's", "'-5"].map(guarded)).toEqual([
      "'=1",
      "'+a",
      "-5",
      "'-5a",
      "'@x",
      "'\tx",
      "''=1",
      "it's",
      "''-5",
    ]);
    expect(["'it", "'5", "'=1", "''=1", "=1"].map(unguarded)).toEqual(["'it", "'5", "=1", "'=1", "=1"]);
  });
});

describe.runIf(chromiumPath !== undefined)("files in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    await stack.kernel.deploy(schema);
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  beforeEach(async () => {
    await stack.kernel.erase({ kind: "data" });
    await ask(`mutation {
      addHarbour(input: [{ name: "Kiel" }]) { numUids }
      addBoat(input: [
        { name: "Ada", note: "a \\"note\\",\\nof two lines", rig: SLOOP, tonnes: 9007199254740993, built: "1999-05-01T12:00:00+02:00", tags: ["a, b", "c"],
          place: { longitude: 10.25, latitude: -3 }, crew: 2, harbour: { name: "Kiel" }, holds: [{ crateRef: { code: "C1" } }] }
        { name: "Bea, the second", mates: [{ name: "Ada" }] }
      ]) { numUids }
    }`);
  });
  const { visit } = consoleBrowser(() => server.url);
  const ask = async (query: string) => {
    const answer = JSON.parse((await stack.kernel.execute({ query, as: "system" })).body.replaceAll("9007199254740993", '"9007199254740993"'));
    expect(answer).not.toHaveProperty("errors");
    return answer.data;
  };
  const whole = `{ queryBoat(order: { asc: name }) { name note rig tonnes built tags place { longitude latitude } crew harbour { name } mates { name }
    holds { ... on Crate { code } } } }`;
  const dialog = async (page: Page, title: "Import…" | "Export…") => {
    await page.locator("summary", { hasText: "File" }).click();
    await page.getByRole("button", { name: title }).click();
    return page.getByRole("dialog");
  };
  const exported = async (page: Page, format: "CSV" | "NDJSON") => {
    const form = await dialog(page, "Export…");
    await form.getByLabel("Format").selectOption(format);
    await assertFits(page);
    const [download] = await Promise.all([page.waitForEvent("download"), form.getByRole("button", { name: "Export" }).click()]);
    await form.waitFor({ state: "detached" });
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  };
  const choose = async (page: Page, name: string, text: string) => {
    const form = await dialog(page, "Import…");
    await form.getByLabel("File").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await form.getByRole("columnheader", { name: "First row" }).waitFor();
    return form;
  };

  describe.each(screens)("at $width px", (screen) => {
    it.each(["CSV", "NDJSON"] as const)("brings nodes of a %s file that was exported back as they were", async (format) => {
      const before = await ask(whole);
      const page = await visit("data/Boat", screen);
      const { name, text } = await exported(page, format);
      expect(name).toBe(`Boat.${format.toLowerCase()}`);
      await ask("mutation { deleteBoat(filter: {}) { numUids } }");
      await page.getByText("There are no Boat nodes").waitFor();
      const form = await choose(page, name, text);
      await form.getByRole("button", { name: "Check all rows" }).click();
      await form.getByText("2 rows can be added").waitFor();
      await assertFits(page);
      expect(await ask("{ aggregateBoat { count } }")).toEqual({ aggregateBoat: { count: 0 } });
      await form.getByRole("button", { name: "Import" }).click();
      await form.getByText("2 rows added").waitFor();
      expect(await ask(whole)).toEqual(before);
    });

    it("names each wrong row with its field and code before anything is written, and adds the others", async () => {
      const page = await visit("data/Boat", screen);
      const form = await choose(
        page,
        "boats.csv",
        "Name,crew,Tonnes,unknown\nCleo,3,7,x\nDora,many,8,x\nAda,1,1,x\nCleo,1,1,x\n,1,1,x\nElsa,0,1,x\n",
      );
      expect(await form.getByLabel("Field of Name").inputValue()).toBe("name");
      expect(await form.getByLabel("Field of unknown").inputValue()).toBe("");
      await form.getByRole("button", { name: "Check all rows" }).click();
      await form.getByText("2 rows can be added · 4 rows wrong").waitFor();
      const wrong = form.getByRole("region", { name: "Wrong rows" }).locator("tbody tr");
      expect(await wrong.allInnerTexts()).toEqual([
        "2\tcrew\tExpected a whole number (Int). VALUE_INVALID",
        expect.stringMatching(/^5\tname\t.* VALUE_MISSING$/s),
        "3\tname\tAnother Boat has name Ada already. KEY_TAKEN",
        "4\tname\tRow 1 has name Cleo too. KEY_TAKEN",
      ]);
      await assertFits(page);
      await form.getByRole("button", { name: "Import" }).click();
      await form.getByText("1 row added · 5 rows wrong").waitFor();
      await form.getByText("breaks @range(min: 1)").waitFor();
      expect(await ask("{ queryBoat(order: { asc: name }) { name tonnes } }")).toEqual({
        queryBoat: [
          { name: "Ada", tonnes: "9007199254740993" },
          { name: "Bea, the second", tonnes: null },
          { name: "Cleo", tonnes: 7 },
        ],
      });
    });
  });

  it("updates nodes that are there when it is asked to, and takes columns under other names", async () => {
    const page = await visit("data/Boat");
    const form = await choose(page, "boats.csv", "boat;weight\nAda;5\nZoe;6\n");
    await form.getByLabel("Field of boat").selectOption("name");
    await form.getByLabel("Field of weight").selectOption("tonnes");
    await form.getByLabel("Nodes that are there already").selectOption("update");
    await form.getByRole("button", { name: "Import" }).click();
    await form.getByText("2 rows added").waitFor();
    expect(await ask('{ getBoat(name: "Ada") { tonnes note crew } aggregateBoat { count } }')).toMatchObject({
      getBoat: { tonnes: 5, crew: 2 },
      aggregateBoat: { count: 3 },
    });
  });

  it("exports the chosen nodes with the columns that are shown", async () => {
    const page = await visit(`data/Boat?hide=note,rig,tonnes,built,tags,place,crew,mates,holds`);
    await page.getByLabel("Select Ada").check();
    expect((await exported(page, "CSV")).text).toBe("name,harbour\nAda,Kiel\n");
    expect((await exported(page, "NDJSON")).text).toBe('{"name":"Ada","harbour":{"name":"Kiel"}}\n');
  });

  it.each(screens)(
    "brings texts that look like formulas back as they were, guarded for spreadsheets when it is asked for, at $width px",
    async (screen) => {
      await ask('mutation { addBoat(input: [{ name: "=1+1", note: "\'@b" }, { name: "-5", note: "-2+3" }]) { numUids } }');
      const before = await ask(whole);
      const page = await visit("data/Boat?hide=rig,tonnes,built,tags,place,crew,mates,holds,harbour", screen);
      expect((await exported(page, "CSV")).text).toContain("\n=1+1,'@b\n");
      const form = await dialog(page, "Export…");
      await form.getByLabel("Safe for spreadsheets").check();
      await assertFits(page);
      const [download] = await Promise.all([page.waitForEvent("download"), form.getByRole("button", { name: "Export" }).click()]);
      const text = await readFile(await download.path(), "utf8");
      expect(text).toContain("\n'=1+1,''@b\n");
      expect(text).toContain("\n-5,'-2+3\n");
      await ask('mutation { updateBoat(input: { filter: {}, set: { note: "changed" } }) { numUids } }');
      const again = await choose(page, "Boat.csv", text);
      await again.getByLabel("Nodes that are there already").selectOption("update");
      await again.getByLabel("Safe for spreadsheets").check();
      await assertFits(page);
      await again.getByRole("button", { name: "Import" }).click();
      await again.getByText("4 rows added").waitFor();
      const notes = ({ queryBoat }: typeof before) =>
        queryBoat.map(({ name, note }: { readonly name: string; readonly note: string }) => [name, note]);
      // An empty cell is no value: it changes nothing.
      expect(notes(await ask(whole))).toEqual(notes(before).map(([name, note]: readonly string[]) => [name, note ?? "changed"]));
    },
  );

  it("writes many nodes into a file that the browser names while they are read, and leaves none when it is cancelled", async () => {
    const many = Array.from({ length: 10_050 }, (_, i) => ({ name: `h${String(i).padStart(5, "0")}` }));
    const add = "mutation ($input: [AddHarbourInput!]!) { addHarbour(input: $input) { numUids } }";
    await stack.kernel.execute({ query: add, variables: { input: many }, as: "system" });
    const page = await visit("data/Harbour");
    await page.getByRole("row").nth(5).waitFor();
    // A file of the origin itself stands in for that of the dialog, which no test can answer.
    await page.evaluate(
      "window.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })",
    );
    const saved: () => Promise<string> = () =>
      page.evaluate(
        "navigator.storage.getDirectory().then((folder) => folder.getFileHandle('Harbour.csv')).then((handle) => handle.getFile()).then((file) => file.text())",
      );
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pages = 0;
    await page.route("**/admin/graphql", async (route) => {
      if (route.request().postData()?.includes("1000") && ++pages === 3) await released;
      await route.continue().catch(() => {});
    });
    const first = await dialog(page, "Export…");
    await first.getByRole("button", { name: "Export" }).click();
    await first.getByText(/\d,000 nodes written/).waitFor();
    await first.getByRole("button", { name: "Cancel" }).click();
    release();
    await first.waitFor({ state: "detached" });
    expect(await saved()).toBe("");
    const second = await dialog(page, "Export…");
    await second.getByRole("button", { name: "Export" }).click();
    await second.waitFor({ state: "detached" });
    const lines = (await saved()).split("\n");
    expect([lines.length, lines[0]?.split(",")[0], lines.at(-1)]).toEqual([10_053, "name", ""]);
  });

  it("can be stopped; what was added until then stays and is said", async () => {
    const page = await visit("data/Harbour");
    const form = await choose(page, "harbours.ndjson", Array.from({ length: 250 }, (_, i) => `{"name":"h${i}"}`).join("\n"));
    let batches = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/admin/graphql", async (route) => {
      if (route.request().postData()?.includes("mutation Import") && ++batches === 2) await released;
      await route.continue();
    });
    await form.getByRole("button", { name: "Import" }).click();
    await form.getByText("100 rows read").waitFor();
    await form.getByRole("button", { name: "Stop" }).click();
    release();
    await form.getByText("200 rows added").waitFor();
    expect(await ask("{ aggregateHarbour { count } }")).toEqual({ aggregateHarbour: { count: 201 } });
  });

  it("says what is wrong with a file that has no rows, or lines that are no objects", async () => {
    const page = await visit("data/Boat");
    const form = await dialog(page, "Import…");
    await form.getByLabel("File").setInputFiles({ name: "empty.csv", mimeType: "text/csv", buffer: Buffer.from("name\n") });
    await form.getByText("The file has no rows.").waitFor();
    await form.getByLabel("File").setInputFiles({ name: "boats.ndjson", mimeType: "text/plain", buffer: Buffer.from('{"name":"Zoe"}\n[1]\n{"na') });
    await form.getByRole("button", { name: "Check all rows" }).click();
    await form.getByText("1 row can be added · 2 rows wrong").waitFor();
  });
});
