// What plugins keep outside the database, for the commands that check, copy and restore a store.

import { type Kernel, kernelAccess, type OutsideCopy, type OutsideData, QuernError } from "../../../core/plugin.ts";
import type { QuernConfig } from "../../server/index.ts";
import { counted } from "../ground/counted.ts";

/** With whom it works: a running kernel. */
export interface OutsideWork extends OutsideData {
  readonly plugin: string;
}

/** What `--files` is about. Errors: `CONFIG_INVALID` when no plugin keeps anything. */
export function outsideOf({ plugins = [] }: QuernConfig): readonly OutsideWork[] {
  const found = plugins.flatMap(({ name, outside }) =>
    outside === undefined
      ? []
      : [
          {
            plugin: name,
            name: outside.name,
            check: outside.check.bind(outside),
            copyTo: outside.copyTo.bind(outside),
            copyFrom: outside.copyFrom.bind(outside),
          },
        ],
  );
  if (found.length === 0) throw new QuernError("CONFIG_INVALID", "--files: no plugin of the configuration keeps files; add filesPlugin().");
  return found;
}

/** Copies all of it into folders of `folder`, named after it. */
export async function copyOut(stack: QuernConfig, kernel: Kernel, folder: string): Promise<void> {
  for (const each of outsideOf(stack)) reportCopy(each.name, await each.copyTo(`${folder}/${each.name}`, kernelAccess(kernel, each.plugin)));
}

/** Copies all of it from there. */
export async function copyIn(stack: QuernConfig, kernel: Kernel, folder: string): Promise<void> {
  for (const each of outsideOf(stack)) reportCopy(each.name, await each.copyFrom(`${folder}/${each.name}`, kernelAccess(kernel, each.plugin)));
}

/** Exit code 1 when something is missing. */
export function reportCopy(name: string, { count, bytes, missing }: OutsideCopy): void {
  console.log(`${name}: ${count.toLocaleString("en")} copied, ${(bytes / 2 ** 20).toFixed(1)} MB`);
  if (missing.length === 0) return;
  process.exitCode = 1;
  console.error(`${name}: ${counted(missing.length, "is", "are")} missing:\n${missing.slice(0, 20).join("\n")}`);
}
