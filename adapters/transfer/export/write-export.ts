// Writes one snapshot of a store to a folder, in one of three forms.

import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type CommitToken, QuernError, type Storage } from "../../../core/storage.ts";
import { makeFolder } from "../../storage-kit/index.ts";
import { codeOf, writeFailure } from "../files/write-failure.ts";
import { type Schema, Target } from "../import/target.ts";
import { type ExportFormat, type Form, formOf } from "./forms.ts";
import { goJson } from "./go-text.ts";
import { exportedTypes, type NodePart, readNodes } from "./read-nodes.ts";
import { storageSchemaText } from "./storage-schema-text.ts";
import { TextFile } from "./text-file.ts";

/** What is exported, where to, and how. */
export interface ExportRequest {
  /** Open. */
  readonly storage: Storage;
  readonly deployment: Schema & { readonly version: number; readonly document: string };
  /** The folder of the export. It is made; when it is there, it must be empty. */
  readonly folder: string;
  readonly format: ExportFormat;
  readonly gzip: boolean;
  /** Names of the types to export; undefined: all. */
  readonly types?: readonly string[];
  /** Called after each page. */
  readonly progress?: (step: { readonly nodes: number; readonly total: number }) => void;
  /** Ends the export with its reason. */
  readonly signal?: AbortSignal;
}

/** What an export holds. */
export interface ExportOutcome {
  readonly commit: CommitToken;
  /** Nodes by type. */
  readonly nodes: Readonly<Record<string, number>>;
  /** Names of the files. */
  readonly files: readonly string[];
}

/** The folder appears when the export is complete, never in part: until then the files lie in a folder beside it. */
export async function writeExport(request: ExportRequest): Promise<ExportOutcome> {
  const { folder } = request;
  const draft = join(dirname(folder), `.${basename(folder)}.partial`);
  try {
    await assertEmpty(folder);
    await rm(draft, { recursive: true, force: true });
    await makeFolder(draft);
    const outcome = await writeFiles(request, draft);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return outcome;
  } catch (cause) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
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

async function writeFiles({ storage, deployment, format, gzip, types, progress, signal }: ExportRequest, draft: string): Promise<ExportOutcome> {
  const target = new Target(deployment);
  const chosen = exportedTypes(deployment).filter(({ model }) => types === undefined || types.includes(model.name));
  const form = formOf(format, target, deployment.model);
  const snapshot = storage.snapshot({ version: deployment.version });
  const files = new ExportFiles(draft, form, { gzip });
  try {
    const [row] = await snapshot.aggregate({ over: { types: chosen.map(({ model }) => model.stored) }, measures: [{ kind: "count" }] });
    const total = Number(row?.[0] ?? 0);
    for (const name of form.files.filter((each) => format !== "ndjson" || chosen.some(({ model }) => each === `${model.name}.ndjson`)))
      files.open(name);
    const counts: Record<string, number> = Object.fromEntries(chosen.map(({ model }) => [model.name, 0]));
    let nodes = 0;
    for await (const parts of readNodes(snapshot, chosen)) {
      signal?.throwIfAborted();
      for (const part of parts) {
        await files.add(part);
        if (!part.isFirst) continue;
        nodes += 1;
        counts[part.type.model.name] = (counts[part.type.model.name] ?? 0) + 1;
      }
      progress?.({ nodes, total });
    }
    await files.close();
    const more = await writeSchemas(draft, deployment, { format, gzip });
    const outcome = { commit: snapshot.at, nodes: counts, files: [...files.names, ...more] };
    if (format === "ndjson")
      await writeFile(join(draft, "export.json"), `${JSON.stringify({ format: "quern-ndjson", version: 1, ...outcome }, null, 2)}\n`);
    return outcome;
  } finally {
    files.destroy();
    snapshot.close();
  }
}

async function writeSchemas(
  draft: string,
  deployment: ExportRequest["deployment"],
  { format, gzip }: Pick<ExportRequest, "format" | "gzip">,
): Promise<readonly string[]> {
  const { document } = deployment;
  const texts: readonly (readonly [string, string])[] =
    format === "ndjson"
      ? [["schema.graphql", document]]
      : [
          [`g01.schema${gzip ? ".gz" : ""}`, storageSchemaText(deployment)],
          [`g01.gql_schema${gzip ? ".gz" : ""}`, `[\n{"Namespace":0,"Schema":${goJson(document)}}\n]\n`],
        ];
  for (const [name, text] of texts) {
    const file = new TextFile(join(draft, name), { gzip: name.endsWith(".gz") });
    await file.add(text);
    await file.close();
  }
  return texts.map(([name]) => name);
}

/** The open data files of an export. */
class ExportFiles {
  readonly #folder: string;
  readonly #form: Form;
  readonly #gzip: boolean;
  readonly #files = new Map<string, { readonly file: TextFile; isEmpty: boolean }>();

  constructor(folder: string, form: Form, { gzip }: { readonly gzip: boolean }) {
    this.#folder = folder;
    this.#form = form;
    this.#gzip = gzip;
  }

  get names(): readonly string[] {
    return [...this.#files.keys()].map((name) => this.#nameOf(name));
  }

  #nameOf(name: string): string {
    return this.#gzip ? `${name}.gz` : name;
  }

  open(name: string) {
    const known = this.#files.get(name);
    if (known !== undefined) return known;
    const opened = { file: new TextFile(join(this.#folder, this.#nameOf(name)), { gzip: this.#gzip }), isEmpty: true };
    this.#files.set(name, opened);
    return opened;
  }

  async add(part: NodePart): Promise<void> {
    const lines = this.#form.lines(part);
    if (lines.length === 0) return;
    const opened = this.open(this.#form.fileOf(part));
    const { begin, between } = this.#form;
    await opened.file.add(`${opened.isEmpty ? begin : between}${lines.join(between)}`);
    opened.isEmpty = false;
  }

  async close(): Promise<void> {
    const { begin, end } = this.#form;
    for (const { file, isEmpty } of this.#files.values()) {
      await file.add(isEmpty ? `${begin}${begin === "" ? "" : end}` : end);
      await file.close();
    }
  }

  destroy(): void {
    for (const { file } of this.#files.values()) file.destroy();
  }
}
