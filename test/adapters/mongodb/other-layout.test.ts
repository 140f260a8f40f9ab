// Servers of one database whose plugins lay the schema out in different ways.

import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";
import { eventually } from "./eventually.ts";

const schema = "type Film { id: ID! title: String! @id @search(by: [fulltext]) }";

/** Makes kernels on one database, not open. */
async function site(): Promise<(language: string) => Kernel> {
  const place = await mongodbPlace();
  const made: Kernel[] = [];
  onTestFinished(async () => {
    for (const each of made) await each.close();
    await place.remove();
  });
  return (language) => {
    const plugins = [identityPlugin(), searchPlugin({ language })];
    const kernel = createKernel({ storage: place.storage(), plugins, log: { level: "silent" } });
    made.push(kernel);
    return kernel;
  };
}

async function answer(kernel: Kernel, query: string): Promise<unknown> {
  const { extensions: _, ...rest } = JSON.parse((await kernel.execute({ query })).body);
  return rest;
}

const add = (title: string) => `mutation { addFilm(input: [{ title: "${title}" }]) { numUids } }`;
const added = { data: { addFilm: { numUids: 1 } } };

describe("a server that starts with another layout than the deployed one", () => {
  it("is refused, which names what differs, and the others go on writing", async () => {
    const kernelOf = await site();
    const running = kernelOf("en");
    await running.open();
    await running.deploy(schema);
    const before = await running.storage.deployed();
    const other = kernelOf("de");
    await expect(other.open()).rejects.toMatchObject({
      code: "MIGRATION_REFUSED",
      message: expect.stringMatching(/index Film\.title\/\S+ differs/),
      hint: expect.stringContaining("--take-over"),
    });
    expect(await running.storage.deployed()).toEqual(before);
    expect(await answer(running, add("Mills"))).toEqual(added);
  });

  it("serves when it is allowed to replace the layout; the others then refuse writes and keep reading, also when they start again", async () => {
    const kernelOf = await site();
    const running = kernelOf("en");
    await running.open();
    await running.deploy(schema);
    await answer(running, add("Häuser"));
    const other = kernelOf("de");
    await other.open({ replaceLayout: true });
    expect(await answer(other, `{ queryFilm(filter: { title: { alloftext: "haus" } }) { title } }`)).toEqual({
      data: { queryFilm: [{ title: "Häuser" }] },
    });
    await eventually(async () => JSON.stringify(await answer(running, add("Mills"))).includes("another schema was deployed"));
    expect(await answer(running, "{ queryFilm { title } }")).toEqual({ data: { queryFilm: [{ title: "Häuser" }] } });
    await running.close();
    await expect(running.open()).rejects.toMatchObject({ code: "MIGRATION_REFUSED" });
    expect(await answer(other, add("Mills"))).toEqual(added);
  });

  it("can be opened to deploy a schema, which replaces the layout", async () => {
    const kernelOf = await site();
    const running = kernelOf("en");
    await running.open();
    await running.deploy(schema);
    await answer(running, add("Häuser"));
    await running.close();
    const other = kernelOf("de");
    await other.open({ replacing: true });
    expect(other.deployment).toBeUndefined();
    await other.deploy(schema);
    expect(await answer(other, `{ queryFilm(filter: { title: { alloftext: "haus" } }) { title } }`)).toEqual({
      data: { queryFilm: [{ title: "Häuser" }] },
    });
  });
});
