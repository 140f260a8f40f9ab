// The memory of a server whose services send more than anybody can hold, as the system counts it.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Writable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { type RemotesServer, remotesServer } from "./remotes-server.ts";

const mebibyte = Buffer.alloc(2 ** 20, 97);

/** What a server may take beyond what it takes at rest: a few long replies and what the runtime has not collected yet. */
const roomMiB = 600;

interface Service {
  readonly url: string;
  /** Replies that the client has broken off, by path. */
  readonly brokenOff: (path: string) => number;
  readonly asked: (path: string) => number;
}

type Send = (response: ServerResponse) => void;

/** Ten gigabytes, unless the client breaks off. */
const endless = (target: Writable): void => {
  let left = 10_240;
  const more = () => {
    while (left-- > 0 && !target.destroyed) if (!target.write(mebibyte)) return void target.once("drain", more);
    target.end();
  };
  more();
};

/** A thousandth of the text that it stands for. */
const bomb: Send = (response) => {
  response.writeHead(200, { "content-encoding": "gzip" });
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  gzip.pipe(response);
  endless(gzip);
  response.on("close", () => gzip.destroy());
};

/** Four mebibytes of JSON. */
const long: Send = (response) => {
  response.write('"');
  for (let i = 0; i < 4; i++) response.write(mebibyte);
  response.end('"');
};

const sends: Readonly<Record<string, Send>> = { endless, bomb, long };

async function service(): Promise<Service> {
  const asked: string[] = [];
  const brokenOff: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    const path = request.url?.split("/")[1] ?? "";
    asked.push(path);
    request.resume();
    response.on("close", () => {
      if (!response.writableFinished) brokenOff.push(path);
    });
    sends[path]?.(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const count = (all: readonly string[]) => (path: string) => all.filter((each) => each === path).length;
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: count(asked), brokenOff: count(brokenOff) };
}

/** What `work` adds to the memory at its highest. */
async function peakOf({ memory }: RemotesServer, work: () => Promise<void>): Promise<number> {
  const before = memory().nowMiB;
  await work();
  return memory().peakMiB - before;
}

const reasonsOf = ({ errors = [] }: { readonly errors?: readonly { readonly message: string }[] }) =>
  [...new Set(errors.map(({ message }) => message.replace(/^.*because (?:external request returned an error: )?| for field: .*$/g, "")))].sort();

const tooLong = "the reply is longer than 16777216 bytes";
const compressed = "the reply is compressed, though the request did not ask for it";

it("memory stays bounded beside services that send without an end, or what inflates without an end: each is its field's error", async () => {
  const { url, brokenOff } = await service();
  const server = await remotesServer(
    `type Hive { label: String! @id }
     type Query {
       endless: String @custom(http: { url: "${url}/endless", method: GET })
       bomb: String @custom(http: { url: "${url}/bomb", method: GET })
       lambda: String @lambda
     }`,
    { lambda: { url: `${url}/endless` } },
  );
  const peak = await peakOf(server, async () => {
    for (let i = 0; i < 4; i++) {
      const answer = await server.query("{ endless bomb lambda queryHive { label } }");
      expect(answer.data).toEqual({ endless: null, bomb: null, lambda: null, queryHive: [] });
      expect(reasonsOf(answer)).toEqual([compressed, tooLong]);
    }
  });
  expect(peak).toBeLessThan(roomMiB);
  await eventually(() => expect([brokenOff("endless"), brokenOff("bomb")]).toEqual([8, 4]));
});

it("memory stays bounded beside a lambda server that compresses its answers", async () => {
  const { url } = await service();
  const server = await remotesServer("type Hive { label: String! @id }  type Query { lambda: String @lambda }", { lambda: { url: `${url}/bomb` } });
  const peak = await peakOf(server, async () => expect(reasonsOf(await server.query("{ lambda }"))).toEqual([compressed]));
  expect(peak).toBeLessThan(roomMiB);
});

it("memory stays bounded with a thousand parents whose values are long: the others are errors of their field", async () => {
  const { url, asked } = await service();
  const server = await remotesServer(`type Hive { no: Int! @id  long: String @custom(http: { url: "${url}/long/$no", method: GET }) }`);
  const input = Array.from({ length: 1_000 }, (_, no) => `{ no: ${no} }`);
  await server.query(`mutation { addHive(input: [${input}]) { numUids } }`);
  const peak = await peakOf(server, async () => {
    expect(reasonsOf(await server.query("{ queryHive { no long } }"))).toContain(
      "the replies to one operation are longer than 67108864 bytes together",
    );
  });
  expect(asked("long")).toBe(1_000);
  expect(peak).toBeLessThan(roomMiB);
  expect((await server.query("{ queryHive(first: 1) { no } }")).data).toEqual({ queryHive: [{ no: 0 }] });
});

it.each(["endless", "bomb"])("memory stays bounded beside a webhook whose answer is %s: its status says that the event has arrived", async (path) => {
  const { url, asked, brokenOff } = await service();
  const server = await remotesServer(`type Hive @webhook(url: "${url}/${path}") { label: String! @id }`);
  const peak = await peakOf(server, async () => {
    for (let i = 0; i < 20; i++) await server.query(`mutation { addHive(input: [{ label: "h${i}" }]) { numUids } }`);
    await eventually(async () =>
      expect(await (await fetch(new URL("/metrics", server.url))).text()).toMatch(/events_delivered_total(?:\{.*\})? 20\b/),
    );
  });
  expect(asked(path)).toBe(20);
  await eventually(() => expect(brokenOff(path)).toBe(20));
  expect(peak).toBeLessThan(roomMiB);
});
