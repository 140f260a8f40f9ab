// Third step of an import: finds the values of unique keys that several nodes have. The node with the lowest uid keeps the value.

import type { ExternalSorter } from "../sort/external-sorter.ts";
import type { Findings } from "../source/findings.ts";
import { numberAt, numberKey, uidAt, uidKey, widths } from "./records.ts";
import type { Target } from "./target.ts";

export interface KeySettling {
  readonly target: Target;
  readonly findings: Findings;
  /** `key hash uid` */
  readonly keys: ExternalSorter;
  /** Receives what the nodes lose, by uid: `uid key`. */
  readonly lost: ExternalSorter;
}

const hashWidth = 40;

export async function settleKeys({ target, findings, keys, lost }: KeySettling): Promise<void> {
  const layouts = target.typeList.flatMap((type) => type.keys);
  const names = new Map(layouts.map(({ index, layout }) => [index, layout]));
  let before = "";
  for await (const line of keys.lines()) {
    const value = line.slice(0, widths.number + hashWidth);
    if (value === before) {
      const key = numberAt(line, 0);
      const uid = uidAt(line, widths.number + hashWidth);
      findings.add("key", names.get(key)?.fields.join(", ") ?? "", { uid, value: "" });
      const full = lost.add(`${uidKey(uid)}${numberKey(key)}`);
      if (full !== undefined) await full;
    }
    before = value;
  }
}
