// Maps gauges of the kernel and statistics of the storage to metric names: `diskBytes` of the storage is `quern_store_disk_bytes`,
// `nodes.Author` is `quern_store_nodes{of="Author"}`.

import type { Readings } from "../../core/index.ts";

export interface Reading {
  readonly name: string;
  readonly help: string;
  /** A counter: decreases only at a restart. */
  readonly rises: boolean;
  readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

export function readingsOf({ storage, statistics, gauges }: Readings): readonly Reading[] {
  return [...grouped(statistics, "quern_store_", `of the store (${storage})`), ...grouped(gauges, "quern_", "of the kernel")];
}

function grouped(numbers: Readonly<Record<string, number>>, prefix: string, whose: string): readonly Reading[] {
  const groups = new Map<string, { readonly of: string | undefined; readonly value: number }[]>();
  for (const [key, value] of Object.entries(numbers)) {
    const dot = key.indexOf(".");
    const name = dot === -1 ? key : key.slice(0, dot);
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push({ of: dot === -1 ? undefined : key.slice(dot + 1), value });
  }
  return [...groups].map(([name, all]) => {
    // A total beside its parts would be counted twice in a sum.
    const parts = all.filter((each) => each.of !== undefined);
    const values = (parts.length > 0 ? parts : all).map(({ of, value }) => ({ labels: labelsOf(of), value }));
    return { name: prefix + snakeCase(name), help: `${name}, ${whose}.`, rises: name.endsWith("Total"), values };
  });
}

function labelsOf(of: string | undefined): Readonly<Record<string, string>> {
  return of === undefined ? {} : { of };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[^a-z0-9_]/g, "_");
}
