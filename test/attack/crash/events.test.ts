// A server that is killed between the commit of a mutation and the delivery of its event: the next one delivers it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished, vi } from "vitest";
import { leveldbStorage } from "../../../adapters/level/index.ts";
import { createKernel } from "../../../core/index.ts";
import { identityPlugin } from "../../../plugins/identity/index.ts";
import { lambdaPlugin } from "../../../plugins/lambda/index.ts";
import { receiver } from "../../plugins/lambda/receiver.ts";
import { builtProgram } from "../../support/built-program.ts";

const program = new URL("events-program.ts", import.meta.url);
const count = 20;

/** Runs the program until it has committed, then sends SIGKILL. */
async function killedAfterCommit(folder: string, url: string): Promise<void> {
  const child = spawn(process.execPath, [builtProgram(program), folder, url, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) if (line === "committed") break;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

it("delivers what was committed and not delivered, each event and none twice that was acknowledged", async () => {
  const folder = await mkdtemp(join(tmpdir(), "killed-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const server = await receiver();
  // Nobody gets an answer: nothing is delivered while the first server lives.
  server.answer = () => undefined;
  await killedAfterCommit(folder, server.url);
  const before = new Set(server.received.map(({ text }) => text));
  server.received.length = 0;
  server.answer = (_, response) => response.end();

  const plugins = [identityPlugin(), lambdaPlugin({ url: server.url, firstRetryMs: 50 })];
  const kernel = createKernel({ storage: leveldbStorage({ path: folder }), plugins, log: { level: "silent" } });
  await kernel.open();
  onTestFinished(() => kernel.close());
  await vi.waitFor(() => expect(server.received).toHaveLength(count), { timeout: 60_000 });
  const labels = server.received.map(({ body }) => JSON.stringify(body).match(/h\d+/)?.[0]);
  expect(new Set(labels)).toEqual(new Set(Array.from({ length: count }, (_, i) => `h${i}`)));
  // What was under delivery at the kill is delivered again, with the same bytes: a receiver knows it by its number.
  const again = server.received.map(({ text }) => text);
  expect(again).toEqual(expect.arrayContaining([...before]));
}, 60_000);
