// Finds the files of a Dgraph export and reads its two schemas.

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isObject, parseJson, QuernError } from "../../../core/plugin.ts";
import { type EncryptionKey, textIn } from "./open-file.ts";
import { parseStorageSchema, type StorageSchema } from "./parse-storage-schema.ts";

export type DataFormat = "rdf" | "json" | "ndjson";

/** One file with data. */
export interface DataFile {
  readonly path: string;
  readonly format: DataFormat;
  /** Of a file whose lines are nodes: their type. */
  readonly type?: string;
  readonly bytes: number;
}

/** An export: one of Dgraph, or one of our own. */
export interface ExportSource {
  readonly folder: string;
  readonly data: readonly DataFile[];
  readonly storageSchema: StorageSchema;
  /** The GraphQL schema of each namespace that has one. */
  readonly schemas: ReadonlyMap<number, string>;
  readonly key: EncryptionKey;
}

interface ExportFile {
  readonly path: string;
  readonly group: number;
  readonly kind: "rdf" | "json" | "schema" | "gql_schema";
}

const fileName = /^g0*(\d+)\.(rdf|json|schema|gql_schema)(\.gz)?$/;
/** A folder that a server has written. */
export const exportFolder = /^dgraph\.r\d+\.u/;

/** Reads what an export says about itself; the data stay on the disk. */
export async function openDgraphExport(path: string, keyFile: string | undefined): Promise<ExportSource> {
  const key = keyFile === undefined ? undefined : await readKey(keyFile);
  const folder = await folderOf(path);
  const files = (await namesIn(folder)).flatMap((name) => parseName(folder, name));
  const data = files.filter(({ kind }) => kind === "rdf" || kind === "json");
  if (data.length === 0) throw invalid(`${folder} holds no data of an export, such as g01.rdf.gz or g01.json.gz.`);
  const format = data.some(({ kind }) => kind === "rdf") ? "rdf" : "json";
  const chosen = data.filter(({ kind }) => kind === format);
  const storage = files.filter(({ kind }) => kind === "schema");
  const graphql = files.filter(({ kind }) => kind === "gql_schema");
  checkGroups(folder, { chosen, storage, graphql });
  const schemas = new Map<number, string>();
  for (const file of graphql) for (const [namespace, text] of await readGraphqlSchemas(file.path, key)) schemas.set(namespace, text);
  const texts = await Promise.all(storage.map((file) => textIn(file.path, key)));
  const sized = await Promise.all(chosen.map(async (file) => ({ path: file.path, format, bytes: (await stat(file.path)).size }) as const));
  return { folder, data: sized, storageSchema: merged(texts.map(parseStorageSchema)), schemas, key };
}

/** The folder itself, or the one export inside it. */
async function folderOf(path: string): Promise<string> {
  const names = await namesIn(path);
  if (names.some((name) => fileName.test(name))) return path;
  const inner = names.filter((name) => exportFolder.test(name));
  const [only, ...others] = inner;
  if (only === undefined) throw invalid(`${path} holds no export: no files such as g01.rdf.gz, and no folder such as dgraph.r42.u0102.1530.`);
  if (others.length > 0) throw invalid(`${path} holds ${inner.length} exports; name one of them: ${inner.sort().join(", ")}.`);
  return join(path, only);
}

function parseName(folder: string, name: string): readonly ExportFile[] {
  const [, group, kind] = fileName.exec(name) ?? [];
  return group === undefined ? [] : [{ path: join(folder, name), group: Number(group), kind: kind as ExportFile["kind"] }];
}

interface Kinds {
  readonly chosen: readonly ExportFile[];
  readonly storage: readonly ExportFile[];
  readonly graphql: readonly ExportFile[];
}

/** Each group of a cluster writes all kinds of files. Exports of old versions have no GraphQL schemas. */
function checkGroups(folder: string, { chosen, storage, graphql }: Kinds): void {
  const all = [...chosen, ...storage, ...graphql];
  const last = Math.max(...all.map(({ group }) => group));
  for (const [what, files] of [
    ["data", chosen],
    ["storage schema", storage],
    ["GraphQL schema", graphql],
  ] as const) {
    if (files.length === 0 && what === "GraphQL schema") continue;
    const groups = files.map(({ group }) => group);
    const twice = groups.find((group, i) => groups.indexOf(group) !== i);
    if (twice !== undefined) throw invalid(`${folder} holds the ${what} of group ${twice} twice, plain and gzip; remove one of them.`);
    const missing = Array.from({ length: last }, (_, i) => i + 1).filter((group) => !groups.includes(group));
    if (missing.length > 0) {
      throw invalid(
        `${folder} lacks the ${what} of group ${missing.join(", ")}; an export is only whole with the files of all groups. Copy it again.`,
      );
    }
  }
}

/**
 * The predicates that a type has and that no storage schema describes: the files of the group that holds them are missing.
 */
export function missingPredicates({ predicates, types }: StorageSchema, namespace: number): readonly string[] {
  const described = new Set(predicates.filter((each) => each.namespace === namespace).map(({ name }) => name));
  const used = types.filter((type) => type.namespace === namespace && !type.name.startsWith("dgraph.")).flatMap((type) => type.predicates);
  return [...new Set(used)].filter((name) => !name.startsWith("~") && !described.has(name));
}

/** `[{"Namespace":0,"Schema":"…"}]`; before 21.03 the text of the schema. */
async function readGraphqlSchemas(path: string, key: EncryptionKey): Promise<ReadonlyMap<number, string>> {
  const text = await textIn(path, key);
  if (text.trim() === "") return new Map();
  if (!text.trimStart().startsWith("[")) return new Map([[0, text]]);
  let entries: unknown;
  try {
    entries = parseJson(text);
  } catch {
    throw invalid(`${path} is not JSON; copy it again, or export again.`);
  }
  const known = (Array.isArray(entries) ? entries : []).filter(isObject);
  return new Map(
    known.flatMap(({ Namespace, Schema }) => (typeof Schema === "string" && Schema.trim() !== "" ? [[Number(Namespace ?? 0), Schema] as const] : [])),
  );
}

function merged(schemas: readonly StorageSchema[]): StorageSchema {
  return { predicates: schemas.flatMap(({ predicates }) => predicates), types: schemas.flatMap(({ types }) => types) };
}

async function readKey(path: string): Promise<Uint8Array> {
  const bytes = await readFile(path).catch(() => {
    throw invalid(`The key file ${path} cannot be read; check --encryption-key-file.`);
  });
  const key = [16, 24, 32].includes(bytes.length) ? bytes : Buffer.from(bytes.toString("latin1").trim(), "latin1");
  if ([16, 24, 32].includes(key.length)) return key;
  throw invalid(`The key in ${basename(path)} has ${key.length} bytes; a key has 16, 24 or 32.`);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((cause: unknown) => {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const reason = code === "ENOENT" ? "does not exist" : code === "ENOTDIR" ? "is not a folder" : "cannot be read";
    throw new QuernError("CONFIG_INVALID", `The export ${folder} ${reason}; name the folder with its files.`, { cause });
  });
}

function invalid(message: string): QuernError {
  return new QuernError("CONFIG_INVALID", message);
}
