import { describe, expect, it } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { QuernError } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { temporaryKernel } from "../../support/kernel.ts";
import { served } from "./served.ts";

async function problems(schema: string): Promise<readonly string[]> {
  const at = await temporaryKernel();
  try {
    return (await at.kernel.validate(schema)).map(({ message, locations }: QuernError) => `${locations?.[0]?.line ?? "-"}: ${message}`);
  } finally {
    await at.remove();
  }
}

async function apiOf(schema: string, plugins: readonly DirectivePlugin[]): Promise<string | undefined> {
  const at = await temporaryKernel({ plugins });
  try {
    await at.kernel.deploy(schema);
    return at.kernel.deployment?.api.sdl;
  } finally {
    await at.remove();
  }
}

describe("@file", () => {
  it("is for single fields of the type File, with sizes and types that can be", async () => {
    expect(
      await problems(`type Photo {
        id: ID!
        a: String @file
        b: [File] @file
        c: File @file(types: ["png"])
        d: File @file(maxBytes: 0)
        e: File
      }`),
    ).toEqual([
      "3: Type Photo; Field a: @file is for fields of the type File.",
      "4: Type Photo; Field b: @file is for one file. For several, make a type with a File and link to it.",
      '5: Type Photo; Field c: @file(types:) has "png", which is no media type; write image/png or image/*.',
      "6: Type Photo; Field d: @file(maxBytes:) must be at least 1.",
      "7: Type Photo; Field e: a field of the type File needs @file.",
    ]);
  });

  it("does not go with a type File of the schema's own", async () => {
    expect(await problems("type File { name: String }\ntype Photo { id: ID!  image: File @file }")).toEqual([
      "2: A schema with @file gets the type File from it, and this one defines another.",
    ]);
  });

  it("leaves a schema without it as it is, also one with a type File of its own", async () => {
    const own = "type File { id: ID!  name: String }";
    expect(await problems(own)).toEqual([]);
    const plain = standardPlugins().filter(({ name }) => name !== "files");
    expect(await apiOf(own, standardPlugins())).toBe(await apiOf(own, plain));
  });

  it("gives no way to files but by the objects that have them", async () => {
    const { ask } = await served();
    const { data } = await ask(
      '{ queries: __type(name: "Query") { fields { name } }  input: __type(name: "FileRef") { inputFields { name type { name } } } }',
    );
    expect(data.queries.fields.map(({ name }: { name: string }) => name)).toEqual(["getPhoto", "queryPhoto", "aggregatePhoto"]);
    expect(data.input).toEqual({ inputFields: [{ name: "upload", type: { name: "Upload" } }] });
  });
});
