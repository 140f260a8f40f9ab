// `/admin/live` and `/admin/requests`: what administrators see of subscriptions and requests, without a value that somebody sent.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { line, token } from "../../../plugins/auth/token.ts";
import { type TemporaryKernel, temporaryKernel } from "../../../support/kernel.ts";
import { ask, json } from "./ask.ts";

const schema = `type Berth @generate(subscription: true) @auth(query: { rule: "query ($WHO: String!) { queryBerth(filter: { owner: { eq: $WHO } }) { name } }" }) {
  name: String! @id
  owner: String @search(by: [hash])
  depth: Int @search
}
${line}
`;

let stack: TemporaryKernel;
beforeEach(async () => {
  stack = await temporaryKernel({ admin: { token: "desk" } });
  await stack.kernel.deploy(schema);
});
afterEach(() => stack.remove());

const get = (path: string, headers: Readonly<Record<string, string>> = { "x-service-authtoken": "desk" }) =>
  ask(stack.kernel, { method: "GET", path, headers });
const write = (query: string) => stack.kernel.execute({ query, as: "system" });

interface LiveAnswer {
  readonly data: { readonly total: number; readonly queries: readonly Readonly<Record<string, unknown>>[] };
}

describe("/admin/live", () => {
  const watch = (who: string, query = "subscription Mine { queryBerth(filter: { depth: { ge: 424242 } }) { name } }") =>
    stack.kernel.live({ query, headers: { "x-harbour": token({ WHO: who }) } });

  it("says who shares a query, what it depends on, and which change woke it, and shows no value", async () => {
    const watching = [watch("ann"), watch("ann"), watch("bob")];
    await Promise.all(watching.map((each) => each.next()));
    const quiet = json(await get("/admin/live")) as LiveAnswer;
    expect(quiet.data.total).toBe(2);
    expect(quiet.data.queries).toMatchObject([
      { name: "Mine", subscriptions: 2, state: "idle", runs: 1, wakes: 0, separatedBy: [expect.stringContaining("claims.WHO")] },
      { name: "Mine", subscriptions: 1 },
    ]);
    const changed = watching[0]?.next();
    await write('mutation { addBerth(input: [{ name: "Deep", owner: "ann", depth: 500000 }]) { numUids } }');
    await changed;
    const woken = json(await get("/admin/live")) as LiveAnswer;
    expect(woken.data.queries[0]).toMatchObject({
      runs: 2,
      wakes: 1,
      lastWake: {
        at: expect.any(Number),
        cause: { kind: "node", type: "Berth", change: "created", fields: expect.arrayContaining(["Berth.depth"]) },
      },
      dependsOn: [expect.stringMatching(/^Berth where .*Berth\.depth/)],
    });
    expect(woken.data.queries[1]).toMatchObject({ runs: 1, wakes: 0 });
    expect(woken.data.queries[1]).not.toHaveProperty("lastWake");
    // Whole numbers: durations have many digits.
    expect(JSON.stringify(woken)).not.toMatch(/\b(?:424242|500000)\b|ann|bob/);
    await Promise.all(watching.map((each) => each.return?.()));
  });

  it("lists a hundred of the queries, those with the most subscriptions first, and counts all", async () => {
    const single = Array.from({ length: 120 }, (_, i) => watch("ann", `subscription { queryBerth(first: ${i + 1}) { name } }`));
    const popular = [watch("cy"), watch("cy"), watch("cy")];
    await Promise.all([...single, ...popular].map((each) => each.next()));
    const { data } = json(await get("/admin/live")) as LiveAnswer;
    expect(data.total).toBe(121);
    expect(data.queries).toHaveLength(100);
    expect(data.queries[0]).toMatchObject({ subscriptions: 3 });
    await Promise.all([...single, ...popular].map((each) => each.return?.()));
  });

  it("is for administrators, and empty where nobody subscribes", async () => {
    expect(json(await get("/admin/live"))).toEqual({ data: { total: 0, queries: [] } });
    for (const path of ["/admin/live", "/admin/requests"])
      for (const headers of [{}, { "x-service-authtoken": "desks" }])
        expect(json(await get(path, headers))).toMatchObject({ errors: [{ extensions: { code: "ErrorUnauthorized" } }] });
  });
});

describe("/admin/requests", () => {
  it("counts requests by kind and duration, and failures by code with the last of them", async () => {
    await stack.kernel.execute({ query: "{ queryBerth { name } }" });
    await stack.kernel.execute({ query: "query Bad { queryBerth { nam } }" });
    await write('mutation { addBerth(input: [{ name: "A" }]) { numUids } }');
    await stack.kernel.execute({ query: "query Who { queryBerth { name } }", headers: { "x-harbour": "garbage" } });
    const { data } = json(await get("/admin/requests")) as { readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> };
    expect(data.kinds).toMatchObject([
      { kind: "query", count: 2, failed: 1 },
      { kind: "mutation", count: 1, failed: 0 },
      { kind: "subscription", count: 0 },
      { kind: "unknown", count: 1, failed: 1 },
    ]);
    const [queries] = data.kinds ?? [];
    expect(((queries?.buckets ?? []) as readonly number[]).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(data.failures).toEqual(
      expect.arrayContaining([
        { code: "UNAUTHENTICATED", count: 1 },
        { code: "refused", count: 1 },
      ]),
    );
    expect(data.recentFailures?.[0]).toMatchObject({
      kind: "query",
      name: "Who",
      code: "UNAUTHENTICATED",
      requestID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(JSON.stringify(data)).not.toContain("garbage");
  });
});
