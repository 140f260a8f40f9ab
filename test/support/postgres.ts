// A real PostgreSQL for specs, on a socket in a folder of its own. Nothing of it is durable.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { eventually } from "./eventually.ts";

const debian = "/usr/lib/postgresql";

/** The folder of its programs; undefined: there is none on this machine. */
export const postgresPrograms = [
  process.env.QUERN_TEST_POSTGRES ?? "",
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []),
].find((folder) => ["initdb", "postgres", "psql"].every((name) => existsSync(join(folder, name))));

export const noPostgres =
  "they need PostgreSQL with psql: apt-get install postgresql, or set QUERN_TEST_POSTGRES=<folder of initdb, postgres and psql>";

export interface Postgres {
  /** As psql takes it. */
  readonly url: string;
  /** Runs statements as its administrator. */
  run(sql: string): void;
  stop(): Promise<void>;
}

export async function startPostgres(programs: string): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), "quern-postgres-"));
  const owner = notRoot();
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = join(folder, "data");
  const of = (name: string) => join(programs, name);
  const options = { ...owner, cwd: folder, encoding: "utf8" } as const;
  const made = spawnSync(of("initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--no-locale"], options);
  expect(made.status, `${made.error ?? made.stderr}`).toBe(0);
  const settings = ["listen_addresses=", `unix_socket_directories=${folder}`, "fsync=off", "shared_buffers=16MB"];
  const server = spawn(of("postgres"), ["-D", data, ...settings.flatMap((each) => ["-c", each])], { ...owner, cwd: folder, stdio: "ignore" });
  const ended = once(server, "exit");
  const url = `postgresql:///postgres?host=${encodeURIComponent(folder)}&user=postgres`;
  const run = (sql: string): void => {
    const { status, stderr } = spawnSync(of("psql"), [url, "-v", "ON_ERROR_STOP=1", "-qc", sql], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
  };
  await eventually(() => run("select 1"));
  return {
    url,
    run,
    stop: async () => {
      // At once, and not when its clients have gone.
      server.kill("SIGINT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** It does not run as root. */
function notRoot(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : undefined;
}

const nobody = 65_534;
