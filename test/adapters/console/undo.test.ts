// Changes of many nodes in the console, and what is taken back: deletions with their links, values of each node.

import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const schema = `interface Thing { id: ID!  name: String! @id }
type Boat implements Thing { tags: [String]  tonnes: Int64  home: Point  berth: Berth  crew: [Sailor] @hasInverse(field: boat)  mates: [Boat] }
type Buoy implements Thing { tonnes: Float }
type Berth { number: String! @id  boat: Boat @hasInverse(field: berth) }
type Sailor { id: ID!  name: String!  boat: Boat }
type Fleet { name: String! @id  boats: [Boat] }
type Keeper @secret(field: "code") { name: String! @id }
`;

describe.runIf(chromiumPath !== undefined)("undo in the console", () => {
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
      addBerth(input: [{ number: "1" }, { number: "2" }]) { numUids }
      addBoat(input: [
        { name: "Ada", tags: ["red", "old"], tonnes: 9007199254740993, home: { longitude: 1.5, latitude: 2 }, berth: { number: "1" }, crew: [{ name: "Ann" }, { name: "Bob" }], mates: [{ name: "Bea" }] }
        { name: "Bea", tonnes: 2, mates: [{ name: "Ada" }] }
        { name: "Cleo" }
      ]) { numUids }
      addBuoy(input: [{ name: "Pin", tonnes: 0.5 }]) { numUids }
      addFleet(input: [{ name: "north", boats: [{ name: "Ada" }] }]) { numUids }
    }`);
  });
  const { visit } = consoleBrowser(() => server.url);
  const ask = async (query: string) => {
    const answer = JSON.parse((await stack.kernel.execute({ query, as: "system" })).body.replaceAll("9007199254740993", '"9007199254740993"'));
    expect(answer).not.toHaveProperty("errors");
    return answer.data;
  };
  const select = async (page: Page, ...names: readonly string[]) => {
    for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  };
  const undo = (page: Page) => page.getByRole("button", { name: "Undo", exact: true }).click();
  const whole =
    "{ queryBoat { name tags tonnes home { longitude latitude } berth { number boat { name } } crew { name boat { name } } mates { name } } }";

  it.each(screens)("brings deleted nodes back with their values and their links to others and to each other, at $width px", async (screen) => {
    const before = await ask(whole);
    const page = await visit("data/Boat", screen);
    await select(page, "Ada", "Bea");
    await page.getByRole("button", { name: "Delete 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 2 nodes?" });
    await dialog.getByText("but for the ids, which are new, links of Boat.mates, links of Fleet.boats").waitFor();
    await assertFits(page);
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted 2 nodes.").waitFor();
    expect((await ask("{ queryBoat { name } }")).queryBoat).toEqual([{ name: "Cleo" }]);
    await undo(page);
    await page.getByText("Taken back: Deleted 2 nodes.", { exact: true }).waitFor();
    const sorted = ({ queryBoat }: { readonly queryBoat: readonly { readonly name: string }[] }) =>
      [...queryBoat].sort((one, other) => one.name.localeCompare(other.name));
    expect(sorted(await ask(whole))).toEqual(sorted(before));
  });

  it("leaves out links that others have set since, and those to what is gone, and says so", async () => {
    const page = await visit("data/Boat/Ada");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted Ada.").waitFor();
    await ask('mutation { updateBoat(input: { filter: { name: { eq: "Cleo" } }, set: { berth: { number: "1" } } }) { numUids } }');
    await ask('mutation { deleteBoat(filter: { name: { eq: "Bea" } }) { numUids } }');
    await undo(page);
    await page.getByText("Left out: boat of 1 is Cleo now; Bea is gone.").waitFor();
    await assertFits(page);
    expect(await ask('{ getBoat(name: "Ada") { berth { number } mates { name } crew { name } } getBerth(number: "1") { boat { name } } }')).toEqual({
      getBoat: { berth: null, mates: [], crew: [{ name: "Ann" }, { name: "Bob" }] },
      getBerth: { boat: { name: "Cleo" } },
    });
  });

  it("does not overwrite a node that somebody has made since under the same key", async () => {
    const page = await visit("data/Boat/Cleo");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted Cleo.").waitFor();
    await ask('mutation { addBoat(input: [{ name: "Cleo", tonnes: 7 }]) { numUids } }');
    await undo(page);
    await page.getByText("Not taken back: Deleted Cleo.").waitFor();
    expect(await ask('{ getBoat(name: "Cleo") { tonnes } }')).toEqual({ getBoat: { tonnes: 7 } });
  });

  it("brings back nodes of several types that one interface shows", async () => {
    const page = await visit("data/Thing");
    await page.getByLabel("Select all Thing nodes").check();
    await page.getByRole("button", { name: "Delete 4" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("Deleted 4 nodes.").waitFor();
    await undo(page);
    await page.getByText("Taken back: Deleted 4 nodes.").waitFor();
    expect(await ask("{ queryBuoy { name tonnes } aggregateBoat { count } }")).toEqual({
      queryBuoy: [{ name: "Pin", tonnes: 0.5 }],
      aggregateBoat: { count: 3 },
    });
  });

  it("says before that a deletion cannot be undone where a value that is needed cannot be read", async () => {
    await ask('mutation { addKeeper(input: [{ name: "Kim", code: "secret" }]) { numUids } }');
    const page = await visit("data/Keeper/Kim");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByText("This cannot be undone.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Undo", exact: true }).count()).toBe(0);
  });

  it.each(screens)(
    "sets one field of many nodes, and gives each its own value back but for those that others have changed, at $width px",
    async (screen) => {
      const page = await visit("data/Boat", screen);
      await page.getByLabel("Select all Boat nodes").check();
      await page.getByRole("button", { name: "Edit 3" }).click();
      const dialog = page.getByRole("dialog", { name: "Edit 3 Boat nodes" });
      await dialog.getByLabel("Field").selectOption("tonnes");
      await dialog.getByLabel("New value").fill("50");
      await assertFits(page);
      await page.keyboard.press("Enter");
      await page.getByText("Changed tonnes of 3 nodes.").waitFor();
      expect((await ask("{ queryBoat { tonnes } }")).queryBoat).toEqual([{ tonnes: 50 }, { tonnes: 50 }, { tonnes: 50 }]);
      await ask('mutation { updateBoat(input: { filter: { name: { eq: "Bea" } }, set: { tonnes: 60 } }) { numUids } }');
      await undo(page);
      await page.getByText("1 node stayed: others have changed tonnes since, or the node is gone.").waitFor();
      expect((await ask("{ queryBoat { name tonnes } }")).queryBoat).toEqual([
        { name: "Ada", tonnes: "9007199254740993" },
        { name: "Bea", tonnes: 60 },
        { name: "Cleo", tonnes: null },
      ]);
    },
  );

  it("asks for the number of nodes above a hundred, in deletions and edits alike; a hundred need none", async () => {
    const boats = Array.from({ length: 98 }, (_, i) => `{ name: "b${i}" }`);
    await ask(`mutation { addBoat(input: [${boats}]) { numUids } }`);
    const page = await visit("data/Boat");
    await page.locator(`[data-cell="0.0"]`).click();
    await page.locator(".panel").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(`[data-cell="0.0"]`).focus();
    await page.keyboard.press("Control+a");
    await page.getByRole("button", { name: "Delete 101" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await dialog.getByText("Type 101 into the field to confirm.").waitFor();
    await assertFits(page);
    await dialog.getByLabel("Type 101 to confirm").fill("101");
    await page.keyboard.press("Enter");
    await page.getByText("Deleted 101 nodes.").waitFor();
    await undo(page);
    await page.getByText("Taken back: Deleted 101 nodes.").waitFor();
    await ask('mutation { deleteBoat(filter: { name: { eq: "Cleo" } }) { numUids } }');
    await page.getByText("100 nodes", { exact: true }).waitFor();
    await page.getByLabel("Select all Boat nodes").check();
    await page.getByRole("button", { name: "Edit 100" }).click();
    expect(await page.getByRole("dialog").getByLabel("to confirm").count()).toBe(0);
  });
});
