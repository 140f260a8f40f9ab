// The whole transport kit before `fetchHandler` on two hosts. What a `Request` cannot carry, and what belongs to the host, is left out by name.

import { describe, it } from "vitest";
import { createServerKernel } from "../../../adapters/server/index.ts";
import { type Runner, transportConformance } from "../../conformance/index.ts";
import { fetchHosts } from "../../support/fetch-hosts.ts";
import { newStorage } from "../../support/storage.ts";

/** By the id of the check: why it does not hold where a `Request` comes in. */
const leftOut: Readonly<Record<string, string>> = {
  "body.expect": "node:http has asked for the body before its listener, and so the host, is called",
};
/** What a host does with paths before the handler sees them. */
const exempt: Readonly<Record<string, Readonly<Record<"dot-segments", string>>>> = {
  hono: { "dot-segments": "the URL of its Request has none: `/admin/../graphql` comes in as `/graphql`" },
};
/** The same of one host. */
const leftOutOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@whatwg-node/server": { "carry.the-absolute-form": "the host puts an absolute target behind its own address" },
};

describe.each(Object.entries(fetchHosts))("%s", (host, transport) => {
  const test: Runner = (name, run) => {
    const id = name.split(" ", 1)[0] ?? "";
    const reason = leftOut[id] ?? leftOutOf[host]?.[id];
    if (reason === undefined) it(name, run);
    else it.skip(`${name} (LEFT OUT: ${reason})`);
  };
  transportConformance({
    test,
    transport,
    exempt: exempt[host] ?? {},
    kernel: async (config) => createServerKernel({ ...config, storage: await newStorage() }),
    // The machine may be busy with other things.
    timeLimitMs: 50_000,
  });
});
