// How commands find the admin token of a server that the same user runs on this machine: by its port, in a file of the user's state folder.
// The token in it is the server's for this run alone, so that the file of a server that was killed opens nothing.

import { rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { makePrivateFolder, readPrivateFile, replacePrivateFile, stateFolder } from "./private-file.ts";

/** A server as a command reaches it. */
export interface RunningServer {
  /** Names the address that it listens on. */
  readonly url: string;
  readonly token: string;
}

/** Writes where the server is and by which token; the function that takes it back removes the files. */
export async function announce(urls: readonly string[], token: string): Promise<() => Promise<void>> {
  const paths = urls.flatMap((url) => (URL.canParse(url) && url.startsWith("http:") ? [[url, fileOf(new URL(url))] as const] : []));
  await makePrivateFolder(folder());
  for (const [url, path] of paths) await replacePrivateFile(path, JSON.stringify({ url, token, pid: process.pid }));
  const removeAll = () => {
    for (const [, path] of paths) rmSync(path, { force: true });
  };
  process.once("exit", removeAll);
  return async () => {
    process.off("exit", removeAll);
    for (const [, path] of paths) if (await isOurs(path)) await rm(path, { force: true });
  };
}

/**
 * The running server of this user that `url` leads to; undefined: none is known. `localhost` becomes the address that the server listens
 * on: another user may listen on the same port of another address.
 */
export async function runningServer(url: URL): Promise<RunningServer | undefined> {
  if (url.protocol !== "http:") return undefined;
  const text = await readPrivateFile(fileOf(url)).catch(() => undefined);
  const known = text === undefined ? undefined : announced(text);
  if (known === undefined || !isAlive(known.pid)) return undefined;
  const hosts = hostsOf(new URL(known.url).hostname);
  const host = url.hostname === "localhost" ? hosts[0] : hosts.find((each) => each === url.hostname);
  return host === undefined ? undefined : { url: `http://${host}:${portOf(url)}`, token: known.token };
}

/** Names that lead to the listener on `host`, the surest first. A server on every interface says that it is at `localhost`. */
function hostsOf(host: string): readonly string[] {
  if (host === "localhost") return ["127.0.0.1", "[::1]"];
  return isIP(host) === 4 || host.startsWith("[") ? [host] : [];
}

interface Announced extends RunningServer {
  readonly pid: number;
}

function announced(text: string): Announced | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("url" in value && "token" in value && "pid" in value)) return undefined;
    const { url, token, pid } = value;
    return typeof url === "string" && URL.canParse(url) && typeof token === "string" && typeof pid === "number" ? { url, token, pid } : undefined;
  } catch {
    return undefined;
  }
}

/** A process of another user cannot be ours. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Another server may have taken the port since. */
async function isOurs(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return announced(text)?.pid === process.pid;
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
