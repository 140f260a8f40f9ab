// What plugins store before the first deploy, on a database that several servers share; and callers whose sessions end on all of them.

import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, type Kernel } from "../../../core/index.ts";
import { type DirectivePlugin, type KernelAccess, kernelAccess } from "../../../core/plugin.ts";
import { searchPlugin } from "../../../plugins/search/index.ts";
import { subscriptionPlugin } from "../../../plugins/subscription/index.ts";
import { eventually } from "../../support/eventually.ts";
import { Client } from "../../support/live-clients.ts";
import { newPlace, type Place } from "../../support/storage.ts";

const session = "accounts.Session";

const accounts = (access: () => KernelAccess | undefined): DirectivePlugin => ({
  name: "accounts",
  definitions: "",
  stores: {
    types: [{ name: session, fields: [`${session}.token`] }],
    fields: [{ name: `${session}.token`, kind: "string", list: false }],
    indexes: [{ name: `${session}.token/value`, field: `${session}.token`, by: "value", ordered: false }],
  },
  model: () => ({
    request: async ({ headers }) => {
      const found = await sessionsOf(access(), headers.cookie ?? "");
      return found.length > 0 ? { session: headers.cookie ?? "" } : {};
    },
  }),
});

interface Server {
  readonly kernel: Kernel;
  readonly access: KernelAccess;
}

async function serverOn(place: Place): Promise<Server> {
  let access: KernelAccess | undefined;
  const plugins = [searchPlugin(), subscriptionPlugin(), accounts(() => access)];
  const kernel = createKernel({ storage: place.storage(), plugins, log: { level: "silent" } });
  access = kernelAccess(kernel, "accounts");
  await kernel.open();
  onTestFinished(() => kernel.close());
  return { kernel, access };
}

async function sessionsOf(access: KernelAccess | undefined, token: string): Promise<readonly number[]> {
  if (access === undefined) return [];
  const snapshot = access.snapshot();
  try {
    const where = { kind: "compare", field: `${session}.token`, op: "eq", operands: [token] } as const;
    return (await snapshot.find({ types: [session], where, fields: [] })).uids;
  } finally {
    snapshot.close();
  }
}

const begin = (access: KernelAccess, token: string) =>
  access.transact(async (transaction) => {
    const [uid = 0] = await transaction.uids(1);
    await transaction.write([{ kind: "create", uid, type: session, fields: { [`${session}.token`]: token } }]);
  });

async function place(): Promise<Place> {
  const made = await newPlace();
  onTestFinished(() => made.remove());
  return made;
}

describe("servers that share a database without a schema", () => {
  it("share what their plugins store, and all follow the first deploy, which keeps it", async () => {
    const shared = await place();
    const [one, two] = await Promise.all([serverOn(shared), serverOn(shared)]);
    await begin(one.access, "a");
    await begin(two.access, "b");
    await eventually(async () => expect(await sessionsOf(one.access, "b")).toHaveLength(1));
    await one.kernel.deploy("type Note { id: ID!  text: String @search(by: [hash]) }");
    await eventually(() => expect(two.kernel.deployment).toBeDefined());
    await begin(two.access, "c");
    await begin(one.access, "d");
    for (const token of ["a", "b", "c", "d"]) await eventually(async () => expect(await sessionsOf(two.access, token)).toHaveLength(1));
    const third = await serverOn(shared);
    expect(third.kernel.deployment?.document).toContain("type Note");
    expect(await sessionsOf(third.access, "a")).toHaveLength(1);
  });

  it("end what the caller of a revoked session watches, on the servers that hear of the commit", async () => {
    const shared = await place();
    const [one, two] = await Promise.all([serverOn(shared), serverOn(shared)]);
    await one.kernel.deploy("type Note @withSubscription { id: ID!  text: String }");
    await eventually(() => expect(two.kernel.deployment).toBeDefined());
    await begin(one.access, "a");
    await begin(one.access, "b");
    await eventually(async () => expect(await sessionsOf(two.access, "b")).toHaveLength(1));
    onTestFinished(two.access.changes(() => two.access.recheckCallers()));
    const watch = async (cookie: string) => {
      const client = new Client();
      await two.kernel.subscribe({ query: "subscription { queryNote { text } }", headers: { cookie } }, client).planned;
      await eventually(() => expect(client.results).toHaveLength(1));
      return client;
    };
    const [revoked, other] = [await watch("a"), await watch("b")];
    const uids = await sessionsOf(one.access, "a");
    await one.access.transact((transaction) => transaction.write(uids.map((uid) => ({ kind: "remove", uid, type: session }))));
    await eventually(() => expect(revoked.ending).toMatchObject({ kind: "expired", limit: "token" }));
    expect(other.ending).toBeUndefined();
  });
});
