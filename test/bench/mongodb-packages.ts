// The data of the benches on MongoDB: 20,000 packages of 200 people.

import assert from "node:assert/strict";
import { mongodbStorage } from "../../adapters/mongodb/index.ts";
import type { Kernel } from "../../core/index.ts";
import type { DirectivePlugin } from "../../core/plugin.ts";
import type { Storage } from "../../core/storage.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";
import { searchPlugin } from "../../plugins/search/index.ts";
import { subscriptionPlugin } from "../../plugins/subscription/index.ts";

export const packages = 20_000;
export const schema = `
  type Package @withSubscription { id: ID! name: String! @id size: Int @search section: String @search(by: [hash]) summary: String @search(by: [term])
                 maintainer: Person @hasInverse(field: packages) }
  type Person { id: ID! name: String! @id packages: [Package] }`;

export function packageStack(uri: string): {
  readonly storage: Storage;
  readonly plugins: readonly DirectivePlugin[];
  readonly log: { readonly level: "silent" };
} {
  return {
    storage: mongodbStorage({ uri, database: "bench" }),
    plugins: [identityPlugin(), searchPlugin(), subscriptionPlugin()],
    log: { level: "silent" },
  };
}

export async function fill(kernel: Kernel): Promise<void> {
  await kernel.deploy(schema);
  for (let from = 0; from < packages; from += 1_000) {
    const input = Array.from({ length: 1_000 }, (_, i) => from + i).map((n) => ({
      name: `p${n}`,
      size: (n * 7_919) % 100_003,
      section: `s${n % 40}`,
      summary: `stone w${n % 500} mill`,
      maintainer: { name: `m${n % 200}` },
    }));
    const { body } = await kernel.execute({
      query: "mutation ($input: [AddPackageInput!]!) { addPackage(input: $input, upsert: true) { numUids } }",
      variables: { input },
    });
    assert.ok(!body.includes('"errors"'), body.slice(0, 300));
  }
}
