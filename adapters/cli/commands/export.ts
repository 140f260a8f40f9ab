// quern export: writes one snapshot of a store to a folder.

import { resolve } from "node:path";
import { type Deployment, didYouMean, QuernError } from "../../../core/index.ts";
import { type ExportFormat, type ExportStep, writeExport } from "../../transfer/index.ts";
import type { TokenOptions } from "../client/admin-token.ts";
import { loggedInAt } from "../client/guardian.ts";
import { exportServerAccounts } from "../client/server-accounts.ts";
import { runServerTask } from "../client/server-task.ts";
import { createProgress } from "../ground/progress.ts";
import { report, writeAccountsTo } from "../stack/account-data.ts";
import { copyOut } from "../stack/outside-data.ts";
import { namedStack, type StackChoice, withKernel } from "../stack/stack.ts";

export interface ExportOptions extends StackChoice, TokenOptions {
  readonly url?: string;
  readonly format: ExportFormat;
  readonly types?: readonly string[];
  readonly gzip?: boolean;
  /** Files of `@file` too. */
  readonly files?: boolean;
  /** Sessions, hashes of passwords and factors of users too. */
  readonly accounts?: boolean;
}

const usage = "Name the store: --data <dir> for a LevelDB store, --config <file> for a configured storage, or --url <url> for a running server.";

export async function exportData(folder: string, options: ExportOptions): Promise<void> {
  if (options.url !== undefined) return await exportFromServer(folder, { ...options, url: options.url });
  const begin = performance.now();
  const stack = await namedStack(options, usage);
  await withKernel(stack, async (kernel) => {
    const { storage, deployment } = kernel;
    if (deployment === undefined) throw new QuernError("NO_SCHEMA", "There is nothing to export: no schema is deployed in the store.");
    const bar = createProgress("export");
    const progress = ({ nodes, total, before }: ExportStep) => {
      const perSecond = Math.round((nodes - before) / Math.max((performance.now() - begin) / 1_000, 0.001));
      bar.update(nodes, total, `${nodes.toLocaleString("en")} nodes, ${perSecond.toLocaleString("en")}/s`);
    };
    const { nodes } = await writeExport({
      storage,
      deployment,
      folder: resolve(folder),
      format: options.format,
      gzip: options.gzip ?? false,
      ...(options.types && { types: knownTypes(options.types, deployment) }),
      progress,
      notice: (sentence) => console.error(sentence),
    }).finally(() => bar.stop());
    for (const [type, count] of Object.entries(nodes)) console.log(`${type}: ${count.toLocaleString("en")}`);
    if (options.files) await copyOut(stack, kernel, resolve(folder));
    if (options.accounts) await writeAccountsTo(resolve(folder), kernel);
    console.log(`Exported to ${folder} in ${((performance.now() - begin) / 1_000).toFixed(1)} s`);
  });
}

function knownTypes(names: readonly string[], { model }: Deployment): readonly string[] {
  const known = [...model.nodeTypes.values()].flatMap(({ kind, name }) => (kind === "object" ? [name] : []));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  throw new QuernError(
    "CONFIG_INVALID",
    `--types ${unknown}: the schema has no such type${didYouMean(unknown, known) || `; types are ${known.join(", ")}.`}`,
  );
}

/** The server writes to a folder of its own machine. */
async function exportFromServer(folder: string, options: ExportOptions & { readonly url: string }): Promise<void> {
  if (options.types !== undefined) throw new QuernError("CONFIG_INVALID", "--types needs --data or --config; a running server exports all types.");
  const server = await loggedInAt(options);
  // First: who signs up meanwhile is in the data, and has no password there.
  const accounts = options.accounts ? await exportServerAccounts(server, resolve(folder)) : {};
  const message = await runServerTask(server, {
    field: "export",
    inputType: "ExportInput",
    input: { format: options.format, destination: resolve(folder), ...(options.files && { files: true }) },
  });
  report(accounts);
  console.log(`${message} (on the machine of the server)`);
}
