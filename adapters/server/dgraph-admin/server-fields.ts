// Fields about the server: health, draining, shutdown, cache, uids.

import type { ServerParts } from "../parts/server-parts.ts";
import { type AdminFields, argumentAt, failed, succeeded } from "./field.ts";
import { membershipValue } from "./membership.ts";
import { nodeHealth } from "./node-health.ts";

/** The most uids that one request may reserve. */
const maxAssigned = 1_000_000;

/** A separate table, because `config` is both a query and a mutation. */
export const serverQueries: AdminFields = {
  health: (_args, server, request) => [nodeHealth(server.kernel, request)],
  state: (_args, server, request) => membershipValue(server, request),
  config: (_args, server) => ({ cacheMb: cacheMegabytes(server) }),
};

export const serverMutations: AdminFields = {
  draining(args, server) {
    const enable = argumentAt(args, "enable") === true;
    return succeeded(setDraining(server, { enable }));
  },
  shutdown(_args, server) {
    return succeeded(shutDown(server));
  },
  config(args, server) {
    const cacheMb = argumentAt(args, "input", "cacheMb");
    if (typeof cacheMb === "number") setCacheMegabytes(server, cacheMb);
    return succeeded("Config updated successfully");
  },
  async assign(args, server) {
    const num = Number(argumentAt(args, "input", "num"));
    if (argumentAt(args, "input", "what") !== "UID")
      throw failed("this server assigns uids only: it has one namespace, and no timestamps to give away");
    if (!Number.isInteger(num) || num < 1 || num > maxAssigned) throw failed(`num must be a whole number from 1 to ${maxAssigned}`);
    const { storage, stored } = server.kernel;
    const { result: uids } = await storage.transact((transaction) => transaction.uids(num), { version: stored?.version ?? 0 });
    return { response: { startId: uids.at(0), endId: uids.at(-1) } };
  },
  removeNode: () => Promise.reject(oneServer),
  moveTablet: () => Promise.reject(oneServer),
};

const oneServer = failed("this server is a cluster of its own: there is no other node");

/** Starts or stops draining. @returns the message of the answer */
export function setDraining(server: ServerParts, { enable }: { readonly enable: boolean }): string {
  server.kernel.setDraining(enable);
  return `draining mode has been set to ${enable}`;
}

/** Requests a shutdown, which begins after this answer is sent. @returns the message of the answer */
export function shutDown(server: ServerParts): string {
  if (!server.kernel.shutDown()) throw failed("this server runs inside an application, which alone can stop it");
  return "Server is shutting down";
}

export function cacheMegabytes({ kernel: { storage } }: ServerParts): number {
  return (storage.cache?.maxBytes ?? 0) / 2 ** 20;
}

export function setCacheMegabytes({ kernel: { storage } }: ServerParts, megabytes: number): void {
  if (megabytes < 0) throw failed("input.cacheMb must be non-negative");
  if (storage.cache === undefined) throw failed(`the storage ${storage.name} has no cache whose size could be changed`);
  storage.cache.resize(megabytes * 2 ** 20);
}
