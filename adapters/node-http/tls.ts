// HTTPS: certificate and key from files, read again when they change, such as after a renewal.

import { readFile, stat } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { QuernError } from "../../core/transport.ts";

/** The files with which a server speaks HTTPS. */
export interface TlsOptions {
  /** Path of the certificate with its intermediate certificates, PEM. */
  readonly certFile: string;
  /** Path of its private key, PEM, without a password. */
  readonly keyFile: string;
}

/** What the files hold. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** @throws QuernError `CONFIG_INVALID` when a file cannot be read, or they do not fit together */
export async function readTlsFiles({ certFile, keyFile }: TlsOptions): Promise<TlsFiles> {
  const [cert, key] = await Promise.all([readPem("certificate", certFile), readPem("key", keyFile)]);
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    throw invalid(`The TLS certificate ${certFile} and the key ${keyFile} cannot be used together: ${reasonOf(cause)}`, cause);
  }
  return { cert, key };
}

/** What happens when the files change. */
export interface TlsWatch {
  /** Called with new files that fit together. */
  readonly changed: (files: TlsFiles) => void;
  /** Called when changed files cannot be used: the server keeps the earlier ones. */
  readonly failed: (thrown: unknown) => void;
  /** Default: one second. */
  readonly everyMs?: number;
}

/**
 * Watches the files. It polls, because file system events are lost where a file is replaced, and where it is mounted.
 *
 * @returns a function that stops watching
 */
export async function watchTlsFiles(options: TlsOptions, { changed, failed, everyMs = 1_000 }: TlsWatch): Promise<() => void> {
  let seen = await stateOf(options);
  let isBusy = false;
  const look = async () => {
    const state = await stateOf(options);
    if (state === seen) return;
    seen = state;
    changed(await readTlsFiles(options));
  };
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    look()
      .catch(failed)
      .finally(() => {
        isBusy = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Differs after a file is written or replaced. */
async function stateOf({ certFile, keyFile }: TlsOptions): Promise<string> {
  const states = await Promise.all([certFile, keyFile].map((path) => stat(path).catch(() => undefined)));
  return states.map((each) => (each ? `${each.ino} ${each.size} ${each.mtimeMs}` : "none")).join(" ");
}

async function readPem(what: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw invalid(`The TLS ${what} cannot be read: ${reasonOf(cause)}`, cause);
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function invalid(message: string, cause: unknown): QuernError {
  return new QuernError("CONFIG_INVALID", message, { cause });
}
