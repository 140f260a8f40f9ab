// A transport by strangers: lines over a Unix socket.

import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Listening } from "../../core/transport.ts";
import { unixSocketTransport } from "../../examples/unix-socket-transport/unix-socket-transport.ts";
import { temporaryFolder } from "../cli/quern.ts";
import { type TemporaryKernel, temporaryKernel } from "../support/kernel.ts";

let stack: TemporaryKernel;
let listening: Listening;
let folder: ReturnType<typeof temporaryFolder>;
const path = () => join(folder.path, "quern.sock");

beforeEach(async () => {
  folder = temporaryFolder();
  stack = await temporaryKernel();
  await stack.kernel.deploy("type Note { id: ID! text: String! @search(by: [hash]) }");
  listening = await unixSocketTransport({ path: path() }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
});
afterEach(async () => {
  await listening.close(100);
  await stack.remove();
  folder.remove();
});

/** Sends lines at once and reads as many answers. */
async function ask(...lines: readonly string[]): Promise<readonly unknown[]> {
  const socket = connect(path());
  socket.write(`${lines.join("\n")}\n`);
  const answers: unknown[] = [];
  for await (const line of createInterface({ input: socket })) {
    if (answers.push(JSON.parse(line)) === lines.length) break;
  }
  socket.destroy();
  return answers;
}

describe("lines over a Unix socket", () => {
  it("are answered in order, including an invalid one", async () => {
    const add = JSON.stringify({ query: "mutation ($t: String!) { addNote(input: [{ text: $t }]) { numUids } }", variables: { t: "line\nbreak ü" } });
    const read = JSON.stringify({ query: "{ queryNote { text } }" });
    expect(await ask(add, "no json", read)).toMatchObject([
      { data: { addNote: { numUids: 1 } } },
      { errors: [{ message: expect.stringContaining("Not a valid GraphQL request body") }] },
      { data: { queryNote: [{ text: "line\nbreak ü" }] } },
    ]);
  });

  it("longer than the body limit end their own connection only", async () => {
    await listening.close(0);
    stack = await stack.restart({ limits: { maxBodyBytes: 1_000 } });
    listening = await unixSocketTransport({ path: path() }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    const query = '{"query":"{ queryNote { text } }"}';
    expect(await ask("x".repeat(1_001))).toMatchObject([{ errors: [{ message: expect.stringContaining("larger than 1000 bytes") }] }]);
    expect(await ask(query.padEnd(1_000))).toMatchObject([{ data: { queryNote: [] } }]);
  });

  it("are answered also when the client ends its side before the answer", async () => {
    const socket = connect(path());
    socket.end('{"query":"mutation { addNote(input: [{ text: \\"last word\\" }]) { numUids } }"}\n');
    const answers: unknown[] = [];
    for await (const line of createInterface({ input: socket })) answers.push(JSON.parse(line));
    expect(answers).toMatchObject([{ data: { addNote: { numUids: 1 } } }]);
  });

  it("are served to others when a client disconnects in the middle of a line", async () => {
    const socket = connect(path());
    await once(socket, "connect");
    socket.write('{"query": "{ queryNo');
    socket.destroy();
    expect(await ask('{"query":"{ queryNote { text } }"}')).toMatchObject([{ data: { queryNote: [] } }]);
  });

  it("end within the grace period when the transport closes", async () => {
    const idle = connect(path());
    await once(idle, "connect");
    const closed = once(idle, "close");
    idle.resume();
    await listening.close(50);
    await closed;
    listening = await unixSocketTransport({ path: path() }).listen(stack.kernel, { host: "127.0.0.1", port: 0 });
    expect(listening.url).toBe(`unix:${path()}`);
  });

  it("cannot be served twice at one path", async () => {
    await expect(unixSocketTransport({ path: path() }).listen(stack.kernel, { host: "127.0.0.1", port: 0 })).rejects.toMatchObject({
      code: "ADDRESS_IN_USE",
    });
  });
});
