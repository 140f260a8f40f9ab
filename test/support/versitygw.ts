// A real S3 server for specs: versitygw over a folder, on a port of its own.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { S3FilesOptions } from "../../plugins/files/index.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

export interface S3Server extends S3FilesOptions {
  /** Where it keeps the objects of its bucket. */
  readonly folder: string;
  /** Stops answering. What it keeps stays. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export const noVersitygw =
  "they need versitygw, an S3 server: put it in the cache with .ci/fetch-versitygw, which builds it with Go, or set QUERN_TEST_VERSITYGW=<binary>";

/** Undefined: there is none on this machine. */
export function findVersitygw(): string | undefined {
  const { QUERN_TEST_VERSITYGW: named, XDG_CACHE_HOME: cache = join(homedir(), ".cache") } = process.env;
  return [named ?? "", join(cache, "quern", "versitygw-v1.8.0")].find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path !== "";
  } catch {
    return false;
  }
}

/** With an empty bucket. */
export async function startS3(binary: string): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "quern-s3-"));
  await mkdir(join(folder, "data", "bucket"), { recursive: true });
  await mkdir(join(folder, "about"));
  const port = await freePort();
  const credentials = { accessKeyId: "access-key-of-specs", secretAccessKey: "secret-of-specs" };
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const start = async () => {
    const keys = ["--access", credentials.accessKeyId, "--secret", credentials.secretAccessKey];
    child = spawn(binary, [...keys, "--port", `127.0.0.1:${port}`, "posix", "--sidecar", join(folder, "about"), join(folder, "data")], {
      stdio: "ignore",
    });
    await eventually(() => fetch(endpoint));
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const stop = async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  };
  await start();
  return { ...credentials, endpoint, bucket: "bucket", folder: join(folder, "data", "bucket"), kill, start, stop };
}
