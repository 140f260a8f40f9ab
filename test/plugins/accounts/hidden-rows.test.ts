// What many hidden rows cost others: rows that have expired are many, and go in parts.

import { afterEach, expect, it } from "vitest";
import type { KernelAccess } from "../../../core/plugin.ts";
import { HiddenRows, is } from "../../../plugins/accounts/store/hidden-rows.ts";
import { accountTables, layoutOf } from "../../../plugins/accounts/store/tables.ts";
import { type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

let running: TemporaryKernel | undefined;
afterEach(async () => await running?.remove());

async function opened() {
  let access: KernelAccess | undefined;
  const removed: number[] = [];
  running = await temporaryKernel({
    plugins: [
      {
        name: "accounts",
        definitions: "",
        stores: layoutOf(accountTables),
        model: () => undefined,
        server: (kernel) => {
          access = kernel;
          return {};
        },
      },
    ],
  });
  const kernel = () => access ?? expect.fail("The kernel is not open.");
  return { removed, rows: new HiddenRows(kernel, accountTables, (_table, uids) => void removed.push(uids.length)) };
}

async function fill(rows: HiddenRows, count: number): Promise<void> {
  await rows.transact(async (tx) => {
    const uids = await tx.uids(count);
    await tx.write(uids.map((uid, i) => rows.creation("rateLimit", uid, { key: `k${i}`, count: 1, lastRequest: i })));
  });
}

it("removes rows that are very many in several transactions, and no others", async () => {
  const { rows, removed } = await opened();
  await fill(rows, 1_300);
  expect(await rows.remove("rateLimit", [is("lastRequest", 1_250, "lt")], "all")).toHaveLength(1_250);
  expect(removed).toEqual([500, 500, 250]);
  expect(await rows.find("rateLimit", { where: [] })).toHaveLength(50);
  expect(await rows.remove("rateLimit", [is("lastRequest", 1_250, "lt")], "all")).toEqual([]);
});

it("leaves a row that fits no longer when its part is removed", async () => {
  const { rows } = await opened();
  await fill(rows, 600);
  const removing = rows.remove("rateLimit", [is("lastRequest", 1_000, "lt")], "all");
  const renewed = await rows.update("rateLimit", [is("key", "k599")], () => ({ lastRequest: 2_000 }), "one");
  const gone = (await removing).map(({ key }) => key);
  const left = (await rows.find("rateLimit", { where: [] })).map(({ key }) => key);
  expect([...gone, ...left].toSorted()).toEqual(Array.from({ length: 600 }, (_, i) => `k${i}`).toSorted());
  expect(left).toEqual(renewed.length === 1 && !gone.includes("k599") ? ["k599"] : []);
});
