// A registry of the running servers of one user on one machine: a file per port in the user's state folder, with an admin token.
// The token is valid for one run of the server, so the file of a killed server grants no access.

import { rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { makePrivateFolder, readPrivateFile, replacePrivateFile, stateFolder } from "../ground/private-file.ts";

/** A registered server. */
export interface RunningServer {
  /** With the address that it listens on. */
  readonly url: string;
  readonly token: string;
}

/** Registers a server that listens on `urls`. The returned function removes the registration. */
export async function registerServer(urls: readonly string[], token: string): Promise<() => Promise<void>> {
  const paths = urls.flatMap((url) => (URL.canParse(url) && url.startsWith("http:") ? [[url, fileOf(new URL(url))] as const] : []));
  await makePrivateFolder(folder());
  for (const [url, path] of paths) await replacePrivateFile(path, JSON.stringify({ url, token, pid: process.pid }));
  const removeAll = () => {
    for (const [, path] of paths) rmSync(path, { force: true });
  };
  process.once("exit", removeAll);
  return async () => {
    process.off("exit", removeAll);
    for (const [, path] of paths) if (await isOwn(path)) await rm(path, { force: true });
  };
}

/**
 * The registered server at `url`; undefined if there is none. `localhost` is replaced by the address that the server listens on, because
 * another user may listen on the same port of another address.
 */
export async function runningServer(url: URL): Promise<RunningServer | undefined> {
  if (url.protocol !== "http:") return undefined;
  const text = await readPrivateFile(fileOf(url)).catch(() => undefined);
  const registered = text === undefined ? undefined : parseRegistration(text);
  if (registered === undefined || !isAlive(registered.pid)) return undefined;
  const hosts = hostsOf(new URL(registered.url).hostname);
  const host = url.hostname === "localhost" ? hosts[0] : hosts.find((each) => each === url.hostname);
  return host === undefined ? undefined : { url: `http://${host}:${portOf(url)}`, token: registered.token };
}

/** Host names of a listener on `host`, the most specific first. The URL of a server on every interface says `localhost`. */
function hostsOf(host: string): readonly string[] {
  if (host === "localhost") return ["127.0.0.1", "[::1]"];
  return isIP(host) === 4 || host.startsWith("[") ? [host] : [];
}

interface Registration extends RunningServer {
  readonly pid: number;
}

function parseRegistration(text: string): Registration | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("url" in value && "token" in value && "pid" in value)) return undefined;
    const { url, token, pid } = value;
    return typeof url === "string" && URL.canParse(url) && typeof token === "string" && typeof pid === "number" ? { url, token, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** False also for a process of another user: the signal is not permitted. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** False if another server has registered the port since. */
async function isOwn(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return parseRegistration(text)?.pid === process.pid;
}

function fileOf(url: URL): string {
  return join(folder(), `${portOf(url)}.json`);
}

function portOf({ port }: URL): string {
  return port === "" ? "80" : port;
}

function folder(): string {
  return join(stateFolder(), "servers");
}
