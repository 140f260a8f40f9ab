// The index kind of the example, beside built-in ones.

import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IndexKind, searchPlugin } from "../../../plugins/search/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

const built = existsSync(new URL("../../../dist/plugins/search/index.js", import.meta.url));
if (!built) console.info("SKIPPED: the example imports the built package; build it with npm run build.");

describe.skipIf(!built)("@search(by: [soundex])", () => {
  let stack: TemporaryKernel;
  let codeOf: (word: string) => string;
  beforeAll(async () => {
    const example: { readonly soundex: IndexKind; readonly codeOf: (word: string) => string } = await import(
      // Not of the project's types: it is what somebody else writes.
      new URL("../../../examples/soundex-kind/soundex.mjs", import.meta.url).href
    );
    codeOf = example.codeOf;
    stack = await temporaryKernel({ plugins: [searchPlugin({ kinds: [example.soundex] })] });
    await stack.kernel.deploy("type Person { name: String @search(by: [soundex, term])  nicknames: [String] @search(by: [soundex]) }");
    await ask(`mutation { addPerson(input: [
      { name: "Robert Smith", nicknames: ["Bob", "Smitty"] } { name: "Rupert Smyth" } { name: "Rubin Smith", nicknames: [] } { name: "42" } { name: "" } {}
    ]) { numUids } }`);
  });
  afterAll(() => stack.remove());

  async function ask(query: string): Promise<unknown> {
    const { data, errors } = JSON.parse((await stack.kernel.execute({ query })).body);
    expect(errors).toBeUndefined();
    return data;
  }

  async function names(filter: string): Promise<readonly string[]> {
    const { queryPerson } = (await ask(`{ queryPerson(filter: ${filter}) { name } }`)) as { queryPerson: { name: string }[] };
    return queryPerson.map(({ name }) => name);
  }

  it.each([
    ["Robert", "R163"],
    ["Rupert", "R163"],
    ["Rubin", "R150"],
    ["Ashcraft", "A261"],
    ["Tymczak", "T522"],
    ["Pfister", "P236"],
    ["Honeyman", "H555"],
    ["Müller", "M460"],
    ["42", ""],
  ])("%s sounds like %s", (word, code) => {
    expect(codeOf(word)).toBe(code);
  });

  it("matches texts in which all words sound alike", async () => {
    expect(await names('{ name: { soundsLike: "RUPERT smith" } }')).toEqual(["Robert Smith", "Rupert Smyth"]);
    expect(await names('{ name: { soundsLike: "smith" } }')).toEqual(["Robert Smith", "Rupert Smyth", "Rubin Smith"]);
  });

  it("matches nothing for an operand without letters", async () => {
    expect(await names('{ name: { soundsLike: "42" } }')).toEqual([]);
    expect(await names('{ name: { soundsLike: "" } }')).toEqual([]);
  });

  it("can be combined with other kinds on one field", async () => {
    expect(await names('{ name: { soundsLike: "smith", anyofterms: "smyth rubin" } }')).toEqual(["Rupert Smyth", "Rubin Smith"]);
  });

  it("matches any value of a list, in aggregates too", async () => {
    expect(await ask('{ aggregatePerson(filter: { nicknames: { soundsLike: "smithy" } }) { count } }')).toEqual({ aggregatePerson: { count: 1 } });
  });

  it("maintains the index", async () => {
    await ask('mutation { updatePerson(input: { filter: { name: { soundsLike: "rubin" } }, set: { name: "Ruprecht" } }) { numUids } }');
    expect(await names('{ name: { soundsLike: "rubin" } }')).toEqual([]);
    expect(await names('{ name: { soundsLike: "rubrecht" } }')).toEqual(["Ruprecht"]);
  });
});
