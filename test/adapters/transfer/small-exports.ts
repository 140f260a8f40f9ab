// Exports that are written down in a spec, and their import.

import { mkdtempSync, writeFileSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { standardPlugins } from "../../../adapters/cli/stack/standard-stack.ts";
import { type ImportOutcome, importExport, kernelDestination, openDgraphExport } from "../../../adapters/transfer/index.ts";
import { prepareDeployment } from "../../../core/index.ts";
import type { TemporaryKernel } from "../../support/kernel.ts";

/** A folder for as long as the test runs. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "quern-transfer-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** Writes the files of one group. Lines of data may leave out the namespace and the point. */
export function writeGroup(
  folder: string,
  { schema, rdf, group = 1 }: { readonly schema: string; readonly rdf: string; readonly group?: number },
): void {
  const lines = rdf
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => (line.endsWith(".") ? line : `${line} <0x0> .`));
  writeFileSync(join(folder, `g0${group}.rdf`), `${lines.join("\n")}\n`);
  writeFileSync(join(folder, `g0${group}.schema`), "");
  writeFileSync(join(folder, `g0${group}.gql_schema`), schema === "" ? "[\n\n]\n" : JSON.stringify([{ Namespace: 0, Schema: schema }]));
}

export interface Asked {
  readonly newUids?: boolean;
  readonly update?: boolean;
  readonly namespace?: number;
  readonly keyFile?: string;
  readonly scratch?: string;
}

/** Imports the export in `folder`, faults left out. */
export async function load(
  { kernel }: TemporaryKernel,
  folder: string,
  { newUids = false, update = false, namespace = 0, keyFile, scratch }: Asked = {},
): Promise<ImportOutcome> {
  const source = await openDgraphExport(folder, keyFile);
  const work = scratch ?? join(temporaryFolder(), "scratch");
  await mkdir(work, { recursive: true });
  return await importExport({
    source,
    prepared: prepareDeployment(source.schemas.get(namespace) ?? "", standardPlugins()),
    destination: kernelDestination(kernel, (text, how) => kernel.deploy(text, how)),
    folder: work,
    namespace,
    newUids,
    update,
    judge: () => undefined,
    progress: () => undefined,
  });
}

/** Imports one group that is written down. */
export async function loadText(
  stack: TemporaryKernel,
  group: { readonly schema: string; readonly rdf: string },
  asked: Asked = {},
): Promise<ImportOutcome> {
  const folder = temporaryFolder();
  writeGroup(folder, group);
  return await load(stack, folder, asked);
}

/** The data that a query answers. */
export async function ask({ kernel }: TemporaryKernel, query: string): Promise<unknown> {
  const { body } = await kernel.execute({ query });
  const { data, errors } = JSON.parse(body);
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}
