// Trusted documents: the operator lists them in a file, clients send their id.

import { readFile } from "node:fs/promises";
import { QuernError } from "../../../core/index.ts";
import type { TrustedDocumentsConfig } from "../config/config.ts";
import { sha256 } from "./persisted-store.ts";

export class TrustedDocuments {
  readonly #file: string;
  /** Whether other documents are refused. */
  readonly only: boolean;
  #byId: ReadonlyMap<string, string> = new Map();
  #texts: ReadonlySet<string> = new Set();

  constructor(config: string | TrustedDocumentsConfig) {
    const { file, only = false } = typeof config === "string" ? { file: config } : config;
    this.#file = file;
    this.only = only;
  }

  /** Reads the file. Error: `CONFIG_INVALID`, when it cannot be read or is not a manifest. */
  async load(): Promise<void> {
    this.#byId = parseManifest(await this.#read(), this.#file);
    this.#texts = new Set(this.#byId.values());
  }

  get size(): number {
    return this.#byId.size;
  }

  /** In the order of the file. */
  all(): Iterable<readonly [id: string, text: string]> {
    return this.#byId;
  }

  /** @param id as in the file, with or without the prefix `sha256:` */
  textOf(id: string): string | undefined {
    return this.#byId.get(id) ?? (id.startsWith(algorithm) ? this.#byId.get(id.slice(algorithm.length)) : undefined);
  }

  hasText(text: string): boolean {
    return this.#texts.has(text);
  }

  /** Ids that look like a SHA-256 but are not that of their text: the compiler may have hashed another form of it. */
  otherHashes(): readonly string[] {
    return [...this.#byId].flatMap(([id, text]) => (isSha256.test(id) && id.toLowerCase() !== sha256(text) ? [id] : []));
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#file, "utf8");
    } catch (cause) {
      const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      throw wrong(this.#file, missing ? "it is not there. Check the path; a relative one starts at the working folder" : reasonOf(cause), cause);
    }
  }
}

const algorithm = "sha256:";
const isSha256 = /^[0-9a-f]{64}$/i;
const apolloFormat = "apollo-persisted-query-manifest";

/** Texts by id. */
function parseManifest(text: string, file: string): ReadonlyMap<string, string> {
  const json = parsed(text, file);
  if (!isObject(json)) throw wrong(file, `it must hold a JSON object, found ${kindOf(json)}. ${formats}`);
  const entries = json.format === apolloFormat ? apolloEntries(json, file) : Object.entries(json);
  const documents = new Map<string, string>();
  for (const [id, document] of entries) {
    if (typeof document !== "string" || document.trim() === "") {
      throw wrong(file, `the document ${JSON.stringify(id)} must be a text that is not empty, found ${kindOf(document)}. ${formats}`);
    }
    if (id === "" || documents.has(id)) throw wrong(file, id === "" ? "a document has no id" : `two documents have the id ${JSON.stringify(id)}`);
    documents.set(id, document);
  }
  return documents;
}

function apolloEntries({ version, operations }: JsonObject, file: string): readonly (readonly [string, unknown])[] {
  if (version !== 1) throw wrong(file, `it is an Apollo manifest of version ${JSON.stringify(version)}; version 1 is known here`);
  if (!Array.isArray(operations)) throw wrong(file, `"operations" must be a list, found ${kindOf(operations)}`);
  return operations.map((operation: unknown, i) => {
    if (isObject(operation) && typeof operation.id === "string") return [operation.id, operation.body] as const;
    throw wrong(file, `operations[${i}] must hold an id and a body that are texts`);
  });
}

const formats = `It takes { "<id>": "<text>" } of the Relay compiler or GraphQL code generator, or Apollo's "${apolloFormat}"`;

type JsonObject = Readonly<Record<string, unknown>>;

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrong(file, `it is no JSON: ${reasonOf(cause)}`, cause);
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return value === "" ? "an empty text" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function wrong(file: string, problem: string, cause?: unknown): QuernError {
  return new QuernError("CONFIG_INVALID", `trustedDocuments: the file ${file} cannot be used: ${problem}.`, cause === undefined ? {} : { cause });
}
