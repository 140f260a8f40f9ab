// A crash while a namespace is made or deleted leaves it wholly there or wholly gone, and no number is given away twice. What a killed process
// leaves is a copy of its folder at that moment.

import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Storage, Transaction } from "../../../core/storage.ts";
import { levelTenants, tenantsAt } from "../../support/level-tenants.ts";
import type { Stores, TenantsPlace } from "../../support/tenants-place.ts";
import { asking, tenantsKernel, tenantsServer } from "../namespaces/tenants.ts";

/** Calls `at` before and after each step by which a server makes or deletes a namespace. */
function watched(place: TenantsPlace, at: (moment: string) => Promise<void>): TenantsPlace {
  const around = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    await at(`before ${step}`);
    const result = await work();
    await at(`after ${step}`);
    return result;
  };
  const stores = (): Stores => {
    const { zero, stores: made } = place.stores();
    return {
      zero,
      stores: {
        registry: watchedStorage(made.registry, { transact: (work) => around("a change of the registry", work) }),
        storage: (namespace) =>
          watchedStorage(made.storage(namespace), {
            transact: (work) => around("a write to the namespace", work),
            open: (work) => around("its opening", work),
            close: (work) => around("its closing", work),
          }),
        remove: (namespace) => around("its removal", () => made.remove(namespace)),
      },
    };
  };
  return { ...place, stores };
}

type Around = <T>(work: () => Promise<T>) => Promise<T>;

function watchedStorage(storage: Storage, { transact, open, close }: Partial<Record<"transact" | "open" | "close", Around>>): Storage {
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transact" && transact) {
        return (work: (transaction: Transaction) => unknown, options: Parameters<Storage["transact"]>[1]) =>
          transact(() => target.transact(work, options));
      }
      if (name === "open" && open) return (options: Parameters<Storage["open"]>[0]) => open(() => target.open(options));
      if (name === "close" && close) return () => close(() => target.close());
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function crashed(path: string): Promise<TenantsPlace> {
  const copy = await mkdtemp(join(tmpdir(), "quern-"));
  onTestFinished(() => rm(copy, { recursive: true, force: true }));
  await cp(path, copy, { recursive: true });
  return tenantsAt(copy);
}

interface Image {
  readonly moment: string;
  readonly place: TenantsPlace;
}

/** What each moment of `change` would leave. */
async function imagesOf(change: (server: ReturnType<typeof asking>) => Promise<unknown>, prepare: typeof change): Promise<readonly Image[]> {
  const images: Image[] = [];
  let isWatching = false;
  const place = await levelTenants();
  const kernel = tenantsKernel(
    watched(place, async (moment) => {
      if (isWatching) images.push({ moment, place: await crashed(place.path) });
    }),
  );
  await kernel.open();
  const server = asking(kernel);
  await prepare(server);
  isWatching = true;
  await change(server);
  isWatching = false;
  await kernel.close();
  return images;
}

describe("a crash", () => {
  it("while a namespace is made leaves it with its password, or nothing of it", async () => {
    const images = await imagesOf(
      (server) => server.tenant(),
      async (server) => void (await server.groot(0)),
    );
    const outcomes = new Set<string>();
    for (const { moment, place } of images) {
      const server = await tenantsServer(place);
      const { namespaces } = (await server.admin("{ state { namespaces } }", await server.groot(0))).data.state;
      outcomes.add(String(namespaces));
      if (namespaces.length === 2) await server.groot(1, "tenant-pass");
      else expect(existsSync(join(place.path, "namespaces/1")), moment).toBe(false);
      // Number 1 was given away as soon as anything of the namespace was there.
      const next = (await server.tenant()).namespace;
      expect(next, moment).toBe(moment === images[0]?.moment && images[0].place === place ? 1 : 2);
      await server.kernel.close();
    }
    expect([...outcomes].sort()).toEqual(["0", "0,1"]);
    expect(images.map(({ moment }) => moment)).toContain("after a write to the namespace");
  });

  it("while a namespace is deleted leaves all of it, or nothing", async () => {
    const boats = "type Boat { tag: String! @id }";
    let token = "";
    const images = await imagesOf(
      async (server) => await server.admin("mutation { deleteNamespace(input: { namespaceId: 1 }) { message } }", await server.groot(0)),
      async (server) => {
        token = (await server.tenant(boats)).token;
        await server.graphql('mutation { addBoat(input: [{ tag: "a" }]) { numUids } }', token);
      },
    );
    const outcomes = new Set<string>();
    for (const { moment, place } of images) {
      const server = await tenantsServer(place);
      const { namespaces } = (await server.admin("{ state { namespaces } }", await server.groot(0))).data.state;
      outcomes.add(String(namespaces));
      if (namespaces.length === 2) expect((await server.graphql("{ queryBoat { tag } }", token)).data, moment).toEqual({ queryBoat: [{ tag: "a" }] });
      else
        expect([existsSync(join(place.path, "namespaces/1")), existsSync(join(place.path, "namespaces/removed-1"))], moment).toEqual([false, false]);
      expect((await server.tenant()).namespace, moment).toBe(2);
      await server.kernel.close();
    }
    expect([...outcomes].sort()).toEqual(["0", "0,1"]);
    expect(images.map(({ moment }) => moment)).toContain("before its removal");
  });
});
