// `@withSubscription` on a field that DQL answers: a result at once, and one after each commit that changes it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DqlStack, dqlStack } from "./harness.ts";

let dql: DqlStack;
beforeAll(async () => {
  dql = await dqlStack(`
    type Hive { label: String! @id  honey: Float @search  keeper: Keeper }
    type Keeper { name: String! @id  hives: [Hive] @hasInverse(field: keeper) }
    type Shed { label: String! @id }
    type Query {
      rich(min: Float!): [Hive] @withSubscription @custom(dql: """
        query q($min: float) { rich(func: ge(Hive.honey, $min), orderasc: Hive.label) { label: Hive.label  keeper: Hive.keeper { name: Keeper.name } } }
      """)
    }`);
  await dql.run('mutation { addHive(input: [{ label: "North", honey: 3.5, keeper: { name: "Ines" } }]) { numUids } }');
});
afterAll(() => dql?.stack.remove());

describe("a live query in DQL", () => {
  it("is pushed when a commit changes what its blocks read", { timeout: 20_000 }, async () => {
    const results = dql.stack.kernel.live<{ readonly rich: unknown }>({ query: "subscription { rich(min: 3) { label keeper { name } } }" });
    const next = async () => (await results.next()).value?.data?.rich;
    expect(await next()).toEqual([{ label: "North", keeper: { name: "Ines" } }]);
    await dql.run('mutation { addShed(input: [{ label: "Old" }]) { numUids } }');
    await dql.run('mutation { addHive(input: [{ label: "East", honey: 4 }]) { numUids } }');
    expect(await next()).toEqual([
      { label: "East", keeper: null },
      { label: "North", keeper: { name: "Ines" } },
    ]);
    await dql.run('mutation { updateHive(input: { filter: { label: { eq: "North" } }, set: { honey: 1 } }) { numUids } }');
    expect(await next()).toEqual([{ label: "East", keeper: null }]);
    await results.return?.();
  });
});
