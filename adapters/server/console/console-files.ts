// The files of the console, as the build has made them from `adapters/console`.

import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { packageFolder } from "../http/package-folder.ts";

export interface ConsoleFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly packed: Uint8Array;
}

const folder = join(packageFolder, "dist/adapters/server/console/browser");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Names of the build's files; none while the console is not built. */
async function built(): Promise<readonly string[]> {
  const names: readonly string[] = await readdir(folder).catch(() => []);
  return names.includes("index.html") ? names : [];
}

/** Each file is read and compressed at its first use, and kept. Only names in the folder's listing are read. */
export class ConsoleFiles {
  #built: ReturnType<typeof built> | undefined;
  readonly #files = new Map<string, Promise<ConsoleFile>>();

  async file(name: string): Promise<ConsoleFile | undefined> {
    this.#built ??= built();
    if (!(await this.#built).includes(name)) return undefined;
    const file = this.#files.get(name) ?? read(name);
    this.#files.set(name, file);
    return file;
  }
}

async function read(name: string): Promise<ConsoleFile> {
  const bytes = await readFile(join(folder, name));
  return { contentType: types[extname(name)] ?? "application/octet-stream", bytes, packed: gzipSync(bytes) };
}
