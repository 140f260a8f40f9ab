// What an import finds wrong or left over in the data, counted by kind and name, with the first ten of each.

import { formatUid, type Uid } from "../../../core/storage.ts";

/**
 * What can be found.
 *
 * A fault is data that do not fit the schema. A note is data that an import understands, and that GraphQL shows differently or not at all.
 */
export const findingKinds = {
  unreadable: { fault: true, text: "lines that cannot be read" },
  value: { fault: true, text: "values that do not fit the field; left out" },
  second: { fault: true, text: "second values of a single field; the first is kept" },
  key: { fault: true, text: "values of a unique key that another node has; left out, the node of the lowest uid keeps it" },
  types: { fault: true, text: "nodes of several types; the first type is kept" },
  partner: { fault: true, text: "second partners where one fits; the one that the single end names is kept" },
  misplaced: { fault: true, text: "links to a node of a type that the field does not lead to; left out" },
  inverse: { fault: false, text: "links that only one side of two inverse fields states; both sides show them now" },
  dangling: { fault: false, text: "links to nodes that are not there; left out" },
  missing: { fault: false, text: "nodes without a value of a non-null field" },
  untyped: { fault: false, text: "nodes without a type, which GraphQL does not show; left out" },
  unknownType: { fault: false, text: "nodes of a type that the schema does not have; left out" },
  uncovered: { fault: false, text: "values that no field of the schema covers; left out" },
  facet: { fault: false, text: "facets, which GraphQL does not show; left out" },
  namespace: { fault: false, text: "statements of other namespaces; left out" },
  system: { fault: false, text: "statements about the other system itself, such as its users; left out" },
} as const satisfies Readonly<Record<string, { readonly fault: boolean; readonly text: string }>>;

/** A kind of irregularity in imported data. */
export type FindingKind = keyof typeof findingKinds;

/** One place where an irregularity was found. */
export interface Sample {
  readonly uid?: string;
  readonly value: string;
}

/** All findings of one kind under one name. */
export interface Finding {
  readonly kind: FindingKind;
  /** A field, a type or a file. */
  readonly name: string;
  readonly fault: boolean;
  readonly count: number;
  /** The first ten. */
  readonly samples: readonly Sample[];
}

const maxSamples = 10;
/** Names that are counted one by one; a damaged file may have any number. */
const maxNames = 10_000;
const maxSampleLength = 200;

interface Counted {
  readonly kind: FindingKind;
  readonly name: string;
  count: number;
  readonly samples: Sample[];
}

export class Findings {
  readonly #counted = new Map<string, Counted>();

  add(kind: FindingKind, name: string, what: { readonly uid?: Uid; readonly value: string }): void {
    const counted = this.#countedOf(kind, name);
    counted.count += 1;
    if (counted.samples.length >= maxSamples) return;
    const value = what.value.length <= maxSampleLength ? what.value : `${what.value.slice(0, maxSampleLength)}…`;
    counted.samples.push(what.uid === undefined ? { value } : { uid: formatUid(what.uid), value });
  }

  #countedOf(kind: FindingKind, name: string): Counted {
    const named = this.#counted.size < maxNames || this.#counted.has(`${kind} ${name}`) ? name : "others";
    const key = `${kind} ${named}`;
    const counted = this.#counted.get(key) ?? { kind, name: named, count: 0, samples: [] };
    this.#counted.set(key, counted);
    return counted;
  }

  /** By kind in the order of `findingKinds`, then by name. */
  list(): readonly Finding[] {
    const kinds = Object.keys(findingKinds);
    return [...this.#counted.values()]
      .map(({ kind, name, count, samples }) => ({ kind, name, fault: findingKinds[kind].fault, count, samples }))
      .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (a.name < b.name ? -1 : 1));
  }

  get faults(): number {
    return this.list().reduce((sum, { fault, count }) => sum + (fault ? count : 0), 0);
  }
}
