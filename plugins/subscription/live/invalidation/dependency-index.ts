// An inverted index of registrations: by node id, by value or token, and by range of values.

import type { LayoutIndex, LookupSlot, Uid } from "../../../../core/plugin.ts";
import type { LoadedNode } from "../commits/loaded-node.ts";
import type { TouchedNode } from "../commits/touched-node.ts";
import type { DependencyKey, LookupTerm } from "../dependencies/dependency-key.ts";
import { IntervalSet } from "../dependencies/interval-set.ts";
import type { Registration } from "../dependencies/registration.ts";
import type { FieldTypes } from "./field-types.ts";
import { MultiMap } from "./multi-map.ts";

/** A key that is found by the node itself. */
export type IndexedKey = Extract<DependencyKey, { by: "uids" | "keys" | "range" }>;

type RangeKey = Extract<DependencyKey, { by: "range" }>;
type TermKey = Extract<DependencyKey, { by: "keys" }>;
type Visit<Owner> = (registration: Registration<Owner>) => void;

export class DependencyIndex<Owner> {
  readonly #layout: LayoutIndex;
  readonly #fields: FieldTypes;
  readonly #byUid = new MultiMap<Uid, Registration<Owner>>();
  readonly #byTerm = new Map<string, MultiMap<LookupTerm, Registration<Owner>>>();
  readonly #byRange = new Map<string, IntervalSet<Registration<Owner>>>();

  constructor(layout: LayoutIndex, fields: FieldTypes) {
    this.#layout = layout;
    this.#fields = fields;
  }

  get isEmpty(): boolean {
    return this.#byUid.isEmpty && this.#byTerm.size === 0 && this.#byRange.size === 0;
  }

  add(key: IndexedKey, registration: Registration<Owner>): void {
    if (key.by === "uids") for (const uid of key.uids) this.#byUid.add(uid, registration);
    else if (key.by === "range") this.#addRange(key, registration);
    else this.#addTerms(key, registration);
  }

  remove(key: IndexedKey, registration: Registration<Owner>): void {
    if (key.by === "uids") for (const uid of key.uids) this.#byUid.delete(uid, registration);
    else if (key.by === "range") this.#removeRange(key, registration);
    else this.#removeTerms(key, registration);
  }

  /** An estimate of how many registrations a node that has this key finds. */
  cardinality(key: IndexedKey): number {
    if (key.by === "uids") return 0;
    // How many ranges hold one value is not known beforehand; a quarter of them is a guess.
    if (key.by === "range") return (this.#byRange.get(key.slot)?.size ?? 0) / 4 + 2;
    const terms = this.#byTerm.get(key.slot);
    return terms ? Math.max(0, ...key.keys.map((term) => terms.count(term))) : 0;
  }

  /** @param node the touched node, or its id alone when commits did not touch it */
  find(node: TouchedNode | Uid, now: LoadedNode | undefined, visit: Visit<Owner>): void {
    const touched = typeof node === "number" ? undefined : node;
    this.#byUid.visit(typeof node === "number" ? node : node.uid, visit);
    for (const slot of this.#byTerm.keys()) this.#findByTerm(slot, touched, now, visit);
    for (const slot of this.#byRange.keys()) this.#findByRange(slot, touched, now, visit);
  }

  visitAll(visit: Visit<Owner>): void {
    this.#byUid.visitAll(visit);
    for (const terms of this.#byTerm.values()) terms.visitAll(visit);
    for (const ranges of this.#byRange.values()) ranges.visitAll(visit);
  }

  #addRange(key: RangeKey, registration: Registration<Owner>): void {
    const kind = this.#layout.kindOf(this.#layout.slots.named(key.slot)?.field ?? "");
    const ranges = this.#byRange.get(key.slot) ?? new IntervalSet<Registration<Owner>>(kind);
    ranges.add(registration, key);
    this.#byRange.set(key.slot, ranges);
  }

  #removeRange(key: RangeKey, registration: Registration<Owner>): void {
    const ranges = this.#byRange.get(key.slot);
    ranges?.delete(registration);
    if (ranges?.size === 0) this.#byRange.delete(key.slot);
  }

  #addTerms({ slot, keys }: TermKey, registration: Registration<Owner>): void {
    if (keys.length === 0) return;
    const terms = this.#byTerm.get(slot) ?? new MultiMap<LookupTerm, Registration<Owner>>();
    for (const term of keys) terms.add(term, registration);
    this.#byTerm.set(slot, terms);
  }

  #removeTerms({ slot, keys }: TermKey, registration: Registration<Owner>): void {
    const terms = this.#byTerm.get(slot);
    for (const term of keys) terms?.delete(term, registration);
    if (terms?.isEmpty) this.#byTerm.delete(slot);
  }

  #findByTerm(name: string, touched: TouchedNode | undefined, now: LoadedNode | undefined, visit: Visit<Owner>): void {
    const slot = this.#layout.slots.named(name);
    const terms = this.#byTerm.get(name);
    if (!slot || !terms || this.#fields.lacks(touched?.type ?? now?.type, slot.field)) return;
    if (touched && slot.past !== undefined) for (const term of touched.removedTerms(slot.past)) terms.visit(term, visit);
    if (touched && slot.past === undefined && hadUnknownTerms(touched, slot)) terms.visitAll(visit);
    else if (now) visitCurrentTerms(slot, terms, now, visit);
  }

  #findByRange(name: string, touched: TouchedNode | undefined, now: LoadedNode | undefined, visit: Visit<Owner>): void {
    const slot = this.#layout.slots.named(name);
    const ranges = this.#byRange.get(name);
    if (slot?.past === undefined || !ranges || this.#fields.lacks(touched?.type ?? now?.type, slot.field)) return;
    for (const term of touched?.removedTerms(slot.past) ?? []) ranges.visit(term, visit);
    const values = now?.values(slot.field);
    if (now && values === undefined) ranges.visitAll(visit);
    for (const value of values ?? []) ranges.visit(value, visit);
  }
}

/** Whether the node had other terms before the commits, and no index entry says which. */
function hadUnknownTerms(node: TouchedNode, { field }: LookupSlot): boolean {
  if (node.createdAt === node.token) return false;
  return node.removed || node.properties.has(field);
}

function visitCurrentTerms<Owner>(
  { field, tokens }: LookupSlot,
  terms: MultiMap<LookupTerm, Registration<Owner>>,
  now: LoadedNode,
  visit: Visit<Owner>,
): void {
  const values = now.values(field);
  if (values === undefined) terms.visitAll(visit);
  for (const value of values ?? []) {
    if (!tokens) terms.visit(value, visit);
    else for (const token of tokens(value)) terms.visit(token, visit);
  }
}
