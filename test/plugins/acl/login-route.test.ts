// `POST /login`, which everybody may send.

import { afterEach, expect, it } from "vitest";
import { json } from "../../adapters/server/http/ask.ts";
import { type AclServer, aclServer } from "./server.ts";

let running: AclServer | undefined;
afterEach(async () => {
  await running?.remove();
  running = undefined;
});

it("answers a body of 64 KiB, and refuses one of a byte more before it is read", async () => {
  running = await aclServer();
  const { kernel } = running;
  const sized = (bytes: number) => {
    const frame = { userid: "groot", password: "password", padding: "" };
    return JSON.stringify({ ...frame, padding: "x".repeat(bytes - JSON.stringify(frame).length) });
  };
  const send = (body: string) =>
    kernel.http({ method: "POST", url: "/login", headers: { host: "localhost" }, body: Buffer.from(body), remoteAddress: "127.0.0.1" });
  expect(json(await send(sized(65_536)))).toMatchObject({ data: { accessJWT: expect.any(String) } });
  const refused = await send(sized(65_537));
  expect([refused.status, json(refused)]).toMatchObject([413, { errors: [{ message: expect.stringContaining("larger than 65536 bytes") }] }]);
});
