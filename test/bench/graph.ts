// The data of the benchmarks: the whole Debian graph where it is installed, else the extract of the example.

import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createGunzip, createGzip } from "node:zlib";

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly section: string;
  readonly installedSizeKiB: number;
  readonly downloadSize: number;
  readonly summary?: string;
  readonly maintainer: { readonly email: string; readonly name: string };
  readonly dependsOn: readonly string[];
  readonly recommends: readonly string[];
  readonly tags?: readonly string[];
}

export interface Graph {
  readonly file: string;
  readonly schema: string;
  readonly whole: boolean;
}

const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

/** Folder of the whole graph, or undefined when it is not there. `QUERN_GRAPH` names it; by default it lies beside the project. */
export function wholeGraph(): Graph | undefined {
  const folder = process.env.QUERN_GRAPH ?? join(project, "..", "shared", "data");
  const file = join(folder, "debian-packages.ndjson.gz");
  return existsSync(file) ? { file, schema: join(folder, "debian.graphql"), whole: true } : undefined;
}

export function extract(): Graph {
  const folder = join(project, "examples", "debian-packages");
  return { file: join(folder, "packages.ndjson"), schema: join(folder, "schema.graphql"), whole: false };
}

export async function readPackages({ file }: Graph): Promise<readonly DebianPackage[]> {
  const bytes = createReadStream(file);
  const lines = createInterface({ input: file.endsWith(".gz") ? bytes.pipe(createGunzip()) : bytes });
  const packages: DebianPackage[] = [];
  for await (const line of lines) packages.push(JSON.parse(line));
  return packages;
}

export function schemaText({ schema }: Graph): string {
  return readFileSync(schema, "utf8");
}

/** The graph so many times over, in one compressed file. Each copy has names and links of its own; all have the same maintainers. */
export async function multiplied(graph: Graph, times: number, folder: string): Promise<Graph> {
  if (times === 1 && graph.file.endsWith(".gz")) return graph;
  const packages = await readPackages(graph);
  const file = join(folder, "packages.ndjson.gz");
  await pipeline(Readable.from(linesOf(packages, times)), createGzip({ level: 1 }), createWriteStream(file));
  return { ...graph, file };
}

function* linesOf(packages: readonly DebianPackage[], times: number): Iterable<string> {
  for (let copy = 0; copy < times; copy++) for (const each of packages) yield `${JSON.stringify(ofCopy(each, copy))}\n`;
}

/** The package as it is called in one of the copies. */
export function ofCopy(each: DebianPackage, copy: number): DebianPackage {
  if (copy === 0) return each;
  const named = (name: string) => `${name}~${copy}`;
  return { ...each, name: named(each.name), dependsOn: each.dependsOn.map(named), recommends: each.recommends.map(named) };
}
