// The administration behind a token, over a socket.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wsTransport } from "../../adapters/ws/index.ts";
import { yogaTransport } from "../../adapters/yoga/index.ts";
import type { Listening } from "../../core/transport.ts";
import { compatibleKernel, type TemporaryKernel } from "../support/kernel.ts";
import { exceptionOf, Tally, unknownExceptions } from "./exceptions.ts";
import { goldenPath, readGolden } from "./golden-folder.ts";
import { compareResponse, type HttpFile, send } from "./http-steps.ts";

const path = goldenPath("http", "admin-token.json");
const area = "admin-token";

const transports = Object.entries({ ws: wsTransport, yoga: yogaTransport });

describe.runIf(path !== undefined).each(transports)("the recorded administration behind a token on %s", (transportName, transport) => {
  const file = path === undefined ? { setup: [], cases: [] } : readGolden<HttpFile>(path);
  const tally = new Tally();
  let stack: TemporaryKernel;
  let server: Listening;

  beforeAll(async () => {
    stack = await compatibleKernel({ admin: { token: "desk-token-1", origins: ["*"] } });
    server = await transport().listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    for (const step of file.setup) expect(compareResponse(await send(step, server.url), step)).toEqual([]);
  });

  afterAll(async () => {
    await server?.close(1_000);
    await stack?.remove();
    tally.print(`golden administration behind a token on ${transportName}`);
  });

  for (const step of file.cases) {
    const name = `${area}/${step.name}`;
    it(step.name, async () => tally.judge(name, compareResponse(await send(step, server.url), step)));
  }

  it("excepts only cases that are there", () => {
    expect(unknownExceptions(`${area}/`, new Set(file.cases.map((each) => `${area}/${each.name}`)))).toEqual([]);
    expect(exceptionOf(area)).toBeUndefined();
  });
});
