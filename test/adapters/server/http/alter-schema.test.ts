// A schema of DQL at `/alter`: applications of Dgraph send theirs at each start.

import { describe, expect, it, onTestFinished } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import { aclPlugin } from "../../../../plugins/acl/index.ts";
import { type TemporaryConfig, temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

const schema = `
  type Mill { id: ID!  name: String! @search(by: [term, exact])  note: String  stones: Int @search  tags: [String]  weirs: [Weir] }
  type Weir { code: String! @id  built: DateTime }
`;
const success = { data: { code: "Success", message: "Done" } };

async function served(config: TemporaryConfig = {}) {
  const stack = await temporaryKernel(config);
  onTestFinished(() => stack.remove());
  await stack.kernel.deploy(schema);
  return async (body: string, headers: Readonly<Record<string, string>> = {}, from = "127.0.0.1") =>
    json(await ask(stack.kernel, { path: "/alter", body, headers, from }));
}

const refused = (...parts: readonly string[]) => ({ errors: [{ message: expect.stringContaining(`: ${parts.join("; ")}. `) }] });

describe("a schema of DQL", () => {
  it("succeeds where the served schema has its types, indexes and fields, however it is written", async () => {
    const alter = await served();
    expect(
      await alter(`
        # what the application needs
        Mill.name: string @index(term, exact) @count .
        <Mill.stones>:int @index(int) .  Mill.note: default .
        Mill.tags: [string] .
        Mill.weirs: [uid] .
        Weir.code: string @index(hash) @upsert .
        Weir.built: dateTime .
        type Mill { Mill.name
          Mill.weirs: [Weir] }
        type <Weir> {
          <Weir.code>
        }`),
    ).toEqual(success);
  });

  it("is refused with all that the served schema lacks", async () => {
    const alter = await served();
    expect(await alter("Mill.name: string @index(fulltext) @lang .")).toMatchObject(
      refused("Mill.name has no index fulltext", "Mill.name has no @lang"),
    );
    expect(await alter("Mill.stones: float .\nMill.tags: string .")).toMatchObject(
      refused("Mill.stones is int and not float", "Mill.tags is [string] and not string"),
    );
    expect(await alter("Mill.roof: string .\ntype Mill {\n Mill.name\n Mill.roof\n}\ntype Roof {\n}")).toMatchObject(
      refused("no field is stored as Mill.roof", "the type Mill has no Mill.roof", "there is no type Roof"),
    );
    expect(await alter("Mill.note: string @unique @index(hash) .")).toMatchObject(refused("Mill.note has no index hash", "Mill.note has no @unique"));
  });

  it("needs no right to drop data, which the same path asks for to drop some", async () => {
    const token = "a-token-of-more-than-32-characters-0123456789";
    const alter = await served({ admin: { token } });
    const away = (body: string) => alter(body, { "x-dgraph-authtoken": token }, "10.1.2.3");
    expect(await away("Mill.note: string .")).toEqual(success);
    expect(await away('{"drop_attr": "Mill.note"}')).toMatchObject({ errors: [{ message: expect.stringContaining("admin.drop") }] });
  });

  it("needs the rights of one who changes it", async () => {
    const alter = await served({ plugins: [...standardPlugins(), aclPlugin({ secret: "x".repeat(32) })] });
    expect(await alter("Mill.note: string .")).toMatchObject({ errors: [{ message: expect.stringContaining("no accessJwt available") }] });
    expect(await alter("type Mill {\n Mill.note\n}")).toMatchObject({ errors: [{ message: expect.stringContaining("no accessJwt available") }] });
  });

  it("is no schema when anything in it cannot be read", async () => {
    const alter = await served();
    for (const body of ["Mill.note: string", "Mill.note: string . and more", "type Mill {", "Mill.note string ."]) {
      expect(await alter(body), body).toMatchObject({ errors: [{ message: expect.stringContaining("The body must be") }] });
    }
  });
});
