// Ten thousand tries at a password.

import { expect, it } from "vitest";
import { MemoryStore } from "../../../adapters/memory/memory-store.ts";
import { orderedStorage } from "../../../adapters/ordered/index.ts";
import { kernelAccess } from "../../../core/plugin.ts";
import { type AccountsServer, accountsServer, signedUp, threeSignIns } from "./accounts-server.ts";

const count = 10_000;

/** Fifty at a time, without sockets. */
async function tries({ server, url }: AccountsServer): Promise<ReadonlyMap<number, number>> {
  const statuses = new Map<number, number>();
  const headers = { host: new URL(url()).host, "content-type": "application/json" };
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const body = Buffer.from(JSON.stringify({ email: `${index}@example.org`, password: "short" }));
      const { status } = await server.kernel.http({ method: "POST", url: "/api/auth/sign-in/email", headers, body, remoteAddress: "127.0.0.1" });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 50 }, work));
  return statuses;
}

async function rowsOf({ server }: AccountsServer): Promise<Readonly<Record<string, number>>> {
  const snapshot = kernelAccess(server.kernel, "accounts").snapshot();
  try {
    const tables = ["rateLimit", "session", "verification", "account"];
    const counts = tables.map(async (table) => {
      const { uids } = await snapshot.find({ types: [`accounts.${table}`], where: { kind: "all" }, fields: [] });
      return [table, uids.length] as const;
    });
    return Object.fromEntries(await Promise.all(counts));
  } finally {
    snapshot.close();
  }
}

it("refuses all but three tries of one address with 429, keeps one row of them, and answers who has signed in", async () => {
  // Each is a commit, and a disk would sync ten thousand times.
  const at = await accountsServer({ accounts: { rateLimit: threeSignIns }, config: { storage: orderedStorage(new MemoryStore()) } });
  const ada = await signedUp(at, "ada@example.org");
  const before = await rowsOf(at);
  const sent = tries(at);
  expect((await ada.ask("{ queryUser { email } }")).data).toEqual({ queryUser: [{ email: "ada@example.org" }] });
  expect(await sent).toEqual(
    new Map([
      [401, 3],
      [429, count - 3],
    ]),
  );
  expect(await rowsOf(at)).toEqual({ ...before, rateLimit: (before.rateLimit ?? 0) + 1 });
});
