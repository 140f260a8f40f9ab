// A deployed schema whose plugin is no longer installed.

import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import { newPlace } from "../../support/storage.ts";

const trim: DirectivePlugin = { name: "trimmer", definitions: "directive @trim on FIELD_DEFINITION", model: () => undefined };
const schema = "type Boat { id: ID!  name: String @trim  port: String @trim }";

async function deployedOnce(): Promise<(plugins?: readonly DirectivePlugin[]) => Kernel> {
  const place = await newPlace();
  let last: Kernel | undefined;
  onTestFinished(async () => {
    await last?.close();
    await place.remove();
  });
  const kernel = (plugins: readonly DirectivePlugin[] = []) => {
    last = createKernel({ storage: place.storage(), plugins, log: { level: "silent" } });
    return last;
  };
  const before = kernel([trim]);
  await before.open();
  await before.deploy(schema);
  await before.execute({ query: 'mutation { addBoat(input: [{ name: "Ark", port: "Ararat" }]) { numUids } }' });
  await before.close();
  return kernel;
}

const waysOn =
  "Add the plugin to plugins in the configuration, or deploy a schema without @trim: quern deploy schema.graphql --data <dir> (or --config <file>).";

describe("a start without a plugin of the deployed schema", () => {
  it("fails with one error for each directive, which names its plugin and the next step", async () => {
    const kernel = await deployedOnce();
    await expect(kernel().open()).rejects.toMatchObject({
      code: "PLUGIN_MISSING",
      message: `The schema that is deployed in the store (no file) uses @trim, which no installed plugin defines; the plugin "trimmer" defined it when the schema was deployed.\n${waysOn}`,
    });
    const again = kernel([trim]);
    await again.open();
    expect(again.deployment?.document).toBe(schema);
  });

  it("reports that the plugin is unknown for an older deployment", async () => {
    const kernel = await deployedOnce();
    const older = kernel([trim]);
    await older.open();
    const version = older.deployment?.version ?? 0;
    await older.storage.transact((transaction) => transaction.setMeta("directivePlugins", null), { version });
    await older.close();
    await expect(kernel().open()).rejects.toMatchObject({
      message: expect.stringContaining("no installed plugin defines; the name of its plugin is unknown."),
    });
  });

  it("is possible in order to replace that schema: nothing is served until then, and the data stay", async () => {
    const kernel = await deployedOnce();
    const replacing = kernel();
    await replacing.open({ replacing: true });
    expect(replacing.deployment).toBeUndefined();
    await replacing.deploy(schema.replaceAll(" @trim", ""));
    const { body } = await replacing.execute({ query: "{ queryBoat { name port } }" });
    expect(JSON.parse(body).data).toEqual({ queryBoat: [{ name: "Ark", port: "Ararat" }] });
    await replacing.close();
    const plain = kernel();
    await plain.open();
    expect(plain.schemaUpdateCounter).toBe(2);
  });
});
