// Servers with files for the specs of this folder: both transports over one kernel, and a folder of its own for bytes.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import type { ServerKernel } from "../../../adapters/server/index.ts";
import { wsTransport } from "../../../adapters/ws/index.ts";
import { yogaTransport } from "../../../adapters/yoga/index.ts";
import type { DirectivePlugin } from "../../../core/plugin.ts";
import type { Transport } from "../../../core/transport.ts";
import { type FileStore, type FilesOptions, filesPlugin, folderFiles } from "../../../plugins/files/index.ts";
import { type TemporaryConfig, type TemporaryKernel, temporaryKernel } from "../../support/kernel.ts";

export { pixel } from "../../support/pixel.ts";

export const transports: Readonly<Record<string, () => Transport>> = { ws: wsTransport, yoga: yogaTransport };

export interface Served {
  readonly url: string;
  readonly kernel: ServerKernel;
  readonly store: FileStore;
  /** Where `store` keeps bytes. */
  readonly folder: string;
  /** Sends bytes, and gives the answer. */
  upload(bytes: string | Uint8Array, options?: UploadOptions): Promise<Response>;
  /** Sends bytes, and gives the ticket. */
  ticket(bytes: string | Uint8Array, options?: UploadOptions): Promise<string>;
  ask(query: string, options?: AskOptions): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

export interface UploadOptions {
  readonly type?: string;
  readonly name?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface AskOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: specs state what is in it
  readonly data: any;
  readonly codes: readonly unknown[];
  readonly messages: readonly string[];
}

export interface ServedOptions extends FilesOptions {
  readonly transport?: string;
  readonly schema?: string;
  /** Plugins beside the standard ones. */
  readonly plugins?: readonly DirectivePlugin[];
  readonly admin?: TemporaryConfig["admin"];
}

export const photoSchema = "type Photo { id: ID!  title: String @search(by: [hash])  image: File @file }";

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "quern-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function served({ transport = "ws", schema = photoSchema, plugins = [], admin, ...options }: ServedOptions = {}): Promise<Served> {
  const folder = await newFolder();
  const store = options.store ?? folderFiles({ path: folder });
  const at = await temporaryKernel({ plugins: pluginsWith({ ...options, store }, plugins), ...(admin && { admin }) });
  onTestFinished(() => at.remove());
  return await serve(at, { transport, schema, store, folder });
}

export function pluginsWith(options: FilesOptions, plugins: readonly DirectivePlugin[] = []): readonly DirectivePlugin[] {
  return [...standardPlugins().filter(({ name }) => name !== "files"), filesPlugin(options), ...plugins];
}

interface ServeOptions extends Pick<Served, "store" | "folder"> {
  readonly transport: string;
  readonly schema: string;
}

export async function serve({ kernel }: Pick<TemporaryKernel, "kernel">, { transport, schema, store, folder }: ServeOptions): Promise<Served> {
  await kernel.deploy(schema);
  const listening = await transports[transport]?.().listen(kernel, { host: "127.0.0.1", port: 0 });
  if (listening === undefined) throw new Error(`no transport ${transport}`);
  onTestFinished(() => listening.close(0));
  const { url } = listening;
  const upload: Served["upload"] = (bytes, { type = "text/plain", name, headers } = {}) =>
    fetch(`${url}/files${name === undefined ? "" : `?name=${encodeURIComponent(name)}`}`, {
      method: "POST",
      headers: { "content-type": type, ...headers },
      body: typeof bytes === "string" ? bytes : Uint8Array.from(bytes),
    });
  return {
    url,
    kernel,
    store,
    folder,
    upload,
    ticket: async (bytes, about) => {
      const answer = await upload(bytes, about);
      if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
      return (await answer.json()).upload;
    },
    ask: async (query, { variables = {}, headers = {} } = {}) => {
      const body = JSON.stringify({ query, variables });
      const answer = await fetch(`${url}/graphql`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });
      return answerOf(await answer.json());
    },
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers }),
  };
}

interface Envelope {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: unknown } }[];
}

export function answerOf({ data, errors = [] }: Envelope): Answer {
  return { data, codes: errors.map(({ extensions }) => extensions?.code), messages: errors.map(({ message }) => message) };
}

/** How many files the store keeps, and their bytes. */
export async function kept(store: FileStore): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { bytes } of store.list()) found.push(bytes);
  return found.sort((a, b) => a - b);
}

export const addPhoto = `mutation ($title: String, $upload: Upload!) {
  addPhoto(input: [{ title: $title, image: { upload: $upload } }]) { photo { id title image { url name type bytes width height sha256 } } }
}`;
