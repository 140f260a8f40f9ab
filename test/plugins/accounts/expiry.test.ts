// What has expired is removed when a server starts, and every hour.

import { afterEach, expect, it, vi } from "vitest";
import { kernelAccess } from "../../../core/plugin.ts";
import { eventually } from "../../support/eventually.ts";
import { newPlace } from "../../support/storage.ts";
import { type AccountsServer, accountsServer, Client, signedUp } from "./accounts-server.ts";

afterEach(() => void vi.useRealTimers());

const dayMs = 24 * 3_600_000;

async function countOf({ server }: AccountsServer, table: string): Promise<number> {
  const snapshot = kernelAccess(server.kernel, "accounts").snapshot();
  try {
    return (await snapshot.find({ types: [`accounts.${table}`], where: { kind: "all" }, fields: [] })).uids.length;
  } finally {
    snapshot.close();
  }
}

/** Counted tries of many addresses, the newest of now. */
async function manyTries({ server }: AccountsServer, count: number): Promise<void> {
  await kernelAccess(server.kernel, "accounts").transact(async (tx) => {
    const uids = await tx.uids(count);
    const fields = (i: number) => ({
      "accounts.rateLimit.id": `${i}`,
      "accounts.rateLimit.key": `${i}`,
      "accounts.rateLimit.lastRequest": Date.now() - (i === 0 ? 0 : 3 * dayMs),
    });
    await tx.write(uids.map((uid, i) => ({ kind: "create", uid, type: "accounts.rateLimit", fields: fields(i) })));
  });
}

it("sessions, links and counted tries that have expired are removed at a start, and those that last stay", async () => {
  const place = await newPlace();
  const start = Date.now();
  const first = await accountsServer({ place });
  await signedUp(first, "ada@example.org");
  await first.client().post("request-password-reset", { email: "ada@example.org" });
  await eventually(async () => expect(await countOf(first, "verification")).toBe(1));
  vi.useFakeTimers({ toFake: ["Date"], now: start + 5 * dayMs });
  const bob = await signedUp(first, "bob@example.org");
  await manyTries(first, 450);
  expect([await countOf(first, "session"), await countOf(first, "rateLimit")]).toEqual([2, 450]);
  await first.server.close(0);

  vi.useFakeTimers({ toFake: ["Date"], now: start + 5.5 * dayMs });
  const soon = await accountsServer({ place });
  await eventually(async () => expect([await countOf(soon, "verification"), await countOf(soon, "rateLimit")]).toEqual([0, 1]));
  expect(await countOf(soon, "session")).toBe(2);
  await soon.server.close(0);

  vi.useFakeTimers({ toFake: ["Date"], now: start + 8 * dayMs });
  const later = await accountsServer({ place });
  await eventually(async () => expect(await countOf(later, "session")).toBe(1));
  const again = new Client(later.url());
  for (const [name, value] of bob.cookies) again.cookies.set(name, value);
  expect(await again.session()).toMatchObject({ user: { email: "bob@example.org" } });
  await later.server.close(0);
  await place.remove();
});
