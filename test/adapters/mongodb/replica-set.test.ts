// The servers that specs start for themselves: they outlive nobody.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { builtProgram } from "../../support/built-program.ts";
import { findMongod } from "../../support/find-mongod.ts";

const given = findMongod()?.kind === "uri";

it.skipIf(given)(
  `stops the replica set and removes its data when the process that started it is killed${given ? ": left out, no mongod to start is named" : ""}`,
  async () => {
    const holder = spawn(process.execPath, [builtProgram(new URL("./replica-set-holder.ts", import.meta.url))], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(holder.stdout, "data");
    const { port, folder }: { readonly port: number; readonly folder: string } = JSON.parse(String(line));
    expect([await answers(port), existsSync(folder)]).toEqual([true, true]);
    holder.kill("SIGKILL");
    await vi.waitFor(async () => expect([await answers(port), existsSync(folder)]).toEqual([false, false]), { timeout: 60_000 });
  },
);

function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
