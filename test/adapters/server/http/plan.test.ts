// A developer may ask how an answer was come by.

import { expect, it } from "vitest";
import { parseJson } from "../../../../core/index.ts";
import { temporaryKernel } from "../../../support/kernel.ts";

async function extensionsOf({ debug }: { readonly debug: boolean }): Promise<unknown> {
  const { kernel, remove } = await temporaryKernel({ debug });
  try {
    await kernel.deploy("type Mill { name: String! @id  stones: Int }");
    const body = Buffer.from(JSON.stringify({ query: `{ queryMill(order: { desc: stones }, first: 3) { name } }`, extensions: { plan: true } }));
    const { body: answer } = await kernel.http({ method: "POST", url: "/graphql", headers: { "content-type": "application/json" }, body });
    return (parseJson(String(answer)) as { extensions?: unknown }).extensions;
  } finally {
    await remove();
  }
}

it("shows the plan in debug mode when the request asks for it", async () => {
  expect(await extensionsOf({ debug: true })).toEqual({ plan: expect.arrayContaining([expect.stringContaining("Mill")]) });
});

it("never shows it otherwise", async () => {
  expect(await extensionsOf({ debug: false })).toBeUndefined();
});
