// The storage kit before MongoDB whose `hold` protects nothing: two transactions that write different documents do not conflict there.

import { expect, it } from "vitest";
import type { Storage } from "../../../core/storage.ts";
import { mongodbPlace } from "../../support/mongodb-place.ts";
import { changed, checkOf } from "../wrong-storages/faults.ts";

async function withoutHolds(): Promise<Storage> {
  const good = (await mongodbPlace()).storage();
  return changed(good, {
    transact: (work, options) => good.transact((transaction) => work(changed(transaction, { hold: () => undefined })), options),
  });
}

it.each(["hold.changed", "hold.removed"])("a hold without effect fails %s", async (id) => {
  await expect(checkOf(id, { create: withoutHolds })()).rejects.toThrow(`${id} MUST: expected that`);
});
