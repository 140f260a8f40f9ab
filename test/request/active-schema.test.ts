// One deployment with several sets of hooks: what is found in it depends on them.

import { expect, it } from "vitest";
import { Fact } from "../../core/ground/facts.ts";
import { resolveLimits } from "../../core/ground/limits.ts";
import { type Deployment, prepareDeployment } from "../../core/index.ts";
import { serve } from "../../core/request/documents/active-schema.ts";
import { identityPlugin } from "../../plugins/identity/index.ts";

const guarding = { name: "guarding", definitions: "", model: () => ({ narrow: () => "deny" as const, warnings: [] }) };

function nothingNested(): never {
  throw new TypeError("nothing is nested");
}

it("keeps facts of its own for the system, whose requests no hook restricts", () => {
  const deployment: Deployment = { ...prepareDeployment("type Mill { name: String! @id }", [identityPlugin(), guarding]), version: 1 };
  const narrowing = new Fact(({ hooks }: Deployment) => hooks.filter((each) => each.hooks.narrow !== undefined).map(({ plugin }) => plugin));
  const schema = serve(deployment, { limits: resolveLimits(), nested: () => nothingNested });
  expect(narrowing.of(schema.deployment)).toEqual(["guarding"]);
  expect(narrowing.of(schema.unrestricted().deployment)).toEqual([]);
  expect(narrowing.of(schema.unrestricted().base.deployment)).toEqual(["guarding"]);
});
