// Types that are made by clicking: each click edits the schema text, which keeps everything else as it is written.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type NewField, withAccess, withField, withLink, withoutField, withType } from "../../../adapters/console/app/model/type-edits.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import type { Listening } from "../../../core/transport.ts";
import { line } from "../../plugins/auth/token.ts";
import { chromiumPath } from "../../support/chromium.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";
import { assertFits, consoleBrowser, screens } from "./console-browser.ts";

const text = `# Boats of the club.
type Boat { name: String! @id  owner: String }

"""Where boats lie."""
type Harbour @withSubscription {
  name: String! @id # a comment
  "deep enough?"
  depth: Int
}
`;

const field: NewField = { name: "tonnes", named: "Int64", isList: false, isRequired: true, directives: ["@search"] };

describe("edits of a schema text", () => {
  it("add a field at the end of its type, on a line of its own where the type has lines", () => {
    expect(withField(text, "Boat", field)).toBe(text.replace("owner: String }", "owner: String  tonnes: Int64! @search }"));
    expect(withField(text, "Harbour", field)).toBe(text.replace("  depth: Int\n}", "  depth: Int\n  tonnes: Int64! @search\n}"));
  });

  it("remove a field with its description, and leave comments and other types alone", () => {
    expect(withoutField(text, "Harbour", "depth")).toBe(text.replace('  "deep enough?"\n  depth: Int\n', ""));
    expect(withoutField(text, "Boat", "name")).toBe(text.replace("name: String! @id  owner", "owner"));
    expect(withoutField(text, "Boat", "depth")).toBe(text);
  });

  it("add a type after the last one, before the line that says whose tokens count", () => {
    expect(withType(`${text}${line}\n`, "Crew", [field])).toBe(`${text.trimEnd()}\n\ntype Crew {\n  tonnes: Int64! @search\n}\n${line}\n`);
    expect(withType("", "Crew", [field])).toBe("type Crew {\n  tonnes: Int64! @search\n}\n");
    expect(withType("# Nothing yet.\n", "Crew", [field])).toBe("type Crew {\n  tonnes: Int64! @search\n}\n\n# Nothing yet.\n");
  });

  it("add a link and its inverse, also from a type to itself", () => {
    const linked = withLink(
      text,
      "Boat",
      { ...field, name: "harbour", named: "Harbour", isRequired: false, directives: [] },
      { name: "boats", isList: true },
    );
    expect(linked).toContain("harbour: Harbour @hasInverse(field: boats)");
    expect(linked).toContain("\n  boats: [Boat]\n}");
    const own = withLink(
      text,
      "Harbour",
      { ...field, name: "near", named: "Harbour", isRequired: false, directives: [] },
      { name: "nearOf", isList: true },
    );
    expect(own).toContain("  near: Harbour @hasInverse(field: nearOf)\n  nearOf: [Harbour]\n}");
  });

  it("write rules behind the other directives of a type, with the index that the rule of an owner needs", () => {
    expect(withAccess(text, "Harbour", { kind: "role", claim: "ROLE", role: "ADMIN" })).toContain(
      "type Harbour @withSubscription @auth(\n    query: {",
    );
    expect(withAccess(text, "Boat", { kind: "owner", field: "owner", claim: "USER" })).toContain("owner: String @search(by: [hash]) }");
    expect(withAccess(text, "Boat", { kind: "owner", field: "name", claim: "USER" })).not.toContain("@search");
    expect(withAccess(text, "Boat", { kind: "public to read", claim: "ROLE", role: "ADMIN" })).not.toContain("query:");
  });
});

describe.runIf(chromiumPath !== undefined)("types in the console", () => {
  let stack: TemporaryKernel;
  let server: Listening;
  beforeAll(async () => {
    stack = await temporaryKernel({ admin: { token: "desk" } });
    server = await wsTransport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
  });
  afterAll(async () => {
    await server?.close(0);
    await stack?.remove();
  });
  beforeEach(async () => {
    await stack.kernel.erase({ kind: "all" });
    await stack.kernel.deploy(`${text.replace(" @withSubscription", "")}${line}\n`);
  });
  const { visit } = consoleBrowser(() => server.url);

  it.each(screens)("are made, linked and protected by clicking, and deployed as the text says, at $width px", async (screen) => {
    const page = await visit("schema", screen);
    await page.getByRole("tab", { name: "Types" }).click();
    await page.getByRole("button", { name: "+ Type" }).click();
    const made = page.getByRole("dialog", { name: "New type" });
    await made.getByLabel("Name", { exact: true }).fill("Boat");
    await page.keyboard.press("Enter");
    await page.getByText("There is Boat already.").waitFor();
    await made.getByLabel("Name", { exact: true }).fill("Sailor");
    await made.getByLabel("Key").fill("email");
    await assertFits(page);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add a field to Sailor" }).click();
    const form = page.getByRole("dialog", { name: "New field of Sailor" });
    await form.getByLabel("Name", { exact: true }).fill("boat");
    await form.getByLabel("Kind").selectOption("Boat");
    await form.getByLabel("Inverse").fill("crew");
    await assertFits(page);
    await form.getByRole("button", { name: "Add" }).click();
    await page.getByRole("button", { name: "Add a field to Sailor" }).click();
    await form.getByLabel("Name", { exact: true }).fill("born");
    await form.getByLabel("Kind").selectOption("DateTime");
    await form.getByLabel("Filters").selectOption("year");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Access to Boat" }).click();
    await page.getByLabel("Field with the owner").selectOption("owner");
    await page.getByLabel("Claim of the token").fill("WHO");
    await assertFits(page);
    await page.getByRole("button", { name: "Write the rules" }).click();
    await page.getByRole("button", { name: "Remove Harbour.depth" }).click();
    await page.getByText("A deploy changes this:").waitFor();
    await assertFits(page);
    await page.getByRole("button", { name: "Deploy" }).click();
    await page.getByText("Deployed in").waitFor();
    const ask = async (query: string) => JSON.parse((await stack.kernel.execute({ query, as: "system" })).body);
    expect(
      await ask(`mutation { addSailor(input: [{ email: "ann@sea", born: "1990-01-01T00:00:00Z", boat: { name: "Ada", owner: "ann" } }]) { numUids }
        addHarbour(input: [{ name: "Kiel" }]) { numUids } }`),
    ).not.toHaveProperty("errors");
    expect((await ask('{ querySailor(filter: { born: { lt: "2000-01-01T00:00:00Z" } }) { boat { crew { email } } } }')).data).toEqual({
      querySailor: [{ boat: { crew: [{ email: "ann@sea" }] } }],
    });
    expect(JSON.parse((await stack.kernel.execute({ query: "{ queryBoat { name } }" })).body).data).toEqual({ queryBoat: [] });
    expect(await ask("{ queryHarbour { depth } }")).toHaveProperty("errors");
  });

  it("wait while the text has an error", async () => {
    const page = await visit("schema");
    await page.getByRole("textbox", { name: "Schema" }).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\ntype {");
    await page.getByRole("tab", { name: "Types" }).click();
    await page.getByText("The text has an error").waitFor();
    await page.getByRole("button", { name: "Revert" }).click();
    await page.getByRole("tab", { name: "Types" }).click();
    await page.getByRole("button", { name: "Add a field to Boat" }).waitFor();
  });
});
