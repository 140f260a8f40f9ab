// Both transports before the whole transport kit, and before the audits of the GraphQL-over-HTTP specification.

import { serverAudits } from "graphql-http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerKernel } from "../../adapters/server/index.ts";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/transport.ts";
import { transportConformance } from "../conformance/index.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";
import { newStorage } from "../support/storage.ts";

/** Where the API that Quern follows wants HTTP 200 for a client that does not ask for `application/graphql-response+json` by name. */
const answered200 = [
  "9C48", // a mutation by GET runs
  "9ABE", // no content type
  ...["A5BF", "BCF8"], // no body, half a body
  ...["LKJ0", "LKJ1", "LKJ2", "LKJ3"], // a query that is no text
  ...["6C00", "6C01", "6C02", "6C03"], // an operation name that is no text
  ...["4760", "4761", "4762", "4763"], // variables that are no object
  ...["58B0", "58B1", "58B2", "58B3"], // extensions that are no object
  ...["8764", "3E3A"], // variables that do not fit
];

const transports = { ws: wsTransport, yoga: yogaTransport };

describe.each(Object.entries(transports))("%s", (_name, transport) => {
  transportConformance({
    test: it,
    transport,
    kernel: async (config) => createServerKernel({ ...config, storage: await newStorage() }),
    // The machine may be busy with other things.
    timeLimitMs: 50_000,
  });

  describe("the audits of GraphQL over HTTP", () => {
    let stack: TemporaryKernel;
    let server: Listening;
    beforeAll(async () => {
      stack = await temporaryKernel();
      await stack.kernel.deploy("type Mill { name: String! }");
      server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    });
    afterAll(async () => {
      await server.close(0);
      await stack.remove();
    });

    for (const audit of serverAudits({ url: () => `${server.url}/graphql`, fetchFn: fetch })) {
      it(`are passed, or listed as answered with 200: ${audit.id} ${audit.name}`, async () => {
        const result = await audit.fn();
        const reason = result.status === "ok" ? "" : result.reason;
        if (answered200.includes(audit.id)) expect(result.status, `${audit.id} passes: take it off the list`).toMatch(/^(?:notice|warn)$/);
        else expect({ status: result.status, reason }).toEqual({ status: "ok", reason: "" });
      });
    }
  });
});
