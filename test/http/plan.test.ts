// A developer may ask how an answer was come by.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { leveldbStorage } from "../../adapters/level/index.ts";
import { createKernel, parseJson } from "../../core/index.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";

async function extensionsOf(debug: boolean): Promise<unknown> {
  const path = await mkdtemp(join(tmpdir(), "quern-plan-"));
  const kernel = createKernel({ storage: leveldbStorage({ path }), plugins: [identityPlugin()], debug });
  try {
    await kernel.open();
    await kernel.deploy("type Mill { name: String! @id  stones: Int }");
    const body = Buffer.from(JSON.stringify({ query: `{ queryMill(order: { desc: stones }, first: 3) { name } }`, extensions: { plan: true } }));
    const { body: answer } = await kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
    return (parseJson(String(answer)) as { extensions?: unknown }).extensions;
  } finally {
    await kernel.close();
    await rm(path, { recursive: true });
  }
}

it("shows the plan in debug mode when the request asks for it", async () => {
  expect(await extensionsOf(true)).toEqual({ plan: expect.arrayContaining([expect.stringContaining("Mill")]) });
});

it("never shows it otherwise", async () => {
  expect(await extensionsOf(false)).toBeUndefined();
});
