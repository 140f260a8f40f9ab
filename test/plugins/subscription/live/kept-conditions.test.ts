// From run to run of a live query its conditions stay, because its variables do. What runs within it may have other variables.

import { afterAll, beforeAll, expect, it } from "vitest";
import { standardPlugins } from "../../../../adapters/cli/stack/standard-stack.ts";
import type { DirectivePlugin, Json, RootContext } from "../../../../core/plugin.ts";
import { type Live, liveApi } from "../../../support/live-clients.ts";

const byZone = "query ($zone: Int!) { queryStop(filter: { zone: { eq: $zone } }, order: { asc: name }) { name } }";

/** A live root field that asks the same question twice, with other variables each time. */
const zones: DirectivePlugin = {
  name: "zones",
  definitions: "",
  model: () => ({
    api: () => ({ roots: [{ operation: "query", signature: "zones: [String]", run: namesOfBoth }], live: ["zones"] }),
  }),
};

async function namesOfBoth({ execute, snapshot }: RootContext): Promise<{ json: Json }> {
  // What the field depends on.
  await snapshot.find({ types: ["Stop"], fields: ["Stop.name", "Stop.zone"] });
  const first = await execute({ query: byZone, variables: { zone: 1 } });
  const second = await execute({ query: byZone, variables: { zone: 2 } });
  return { json: [JSON.stringify(first.data), JSON.stringify(second.data)] };
}

let api: Live & { remove(): Promise<void> };
beforeAll(async () => {
  api = await liveApi("type Stop @withSubscription { name: String! @id  zone: Int @search }  type Query { zones: [String] }", {
    plugins: [...standardPlugins(), zones],
  });
  await api.change('mutation { addStop(input: [{ name: "Mill", zone: 1 }, { name: "Quay", zone: 2 }]) { numUids } }');
});
afterAll(() => api.remove());

it("subscribers to one document are told of their own variables after each commit", async () => {
  const live = byZone.replace("query", "subscription");
  const [one, two] = [await api.watch(live, { variables: { zone: 1 } }), await api.watch(live, { variables: { zone: 2 } })];
  await api.change('mutation { addStop(input: [{ name: "Abbey", zone: 1 }]) { numUids } }');
  await api.change('mutation { updateStop(input: { filter: { name: { eq: "Abbey" } }, set: { zone: 2 } }) { numUids } }');
  expect(one.data).toEqual([stops("Mill"), stops("Abbey", "Mill"), stops("Mill")]);
  expect(two.data).toEqual([stops("Quay"), stops("Abbey", "Quay")]);
});

it("requests within a live root field are answered for their own variables in each run", async () => {
  const both = await api.watch("subscription { zones }");
  await api.change('mutation { addStop(input: [{ name: "Zoo", zone: 1 }]) { numUids } }');
  expect(both.last).toEqual({ zones: [JSON.stringify(stops("Mill", "Zoo")), JSON.stringify(stops("Abbey", "Quay"))] });
});

function stops(...names: readonly string[]) {
  return { queryStop: names.map((name) => ({ name })) };
}
