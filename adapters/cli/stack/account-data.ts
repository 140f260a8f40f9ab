// What users sign in with, for the commands that move a store.

import { join } from "node:path";
import { type Kernel, kernelAccess, QuernError } from "../../../core/plugin.ts";

const folderName = "accounts";

/** `AccountsDestination` of accountsPlugin, without a type of better-auth: who has no accounts has not installed it. */
interface AccountsDestination {
  absent(users: readonly Line[]): Promise<readonly string[]>;
  write(table: string, rows: readonly Line[]): Promise<number>;
}

type Line = Readonly<Record<string, unknown>>;

export async function writeAccountsTo(folder: string, kernel: Kernel): Promise<void> {
  const { writeAccounts } = await import("../../../plugins/accounts/index.ts");
  report(await writeAccounts(kernelAccess(kernel, "accounts"), join(folder, folderName)));
}

export async function loadAccountsFrom(folder: string, kernel: Kernel): Promise<void> {
  const { loadAccounts } = await import("../../../plugins/accounts/index.ts");
  report(await loadAccounts(kernelAccess(kernel, "accounts"), join(folder, folderName)));
}

/** Into what `destination` stands for, such as a running server. */
export async function loadAccountsOf(folder: string, destination: AccountsDestination): Promise<void> {
  const { loadAccountsInto } = await import("../../../plugins/accounts/index.ts");
  report(await loadAccountsInto(destination, join(folder, folderName)));
}

/** @param counts rows by file */
export function report(counts: Readonly<Record<string, number>>): void {
  for (const [file, count] of Object.entries(counts)) console.log(`${folderName}/${file}: ${count.toLocaleString("en")}`);
}

/** For commands that would give users other IDs. */
export function refuseAccountsOf({
  accounts,
  newUids,
  dryRun,
}: {
  readonly accounts?: boolean | undefined;
  readonly newUids?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
}): void {
  if (accounts && (newUids || dryRun))
    throw new QuernError("CONFIG_INVALID", "--accounts keeps the IDs of users: leave out --new-uids and --dry-run.");
}
