// Values of keys that several nodes of an export have: which nodes are written without them.

import type { FieldName, Stored, Uid } from "../../../core/storage.ts";
import { runLines } from "../sort/external-sorter.ts";
import { type NodeRecord, numberAt, readNode, uidAt, widths } from "./records.ts";
import type { Target } from "./target.ts";

/** Which fields of a node have a value of a key that another node keeps. Asked by ascending uid. */
export class LostKeys {
  readonly #lines: AsyncGenerator<string>;
  readonly #fields: ReadonlyMap<number, readonly string[]>;
  #next: string | undefined;
  #began = false;

  constructor(path: string, target: Target) {
    this.#lines = runLines(path);
    // Without its first field a node has no such key: what the key is within stays.
    this.#fields = new Map(target.typeList.flatMap((type) => type.keys.map(({ index, layout }) => [index, layout.fields.slice(0, 1)] as const)));
  }

  async of(uid: Uid): Promise<ReadonlySet<string>> {
    if (!this.#began) await this.#advance();
    while (this.#next !== undefined && uidAt(this.#next, 0) < uid) await this.#advance();
    const names = new Set<string>();
    while (this.#next !== undefined && uidAt(this.#next, 0) === uid) {
      for (const name of this.#fields.get(numberAt(this.#next, widths.uid)) ?? []) names.add(name);
      await this.#advance();
    }
    return names;
  }

  async #advance(): Promise<void> {
    this.#began = true;
    const { value, done } = await this.#lines.next();
    this.#next = done === true ? undefined : value;
  }

  /** The node of a line, and the values that it is written with. Asked by ascending uid. */
  async nodeOf(line: string, target: Target): Promise<NodeRecord & { readonly values: ReadonlyMap<FieldName, Stored> }> {
    const record = readNode(line, target);
    const without = await this.of(record.uid);
    const values = [...record.fields].flatMap(([index, value]) => {
      const name = target.fieldList[index]?.name;
      return name === undefined || without.has(name) ? [] : [[name, value] as const];
    });
    return { ...record, values: new Map(values) };
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }
}
