// A schema has a limit on its tokens, because `graphql` builds it in one go.

import { afterEach, expect, it } from "vitest";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let stack: TemporaryKernel | undefined;
afterEach(async () => {
  await stack?.remove();
  stack = undefined;
});

/** Seven tokens. */
const seven = "type Mill { name: String }";
/** Ten. */
const ten = "type Mill { name: String  stones: Int }";
const refused = "The schema has more than 7 tokens (limits.maxSchemaTokens).";

it("takes a schema of as many tokens as are allowed, and refuses a longer one with the number", async () => {
  stack = await temporaryKernel({ limits: { maxSchemaTokens: 7 } });
  const { kernel } = stack;
  await kernel.deploy(seven);
  await expect(kernel.deploy(ten)).rejects.toMatchObject({ code: "SCHEMA_INVALID", message: expect.stringContaining(refused) });
  await expect(kernel.compare(ten)).rejects.toMatchObject({ message: expect.stringContaining(refused) });
  expect((await kernel.validate(ten)).map(({ message }) => message)).toEqual([refused]);
  expect(await kernel.validate(seven)).toEqual([]);
  expect(kernel.deployment?.document).toBe(seven);
});

it("serves a schema that is longer and was deployed before the limit", async () => {
  stack = await temporaryKernel();
  await stack.kernel.deploy(ten);
  stack = await stack.restart({ limits: { maxSchemaTokens: 7 } });
  expect((await stack.kernel.execute({ query: "{ queryMill { stones } }" })).body).toBe('{"data":{"queryMill":[]}}');
});
