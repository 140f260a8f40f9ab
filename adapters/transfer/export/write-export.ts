// Writes one snapshot of a store to a folder, in one of three forms.

import { randomUUID } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CommitToken, QuernError, type Snapshot, type Storage } from "../../../core/storage.ts";
import { codeOf, writeFailure } from "../files/write-failure.ts";
import { type Schema, Target } from "../import/target.ts";
import { ExportDraft, type ExportFacts, type ExportMark } from "./export-draft.ts";
import { ExportFiles } from "./export-files.ts";
import { type ExportFormat, formOf } from "./forms.ts";
import { goJson } from "./go-text.ts";
import { type ExportedType, exportedTypes, readNodes } from "./read-nodes.ts";
import { storageSchemaText } from "./storage-schema-text.ts";
import { TextFile } from "./text-file.ts";

/** Enough that marks cost nothing, and little enough that an interruption costs seconds. */
const charactersBetweenMarks = 16 << 20;

/** What is exported, where to, and how. */
export interface ExportRequest {
  /** Open. */
  readonly storage: Storage;
  readonly deployment: Schema & { readonly version: number; readonly document: string };
  /** The folder of the export. It is made; when it is there, it must be empty. */
  readonly folder: string;
  readonly format: ExportFormat;
  readonly gzip: boolean;
  /** The namespace that the files for Dgraph name. Default: 0. */
  readonly namespace?: number;
  /** Names of the types to export; undefined: all. */
  readonly types?: readonly string[];
  /** Called after each page. */
  readonly progress?: (step: ExportStep) => void;
  /** Called with a sentence when an interrupted export goes on, or is discarded. */
  readonly notice?: (sentence: string) => void;
  /** Ends the export with its reason. It can go on later. */
  readonly signal?: AbortSignal;
  /** Characters between two points at which an interrupted export can go on; 16 million by default. */
  readonly markEvery?: number;
}

/** How far an export is: nodes written, of all. */
export interface ExportStep {
  readonly nodes: number;
  readonly total: number;
  /** Nodes that an interrupted export had written. */
  readonly before: number;
}

/** What an export holds. */
export interface ExportOutcome {
  readonly commit: CommitToken;
  /** Nodes by type. */
  readonly nodes: Readonly<Record<string, number>>;
  /** Names of the files. */
  readonly files: readonly string[];
}

/**
 * The folder appears when the export is complete, never in part: until then the files lie in a folder beside it. An export that was interrupted,
 * by the end of its process or by `signal`, goes on there when it is repeated, if the store is still at the commit that it showed. Otherwise
 * it begins again, because an export is one snapshot. Any other failure removes what was written.
 */
export async function writeExport(request: ExportRequest): Promise<ExportOutcome> {
  const { folder } = request;
  try {
    await assertEmpty(folder);
    return await writeSnapshot(request);
  } catch (cause) {
    throw writeFailure(`The export ${folder}`, cause);
  }
}

async function assertEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((reason: unknown) => {
    if (codeOf(reason) === "ENOENT") return [];
    throw reason;
  });
  if (names.length > 0) throw new QuernError("CONFIG_INVALID", `The folder ${folder} is not empty; name a new one.`);
}

async function writeSnapshot(request: ExportRequest): Promise<ExportOutcome> {
  const { storage, deployment, folder, types, notice, signal } = request;
  const chosen = exportedTypes(deployment).filter(({ model }) => types === undefined || types.includes(model.name));
  const snapshot = storage.snapshot({ version: deployment.version });
  try {
    const facts = await factsOf(request, snapshot, chosen);
    const { draft, mark, discarded } = await ExportDraft.open(folder, facts);
    try {
      if (discarded !== undefined) notice?.(discarded);
      if (mark !== undefined)
        notice?.(`The export goes on behind the ${sumOf(mark.nodes).toLocaleString("en")} nodes that an interrupted one wrote.`);
      const outcome = await writeFiles(request, { snapshot, chosen, draft, mark, total: facts.total });
      await draft.finish(folder);
      return outcome;
    } catch (reason) {
      if (signal?.aborted) draft.leave();
      else await draft.remove();
      throw reason;
    }
  } finally {
    snapshot.close();
  }
}

/** What the export is of, as of the snapshot. */
async function factsOf(
  { storage, deployment: { document }, format, gzip }: ExportRequest,
  snapshot: Snapshot,
  chosen: readonly ExportedType[],
): Promise<ExportFacts> {
  const [row] = await snapshot.aggregate({ over: { types: chosen.map(({ model }) => model.stored) }, measures: [{ kind: "count" }] });
  return {
    store: `${storage.name} ${storage.folder === undefined ? "" : resolve(storage.folder)}`,
    // Where others commit, too, an equal token does not say that the data are equal: such an export begins again.
    commit: storage.supports.shared ? `${snapshot.at} ${randomUUID()}` : snapshot.at,
    total: Number(row?.[0] ?? 0),
    document,
    format,
    gzip,
    types: chosen.map(({ model }) => model.name),
  };
}

interface Writing {
  readonly snapshot: Snapshot;
  readonly chosen: readonly ExportedType[];
  readonly draft: ExportDraft;
  readonly mark: ExportMark | undefined;
  readonly total: number;
}

async function writeFiles(request: ExportRequest, { snapshot, chosen, draft, mark, total }: Writing): Promise<ExportOutcome> {
  const { deployment, format, gzip, progress, signal, markEvery = charactersBetweenMarks, namespace = 0 } = request;
  const form = formOf(format, new Target(deployment), { model: deployment.model, namespace });
  const files = new ExportFiles(draft.path, form, { gzip, marked: mark?.files ?? [] });
  try {
    for (const name of form.files.filter((each) => format !== "ndjson" || chosen.some(({ model }) => each === `${model.name}.ndjson`)))
      files.open(name);
    const counts: Record<string, number> = { ...Object.fromEntries(chosen.map(({ model }) => [model.name, 0])), ...mark?.nodes };
    const before = sumOf(counts);
    let nodes = before;
    for await (const { parts, position } of readNodes(snapshot, chosen, mark?.position)) {
      signal?.throwIfAborted();
      for (const part of parts) {
        await files.add(part);
        if (!part.isFirst) continue;
        nodes += 1;
        counts[part.type.model.name] = (counts[part.type.model.name] ?? 0) + 1;
      }
      if (position !== undefined && files.unmarked >= markEvery) await draft.mark({ position, nodes: counts, files: await files.mark() });
      progress?.({ nodes, total, before });
    }
    await files.close();
    const more = await writeSchemas(draft.path, deployment, { format, gzip, namespace });
    const outcome = { commit: snapshot.at, nodes: counts, files: [...files.names, ...more] };
    if (format === "ndjson")
      await writeFile(join(draft.path, "export.json"), `${JSON.stringify({ format: "quern-ndjson", version: 1, ...outcome }, null, 2)}\n`);
    return outcome;
  } finally {
    files.destroy();
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

async function writeSchemas(
  draft: string,
  deployment: ExportRequest["deployment"],
  { format, gzip, namespace }: Required<Pick<ExportRequest, "format" | "gzip" | "namespace">>,
): Promise<readonly string[]> {
  const { document } = deployment;
  const texts: readonly (readonly [string, string])[] =
    format === "ndjson"
      ? [["schema.graphql", document]]
      : [
          [`g01.schema${gzip ? ".gz" : ""}`, storageSchemaText(deployment, namespace)],
          [`g01.gql_schema${gzip ? ".gz" : ""}`, `[\n{"Namespace":${namespace},"Schema":${goJson(document)}}\n]\n`],
        ];
  for (const [name, text] of texts) {
    const file = new TextFile(join(draft, name), { gzip: name.endsWith(".gz") });
    await file.add(text);
    await file.mark();
  }
  return texts.map(([name]) => name);
}
