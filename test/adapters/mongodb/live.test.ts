// Live queries with several servers on one database: what one commits reaches those who subscribed at another.

import { expect, it, onTestFinished, vi } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";

async function servers(count: number): Promise<readonly Kernel[]> {
  const place = await mongodbPlace();
  const plugins = () => [identityPlugin(), searchPlugin(), subscriptionPlugin()];
  const kernels = Array.from({ length: count }, () => createKernel({ storage: place.storage(), plugins: plugins(), log: { level: "silent" } }));
  onTestFinished(async () => {
    for (const each of kernels) await each.close();
    await place.remove();
  });
  for (const each of kernels) await each.open();
  return kernels;
}

/** All results so far. */
function watch(kernel: Kernel, selection: string): readonly unknown[] {
  const results: unknown[] = [];
  const subscription = kernel.subscribe(
    { query: `subscription { ${selection} }` },
    { ready: () => true, next: (body) => results.push(JSON.parse(body).data), end: (why) => results.push(why) },
  );
  onTestFinished(() => subscription.stop());
  return results;
}

it("a commit on one server reaches the affected subscribers of another, and no others", async () => {
  const [one, other] = await servers(2);
  if (!one || !other) throw new TypeError("two servers");
  await one.deploy("type Tram @withSubscription { code: String! @id  line: Int @search }");
  await vi.waitFor(() => expect(other.deployment?.api.subscriptions.size).toBeGreaterThan(0), { timeout: 60_000 });
  const all = watch(other, "queryTram { code line }");
  const seventh = watch(other, "queryTram(filter: { line: { eq: 7 } }) { code }");
  await vi.waitFor(() => expect([all, seventh]).toEqual([[{ queryTram: [] }], [{ queryTram: [] }]]), { timeout: 60_000 });
  await one.execute({ query: 'mutation { addTram(input: [{ code: "T1", line: 6 }]) { numUids } }' });
  await vi.waitFor(() => expect(all.at(-1)).toEqual({ queryTram: [{ code: "T1", line: 6 }] }), { timeout: 60_000 });
  expect(seventh).toHaveLength(1);
  await one.execute({ query: 'mutation { updateTram(input: { filter: { code: { eq: "T1" } }, set: { line: 7 } }) { numUids } }' });
  await vi.waitFor(() => expect([all.at(-1), seventh.at(-1)]).toEqual([{ queryTram: [{ code: "T1", line: 7 }] }, { queryTram: [{ code: "T1" }] }]), {
    timeout: 60_000,
  });
});

it("fifty commits spread over two servers end in the same last result on both", async () => {
  const kernels = await servers(2);
  const [one, other] = kernels;
  if (!one || !other) throw new TypeError("two servers");
  await one.deploy("type Tram @withSubscription { code: String! @id }");
  await vi.waitFor(() => expect(other.deployment?.api.subscriptions.size).toBeGreaterThan(0), { timeout: 60_000 });
  const results = kernels.map((each) => watch(each, "aggregateTram { count }"));
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => (i % 2 ? one : other).execute({ query: `mutation { addTram(input: [{ code: "T${i}" }]) { numUids } }` })),
  );
  await vi.waitFor(() => expect(results.map((each) => each.at(-1))).toEqual([{ aggregateTram: { count: 50 } }, { aggregateTram: { count: 50 } }]), {
    timeout: 60_000,
  });
});
