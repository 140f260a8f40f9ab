// Mutations that a deploy overtakes: planned again for the new schema, and written once.

import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { newPlace } from "../support/storage.ts";

const schemas = [
  "type Boat { id: ID! name: String! @id }",
  "type Boat { id: ID! name: String! @id length: Int }",
  "type Boat { id: ID! name: String! @id sails: [String] }  type Raft { id: ID! name: String }",
] as const;

async function openKernel(): Promise<Kernel> {
  const place = await newPlace();
  const kernel = createKernel({ storage: place.storage(), plugins: [identityPlugin()], log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await place.remove();
  });
  await kernel.open();
  return kernel;
}

async function answer(kernel: Kernel, query: string) {
  return JSON.parse((await kernel.execute({ query })).body);
}

/** Writers that add boats until `done`. @returns names and errors */
async function writing(kernel: Kernel, done: () => boolean, mutation: (name: string) => string) {
  const added: string[] = [];
  const failed: string[] = [];
  const writer = async (who: number) => {
    for (let i = 0; !done(); i++) {
      const name = `${who}-${i}`;
      const { errors } = await answer(kernel, mutation(name));
      if (errors === undefined) added.push(name);
      else failed.push(errors[0].message);
      // A refusal takes no turn of the event loop, and the deploy needs some.
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: 6 }, (_, who) => writer(who)));
  return { added, failed };
}

describe("a mutation during deploys", () => {
  it("does not fail when it is valid before and after, and is written once", async () => {
    const kernel = await openKernel();
    await kernel.deploy(schemas[0]);
    let isDone = false;
    const written = writing(
      kernel,
      () => isDone,
      (name) => `mutation { addBoat(input: [{ name: "${name}" }]) { numUids boat { name } } }`,
    );
    for (let i = 1; i <= 3; i++) await kernel.deploy(schemas[i % 3] ?? "");
    isDone = true;
    const { added, failed } = await written;
    expect(failed).toEqual([]);
    const { data } = await answer(kernel, "{ queryBoat { name } }");
    expect(data.queryBoat.map((each: { name: string }) => each.name).sort()).toEqual([...added].sort());
  });

  it("is refused in the words of the new schema when that does not know what it writes", async () => {
    const kernel = await openKernel();
    await kernel.deploy(schemas[1]);
    let isDone = false;
    const written = writing(
      kernel,
      () => isDone,
      (name) => `mutation { addBoat(input: [{ name: "${name}", length: 3 }]) { numUids } }`,
    );
    await kernel.deploy(schemas[0]);
    isDone = true;
    const { failed } = await written;
    // The wording of version 16 of `graphql`, and of version 17.
    const unknownLength = /Field "length" is not defined by type "AddBoatInput"|"AddBoatInput" not to include unknown field "length"/;
    for (const message of failed) expect(message).toMatch(unknownLength);
  });

  it("with several fields runs each once", async () => {
    const kernel = await openKernel();
    await kernel.deploy(schemas[0]);
    let isDone = false;
    const written = writing(
      kernel,
      () => isDone,
      (name) => `mutation { a: addBoat(input: [{ name: "${name} a" }]) { numUids } b: addBoat(input: [{ name: "${name} b" }]) { numUids } }`,
    );
    for (let i = 1; i <= 2; i++) await kernel.deploy(schemas[i % 3] ?? "");
    isDone = true;
    const { added, failed } = await written;
    // Only the second field can be overtaken for good: the first one is committed, and must not run again.
    for (const message of failed) expect(message).toContain("another schema was deployed meanwhile; try again");
    const { data } = await answer(kernel, "{ queryBoat { name } }");
    const names: string[] = data.queryBoat.map((each: { name: string }) => each.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of added) for (const field of ["a", "b"]) expect(names).toContain(`${name} ${field}`);
  });
});
