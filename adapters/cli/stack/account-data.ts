// What users sign in with, for the commands that move a store.

import { join } from "node:path";
import { type Kernel, kernelAccess, QuernError } from "../../../core/plugin.ts";

const folderName = "accounts";

export async function writeAccountsTo(folder: string, kernel: Kernel): Promise<void> {
  const { writeAccounts } = await import("../../../plugins/accounts/index.ts");
  report(await writeAccounts(kernelAccess(kernel, "accounts"), join(folder, folderName)));
}

export async function loadAccountsFrom(folder: string, kernel: Kernel): Promise<void> {
  const { loadAccounts } = await import("../../../plugins/accounts/index.ts");
  report(await loadAccounts(kernelAccess(kernel, "accounts"), join(folder, folderName)));
}

function report(counts: Readonly<Record<string, number>>): void {
  for (const [file, count] of Object.entries(counts)) console.log(`${folderName}/${file}: ${count.toLocaleString("en")}`);
}

/** For commands that ask a running server, or that write other forms. */
export function refuseAccountsOf({
  url,
  accounts,
  format = "ndjson",
  newUids,
  dryRun,
}: {
  readonly url?: string | undefined;
  readonly accounts?: boolean | undefined;
  readonly format?: string;
  readonly newUids?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}): void {
  if (!accounts) return;
  if (url !== undefined)
    throw new QuernError("CONFIG_INVALID", "--accounts needs --data or --config: a running server exports no hashes and no sessions.");
  if (format !== "ndjson") throw new QuernError("CONFIG_INVALID", "--accounts needs --format ndjson.");
  if (newUids || dryRun) throw new QuernError("CONFIG_INVALID", "--accounts keeps the IDs of users: leave out --new-uids and --dry-run.");
}
