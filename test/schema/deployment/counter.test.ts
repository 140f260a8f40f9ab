// The counter of schema updates, which a deploy writes after the schema is served.

import { describe, expect, it, onTestFinished } from "vitest";
import { createKernel, QuernError } from "../../../core/index.ts";
import type { Storage } from "../../../core/storage.ts";
import { newPlace } from "../../support/storage.ts";

/** The storage, of which the next `times` transactions end with the error `code`. */
function failing(storage: Storage, code: "CONFLICT" | "STORE_UNAVAILABLE", times: number): Storage {
  let left = times;
  const transact: Storage["transact"] = async (work, options) => {
    if (left-- > 0) throw new QuernError(code, "refused by the test");
    return await storage.transact(work, options);
  };
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transact") return transact;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

async function deploying(code: "CONFLICT" | "STORE_UNAVAILABLE", times: number) {
  const place = await newPlace();
  const kernel = createKernel({ storage: failing(place.storage(), code, times), log: { level: "silent" } });
  onTestFinished(async () => {
    await kernel.close();
    await place.remove();
  });
  await kernel.open();
  return { kernel, deploy: kernel.deploy("type Boat { name: String }") };
}

describe("a deploy whose counter another transaction holds", () => {
  it("waits for the end of that transaction", async () => {
    const { kernel, deploy } = await deploying("CONFLICT", 3);
    await deploy;
    expect(kernel.schemaUpdateCounter).toBe(1);
  });

  it("fails with another error at once", async () => {
    const { kernel, deploy } = await deploying("STORE_UNAVAILABLE", 1);
    await expect(deploy).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    expect(kernel.schemaUpdateCounter).toBe(0);
  });
});
